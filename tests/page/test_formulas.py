"""The page reads formulas as the library does, but for spellings that nobody types; it says of a
string what the interpreter says, and compiles to the same weights.
"""

from __future__ import annotations

import json
import random
import re
from itertools import cycle

import pytest

from lib.formulas import LIBRARY, FormulaError, compiled, formula, holds
from lib.transformer.construction import from_json, to_json
from tests import OFTEN
from tests.formulas.oracles import strings
from tests.formulas.strategies import texts
from tests.formulas.test_interpreter import LOCAL
from tests.formulas.test_syntax import BUILT
from tests.page.engine import data, made
from tests.strategies import drawn

ATTENTIONS = ("hardmax", "softmax", "layer norm")


@pytest.fixture(scope="module")
def known() -> list[tuple[str, str]]:
    """Texts and alphabets: of the library, of its tests, and at random, half without `previous`."""
    found = [(stated.text, stated.alphabet) for stated in LIBRARY]
    found += [(text, "ab") for text in BUILT] + [(text, "01") for text in LOCAL]
    for strategy in (texts(), texts(back=False)):
        different = [*dict.fromkeys(drawn(strategy, 30 * OFTEN))]
        found += [(text, "ab") for text in different[: 12 * OFTEN]]
    return found


SPELLED_OTHERWISE = re.compile(  # what the page does not read: Python's other numbers and strings
    r"""\d_\d|0[xob]|[rRuU]["']|["']\s*["']|\\[\dabfvdx\n]|[#\\]""", re.I
)


def agreement(engine, cases: list[tuple[str, str]], longest: int = 2) -> int:
    """Compares what is said of each text and of strings; how many were refused by both."""
    refused = 0
    asked = [(text, alphabet, strings(alphabet, longest)) for text, alphabet in cases]
    for (text, alphabet, w), page in zip(asked, engine.all("formula", asked), strict=True):
        try:
            meaning = formula(text, alphabet)
        except FormulaError:
            assert page["kind"] == "FormulaError" or "\n" in text, (text, page)
            refused += 1
        else:
            if "error" in page:
                assert SPELLED_OTHERWISE.search(text), (text, page)
                continue
            assert page["text"] == str(meaning)
            assert page["holds"] == [holds(meaning, one) for one in w]
    return refused


def check_compiled(engine, cases: list[tuple]) -> int:
    """Compares weights and proofs; how many were compiled."""
    count = 0
    for case, page in zip(cases, engine.all("compile", cases), strict=True):
        try:
            book = compiled(*case)
        except FormulaError as error:
            assert page["error"] == str(error), case
            continue
        found, expected = json.loads(page["json"]), json.loads(to_json(book.construction))
        assert found == expected and [*found] == [*expected], case
        assert book.is_exact and data(made(page["python"])) == expected
        again = engine("read", page["rows"])["json"]
        assert data(from_json(again)) | {"reading": found["reading"]} == expected
        count += 1
    return count


def test_formulas_mean_and_compile_to_what_the_library_says(engine, known):
    assert len(known) > 50 and agreement(engine, known, 5) == 0
    cases = [(*one, attention) for one, attention in zip(known, cycle(ATTENTIONS))]
    refused = sum("previous" in text and kind == "layer norm" for text, _, kind in cases)
    assert check_compiled(engine, cases) > len(known) - refused - 10


PIECES = ["(", ")", '"', "'", "a", "Q", "and", " or ", "not ", " if ", " else ", "==", "<", "="]
PIECES += [*"+-*/,10_. ", "!=", "**", "True", "count("]


def damaged(text: str, draw: random.Random) -> str:
    """A text with a few of its words or signs left out, put in or moved."""
    words = re.findall(r"\w+|\s+|.", text)
    here, there = (draw.randrange(len(words)) for _ in range(2))
    changed = {
        "out": [*words[:here], *words[here + 1 :]],
        "in": [*words[:here], draw.choice(PIECES), *words[here:]],
        "exchanged": [words[{here: there, there: here}.get(k, k)] for k in range(len(words))],
    }
    return "".join(changed[draw.choice([*changed])])


def test_damaged_formulas_are_refused_by_both_or_read_alike(engine, known):
    draw = random.Random(0)
    cases = [(damaged(text, draw), alphabet) for text, alphabet in known * 6]
    assert len(cases) > 300 and 0.3 < agreement(engine, cases) / len(cases) < 0.9
