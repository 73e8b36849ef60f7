"""The workshop: what a reader types is judged rightly, named where it is wrong, and comes back by
link, by Back and as Python; its puzzles are solved by their model solutions and by nothing less.
"""

import datetime
import json
from collections.abc import Callable
from functools import cache

import pytest
from playwright.sync_api import expect

from chapters.pages.playground import playground
from lib import constructions
from lib.formulas import compiled, formula, language
from lib.formulas.stated import DYCK_1
from lib.languages import FIRST, ONE, PALINDROME, PARITY, Language
from lib.transformer import Construction, Exact
from record.runs import CHAPTERS
from tests.book.as_rows import data as data_of
from tests.conftest import violations, wait_until

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


def own(page):
    """Leaves the puzzles."""
    page.get_by_role("radio", name="an experiment of your own").click()


def by_formula(page, text, symbols="01", kind="hardmax"):
    own(page)
    page.get_by_role("radio", name="a formula").click()
    page.get_by_label("formula", exact=True).fill(text)
    page.get_by_label("alphabet").fill(symbols)
    choice(page, "kind of attention").select_option(kind)


def language_of(puzzle: dict) -> Language:
    given = puzzle["language"]
    if given["kind"] == "builtin":
        return LANGUAGES[given["name"]]
    return language(formula(given["text"], given["alphabet"]), given["alphabet"])


def reader_of(puzzle: dict, construction: Construction) -> Exact:
    options = puzzle["options"]
    return Exact(construction, options["attention"], options["eps"], options["logN"])


def wrong_string(text: str) -> str:
    """The counterexample that a verdict names."""
    return "" if "the empty string is" in text else text.split("“")[1].split("”")[0]


# ---- puzzles ----


def test_there_are_ten_puzzles_and_each_is_told_in_one_or_two_sentences(puzzles):
    assert len(puzzles) == 10 and [*puzzles] == [*MUTATIONS]
    for puzzle in puzzles.values():
        assert all(puzzle[name] for name in ("title", "task", "hint", "why", "longer"))
        assert 1 <= puzzle["task"].count(". ") + 1 <= 3 and len(puzzle["task"]) < 300


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
    assert page.locator(".count").inner_text() == "0 of 10 solved"
    rows(page).fill(solution)
    judge(page)
    expect(verdict(page)).to_contain_text("Solved: right on all 8,191 strings to length 12 (each")
    assert page.locator(".count").inner_text() == "1 of 10 solved"
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
    assert reason in page.locator(".error").inner_text().replace("”", "")
    said = page.locator(".allowed li").all_inner_texts()
    broken = page.locator(".allowed .broken").all_inner_texts()
    assert broken == [text for text in said if f"“{text}”" in verdict(page).inner_text()]
    assert page.locator(".count").inner_text() == "0 of 10 solved"


def test_a_solution_that_is_right_to_length_12_only_is_found_out(opened, puzzles):
    page = opened("tab=workshop&puzzle=first-with-log-n")
    rows(page).fill(puzzles["first-with-log-n"]["solution"].replace("head\n", "head gain 99/100\n"))
    judge(page)
    expect(verdict(page)).to_contain_text("It is right on all 8,191 strings to length 12")
    assert "(61 symbols) is rejected, but is in the language" in verdict(page).inner_text()
    page.locator(".next button").click()
    expect(page.locator(".decided")).to_contain_text("That is wrong.")


def test_a_solution_is_shown_after_a_try_and_can_be_taken(opened, puzzles):
    page = opened("tab=workshop&puzzle=contains-1")
    reveal = page.locator(".puzzle > button")
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
    assert page.locator(".count").inner_text() == "1 of 10 solved"
    assert page.locator(".puzzle h3").first.inner_text() == "1. The last symbol"
    assert page.get_by_role("radio", name="puzzle 2: Is there a 1?, solved").is_visible()


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
    page = opened(setup=setup)
    assert page.locator(".count").inner_text() == "0 of 10 solved"
    rows(page).fill(puzzles["ends-with-1"]["solution"])
    judge(page)
    expect(verdict(page)).to_contain_text("Solved: ")
    assert page.locator(".count").inner_text() == "1 of 10 solved"


