"""The workshop: which strings are meant is said otherwise than by the transformer; what a reader
types is judged rightly, for every length where a search closes, named where it is wrong, and comes
back by link, by Back and as Python; puzzles are solved by their solutions and by nothing less.
"""

import datetime
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from playwright.sync_api import expect

from chapters.playground.data import playground
from lib import constructions
from lib.formulas import compiled, formula, holds, language
from lib.formulas.stated import DYCK_1, MAJORITY, PARITY_BY_HALVES
from lib.languages import FIRST, ONE, PALINDROME, PARITY, Language
from lib.proofs import proved_equal, regular
from lib.transformer import Construction, Encoder, Exact, Reading
from lib.verdicts import PROVED, UNKNOWN
from record.runs import CHAPTERS
from tests.conftest import violations, wait_until
from tests.page.engine import data as data_of

BUILT = "chapters/playground.html"
PAGE = "https://book.invalid/"  # no host: every request to it is answered here
HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>workshop</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="_static/book.css">
<style>
:root { color-scheme: light dark; --pst-color-text-base: light-dark(#222832, #ced6dd);
  --pst-color-background: light-dark(#ffffff, #121212); --pst-color-border: #888;
  --pst-color-surface: light-dark(#f3f4f5, #29313d); --pst-font-family-monospace: monospace;
  --pst-color-text-muted: light-dark(#48566b, #9ca4af); }
* { box-sizing: border-box; }
body { color: var(--pst-color-text-base); background: var(--pst-color-background); }
</style>
<main class="playground"><h1>Playground</h1><h2>Tabs</h2>
<button id="tab-workshop">workshop</button>
<div id="panel-workshop" role="tabpanel" aria-labelledby="tab-workshop"></div></main>
<script type="module">
  import { mount } from "./_static/workshop.mjs";
  const root = document.getElementById("panel-workshop");
  const show = mount(root, async () => (await fetch("_static/playground.json")).json());
  document.getElementById("tab-workshop").onclick = () => { root.hidden = false; show(); };
  show();
</script>"""
STORE = "self-attention-exactly.puzzles"

LANGUAGES = {language.name: language for language in (FIRST, PARITY, ONE, PALINDROME)} | {
    "Dyck-1": DYCK_1.language
}
EXPRESSION, PROPERTY, EXAMPLES, FORMULA = (
    "a regular expression",
    "a property",
    "examples",
    "a formula",
)
# For each puzzle a change to its model solution, after which it is wrong.
MUTATIONS = {
    "ends-with-1": ("output: one", "output: -one"),
    "contains-1": ("s <- one", "s <- -one"),
    "at-least-half": ("word CLS: vote", "word CLS: 2·vote"),
    "starts-with-1": ("k: -i", "k: -1/2·i"),
    "exactly-one-1": ("d <- -2·h1", "d <- -h1"),
    "first-with-log-n": ("head\n", "head gain 4/5\n"),
    "dyck-1": ("end - 2·worst", "end - worst"),
    "parity-hardmax": ("x <- -2·h1", "x <- -h1"),
    "parity-one-head": ("x <- one + cls", "x <- one"),
    "palindrome-two-layers": ("h1 = one - 1/2", "h1 = one"),
}
OF_FORMULAS = {
    "only-1s": ("never", "once"),
    "two-1s": (">=", "=="),
    "smaller-once": ("once", "never"),
    "followed": ('not Q("0")', 'not Q("1")'),
    "blocks": ('once(Q("b"))', 'previous(Q("a"))'),
    "alternating": ('Q("b") and', 'Q("a") and'),
    "smaller-first": ('Q("0")', 'Q("1")'),
}
OF_SPECIFICATIONS = {"string-two", "string-clocks", "invariant", "smaller-once", "smaller-first"}
ALL = [*MUTATIONS, *OF_FORMULAS, "string-two", "string-clocks", "invariant"]
# For each kind of restriction, a puzzle and what breaks it.
BREACHES = [
    ("ends-with-1", "read: last", "read: last\nlayer", "no layer, and this has 1"),
    ("contains-1", "s <- one", "s <- one\nlayer", "at most one layer, and this has 2"),
    ("contains-1", "s <- one", "s <- one\nhead\n  s <- one", "at most one head, and this has 2"),
    ("contains-1", "s <- one", "s <- one\nfeed-forward", "no feed-forward network, and layer 1"),
    ("contains-1", "word 0:", "position i: p\nword 0:", "no positions, and this has i"),
    ("starts-with-1", "position i:", "position -i:", "positions: only i, and this has -i"),
    ("contains-1", "word 0:", "word 2: ()\nword 0:", "symbols are 0 and 1, and this has 0 and 1 a"),
    ("contains-1", "word 0: ()\n", "", "the symbols are 0 and 1, and this has 1"),
    ("contains-1", "output: s", "output: s\naccept: output = 0", "this accepts where it is 0"),
    (
        "parity-one-head",
        "  s <- mark",
        "  s <- mark\nhead\n  s <- mark",
        "at most one head in each layer, and layer 2 has 2",
    ),
]
HOSTILE = [
    '<img src=x onerror="window.hacked=1">',
    '"><script>window.hacked=1</script>',
    "</textarea><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "${window.hacked=1}{{7*7}}'`",
    "__proto__",
    "\u202egnp.1=dekcah\u0000\ud83d\ude00",
]


@cache
def data() -> str:
    return json.dumps(playground())


def answer(route) -> None:
    """The page, or one of the files that the book's build would put beside it."""
    name = route.request.url.removeprefix(PAGE).removeprefix("_static/")
    if not name:
        route.fulfill(content_type="text/html; charset=utf-8", body=HTML)
    elif name == "playground.json":
        route.fulfill(content_type="application/json", body=data())
    else:
        kind = "text/css" if name.endswith("css") else "text/javascript"
        body = (CHAPTERS / "_static" / name).read_text(encoding="utf-8")
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)


@pytest.fixture(scope="module")
def reader(browser):
    """A reader's profile with one page left open: Chromium keeps its process for the others."""
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        first = context.new_page()
        first.route(f"{PAGE}**", answer)
        first.goto(PAGE)
        yield context


@pytest.fixture
def opened(reader):
    """A function that opens the workshop at an address, in a browser that knows nothing of it;
    in the end nothing may have failed, and no other host may have been asked.
    """
    [first], failed = reader.pages, []

    def page(hash="", setup=None, width=1200, height=900):
        page = reader.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.route("**", lambda route: failed.append(route.request.url) or route.abort())
        page.route(f"{PAGE}**", answer)
        page.on("pageerror", lambda error: failed.append(str(error)))
        if setup:
            page.add_init_script(setup)
        page.goto(f"{PAGE}#{hash}" if hash else PAGE)
        page.wait_for_selector(".workshop")
        return page

    yield page
    for page in reader.pages[1:]:
        page.close()
    first.evaluate("localStorage.clear()")
    assert failed == []


@pytest.fixture
def page(opened):
    return opened()


@pytest.fixture(scope="module")
def puzzles(reader) -> dict[str, dict]:
    read = "import('./_static/puzzles.mjs').then(({ PUZZLES }) => PUZZLES)"
    return {puzzle["id"]: puzzle for puzzle in reader.pages[0].evaluate(read)}


def verdict(page):
    return page.locator(".verdict")


def rows(page):
    return page.get_by_label("rows", exact=True)


def choice(page, name):
    return page.get_by_role("combobox", name=name, exact=True)


def judge(page):
    page.get_by_role("button", name="judge").click()


def by_rows(page, text=None):
    page.get_by_role("radio", name="rows").click()
    if text is not None:
        rows(page).fill(text)


def options(page):
    """Opens what a reader needs rarely: how it is read, and examples to start from."""
    page.locator("summary", has_text="how it is read").click()
    expect(choice(page, "start from")).to_contain_text("Dyck-1")


def start_from(page, example):
    options(page)
    choice(page, "start from").select_option(example)


def by_formula(page, text, symbols="01", kind="hardmax"):
    page.get_by_label("symbols").fill(symbols)
    page.get_by_label("formula", exact=True).fill(text)
    if kind != "hardmax":
        options(page)
        choice(page, "kind of attention").select_option(kind)


def meant(page, way, text=""):
    """Says which strings are meant: by an expression, a formula or examples."""
    choice(page, "said by").select_option(way)
    labels = {EXPRESSION: "expression", FORMULA: "formula of the language"}
    if way in labels:
        page.get_by_label(labels[way], exact=True).fill(text)
    elif way == EXAMPLES:
        page.get_by_label("strings that belong").fill(text)


def puzzle(page, name):
    choice(page, "what to do").select_option(name)


def language_of(puzzle: dict) -> Language:
    given, over = puzzle["language"], puzzle["alphabet"]
    if given["kind"] == "builtin":
        return LANGUAGES[given["name"]]
    if given["kind"] == "expression":
        return Language("meant", regular(given["text"], over).accepts_input, tuple(over))
    return language(formula(given["text"], over), over)


def reader_of(puzzle: dict, construction: Construction) -> Exact:
    return Exact(replace(construction, reading=Reading(**puzzle["reading"])))


def wrong_string(text: str) -> str:
    """The counterexample that a verdict names."""
    return "" if "the empty string is" in text else text.split("“")[1].split("”")[0]


# ---- puzzles ----


def test_there_are_twenty_puzzles_in_three_degrees_and_each_is_told_shortly(puzzles):
    assert len(puzzles) == 20 and {*puzzles} == {*ALL}
    degrees = [puzzle["degree"] for puzzle in puzzles.values()]
    assert degrees == sorted(degrees) and {*degrees} == {1, 2, 3}
    assert len(OF_SPECIFICATIONS) == 5 and OF_SPECIFICATIONS <= {*puzzles}
    for puzzle in puzzles.values():
        assert all(puzzle[name] for name in ("title", "task", "hint", "why", "solution"))
        assert (CHAPTERS / f"{puzzle['lesson']}.py").exists()
        assert len(puzzle["task"]) < 300


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_puzzle_is_solved_by_its_model_solution_and_by_no_mutant_of_it(
    opened, puzzles, from_rows, name
):
    page, puzzle = opened(f"tab=workshop&puzzle={name}"), puzzles[name]
    belongs, solution = language_of(puzzle), puzzle["solution"]
    for text in (puzzle["start"], solution.replace(*MUTATIONS[name])):
        assert text != solution
        rows(page).fill(text)
        judge(page)
        expect(verdict(page)).to_contain_text("Wrong: ")
        w = wrong_string(verdict(page).inner_text())
        accepted = reader_of(puzzle, from_rows(text)).accepts(w)
        assert accepted is not None and accepted != belongs.contains(w)
        said = "accepted, but is not" if accepted else "rejected, but is"
        assert said in verdict(page).inner_text()
        shorter = [v for n in range(len(w)) for v in belongs.all_strings(n)]
        assert belongs.errors(shorter, reader_of(puzzle, from_rows(text)).accepts(shorter)) == []
    assert page.locator(".count").inner_text() == "0 of 20 puzzles solved"
    rows(page).fill(solution)
    judge(page)
    expect(verdict(page)).to_contain_text("Solved: right on all 8,191 strings to length 12, each")
    assert page.locator(".count").inner_text() == "1 of 20 puzzles solved"
    size = from_rows(solution).size
    assert f"{size['coefficients']} nonzero coefficients." in page.locator(".best").inner_text()
    assert "Your smallest" in page.locator(".best").inner_text()


@pytest.mark.parametrize("name", MUTATIONS)
def test_python_agrees_with_a_model_solution(puzzles, from_rows, name):
    puzzle = puzzles[name]
    reader, belongs = reader_of(puzzle, from_rows(puzzle["solution"])), language_of(puzzle)
    strings = [w for n in range(9) for w in belongs.all_strings(n)]
    assert belongs.errors(strings, reader.accepts(strings)) == []
    for w, inside in puzzle["longer"]:
        assert belongs.contains(w) == inside
        if len(w) < 100:
            assert reader.accepts(w) == inside


@pytest.mark.parametrize(("name", "old", "new", "reason"), BREACHES)
def test_what_a_puzzle_does_not_allow_is_refused(opened, puzzles, name, old, new, reason):
    page, solution = opened(f"tab=workshop&puzzle={name}"), puzzles[name]["solution"]
    text = solution.replace(old, new)
    if new.startswith("read: last\n"):
        text = solution.replace(old, "layer\n" + old)
    assert text != solution
    rows(page).fill(text)
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: the puzzle says “")
    assert reason in verdict(page).inner_text().replace("”", "")
    assert reason in page.locator(".wrote .error").inner_text().replace("”", "")
    said = page.locator(".allowed li").all_inner_texts()
    broken = page.locator(".allowed .broken").all_inner_texts()
    assert broken == [text for text in said if f"“{text}”" in verdict(page).inner_text()]
    assert page.locator(".count").inner_text() == "0 of 20 puzzles solved"


def test_a_solution_that_is_right_to_length_12_only_is_found_out(opened, puzzles):
    page = opened("tab=workshop&puzzle=first-with-log-n")
    rows(page).fill(puzzles["first-with-log-n"]["solution"].replace("head\n", "head gain 99/100\n"))
    judge(page)
    expect(verdict(page)).to_contain_text("It is right on all 8,191 strings to length 12")
    assert "(61 symbols) is rejected, but is in FIRST" in verdict(page).inner_text()
    page.locator(".next button").click()
    expect(page.locator(".decided")).to_contain_text("It is in FIRST: wrong.")


def test_a_solution_is_shown_after_a_try_and_can_be_taken(opened, puzzles):
    page = opened("tab=workshop&puzzle=contains-1")
    reveal = page.get_by_role("button", name="show a solution")
    expect(reveal).to_be_disabled()
    page.locator(".hint summary").click()
    assert "share of 1s" in page.locator(".hint").inner_text()
    judge(page)
    expect(reveal).to_be_enabled()
    reveal.click()
    assert page.locator(".solution pre").inner_text() == puzzles["contains-1"]["solution"]
    page.get_by_role("button", name="put it into the box").click()
    assert rows(page).input_value() == puzzles["contains-1"]["solution"]
    page.get_by_role("button", name="start over").click()
    assert rows(page).input_value() == puzzles["contains-1"]["start"]


def test_progress_is_kept_and_a_smaller_solution_counts(opened, puzzles):
    page = opened("tab=workshop&puzzle=contains-1")
    solution = puzzles["contains-1"]["solution"]
    for text, said in (
        (solution.replace("s <- one", "s <- one\n  t <- one"), "3 coordinates, 5 nonzero"),
        (solution, "2 coordinates, 4 nonzero"),
        (solution.replace("s <- one", "s <- one\n  t <- one"), "2 coordinates, 4 nonzero"),
    ):
        rows(page).fill(text)
        judge(page)
        expect(verdict(page)).to_contain_text("Solved: ")
        assert said in page.locator(".best").inner_text().split("Your smallest")[1]
    page.get_by_role("button", name="next puzzle: A vote").click()
    assert page.locator(".puzzle h3").first.inner_text() == "3. A vote"
    page.goto(PAGE)
    page.reload()
    assert page.locator(".count").inner_text() == "1 of 20 puzzles solved"
    assert "✓ 2. Is there a 1?" in choice(page, "what to do").inner_text()


@pytest.mark.parametrize(
    "setup",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })",
        *(
            f"localStorage.setItem('{STORE}', {json.dumps(text)})"
            for text in (
                "{",
                "null",
                "[1]",
                '"x"',
                '{"contains-1": 1, "ends-with-1": {"layers": "<b>"}, "__proto__": {}}',
                '{"contains-1": {"layers": 1, "heads": 1, "coordinates": 1, "coefficients": "x"}}',
            )
        ),
    ],
)
def test_without_a_store_or_with_a_damaged_one_all_else_works(opened, puzzles, setup):
    page = opened("tab=workshop&puzzle=ends-with-1", setup=setup)
    assert page.locator(".count").inner_text() == "0 of 20 puzzles solved"
    rows(page).fill(puzzles["ends-with-1"]["solution"])
    judge(page)
    expect(verdict(page)).to_contain_text("Solved: ")
    assert page.locator(".count").inner_text() == "1 of 20 puzzles solved"


# ---- the workshop ----


@pytest.mark.parametrize(
    "make", [constructions.parity, constructions.first, constructions.one], ids=lambda f: f.__name__
)
def test_the_books_constructions_are_right_on_every_string(page, from_rows, make: Callable):
    start_from(page, f"rows {make().name}")
    assert from_rows(rows(page).input_value()) == make()
    size = make().size
    assert page.locator(".sized").inner_text() == (
        f"{size['layers']} layer{'s' * (size['layers'] > 1)}, "
        f"{size['heads']} head{'s' * (size['heads'] > 1)}, "
        f"{size['coordinates']} coordinates, {size['coefficients']} nonzero coefficients"
    )
    judge(page)
    expect(verdict(page)).to_contain_text(
        "Right on all 8,191 strings to length 12, each decided exactly. Of longer strings nothing "
        "is proved: rows are tried string by string. Its logit is nearest to 0 on "
    )


def test_the_shortest_counterexample_is_traced(page):
    start_from(page, "rows flawed FIRST")
    judge(page)
    expect(verdict(page)).to_contain_text(
        "Wrong: “100” is rejected, but is in FIRST. Its logit is −0.0"
    )
    expect(verdict(page)).to_contain_text("No shorter string is decided wrongly")
    reader = Exact(constructions.flawed_first())
    strings = [w for n in range(4) for w in FIRST.all_strings(n)]
    assert FIRST.errors(strings, reader.accepts(strings))[0] == "100"
    page.get_by_role("button", name="trace “100”").click()
    assert page.get_by_label("string", exact=True).input_value() == "100"
    assert "“100”: rejected (logit −0.0" in page.locator(".decided").inner_text()
    expect(page.locator(".decided")).to_contain_text("It is in FIRST: wrong.")
    table = page.locator(".numbers")
    heads = table.locator("thead button").all_inner_texts()
    assert heads == ["CLS₀", "1₁", "0₂", "0₃"]
    looks = table.locator("tr.looks").first
    trace = reader.trace("100")
    expected = [float(x.mid()) for x in trace.attention[1, 1][0]]
    shown = [float(text) for text in looks.locator("td").all_inner_texts()]
    assert shown == pytest.approx(expected, rel=1e-2)
    table.get_by_role("button", name="attention from 0 at position 3").click()
    assert looks.locator("th").inner_text() == "head 1 looks, from 0₃"
    assert set(looks.locator("td").all_inner_texts()) == {"0.25"}
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "attention from 0 at position 3"


IN_FULL = """async ([json, name, settings]) => {
  const { LANGUAGES } = await import("./languages.mjs");
  const { sweep } = await import("./sweep.mjs");
  const found = sweep(json, LANGUAGES[name], { longest: 7, inFull: true, ...settings });
  return [found.nearest.map(({ w }) => w), found.counterexample, found.next];
}"""


@pytest.mark.parametrize(
    ("construction", "belongs"),
    [
        (constructions.parity(), PARITY),
        (constructions.one(), ONE),
        (constructions.first(), FIRST),
        (constructions.flawed_first(), FIRST),
        (constructions.one(), FIRST),
    ],
)
def test_the_nearest_margins_and_the_next_mistake_are_found(modules, construction, belongs):
    strings = [w for n in range(8) for w in belongs.all_strings(n)]
    asked = [data_of(construction), belongs.name, {}]
    nearest, wrong, following = modules.evaluate(IN_FULL, asked)
    errors = belongs.errors(strings, Exact(construction).accepts(strings))
    assert wrong == (errors[0] if errors else None)
    close = [w for w in errors[1:] if len(w) <= len(errors[0]) + 1]
    assert (following and following["w"]) == (close[0] if close else None)
    before = strings[: strings.index(errors[0])] if errors else strings
    reader = Encoder(construction)
    sizes = [abs(reader(w).item()) for w in before]
    distinct = sorted({round(size, 12) for size in sizes})[:2]
    assert [round(sizes[before.index(w)], 12) for w in nearest] == distinct


# ---- formulas, and the language said otherwise ----


@pytest.mark.parametrize("kind", ["hardmax", "softmax", "layer norm"])
def test_a_formula_is_proved_against_what_is_meant_for_every_length(page, kind):
    meant(page, FORMULA, 'not count(Q("b")) <= 2*count(Q("a"))')
    by_formula(page, 'count(Q("b")) > 2*count(Q("a"))', "ab", kind)
    size = compiled('count(Q("b")) > 2*count(Q("a"))', "ab", kind).construction.size
    expect(page.locator(".sized")).to_contain_text(
        f"{size['coordinates']} coordinates, {size['coefficients']} nonzero"
    )
    judge(page)
    expect(verdict(page)).to_contain_text(
        "Proved for every length: your formula accepts just the language of the formula (a search "
    )
    expect(verdict(page)).to_contain_text("right on all 8,191 strings to length 12")


def test_a_formula_held_against_itself_is_nothing_tested(page):
    """The trap of before: a wrong formula was proved, and 1001 "accepted. That is right"."""
    text = 'count(Q("0")) <= count(Q("1")) and not Q("0")'
    meant(page, FORMULA, text)
    by_formula(page, f"({text})")
    page.get_by_label("string", exact=True).fill("1001")
    expect(page.locator(".decided")).to_have_text("“1001”: accepted (logit 1/2).")
    judge(page)
    expect(verdict(page)).to_contain_text("Nothing was tested")
    meant(page, EXPRESSION, "(1|01)*")
    expect(page.locator(".decided")).to_contain_text("It is not in the language of (1|01)*: wrong.")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: “0011” is accepted, but is not in the language")
    expect(verdict(page)).to_contain_text("Its logit is 1/2.")
    expect(verdict(page)).to_contain_text("The next wrong one is “1001”, accepted.")


def test_the_bar_of_what_is_proved_is_not_that_of_what_was_tried(page):
    bars = {}
    by_formula(page, 'never(Q("0") and position == 1) and position >= 1')
    for way, text in ((EXPRESSION, "1.*"), ("PALINDROME", ""), (EXAMPLES, "1")):
        meant(page, way, text)
        judge(page)
        expect(verdict(page)).not_to_have_text("")
        said = verdict(page).inner_text().split(" ")[0]
        bars[said] = verdict(page).evaluate("""of => {
          const { borderLeftColor, borderLeftStyle } = getComputedStyle(of);
          return `${borderLeftStyle} ${borderLeftColor}`;
        }""")
    assert bars.keys() == {"Proved", "Wrong:", "Right"} and len({*bars.values()}) == 3


def test_a_formula_is_found_wrong_beyond_length_12(page):
    meant(page, EXPRESSION, "0*(10*){0,14}")
    by_formula(page, 'count(Q("1")) <= 15')
    judge(page)
    expect(verdict(page)).to_contain_text(f"Wrong: “{'1' * 15}” (15 symbols) is accepted, but is")
    answer = proved_equal('count(Q("1")) <= 15', regular("0*(10*){0,14}", "01"), "01")
    assert answer.counterexample == "1" * 15


def test_where_no_search_closes_strings_are_tried_and_the_page_says_so(page):
    meant(page, EXPRESSION, "(ab)*")
    by_formula(page, 'count(Q("a")) == count(Q("b")) == count(Q("b") and previous(Q("a")))', "ab")
    judge(page)
    expect(verdict(page)).to_contain_text("Right on all 8,191 strings to length 12")
    expect(verdict(page)).to_contain_text("Of longer strings nothing is proved: after 4,001 pairs")
    by_formula(page, 'never(Q("a") and previous(Q("a")))', "ab")
    choice(page, "said by").select_option("PALINDROME")
    expect(page.get_by_label("symbols")).to_have_value("01")
    page.get_by_label("symbols").fill("ab")
    expect(page.locator(".meant .error")).to_have_text(
        "PALINDROME is a language over 0, 1, not a, b"
    )


def test_the_first_strings_of_both_are_shown_before_a_verdict(page):
    meant(page, EXPRESSION, ".*1.*1.*")
    by_formula(page, 'count(Q("1")) == 2')
    lines = page.locator(".firsts tbody tr")
    expect(lines.nth(0)).to_have_text("the language11 011 101 110 111 0011empty 0 1 00 01 10")
    expect(lines.nth(1)).to_have_text("yours11 011 101 110 0011 0101empty 0 1 00 01 10")
    assert page.locator(".firsts .wrong").all_inner_texts() == ["111"]
    assert verdict(page).inner_text() in ("", "Not judged yet.")
    page.get_by_label("formula", exact=True).fill("count(")
    expect(lines).to_have_count(1)


@pytest.mark.parametrize(
    ("way", "text", "symbols", "accepted", "rejected"),
    [
        (EXPRESSION, "1{7}", "01", "none to length 6", None),
        (EXPRESSION, ".*1.{9}", "01", "none to length 6", None),
        (FORMULA, 'count(Q("1")) <= 13', "01", None, "none to length 6"),
        (EXPRESSION, "abcabc", "abc", "none to length 4", None),
    ],
)
def test_none_says_to_which_length(page, way, text, symbols, accepted, rejected):
    page.get_by_label("symbols").fill(symbols)
    meant(page, way, text)
    cells = page.locator(".firsts tbody tr").first.locator("td")
    for cell, said in zip((cells.nth(0), cells.nth(1)), (accepted, rejected), strict=True):
        if said:
            expect(cell).to_have_text(said)
        else:
            expect(cell).not_to_contain_text("none")
    over = regular(text, symbols).accepts_input if way == EXPRESSION else formula(text, symbols)
    accepts = over if way == EXPRESSION else lambda w: holds(over, w)
    strings = Language("", bool, tuple(symbols)).all_strings
    length = int((accepted or rejected).split()[-1])
    assert {accepts(w) for n in range(length + 1) for w in strings(n)} == {accepted is None}


def test_a_formula_read_otherwise_is_not_proved(page):
    meant(page, "MAJORITY")
    by_formula(page, 'count(Q("1")) > count(Q("0"))')
    judge(page)
    expect(verdict(page)).to_contain_text("Proved for every length")
    options(page)
    choice(page, "attention").select_option("softmax")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: “")
    choice(page, "normalization, ε").select_option("0")
    choice(page, "attention").select_option("hardmax")
    assert "cannot be read exactly" in page.locator(".wrote .error").inner_text()
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: hardmax under layer normalization")


def test_a_formula_becomes_rows_that_are_judged_string_by_string(page, from_rows):
    meant(page, EXPRESSION, "a*b*")
    by_formula(page, 'never(Q("a") and once(Q("b")))', "ab")
    options(page)
    page.get_by_role("button", name="as rows").click()
    made = compiled('never(Q("a") and once(Q("b")))', "ab", "hardmax")
    assert from_rows(rows(page).input_value()) == replace(made.construction, reading=None)
    judge(page)
    expect(verdict(page)).to_contain_text("rows are tried string by string")


def test_examples_are_judged_to_the_longest_listed_and_nothing_is_claimed_beyond(page):
    by_formula(page, 'count(Q("1")) == 1 and count(Q("0")) <= 1')
    meant(page, EXAMPLES, "1\n01\n\n10\n")
    judge(page)
    expect(verdict(page)).to_contain_text("Right on all 7 strings to length 2")
    expect(verdict(page)).to_contain_text("Nothing is claimed of longer strings.")
    inside = page.get_by_label("strings that belong")
    inside.fill('1\n""\n01\n10')
    expect(verdict(page)).to_have_text("")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: the empty string is rejected, but is in the list")
    inside.fill("1\n01\n12")
    expect(page.locator(".meant .error")).to_have_text("line 3: 2 is no symbol of 0, 1")
    assert inside.get_attribute("aria-invalid") == "true"
    inside.fill("1\n01")
    outside = page.get_by_label("strings that do not")
    outside.fill("0\n0000000000000000")
    judge(page)
    expect(verdict(page)).to_contain_text("Right on the 4 strings of your lists")
    expect(verdict(page)).to_contain_text("Nothing is claimed of other strings.")
    page.get_by_label("string", exact=True).fill("11")
    expect(page.locator(".decided")).to_have_text("“11”: rejected (logit −1/2).")
    outside.fill("01")
    expect(page.locator(".meant .error")).to_have_text("01 stands in both lists")
    outside.fill("")
    inside.fill("1" * 13)
    expect(page.locator(".meant .error")).to_contain_text("which may have 12 symbols")


SAYS = """async ([states, alphabet, longest]) => {
  const { languageOf, memberOf } = await import("./specification.mjs");
  const { words } = await import("./sweep.mjs");
  const all = Array.from({ length: longest + 1 }, (_, n) => [...words(alphabet, n)]).flat();
  return states.map(state => {
    try {
      const belongs = memberOf(languageOf({ language: "a property", ...state }, [...alphabet]));
      return all.filter(belongs);
    } catch (error) {
      return error.message;
    }
  });
}"""
HOLDS = {
    "starts with a": lambda w, a, b: w[:1] == a,
    "ends with a": lambda w, a, b: w[-1:] == a,
    "holds exactly n times a": lambda w, a, b: w.count(a) == 2,
    "holds at least n times a": lambda w, a, b: w.count(a) >= 2,
    "holds at most n times a": lambda w, a, b: w.count(a) <= 2,
    "holds a so often that n divides it": lambda w, a, b: w.count(a) % 2 == 0,
    "has a length that n divides": lambda w, a, b: len(w) % 2 == 0,
    "holds the block w": lambda w, a, b: a + b + b in w,
    "does not hold the block w": lambda w, a, b: a + b + b not in w,
    "has b directly after every a": lambda w, a, b: all(
        w[i + 1 : i + 2] == b for i, x in enumerate(w) if x == a
    ),
    "has all a before all b": lambda w, a, b: all(
        a not in w[i + 1 :] for i, x in enumerate(w) if x == b
    ),
    "holds more a than b": lambda w, a, b: w.count(a) > w.count(b),
    "holds as many a as b": lambda w, a, b: w.count(a) == w.count(b),
}


@pytest.mark.parametrize("alphabet", ["01", "abc", "()"])
def test_properties_say_what_their_sentences_say(modules, alphabet):
    pairs = [alphabet[:2], alphabet[1::-1], alphabet[0] * 2]
    asked = [(name, a, b) for name in HOLDS for a, b in pairs if a != b or "all" not in name]
    states = [
        {"property": name, "a": a, "b": b, "n": "2", "block": a + b + b} for name, a, b in asked
    ]
    strings = [w for n in range(6) for w in Language("", bool, tuple(alphabet)).all_strings(n)]
    for (name, a, b), found in zip(
        asked, modules.evaluate(SAYS, [states, alphabet, 5]), strict=True
    ):
        assert found == [w for w in strings if HOLDS[name](w, a, b)], (name, a, b)
    bad = [
        {"property": "holds the block w", "block": "2"},
        {"property": "holds at most n times a", "n": "0"},
    ]
    start = {"a": alphabet[0], "b": alphabet[1], "n": "1", "block": ""}
    assert [
        said.split(",")[0]
        for said in modules.evaluate(SAYS, [[start | one for one in bad], alphabet, 1])
    ] == [f"a block of the symbols {alphabet[0]}", "n is a number from 1 to 99"]


WRITTEN = """async longest => {
  const { LANGUAGES, OTHERWISE, SYMBOLS, WRITTEN } = await import("./languages.mjs");
  const { memberOf } = await import("./specification.mjs");
  const { words } = await import("./sweep.mjs");
  const { formulas } = await (await fetch("./playground.json")).json();
  const strings = over => Array.from({ length: longest + 1 }, (_, n) => [...words(over, n)]).flat();
  const member = ({ builtin, expression, formula }, over) => {
    const [kind, text] = formula ? ["formula", formula] : ["expression", expression];
    return builtin ? LANGUAGES[builtin] : memberOf({ kind, text, alphabet: [...over] });
  };
  const agree = (one, other, over) => strings(over).every(w => one(w) === other(w));
  return [
    Object.entries(WRITTEN).map(([name, said]) => {
      const over = SYMBOLS[name] ?? "01";
      return [name, agree(LANGUAGES[name], member(said, over), over)];
    }),
    Object.entries(formulas).map(([name, [over, formula]]) => {
      const other = member(OTHERWISE[name], over);
      return [name, agree(member({ formula }, over), other, over)];
    }),
  ];
}"""


def test_languages_that_are_written_otherwise_are_the_same(modules):
    written, otherwise = modules.evaluate(WRITTEN, 7)
    assert len(written) == 5 and len(otherwise) == 7
    assert [name for name, agrees in written + otherwise if not agrees] == []


def test_a_property_is_chosen_and_shown_as_what_it_is_held_as(page):
    choice(page, "said by").select_option(PROPERTY)
    choice(page, "property").select_option("has b directly after every a")
    choice(page, "a").select_option("0")
    choice(page, "b").select_option("1")
    expect(page.locator(".written")).to_have_text("As an expression: (1|01)*")
    by_formula(page, 'not Q("0") and never(Q("0") and previous(Q("0")))')
    judge(page)
    expect(verdict(page)).to_contain_text(
        "Proved for every length: your formula accepts just the language “has 1 directly after"
    )


def test_three_symbols_are_tried_to_a_shorter_length(page):
    meant(page, EXPRESSION, "(a|b|c)*")
    by_formula(page, "True", "abc")
    judge(page)
    expect(verdict(page)).to_contain_text("right on all 9,841 strings to length 8")


# ---- help ----


@pytest.mark.parametrize(
    ("box", "slip", "mend"),
    [
        ("formula", "Q(1)", 'Q("1")'),
        ("formula", "count(1) >= 2", 'count(Q("1")) >= 2'),
        ("formula", 'count(Q("1")) => 2', 'count(Q("1")) >= 2'),
        ("formula", 'cuont(Q("1")) = 2', 'count(Q("1")) == 2'),
        ("formula", '!once(Q("1")) && Q("0")', 'not once(Q("1")) and Q("0")'),
        ("formula", 'once(Q("1")', 'once(Q("1"))'),
        ("formula", 'count(Q("1") == 2', 'count(Q("1")) == 2'),
        ("formula", 'count(Q("1") and Q("0") == 2', 'count(Q("1") and Q("0")) == 2'),
        ("formula", 'Q("1") or', 'Q("1")'),
        ("formula", 'never Q("1")', 'never(Q("1"))'),
        ("formula", 'count(Q("1")) >= 2,', 'count(Q("1")) >= 2'),
        ("formula", 'count(Q("1")', 'count(Q("1")) >= 1'),
        ("formula", "1", 'Q("1")'),
        ("formula", "position % 2 == 0", "mod(2, 0)"),
        ("expression", "^(1|01)*$", "(1|01)*"),
        ("expression", "(^1|01$)*", "(1|01)*"),
        ("expression", "0[^0]*", "0[1]*"),
    ],
)
def test_an_error_shows_the_mend_and_a_press_makes_it(page, box, slip, mend):
    control = page.get_by_label(box, exact=True)
    control.fill(slip)
    page.get_by_role("button", name=f"write {mend}", exact=True).press("Enter")
    expect(control).to_have_value(mend)
    expect(control).to_be_focused()
    expect(page.locator(".mend")).to_have_count(0)


@pytest.mark.parametrize(
    ("hash", "text", "reason"),
    [
        ("tab=workshop&puzzle=smaller-once", None, "at most two parts"),
        ("tab=workshop&puzzle=smaller-first", None, "at most three parts"),
        ("", 'total(Q("1")) == 2*count(Q("1"))', "cannot be compared"),
        ("", 'total(Q("1")) >= count(Q("0"))', "cannot be compared"),
        ("", "10", "a formula is expected, not 10"),
    ],
)
def test_no_mend_is_offered_that_changes_nothing_or_makes_no_sense(opened, hash, text, reason):
    page = opened(hash)
    if text:
        page.get_by_label("formula", exact=True).fill(text)
    expect(page.locator(".wrote .error")).to_contain_text(reason)
    expect(page.locator(".mend")).to_have_count(0)


@pytest.mark.parametrize(
    "text", ['count(Q("1")) % 2 == 0', 'mod(count(Q("1")),2) == 0', 'even(count(Q("1")))', "odd(1)"]
)
@pytest.mark.parametrize("hash", ["", "tab=workshop&puzzle=two-1s"])
def test_who_asks_for_a_remainder_is_led_to_the_example_without(opened, hash, text):
    page = opened(hash)
    box = page.get_by_label("formula", exact=True)
    box.fill(text)
    expect(page.locator(".wrote .error")).to_contain_text("remainder cannot be written directly")
    page.get_by_role("button", name="start from PARITY, by halves").press("Enter")
    expect(box).to_have_value(PARITY_BY_HALVES.text)
    expect(box).to_be_focused()
    judge(page)
    expect(verdict(page)).to_contain_text("Right on all 8,191 strings to length 12")


def test_a_mend_of_what_stood_there_before_is_not_made(page):
    box = page.get_by_label("formula", exact=True)
    box.fill("count(Q(1)) == 2")
    mend = page.locator(".mend").element_handle()
    box.evaluate(
        """(box, mend) => {
          box.value = 'once(Q("1"))';
          box.dispatchEvent(new Event("input"));
          mend.click();
        }""",
        mend,
    )
    expect(box).to_have_value('once(Q("1"))')
    expect(page.locator(".wrote .error")).to_have_text("")


def test_who_means_a_remainder_is_led_to_the_property(page):
    meant(page, FORMULA, 'count(Q("1")) % 2 == 0')
    page.get_by_role("button", name="say it by a property").press("Enter")
    expect(page.locator(".written")).to_have_text("As an expression: 0*((10*){2})*")
    expect(choice(page, "property")).to_be_focused()


@pytest.mark.parametrize("text", ["mod(", "mod(2, ", 'mod(2, 1) and count(Q("1")'])
def test_a_remainder_of_the_position_is_no_remainder_of_a_count(page, text):
    page.get_by_label("formula", exact=True).fill(text)
    expect(page.locator(".wrote .error")).to_contain_text("bracket was never closed")


def test_a_symbol_is_added_and_rows_are_mended(page):
    page.get_by_label("formula", exact=True).fill('once(Q("a"))')
    page.get_by_role("button", name="add a to the symbols").click()
    expect(page.get_by_label("symbols")).to_have_value("01a")
    expect(page.get_by_label("formula", exact=True)).to_be_focused()
    by_rows(page, "word 0: zero\nwrod 1: one\nword CLS: ()\noutput: one\n")
    page.get_by_role("button", name="write word").click()
    expect(rows(page)).to_have_value("word 0: zero\nword 1: one\nword CLS: ()\noutput: one\n")
    expect(rows(page)).to_be_focused()


def test_names_go_on_from_what_is_typed(page):
    box = page.get_by_label("formula", exact=True)
    box.fill("")
    names = page.locator(".wrote .names button:visible")
    for typed, name in (("pre", "previous("), ("Q", 'Q("1")'), (")", None), (" a", "and")):
        box.press("End")
        page.keyboard.type(typed)
        if name:
            names.get_by_text(name, exact=True).click()
            expect(box).to_be_focused()
    assert box.input_value() == 'previous(Q("1")) and'
    page.locator(".wrote summary", has_text="how formulas are written").click()
    assert "previous(…)" in page.locator(".wrote .grammar").first.inner_text()
    by_rows(page, "word 0: zero\nword 1: one\noutput: z")
    rows(page).press("Control+End")
    names.get_by_text("zero", exact=True).click()
    assert rows(page).input_value().endswith("output: zero")


def test_a_name_takes_the_place_of_what_is_selected_and_stands_where_the_caret_is(page):
    box = page.get_by_label("formula", exact=True)
    name = page.locator(".wrote .names button:visible").get_by_text('Q("0")', exact=True)
    for start, end, expected in (
        (0, 18, 'Q("0")'),
        (6, 12, 'count(Q("0")) == 1'),
        (0, 0, 'Q("0")count(Q("1")) == 1'),
        (6, 6, 'count(Q("0")Q("1")) == 1'),
    ):
        box.fill('count(Q("1")) == 1')
        box.evaluate("(box, [start, end]) => box.setSelectionRange(start, end)", [start, end])
        name.click()
        assert box.input_value() == expected
        expect(box).to_be_focused()
        caret = box.evaluate("({ selectionStart, selectionEnd }) => [selectionStart, selectionEnd]")
        assert caret == [start + 6, start + 6]


# ---- puzzles of formulas, strings and invariants ----


@pytest.mark.parametrize("name", OF_FORMULAS)
def test_a_puzzle_of_a_formula_is_solved_at_every_length_and_by_no_mutant(opened, puzzles, name):
    page, puzzle = opened(f"tab=workshop&puzzle={name}"), puzzles[name]
    box, solution = page.get_by_label("formula", exact=True), puzzle["solution"]
    mutant = solution.replace(*OF_FORMULAS[name], 1)
    assert mutant != solution
    box.fill(mutant)
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: ")
    w = wrong_string(verdict(page).inner_text())
    belongs = language_of(puzzle)
    accepts = holds(formula(mutant, puzzle["alphabet"]), w)
    assert accepts != belongs.contains(w)
    assert ("accepted, but is not" if accepts else "rejected, but is") in verdict(page).inner_text()
    box.fill(solution)
    box.press("Enter")
    over, given = puzzle["alphabet"], puzzle["language"]
    other = regular(given["text"], over) if given["kind"] == "expression" else given["text"]
    answer = proved_equal(solution, other, over)
    if name == "alternating":  # what proves it is said beside the solution
        assert answer.kind == UNKNOWN
        expect(verdict(page)).to_contain_text("Solved: right on all 8,191 strings to length 12")
    else:
        assert answer.kind == PROVED
        expect(verdict(page)).to_contain_text("Solved. Proved for every length")
    assert "Your smallest: " in page.locator(".best").inner_text()
    for w, inside in puzzle.get("longer", []):
        assert belongs.contains(w) == inside


@pytest.mark.parametrize("name", ["smaller-once", "smaller-first"])
def test_a_formula_that_is_not_smaller_is_refused(opened, puzzles, name):
    page = opened(f"tab=workshop&puzzle={name}")
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: the puzzle says “at most ")
    assert page.locator(".count").inner_text() == "0 of 20 puzzles solved"


@pytest.mark.parametrize("name", ["string-two", "string-clocks"])
def test_a_string_is_found_on_which_two_descriptions_part(opened, puzzles, name):
    page, puzzle = opened(f"tab=workshop&puzzle={name}"), puzzles[name]
    box, over = page.get_by_label("your string"), puzzle["alphabet"]
    for text, said in ((over[-1] * 2, "Both agree on"), ("x", "Not judged: x is no symbol")):
        box.fill(text)
        judge(page)
        expect(verdict(page)).to_contain_text(said)
    box.fill(puzzle["solution"])
    box.press("Enter")
    expect(verdict(page)).to_contain_text("Solved: the formula accepts")
    answer = proved_equal(puzzle["formula"], regular(puzzle["expression"], over), over)
    assert len(answer.counterexample) == len(puzzle["solution"])
    assert f"Best known: {len(puzzle['solution'])} symbols." in page.locator(".best").inner_text()


def test_an_invariant_holds_for_every_row_and_for_none_of_the_others(opened, puzzles):
    page, puzzle = opened("tab=workshop&puzzle=invariant"), puzzles["invariant"]
    box, dfa = page.get_by_label("formula", exact=True), regular(puzzle["expression"], "ab")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: the empty string is a row of blocks")
    for text, said in (
        ('count(Q("a")) >= count(Q("b"))', "Your formula holds for “ab” too."),
        ('count(Q("a")) == 2*count(Q("b")) and not Q("b")', "Wrong: “aab” is a row of blocks"),
        (puzzle["solution"], "Solved: it holds for every row of blocks, proved for every length"),
    ):
        box.fill(text)
        judge(page)
        expect(verdict(page)).to_contain_text(said)
    members = [w for n in range(10) for w in Language("", bool, ("a", "b")).all_strings(n)]
    solution = formula(puzzle["solution"], "ab")
    assert all(holds(solution, w) for w in members if dfa.accepts_input(w))
    assert not any(holds(solution, w) for w in puzzle["rejects"]) and len(puzzle["rejects"]) == 20


def test_what_no_precision_decides_is_said(page, to_rows):
    by_rows(page, to_rows(constructions.palindrome(base=None)))
    choice(page, "said by").select_option("PALINDROME")
    judge(page)
    expect(verdict(page)).to_contain_text("Undecided: “1” is not decided")
    assert Exact(constructions.palindrome(base=None)).accepts("1") is None


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("output: ()", "output: two", 6),
        ("word 1: one", "word 1: one +", 2),
        ("word 1: one", "wrod 1: one", 2),
        ("read: last", "read: lats", 7),
        ("word CLS: ()\n", "", 7),
        ("word CLS: ()", "position 1/i: one", 3),
        ("word CLS: ()", "position i^: one", 3),
    ],
)
def test_an_error_names_its_line_and_lights_it(opened, old, new, line):
    page = opened("tab=workshop&puzzle=ends-with-1")
    text = rows(page).input_value()
    assert old in text
    rows(page).fill(text.replace(old, new))
    expect(page.locator(".wrote .error")).to_contain_text(f"line {line}: ")
    assert rows(page).get_attribute("aria-invalid") == "true"
    mark, area = page.locator(".wrote .mark").bounding_box(), rows(page).bounding_box()
    height = mark["height"]
    assert mark["y"] == pytest.approx(area["y"] + (line - 1) * height + 6, abs=3)
    judge(page)
    expect(verdict(page)).to_contain_text(f"Not judged: line {line}: ")
    rows(page).fill(text)
    expect(page.locator(".wrote .error")).to_have_text("")
    assert page.locator(".wrote .mark").is_hidden()


