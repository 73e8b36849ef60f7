"""The page reads and writes the text of a construction as the library does, refuses the same texts
in the same lines, and writes Python that makes the same construction.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lib.transformer.construction import Construction
from lib.transformer.export import to_json
from record.experiments.playground import opened
from record.runs import CHAPTERS
from tests.strategies import constructions as random_constructions
from tests.transformer.test_rows import (
    FIRST,
    PALINDROME,
    PARITY,
    REFUSED,
    SMALL,
    SPELLINGS,
    damages,
    library,
    strange,
)

STATIC = CHAPTERS / "_static"
WRITE = """async texts => {
  const { fromRows, toPython, toRows } = await import("./format.mjs");
  const known = texts.map(text => JSON.parse(text));
  return known.map(json => ({ rows: toRows(json), python: toPython(json) }));
}"""
READ = """async texts => {
  const { RowError, fromRows, toPython, toRows } = await import("./format.mjs");
  const { position } = await import("./positions.mjs");
  return texts.map(text => {
    try {
      const json = fromRows(text, { checkPosition: position });
      return { json: JSON.stringify(json), rows: toRows(json), python: toPython(json) };
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      return { error: error.message, line: error.line };
    }
  });
}"""


def drawn(strategy: st.SearchStrategy, count: int) -> list:
    """The same examples of a strategy each time."""
    found = []

    @seed(0)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(strategy)
    def collect(example):
        found.append(example)

    collect()
    return found


@pytest.fixture(scope="module")
def modules(browser):
    with opened(browser) as page:
        yield page


@pytest.fixture(scope="module")
def known() -> list[Construction]:
    """The library's constructions, and random ones whose names are any text."""
    return [*library(), *drawn(random_constructions(masked=True), 60), *drawn(strange(), 150)]


def made(code: str) -> Construction:
    """What Python code makes."""
    names: dict = {}
    exec(code, names)
    return names["construction"]


def keeps_its_order(construction: Construction) -> bool:
    """Whether the page can know in which order its JSON was written: JavaScript puts names that are
    whole numbers first, and then the order is that of the space.
    """
    parts: list = [construction.word, construction.position]
    for layer in construction.layers:
        parts += [head.v for head in layer.heads]
        parts += [layer.ffn.out, layer.ffn.bias] if layer.ffn else []
    order = {name: place for place, name in enumerate(construction.space.names)}
    for part in parts:
        names = [name for name, _ in part]
        places = [order.get(name, -1) for name in names]
        if any(map(str.isdecimal, names)) and (places != sorted(places) or -1 in places):
            return False
    return True


def test_what_the_page_reads_is_what_the_library_reads(modules, known):
    texts = [to_rows(construction) for construction in known]
    for construction, text, page in zip(known, texts, modules.evaluate(READ, texts), strict=True):
        assert json.loads(page["json"]) == json.loads(to_json(construction))
        assert page["rows"] == text
        assert made(page["python"]) == construction


def test_what_the_page_writes_is_what_the_library_writes(modules, known):
    data = [to_json(construction) for construction in known]
    in_order = 0
    for construction, page in zip(known, modules.evaluate(WRITE, data), strict=True):
        again, python = from_rows(page["rows"]), made(page["python"])
        assert json.loads(to_json(again)) == json.loads(to_json(construction))
        assert json.loads(to_json(python)) == json.loads(to_json(construction))
        if keeps_its_order(construction):
            assert page["rows"] == to_rows(construction) and python == construction
            in_order += 1
    assert in_order > 150


def test_spellings_and_refusals_are_the_librarys(modules):
    texts = [PARITY.replace(line, other) for line in SPELLINGS for other in SPELLINGS[line]]
    texts += [PARITY, FIRST, PALINDROME, PARITY.replace("\n", "\r\n"), SMALL]
    texts += [SMALL.replace(line, instead, 1) for line in REFUSED for instead, *_ in REFUSED[line]]
    texts += drawn(damages() | st.text(max_size=40), 600)
    refused = agreement(modules, texts)
    assert refused > 300 and len(texts) - refused > 100


def agreement(modules, texts: list[str]) -> int:
    """Compares what is said of each text; how many were refused."""
    refused = 0
    for text, page in zip(texts, modules.evaluate(READ, texts), strict=True):
        try:
            construction = from_rows(text)
        except ValueError as error:
            refused += 1
            message = str(error)
            assert page.get("error"), (text, message)
            assert message.startswith(f"line {page['line']}: ")
            if "is no formula for a position" in message:  # each says why in its own words
                assert "is no formula for a position" in page["error"]
            else:
                assert page["error"] == message
        else:
            assert "error" not in page, (text, page)
            assert json.loads(page["json"]) == json.loads(to_json(construction))
    return refused


HOSTILE = [
    'word a: "__proto__"\nword CLS: "constructor"\noutput: "__proto__" - "constructor"',
    "word a: toString\nword CLS: valueOf\nlayer\nhead\nhasOwnProperty <- toString\noutput: ()",
    'name: <script>alert(1)</script>\nword <: "<img onerror=alert(1)>"\nword CLS: c\noutput: ()',
    'name: "\\u003c/script>"\nword `: "${alert(1)}"\nword CLS: "\\"); alert(1); //"\noutput: ()',
    'word CLS: "\\u2028"\nlayer\nfeed-forward\n"\\n  h1 = x" <- 1\noutput: "\\u2028"',
]


def test_hostile_names_are_names(modules):
    dialogs: list = []
    modules.on("dialog", lambda dialog: dialogs.append(dialog))
    for text, page in zip(HOSTILE, modules.evaluate(READ, HOSTILE), strict=True):
        construction = from_rows(text)
        assert json.loads(page["json"]) == json.loads(to_json(construction))
        assert made(page["python"]) == construction
        assert page["rows"] == to_rows(construction)
    assert modules.evaluate("Object.keys(Object.prototype).length") == 0
    assert dialogs == []


@pytest.mark.parametrize(
    "text",
    [
        "#" * 500_001,
        '"' * 499_000,
        '"\\' * 249_000,
        "word CLS: " + " " * 499_000,
        "word CLS: 1" + " " * 499_000 + "x",
        "word CLS: x" + " + x" * 120_000 + " y",
        "word " + " " * 499_000,
        "word CLS: " + "9" * 499_000,
        "word CLS: " + "1 " * 249_000,
        "coordinates: " + ", " * 249_000,
        "head" + " gain 1" * 70_000,
        f"coordinates: {', '.join(f'a{n}' for n in range(9000))}\noutput: {'a' * 400_000}",
        "x" * 499_000 + ": <- x",
        "word CLS: x\nlayer\nfeed-forward\n"
        + "".join(f"h{unit} = ()\n" for unit in range(1, 20_001))
        + '"x" <- ()\n' * 10_000,
    ],
    ids=range(14),
)
def test_very_long_texts_are_refused(modules, text):
    (page,) = modules.evaluate(READ, [text])
    assert page["error"] and len(page["error"]) < 1000
    with pytest.raises(ValueError) as caught:
        from_rows(text)
    assert str(caught.value) == page["error"]


@pytest.mark.parametrize("name", ["format", "formulas"])
def test_the_modules_run_no_text_and_write_no_page(name):
    source = (STATIC / f"{name}.mjs").read_text(encoding="utf-8")
    assert not re.search(r"\beval\b|\bFunction\b|innerHTML|document\b|setTimeout|__proto__", source)