# ---- the workshop ----


@pytest.mark.parametrize(
    "make", [constructions.parity, constructions.first, constructions.one], ids=lambda f: f.__name__
)
def test_the_books_constructions_are_right_on_every_string(page, from_rows, make: Callable):
    own(page)
    choice(page, "start from").select_option(f"rows {make().name}")
    assert from_rows(rows(page).input_value()) == make()
    size = make().size
    assert page.locator(".sized").inner_text() == (
        f"{size['layers']} layer{'s' * (size['layers'] > 1)}, "
        f"{size['heads']} head{'s' * (size['heads'] > 1)}, "
        f"{size['coordinates']} coordinates, {size['coefficients']} nonzero coefficients"
    )
    judge(page)
    expect(verdict(page)).to_have_text(
        "Right on all 8,191 strings to length 12 (each decided exactly)."
    )


def test_the_shortest_counterexample_is_traced(page):
    own(page)
    choice(page, "start from").select_option("rows flawed FIRST")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: “100” is rejected, but is in FIRST.")
    reader = Exact(constructions.flawed_first())
    strings = [w for n in range(4) for w in FIRST.all_strings(n)]
    assert FIRST.errors(strings, reader.accepts(strings))[0] == "100"
    page.get_by_role("button", name="trace “100”").click()
    assert page.get_by_label("string", exact=True).input_value() == "100"
    assert "“100”: rejected (logit −0.0" in page.locator(".decided").inner_text()
    expect(page.locator(".decided")).to_contain_text("That is wrong.")
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


@pytest.mark.parametrize("kind", ["hardmax", "softmax", "layer norm"])
def test_a_formula_is_compiled_and_proved_for_every_length(page, kind):
    by_formula(page, 'count(Q("b")) > 2*count(Q("a"))', "ab", kind)
    size = compiled('count(Q("b")) > 2*count(Q("a"))', "ab", kind).construction.size
    expect(page.locator(".sized")).to_contain_text(
        f"{size['coordinates']} coordinates, {size['coefficients']} nonzero"
    )
    judge(page)
    expect(verdict(page)).to_contain_text(
        "Proved for every length, by its margins; and right on all 8,191 strings"
    )


def test_a_formula_read_otherwise_is_not_proved(page):
    by_formula(page, 'count(Q("1")) > count(Q("0"))')
    choice(page, "attention").select_option("softmax")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: “")
    choice(page, "normalization, ε").select_option("0")
    choice(page, "attention").select_option("hardmax")
    assert "cannot be read exactly" in page.locator(".error").inner_text()
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: hardmax under layer normalization")


def test_a_formula_becomes_rows_that_are_judged_alike(page, from_rows):
    by_formula(page, 'never(Q("a") and once(Q("b")))', "ab")
    page.get_by_role("button", name="as rows").click()
    made = compiled('never(Q("a") and once(Q("b")))', "ab", "hardmax")
    assert from_rows(rows(page).input_value()) == made.construction
    assert choice(page, "language").input_value() == "a formula"
    judge(page)
    expect(verdict(page)).to_contain_text("Right on all 8,191 strings to length 12")


def test_a_list_of_strings_is_a_language(page):
    by_formula(page, 'count(Q("1")) == 1 and count(Q("0")) <= 1')
    choice(page, "language").select_option("a list of strings")
    strings = page.get_by_label("strings, one a line")
    strings.fill("1\n01\n\n10\n")
    judge(page)
    expect(verdict(page)).to_contain_text("Right on all 8,191 strings")
    strings.fill('1\n""\n01\n10')
    expect(verdict(page)).to_have_text("")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: the empty string is rejected, but is in the list")
    strings.fill("1\n01\n12")
    expect(page.locator(".error")).to_have_text("line 3: 2 is no symbol of 0, 1")
    assert strings.get_attribute("aria-invalid") == "true"