def test_an_error_of_a_formula_names_its_place(page):
    by_formula(page, 'count(Q("1")) > cuont(Q("0"))')
    expect(page.locator(".wrote .error")).to_contain_text("unknown name 'cuont'")
    assert page.get_by_label("formula", exact=True).get_attribute("aria-invalid") == "true"
    page.get_by_label("symbols").fill("0")
    expect(page.locator(".wrote .error")).to_contain_text("unknown symbol '1'")
    page.get_by_label("symbols").fill("00")
    expect(page.locator(".wrote .error")).to_contain_text("twice")


SLOW_ROWS = """name: slow
word 0: a
word 1: b
word CLS: cls
position i: i
""" + "".join(
    f"layer\nhead\n  q: cls + a\n  k: i\n  x{n} <- a\nhead\n  q: b\n  k: i\n  y{n} <- b\n"
    for n in range(6)
)


def test_a_sweep_shows_its_progress_works_elsewhere_and_can_be_cancelled(page):
    by_rows(page, SLOW_ROWS + "output: a - 1\n")
    meant(page, FORMULA, "False")
    page.evaluate(
        """() => {
          window.seen = new Set();
          const tick = () => {
            seen.add(document.querySelector(".workshop progress").value);
            requestAnimationFrame(tick);
          };
          requestAnimationFrame(tick);
        }"""
    )
    judge(page)
    expect(page.locator(".tries")).to_contain_text(" strings, length ")
    wait_until(page, "document.querySelector('.workshop progress').value > 0.05")
    assert verdict(page).inner_text() == "Not judged yet." or verdict(page).inner_text() == ""
    page.evaluate("seen.clear()")
    wait_until(page, "seen.size > 5")  # frames between the reports of one sweep
    assert len(page.workers) == 1
    page.get_by_role("button", name="cancel").click()
    expect(verdict(page)).to_have_text("Cancelled.")
    assert page.locator(".tries").inner_text() == ""
    judge(page)
    expect(page.locator(".tries")).to_contain_text(" strings, length ")
    rows(page).press("End")
    page.keyboard.type(" ")  # an edit cancels too
    expect(page.get_by_role("button", name="cancel")).to_be_disabled()
    assert page.locator(".tries").inner_text() == ""


def test_it_is_used_by_keyboard_alone(page, puzzles):
    choice(page, "what to do").focus()
    page.keyboard.type("2. Is")
    expect(page.locator(".puzzle h3").first).to_have_text("2. Is there a 1?")
    rows(page).focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(puzzles["contains-1"]["solution"])
    page.keyboard.press("Control+Enter")
    expect(verdict(page)).to_contain_text("Solved: ")
    page.get_by_role("button", name="next puzzle").press("Enter")
    expect(page.locator(".puzzle h3").first).to_have_text("3. A vote")
    expect(choice(page, "what to do")).to_be_focused()


# ---- links ----


def settle(page) -> str:
    """The address, once it says what is on screen."""
    page.wait_for_timeout(400)
    return page.url


def test_a_link_holds_everything(opened, to_rows):
    first = opened()
    text = to_rows(constructions.parity(c=2)) + '# β, 😀 and \\ "\n'
    by_rows(first, text)
    meant(first, FORMULA, 'mod(2, 1) or Q("1")')
    options(first)
    choice(first, "normalization, ε").select_option("1e-5")
    first.get_by_label("logits times log n").check()
    first.get_by_label("string", exact=True).fill("101")
    judge(first)
    expect(verdict(first)).to_contain_text("Wrong: ")
    address = settle(first)
    assert len(address) < 700
    second = opened(address.split("#")[1])
    expect(verdict(second)).to_have_text(verdict(first).inner_text())
    for page in (second, first):
        if page is first:
            page.reload()
            page.wait_for_selector(".workshop")
            expect(verdict(page)).to_contain_text("Wrong: ")
        assert rows(page).input_value() == text
        said = page.get_by_label("formula of the language")
        assert said.input_value() == 'mod(2, 1) or Q("1")'
        options(page)
        assert choice(page, "normalization, ε").input_value() == "1e-5"
        assert page.get_by_label("logits times log n").is_checked()
        assert page.get_by_label("string", exact=True).input_value() == "101"