def test_three_symbols_are_tried_to_a_shorter_length(page):
    text = 'count(Q("a")) == count(Q("b")) == count(Q("c"))'
    by_formula(page, text, "abc")
    judge(page)
    expect(verdict(page)).to_contain_text("right on all 9,841 strings to length 8")


def test_what_no_precision_decides_is_said(page, to_rows):
    own(page)
    rows(page).fill(to_rows(constructions.palindrome(base=None)))
    choice(page, "language").select_option("PALINDROME")
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
def test_an_error_names_its_line_and_lights_it(page, old, new, line):
    text = rows(page).input_value()
    assert old in text
    rows(page).fill(text.replace(old, new))
    expect(page.locator(".error")).to_contain_text(f"line {line}: ")
    assert rows(page).get_attribute("aria-invalid") == "true"
    mark, area = page.locator(".mark").first.bounding_box(), rows(page).bounding_box()
    height = mark["height"]
    assert mark["y"] == pytest.approx(area["y"] + (line - 1) * height + 6, abs=3)
    judge(page)
    expect(verdict(page)).to_contain_text(f"Not judged: line {line}: ")
    rows(page).fill(text)
    expect(page.locator(".error")).to_have_text("")
    assert page.locator(".mark").first.is_hidden()


def test_an_error_of_a_formula_names_its_place(page):
    by_formula(page, 'count(Q("1")) > cuont(Q("0"))')
    expect(page.locator(".error")).to_contain_text("unknown name 'cuont'")
    assert page.get_by_label("formula", exact=True).get_attribute("aria-invalid") == "true"
    page.get_by_label("alphabet").fill("0")
    expect(page.locator(".error")).to_contain_text("unknown symbol '1'")
    page.get_by_label("alphabet").fill("00")
    expect(page.locator(".error")).to_contain_text("twice")


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
    own(page)
    rows(page).fill(SLOW_ROWS + "output: a - 1\n")
    choice(page, "language").select_option("a list of strings")
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
    page.get_by_role("radio", name="puzzle 1: The last symbol").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".puzzle h3").first.inner_text() == "2. Is there a 1?"
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "puzzle 2: Is there a 1?"
    rows(page).focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(puzzles["contains-1"]["solution"])
    page.keyboard.press("Control+Enter")
    expect(verdict(page)).to_contain_text("Solved: ")
    page.get_by_role("button", name="next puzzle").press("Enter")
    assert page.evaluate(focused) == "puzzle 3: A vote"


# ---- links ----


def settle(page) -> str:
    """The address, once it says what is on screen."""
    page.wait_for_timeout(400)
    return page.url


def test_a_link_holds_everything(opened, to_rows):
    first = opened()
    own(first)
    text = to_rows(constructions.parity(c=2)) + '# β, 😀 and \\ "\n'
    rows(first).fill(text)
    choice(first, "language").select_option("a formula")
    first.get_by_label("which strings").fill('mod(2, 1) or Q("1")')
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
        assert page.get_by_label("which strings").input_value() == 'mod(2, 1) or Q("1")'
        assert choice(page, "normalization, ε").input_value() == "1e-5"
        assert page.get_by_label("logits times log n").is_checked()
        assert page.get_by_label("string", exact=True).input_value() == "101"