def test_a_link_is_copied_and_works_over_an_open_page(opened, to_rows):
    page = opened()
    by_formula(page, 'once(Q("b"))', "ab", "softmax")
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_text("copied", exact=True)).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = opened("tab=workshop&puzzle=dyck-1")
    assert other.locator(".puzzle h3").first.inner_text() == "15. Brackets"
    other.evaluate("hash => { location.hash = hash }", link.split("#")[1])
    expect(other.get_by_label("formula", exact=True)).to_have_value('once(Q("b"))')
    options(other)
    assert choice(other, "kind of attention").input_value() == "softmax"
    assert other.get_by_label("symbols").input_value() == "ab"
    other.evaluate("location.hash = 'tab=workshop&example=FIRST'")
    expect(rows(other)).to_have_value(to_rows(constructions.first()))


def test_back_steps_through_judged_experiments(page, to_rows):
    start_from(page, "rows FIRST")
    texts, said = [], []
    for gain in (1, 2, 3):
        texts.append(to_rows(constructions.flawed_first(c=gain)))
        rows(page).fill(texts[-1])
        judge(page)
        expect(verdict(page)).not_to_have_text("")
        expect(page.get_by_role("button", name="cancel")).to_be_disabled()
        said.append(verdict(page).inner_text())
        settle(page)
    assert "“100”" in said[0] and "8,191" in said[2] and len({*said}) == 3
    rows(page).fill("nonsense")
    settle(page)
    for text, expected in zip(texts[::-1], said[::-1], strict=True):
        page.go_back()
        expect(rows(page)).to_have_value(text)
        expect(verdict(page)).to_have_text(expected)
    page.go_forward()
    expect(verdict(page)).to_have_text(said[1])


def test_back_leads_from_a_trace_to_its_verdict(page):
    by_formula(page, 'count(Q("1")) == 2')
    meant(page, EXPRESSION, "0*10*1")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: “110” is accepted, but is not in")
    settle(page)
    page.get_by_role("button", name="trace “110”").click()
    traced = page.get_by_label("string", exact=True)
    expect(traced).to_have_value("110")
    settle(page)
    page.go_back()
    expect(traced).to_have_value("0110")
    expect(page.get_by_label("expression", exact=True)).to_have_value("0*10*1")
    expect(verdict(page)).to_contain_text("Wrong: “110” is accepted, but is not in")
    page.go_forward()
    expect(traced).to_have_value("110")


@pytest.mark.parametrize(
    "hash",
    [
        "tab=workshop&x=",
        "tab=workshop&x=!!!",
        "tab=workshop&x=AAAA",
        "tab=workshop&x=q1YqKMpPL0ssUrJSKs",
        "tab=workshop&x=" + "A" * 50_000,
        "tab=workshop&puzzle=__proto__&example=constructor",
        *(f"tab=workshop&puzzle={text}&example={text}&x={text}" for text in HOSTILE[:3]),
    ],
)
def test_an_address_that_makes_no_sense_starts_afresh(opened, hash):
    page = opened(hash)
    expect(page.get_by_label("formula", exact=True)).to_have_value('count(Q("1")) == 1')
    assert page.evaluate("window.hacked") is None