def test_a_link_is_copied_and_works_over_an_open_page(opened, to_rows):
    page = opened()
    by_formula(page, 'once(Q("b"))', "ab", "softmax")
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_role("button", name="copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = opened("tab=workshop&puzzle=dyck-1")
    assert other.locator(".puzzle h3").first.inner_text() == "7. Brackets"
    other.evaluate("hash => { location.hash = hash }", link.split("#")[1])
    expect(other.get_by_label("formula", exact=True)).to_have_value('once(Q("b"))')
    assert choice(other, "kind of attention").input_value() == "softmax"
    assert other.get_by_label("alphabet").input_value() == "ab"
    other.evaluate("location.hash = 'tab=workshop&example=FIRST'")
    expect(rows(other)).to_have_value(to_rows(constructions.first()))


def test_back_steps_through_judged_experiments(page, to_rows):
    own(page)
    choice(page, "start from").select_option("rows FIRST")
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
    expect(page.locator(".puzzle h3").first).to_have_text("1. The last symbol")
    assert page.evaluate("window.hacked") is None


PACKED = """async state => (await import('./_static/experiment.mjs')).packed(state)"""
STATE = {
    "puzzle": "",
    "made": "rows",
    "rows": "",
    "formula": "",
    "symbols": "01",
    "kind": "hardmax",
    "attention": "softmax",
    "eps": "off",
    "logn": "",
    "language": "PARITY",
    "said": "",
    "list": "",
    "w": "",
    "judged": "1",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_box_and_in_the_address_executes_nothing(opened, text):
    page = opened()
    harmless = page.evaluate("document.querySelectorAll('img, script, svg, iframe').length")
    own(page)
    name = json.dumps(text, ensure_ascii=False)
    spelled = (
        f"name: {name}\ncoordinates: {name}, s\nword 0: ()\nword 1: {name}\nword CLS: ()\n"
        f"layer\nhead\n  s <- {name}\noutput: s\n"
    )
    for typed in (text, spelled):
        rows(page).fill(typed)
        judge(page)
        expect(verdict(page)).not_to_have_text("")
    if "\0" not in text and text != "__proto__":
        assert text in page.locator(".numbers").inner_text()
    page.get_by_label("string", exact=True).fill(text)
    for way in ("a formula", "a list of strings"):
        choice(page, "language").select_option(way)
        label = "which strings" if way == "a formula" else "strings, one a line"
        page.get_by_label(label).fill(text)
        judge(page)
        expect(verdict(page)).to_contain_text("Not judged: ")
    page.get_by_role("radio", name="a formula").click()
    page.get_by_label("formula", exact=True).fill(text)
    page.get_by_label("alphabet").fill(text)
    judge(page)
    expect(verdict(page)).to_contain_text("Not judged: ")
    settle(page)
    addresses = [
        page.evaluate(PACKED, STATE | change)
        for change in (
            {name: text for name in STATE if name not in ("puzzle", "made")},
            {"rows": spelled, "w": text, "language": "a list of strings", "list": text},
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

AS_PYTHON = """async state => (await import('./_static/experiment.mjs')).asPython(state)"""


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
    assert data_of(construction) == data_of(from_rows(puzzle["solution"]))
    assert "all 127 strings to length 6 are decided rightly" in printed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": constructions.flawed_first, "language": "FIRST"}, "'100'"),
        ({"rows": constructions.flawed_first, "language": "FIRST", "logn": "1"}, "511"),
        (
            {
                "rows": constructions.one,
                "language": "a list of strings",
                "list": '1\n""',
            },
            "the empty string is decided wrongly",
        ),
        (
            {
                "rows": constructions.first,
                "language": "a formula",
                "said": 'once(Q("1") and position == 1)',
            },
            "511",
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
            "511",
        ),
    ],
)
def test_an_experiment_copied_as_python_says_the_same(page, to_rows, change, said, capsys):
    make = change.get("rows")
    state = STATE | change | {"rows": to_rows(make()) if make else ""}
    code = page.evaluate(AS_PYTHON, state).replace("longest=12", "longest=8")
    construction, printed = executed(code, capsys)
    if make:
        assert construction == make()
    else:
        assert construction == compiled(DYCK_1.text, "()", "layer norm").construction
    assert said in printed


def test_python_goes_to_the_clipboard_or_is_shown(opened, puzzles, from_rows, capsys):
    page = opened()
    page.get_by_role("button", name="copy as Python").click()
    expect(page.get_by_role("button", name="copied")).to_be_visible()
    code = page.evaluate("navigator.clipboard.readText()").replace("longest=12", "longest=3")
    assert executed(code, capsys)[0] == from_rows(puzzles["ends-with-1"]["start"])
    shut = opened(setup="navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    shut.get_by_role("button", name="copy as Python").click()
    expect(shut.get_by_label("to copy")).to_be_focused()
    assert "construction = Construction(" in shut.get_by_label("to copy").input_value()


# ---- manners ----


def test_it_passes_axe(page):
    found = {}
    for state in ("puzzle", "wrong", "own", "formula", "list"):
        if state == "wrong":
            judge(page)
            expect(verdict(page)).to_contain_text("Wrong: ")
            page.locator(".puzzle > button").click()
            page.locator(".hint summary").click()
            page.locator(".grammar summary").click()
        elif state == "own":
            own(page)
            rows(page).fill("word")
            expect(page.locator(".error")).not_to_have_text("")
        elif state == "formula":
            page.get_by_role("radio", name="a formula").click()
        elif state == "list":
            choice(page, "language").select_option("a list of strings")
            judge(page)
            expect(verdict(page)).to_contain_text("Wrong: ")
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
    page = opened(setup=FOLLOWS)
    page.evaluate("window.followed = 'tab=workshop&puzzle=dyck-1'")
    rows(page).fill("word 0: ()")
    expect(page.locator(".puzzle h3").first).to_contain_text(puzzles["dyck-1"]["title"])
    assert page.evaluate("window.followed") is None


def test_nothing_is_wider_than_a_phone(opened, puzzles):
    page = opened("tab=workshop", width=390, height=800)
    for name in [*puzzles, "own", "formula"]:
        if name == "own":
            own(page)
        elif name == "formula":
            page.get_by_role("radio", name="a formula").click()
        else:
            page.evaluate(f"location.hash = 'tab=workshop&puzzle={name}'")
            title = f"{[*puzzles].index(name) + 1}. {puzzles[name]['title']}"
            expect(page.locator(".puzzle h3").first).to_have_text(title)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.mark.parametrize("width", [1200, 390])
def test_a_verdict_and_an_error_move_nothing(opened, width):
    page = opened(width=width)
    page.evaluate(SHIFTS)
    text = rows(page).input_value()
    before = page.locator(".numbers").bounding_box()["y"] + page.evaluate("scrollY")
    judge(page)
    expect(verdict(page)).to_contain_text("Wrong: ")
    after = page.locator(".numbers").bounding_box()["y"] + page.evaluate("scrollY")
    assert after == pytest.approx(before, abs=1)
    rows(page).fill(text.replace("word 1", "wrod 1"))
    expect(page.locator(".error")).to_contain_text("line 2")
    page.wait_for_timeout(200)
    assert page.evaluate("window.shift") < 0.05


def test_ten_keys_in_a_row_are_read_and_drawn_once(page):
    own(page)
    choice(page, "start from").select_option("rows PARITY")
    page.get_by_label("string", exact=True).fill("01" * 10)
    settle(page)
    page.evaluate(
        """() => {
          window.read = 0;
          window.drawn = 0;
          const area = document.querySelector(".workshop textarea");
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
        """async ({ solution, options }) => {
          const { fromRows } = await import("./_static/format.mjs");
          const { glance, judged } = await import("./_static/reader.mjs");
          const { words } = await import("./_static/sweep.mjs");
          const json = fromRows(solution);
          const quick = glance(json, options);
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
    expect(page.locator(".puzzle h3").first).to_have_text("7. Brackets")
    assert page.locator(".workshop").is_visible()
    settle(page)
    page.go_back()
    expect(page.locator("#panel-strings")).to_be_visible()
    page.go_back()
    expect(page.locator(".puzzle h3").first).to_have_text("2. Is there a 1?")
    expect(verdict(page)).to_contain_text("Wrong: “1” is rejected, but is in the language")