PACKED = """async state => (await import('./_static/experiment.mjs')).packed(state)"""
STATE = {
    "puzzle": "",
    "language": EXPRESSION,
    "expression": "",
    "property": "holds at least n times a",
    "a": "1",
    "b": "0",
    "n": "2",
    "block": "",
    "said": "",
    "list": "",
    "out": "",
    "symbols": "01",
    "made": "rows",
    "formula": "",
    "kind": "hardmax",
    "rows": "",
    "attention": "softmax",
    "eps": "off",
    "logn": "",
    "w": "",
    "judged": "1",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_box_and_in_the_address_executes_nothing(opened, text):
    page = opened()
    harmless = page.evaluate("document.querySelectorAll('img, script, svg, iframe').length")
    choice(page, "said by").select_option("FIRST")
    name = json.dumps(text, ensure_ascii=False)
    spelled = (
        f"name: {name}\ncoordinates: {name}, s\nword 0: ()\nword 1: {name}\nword CLS: ()\n"
        f"layer\nhead\n  s <- {name}\noutput: s\n"
    )
    page.get_by_role("radio", name="rows").click()
    for typed in (text, spelled):
        rows(page).fill(typed)
        judge(page)
        expect(verdict(page)).not_to_have_text("")
    if "\0" not in text and text != "__proto__":
        assert text in page.locator(".numbers").inner_text()
    page.get_by_label("string", exact=True).fill(text)
    for way in (EXPRESSION, FORMULA, EXAMPLES):
        meant(page, way, text)
        judge(page)
        expect(verdict(page)).to_contain_text("Not judged: ")
    choice(page, "said by").select_option(PROPERTY)
    choice(page, "property").select_option("holds the block w")
    page.get_by_label("w", exact=True).fill(text[:20])
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: ")
    page.get_by_role("radio", name="a formula").click()
    page.get_by_label("formula", exact=True).fill(text)
    page.get_by_label("symbols").fill(text[:20])
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: ")
    settle(page)
    addresses = [
        page.evaluate(PACKED, STATE | change)
        for change in (
            {name: text for name in STATE if name not in ("puzzle", "made")},
            {"rows": spelled, "w": text, "language": EXAMPLES, "list": text},
            {"made": "formula", "formula": text, "symbols": text, "language": text},
        )
    ]
    for address in addresses:
        page.evaluate("x => { location.hash = `tab=workshop&x=${x}` }", address)
        expect(verdict(page)).not_to_have_text("")
        page.wait_for_timeout(100)
    assert page.evaluate("window.hacked") is None
    assert harmless == page.evaluate("document.querySelectorAll('img, script, svg, iframe').length")


def test_a_link_that_unpacks_to_too_much_is_refused(opened):
    page = opened()
    bomb = page.evaluate(
        """async () => {
          const stream = new Blob([`{"rows":"${"#".repeat(3e7)}"}`]).stream();
          const packed = stream.pipeThrough(new CompressionStream("deflate-raw"));
          const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
          const text = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
          return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        }"""
    )
    page.evaluate("x => { location.hash = `tab=workshop&x=${x}` }", bomb)
    expect(verdict(page)).to_contain_text("This link is damaged")


# ---- Python ----

AS_PYTHON = """async state => (await import('./_static/python.mjs')).asPython(state)"""


def executed(code: str, capsys) -> tuple[Construction, str]:
    found: dict = {}
    exec(code, found)
    return found["construction"], capsys.readouterr().out


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_solution_copied_as_python_makes_an_equal_construction(
    page, puzzles, from_rows, name, capsys
):
    puzzle = puzzles[name]
    state = STATE | {"puzzle": name, "rows": puzzle["solution"]}
    code = page.evaluate(AS_PYTHON, state).replace("longest=12", "longest=6")
    construction, printed = executed(code, capsys)
    meant = replace(from_rows(puzzle["solution"]), reading=Reading(**puzzle["reading"]))
    assert data_of(construction) == data_of(meant)
    assert "all 127 strings to length 6 are decided rightly" in printed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": constructions.flawed_first, "language": "FIRST"}, "'100'"),
        ({"rows": constructions.flawed_first, "language": "FIRST", "logn": "1"}, "511"),
        (
            {
                "rows": constructions.one,
                "language": EXAMPLES,
                "list": '1\n""',
            },
            "the empty string is rejected wrongly with the logit -1/2",
        ),
        (
            {
                "rows": constructions.first,
                "language": FORMULA,
                "said": 'once(Q("1") and position == 1)',
            },
            "511",
        ),
        ({"rows": constructions.first, "language": EXPRESSION, "expression": "1.*"}, "511"),
        (
            {"rows": constructions.first, "language": EXAMPLES, "list": "1\n10", "out": "0\n11"},
            "['11']",
        ),
        (
            {
                "made": "formula",
                "formula": DYCK_1.text,
                "symbols": "()",
                "kind": "layer norm",
                "eps": "0",
                "language": "Dyck-1",
            },
            "proved for every length: equal to",
        ),
        (
            {
                "made": "formula",
                "formula": MAJORITY.text,
                "kind": "hardmax",
                "language": "MAJORITY",
            },
            "'011' is rejected wrongly",
        ),
    ],
)
def test_an_experiment_copied_as_python_says_the_same(page, to_rows, change, said, capsys):
    make = change.get("rows")
    state = STATE | change | {"rows": to_rows(make()) if make else ""}
    code = page.evaluate(AS_PYTHON, state).replace("longest=12", "longest=8")
    construction, printed = executed(code, capsys)
    if make:
        read = Reading(log_n=change.get("logn") == "1")
        assert construction == replace(make(), reading=read)
    elif change["language"] == "Dyck-1":
        assert construction == compiled(DYCK_1.text, "()", "layer norm").construction
    else:
        hard = compiled(MAJORITY.text, "01").construction
        assert construction == replace(hard, reading=Reading("softmax"))
    assert said in printed


def test_python_goes_to_the_clipboard_or_is_shown(opened, puzzles, from_rows, capsys):
    page = opened("tab=workshop&puzzle=ends-with-1")
    page.get_by_role("button", name="copy as Python").click()
    expect(page.get_by_text("copied", exact=True)).to_be_visible()
    code = page.evaluate("navigator.clipboard.readText()").replace("longest=12", "longest=3")
    meant = from_rows(puzzles["ends-with-1"]["start"])
    assert replace(executed(code, capsys)[0], reading=None) == meant
    shut = opened(
        "tab=workshop&puzzle=ends-with-1",
        setup="navigator.clipboard.writeText = () => Promise.reject(new Error('no'))",
    )
    shut.get_by_role("button", name="copy as Python").click()
    expect(shut.get_by_label("to copy")).to_be_focused()
    assert "construction = Construction(" in shut.get_by_label("to copy").input_value()


# ---- manners ----


def test_it_passes_axe(opened):
    page, found = opened(), {}
    for state in ("own", "wrong", "examples", "property", "rows", "puzzle", "string"):
        if state == "wrong":
            page.get_by_label("formula", exact=True).fill("count(Q(1))")
            expect(page.locator(".mend")).to_be_visible()
            page.locator(".wrote .grammar summary").first.click()
        elif state == "examples":
            page.locator(".mend").click()
            page.get_by_label("formula", exact=True).fill('once(Q("1"))')
            meant(page, EXAMPLES, '""')
            judge(page)
            expect(verdict(page)).to_contain_text("Wrong: ")
        elif state == "property":
            choice(page, "said by").select_option(PROPERTY)
            options(page)
        elif state == "rows":
            by_rows(page, "word")
            expect(page.locator(".wrote .error")).not_to_have_text("")
        elif state != "own":
            puzzle(page, {"puzzle": "contains-1", "string": "string-two"}[state])
            judge(page)
            expect(verdict(page)).not_to_have_text("")
            page.get_by_role("button", name="show a solution").click()
            page.locator(".hint summary").click()
        found[state] = violations(page)
    assert not any(found.values()), found


# The address is packed as the last thing before it is written.
FOLLOWS = """
  const pack = window.btoa;
  window.btoa = text => {
    if (window.followed) location.hash = window.followed;
    window.followed = null;
    return pack(text);
  };
"""


def test_a_link_that_is_followed_while_the_address_is_written_is_not_overwritten(opened, puzzles):
    page = opened("tab=workshop&puzzle=ends-with-1", setup=FOLLOWS)
    page.evaluate("window.followed = 'tab=workshop&puzzle=dyck-1'")
    rows(page).fill("word 0: ()")
    expect(page.locator(".puzzle h3").first).to_contain_text(puzzles["dyck-1"]["title"])
    assert page.evaluate("window.followed") is None


TOUCHED = """() => [...document.querySelectorAll(".workshop :is(button, select)")]
    .filter(one => one.checkVisibility() && !one.closest("table"))
    .map(one => one.getBoundingClientRect())
    .filter(({ width, height }) => width < 44 || height < 44).length"""


def test_on_a_phone_the_box_is_on_the_first_screen_and_nothing_is_wide_or_small(opened, puzzles):
    page = opened("tab=workshop", width=390, height=844)
    for name in ["", *puzzles, EXAMPLES, PROPERTY, FORMULA]:
        box = page.get_by_label("formula", exact=True)
        if name in puzzles:
            page.evaluate(f"location.hash = 'tab=workshop&puzzle={name}'")
            title = f"{[*puzzles].index(name) + 1}. {puzzles[name]['title']}"
            expect(page.locator(".puzzle h3").first).to_have_text(title)
            kind = puzzles[name]["kind"]
            box = {"rows": rows(page), "string": page.get_by_label("your string")}.get(kind, box)
        elif name:
            puzzle(page, "")
            choice(page, "said by").select_option(name)
        top = box.bounding_box()["y"] + page.evaluate("scrollY")
        assert name in (EXAMPLES, PROPERTY, FORMULA) or top + 44 <= 844, name
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(TOUCHED) == 0


def test_on_a_phone_the_traces_heading_is_read_without_scrolling(opened):
    page = opened("tab=workshop", width=390, height=844)
    page.get_by_label("string", exact=True).fill("01" * 10)
    expect(page.locator(".decided")).to_contain_text("(20 symbols)")
    trace = page.get_by_role("region", name="trace")
    expect(trace.locator("caption")).to_have_text(
        "What each sublayer wrote. Press a token to see where it looks."
    )
    for scrolled in (0, 200):
        trace.evaluate("(of, left) => { of.scrollLeft = left; }", scrolled)
        assert trace.evaluate("of => of.scrollLeft") == scrolled
        heading, region = trace.locator("caption").bounding_box(), trace.bounding_box()
        assert heading["x"] >= region["x"] - 1
        assert heading["x"] + heading["width"] <= region["x"] + region["width"] + 1


SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.mark.parametrize("width", [1200, 390])
def test_a_verdict_and_an_error_move_nothing(opened, width):
    page = opened("tab=workshop&puzzle=ends-with-1", width=width)
    page.evaluate(SHIFTS)
    text = rows(page).input_value()
    before = page.locator(".numbers").bounding_box()["y"] + page.evaluate("scrollY")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: ")
    after = page.locator(".numbers").bounding_box()["y"] + page.evaluate("scrollY")
    assert after == pytest.approx(before, abs=1)
    rows(page).fill(text.replace("word 1", "wrod 1"))
    expect(page.locator(".wrote .error")).to_contain_text("line 2")
    page.wait_for_timeout(200)
    assert page.evaluate("window.shift") < 0.05


def test_ten_keys_in_a_row_are_read_and_drawn_once(page):
    start_from(page, "rows PARITY")
    page.get_by_label("string", exact=True).fill("01" * 10)
    settle(page)
    page.evaluate(
        """() => {
          window.read = 0;
          window.drawn = 0;
          const area = document.querySelector("#workshop-rows");
          const reading = new MutationObserver(changes => (read += changes.length));
          reading.observe(area, { attributeFilter: ["aria-invalid"] });
          const drawing = new MutationObserver(changes => (drawn += changes.length));
          drawing.observe(document.querySelector(".workshop [aria-label=trace]"), {
            childList: true,
          });
        }"""
    )
    page.clock.install()
    page.clock.pause_at(datetime.datetime.now() + datetime.timedelta(hours=1))
    rows(page).focus()
    for _ in range(10):
        page.keyboard.press("Space")
        page.clock.run_for(20)  # milliseconds of the page's clock, however slow the machine is
    assert page.evaluate("[read, drawn]") == [0, 0]
    page.clock.run_for(200)
    assert page.evaluate("[read, drawn]") == [1, 1]


def test_float64_judges_each_string_of_the_longest_sweep(page, puzzles):
    tried, undecided = page.evaluate(
        """async ({ solution, reading }) => {
          const { fromRows } = await import("./_static/format.mjs");
          const { glance, judged } = await import("./_static/reader.mjs");
          const { words } = await import("./_static/sweep.mjs");
          const json = { ...fromRows(solution), reading };
          const quick = glance(json);
          const all = Array.from({ length: 13 }, (_, length) => [...words("01", length)]).flat();
          const answers = all.map(w => judged(json, quick(w)));
          return [answers.length, answers.filter(answer => answer === null).length];
        }""",
        puzzles["palindrome-two-layers"],
    )
    assert (tried, undecided) == (8191, 0)


def test_it_is_a_tab_of_the_book(look):
    page = look(f"{BUILT}#tab=workshop&puzzle=contains-1")
    expect(page.locator(".puzzle h3").first).to_have_text("2. Is there a 1?")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: “1” is rejected, but is in the language")
    page.get_by_role("tab", name="Strings").click()
    assert not page.locator(".workshop").is_visible()
    page.wait_for_url("**#tab=strings*")
    page.evaluate("location.hash = 'tab=workshop&puzzle=dyck-1'")
    expect(page.locator(".puzzle h3").first).to_have_text("15. Brackets")
    assert page.locator(".workshop").is_visible()
    settle(page)
    page.go_back()
    expect(page.locator("#panel-strings")).to_be_visible()
    page.go_back()
    expect(page.locator(".puzzle h3").first).to_have_text("2. Is there a 1?")
    expect(verdict(page)).to_contain_text("Wrong: “1” is rejected, but is in the language")
