"""Seven journeys of a reader: through the playground's tabs, and through what chapters open with.
What the page says is held against the library, and what was typed must not be lost.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from math import exp

import pytest
from playwright.sync_api import Locator, Page, expect

from chapters.common.turing.machines import PROGRAMS
from chapters.playground.data import variants
from lib import constructions
from lib.proofs import proved_equal, regular
from lib.transformer import Encoder
from lib.verdicts import PROVED, UNKNOWN, WRONG
from record.runs import CHAPTERS
from tests.conftest import wait_until

STORE = "['self-attention-exactly.puzzles']"
RULES = "rules, one per line: state read -> write move state"
EXPRESSION, FORMULA, EXAMPLES = "a regular expression", "a formula", "examples"
HOSTILE = [
    '<img src=x onerror="window.hacked=1">',
    '"><script>window.hacked=1</script>',
    "</textarea><svg onload=window.hacked=1>",
    "__proto__",
]


@pytest.fixture
def opened(reader, address) -> Iterator[Callable[..., Page]]:
    """A function that opens the page at a hash, in a browser that knows nothing of it; in the end
    nothing may have failed, and no other host may have been asked.
    """
    first, failed = reader.pages[0], []

    def page(hash: str = "tab=workshop", setup: str = "") -> Page:
        made = reader.new_page()
        made.on("pageerror", lambda error: failed.append(str(error)))
        made.on("request", lambda one: one.url.startswith(address) or failed.append(one.url))
        if setup:
            made.add_init_script(setup)
        made.goto(f"{address}#{hash}")
        made.wait_for_selector(":is(.decided, .run li)", state="attached")
        return made

    yield page
    for made in reader.pages[1:]:
        made.close()
    first.evaluate("localStorage.clear()")
    assert [one for one in failed if not one.startswith("data:")] == []


def verdict(page: Page) -> Locator:
    return page.locator(".verdict")


def box(page: Page, name: str) -> Locator:
    """A field to write in, of the tab that is open."""
    return page.locator("[role=tabpanel]:visible").get_by_role("textbox", name=name, exact=True)


def choice(page: Page, name: str) -> Locator:
    return page.locator("[role=tabpanel]:visible").get_by_role("combobox", name=name, exact=True)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def judged(page: Page, begins: str) -> str:
    """Judges, and gives the verdict, which begins so."""
    press(page, "judge")
    expect(verdict(page)).to_contain_text(begins)
    return verdict(page).inner_text()


def meant(page: Page, way: str, text: str = "") -> None:
    """Says which strings are meant: by an expression, a formula or examples."""
    choice(page, "given by").select_option(way)
    labels = {EXPRESSION: "expression", FORMULA: "formula of the language"}
    if way in labels:
        box(page, labels[way]).fill(text)
    elif way == EXAMPLES:
        page.get_by_label("strings that belong").fill(text)


def options(page: Page) -> None:
    """Opens what a reader needs rarely: how it is read, and examples to start from."""
    fold = page.locator("details", has=page.locator("summary", has_text="how it is read"))
    if not fold.evaluate("fold => fold.open"):
        fold.locator("summary").click()
    expect(choice(page, "start from")).to_contain_text("Dyck-1")


# ---- 1. a formula is typed and judged

TWO = 'count(Q("1")) == 2'
MORE_B = 'count(Q("b")) > 2*count(Q("a"))'
PARTS = 'count(Q("a")) == count(Q("b")) == count(Q("b") and previous(Q("a")))'
TYPED = [  # which strings are meant, over which symbols; the kind of attention, and the formula
    ("0*10*10*", "01", "hardmax", TWO, PROVED),
    (f"not ({MORE_B}) and mod(1, 0)", "ab", "softmax", f"not ({MORE_B})", PROVED),
    (f"not not ({MORE_B})", "ab", "layer norm", MORE_B, PROVED),
    ("(1|01)*", "01", "hardmax", 'count(Q("0")) <= count(Q("1")) and not Q("0")', WRONG),
    ("0*(10*){0,14}", "01", "hardmax", 'count(Q("1")) <= 15', WRONG),
    ("(ab)*", "ab", "hardmax", PARTS, UNKNOWN),
]
BEGINS = {
    PROVED: "Proved for every length",
    WRONG: "Wrong: “",
    UNKNOWN: "Right on all 8,191 strings up to length 12",
}


def test_a_formula_is_judged_as_the_prover_of_chapter_11_does(opened):
    page = opened()
    options(page)
    for text, symbols, kind, typed, expected in TYPED:
        way = FORMULA if "Q(" in text else EXPRESSION
        box(page, "symbols").fill(symbols)
        meant(page, way, text)
        box(page, "formula").fill(typed)
        choice(page, "kind of attention").select_option(kind)
        said = judged(page, BEGINS[expected])
        if expected != UNKNOWN:  # which takes the prover long to find out
            other = regular(text, symbols) if way == EXPRESSION else text
            answer = proved_equal(typed, other, symbols)
            assert answer.kind == expected and (answer.counterexample or "") in said
        assert expected != WRONG or "is accepted, but is not in" in said
    box(page, "symbols").fill("01")
    meant(page, EXAMPLES, '1\n""\n01\n10')
    box(page, "formula").fill('count(Q("1")) == 1 and count(Q("0")) <= 1')
    judged(page, "Wrong: the empty string is rejected, but is in the list")
    page.get_by_label("strings that belong").fill("1\n01\n10")
    expect(verdict(page)).to_have_text("")  # it was of other strings
    assert "Nothing is claimed about longer strings." in judged(page, "Right on all 7 strings")


# ---- 2. a puzzle is solved, and kept


@pytest.fixture(scope="module")
def puzzles(engine) -> dict[str, dict]:
    return {puzzle["id"]: puzzle for puzzle in engine("puzzles")}


def test_a_puzzle_is_tried_solved_and_kept_after_a_reload(opened, puzzles):
    damaged = f"localStorage{STORE} ?? (localStorage{STORE} = '{{')"
    page, solution = opened(setup=damaged), puzzles["contains-1"]["solution"]
    choice(page, "what to do").select_option("contains-1")
    count, rows = page.locator(".count"), box(page, "rows")
    reveal = page.get_by_role("button", name="show a solution")
    expect(reveal).to_be_disabled()
    judged(page, "Wrong: “1” is rejected")
    reveal.click()
    expect(page.locator(".solution pre")).to_have_text(solution)
    rows.fill(solution.replace("s <- one", "s <- one\nhead\n  s <- one"))
    judged(page, "Not judged: the puzzle says “at most one head")
    assert count.inner_text() == "0 of 20 puzzles solved"
    for text in (solution.replace("s <- one", "s <- one\n  t <- one"), solution):
        rows.fill(text)
        judged(page, "Solved: right on all 8,191 strings up to length 12")
    assert "2 coordinates, 4 nonzero" in page.locator(".best").inner_text().split("smallest")[1]
    rows.fill("word 0: draft")
    for other in ("two-1s", "contains-1"):
        choice(page, "what to do").select_option(other)
    expect(rows).to_have_value("word 0: draft")
    page.reload()
    expect(count).to_have_text("1 of 20 puzzles solved")
    for name, label, change, said in (
        ("string-two", "your string", ("1", "x"), "Not judged: x is none of"),
        ("invariant", "formula", ("2*", ""), "Wrong: “aab” is a row of blocks"),
    ):
        choice(page, "what to do").select_option(name)
        solution = puzzles[name]["solution"]
        for text, then in ((solution.replace(*change), said), (solution, "Solved")):
            box(page, label).fill(text)
            judged(page, then)
    expect(choice(page, "what to do")).to_contain_text("✓ 2. Is there a 1?")


# ---- 3. a counterexample is drawn


# ---- 4. links


def test_a_link_is_copied_and_opens_all_that_was_on_screen(opened, engine):
    page = opened()
    text = engine.write(constructions.parity(c=2)) + '# β, 😀 and \\ "\n'
    page.get_by_role("radio", name="rows").click()
    box(page, "rows").fill(text)
    meant(page, FORMULA, 'mod(2, 1) or Q("1")')
    options(page)
    choice(page, "normalization, ε").select_option("1e-5")
    page.get_by_label("logits times log n").check()
    box(page, "string").fill("101")
    said = judged(page, "Wrong: ")
    press(page, "copy link")
    expect(page.get_by_text("copied", exact=True)).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = opened("tab=workshop&puzzle=dyck-1")
    other.evaluate("hash => { location.hash = hash }", link.split("#")[1])
    expect(verdict(other)).to_have_text(said)
    options(other)
    expect(box(other, "rows")).to_have_value(text)
    expect(box(other, "formula of the language")).to_have_value('mod(2, 1) or Q("1")')
    expect(box(other, "string")).to_have_value("101")
    expect(choice(other, "normalization, ε")).to_have_value("1e-5")
    assert other.get_by_label("logits times log n").is_checked()


PACKED = """async state => (await import('./_static/experiment.mjs')).packed(state)"""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_boxes_and_links_executes_nothing(opened, text):
    page, name = opened(), json.dumps(text)
    elements = "document.querySelectorAll('img, script, iframe').length"
    harmless = page.evaluate(elements)
    spelled = f"name: {name}\nword 0: ()\nword 1: {name}\nword CLS: ()\noutput: {name}\n"
    page.get_by_role("radio", name="rows").click()
    for way in (EXPRESSION, FORMULA, EXAMPLES):
        meant(page, way, text)
        for typed in (text, spelled):
            box(page, "rows").fill(typed)
            judged(page, "Not judged: ")
    state = {"puzzle": "", "made": "rows", "rows": spelled, "w": text, "language": text}
    links = [f"tab=workshop&x={page.evaluate(PACKED, state)}"]
    asks = ("m", "v", "w", "c", "eps", "e", "puzzle", "example", "machine", "by", "input", "rules")
    for tab in ("workshop", "strings", "machine"):
        links.append(f"tab={tab}&" + "&".join(f"{ask}={text}" for ask in asks))
    for link in links:
        page.evaluate("link => { location.hash = link; }", link)
        page.locator("[role=tabpanel]:visible :is(.decided, .answer)").wait_for()
    page.get_by_label("input", exact=True).fill(text)
    page.get_by_label(RULES).fill(f"{text} _ -> {text[0]} R accept")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("Object.keys(Object.prototype)") == []
    assert page.evaluate(elements) == harmless


# ---- 5. a network is dropped, judged and changed

SAID = {"heads": "2", "ε of norms": "1e-5", "tokens before": "2", "tokens after": "3"}
SAID |= {"expression": "0*10*1(0|1)*", "up to length": "6"}
CHOSEN = {"activation": "gelu", "place of norms": "before", "mask": "causal"}
DROPPED = """(root, [name, text]) => {
  const dataTransfer = new DataTransfer();
  const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
  dataTransfer.items.add(new File([bytes], name));
  const how = { dataTransfer, bubbles: true, cancelable: true };
  for (const kind of ["dragover", "drop"]) root.dispatchEvent(new DragEvent(kind, how));
}"""


def test_a_network_is_dropped_judged_and_changed_and_a_wrong_file_is_refused(opened):
    page = opened()
    live, amiss = page.locator(".live > div"), page.locator(".live .amiss")
    field = live.get_by_role("textbox", name="expression", exact=True)
    judge = page.get_by_role("button", name="judge every string")
    rows, said = page.locator(".pairs tbody tr"), live.locator("div[role=status]")
    weights = (CHAPTERS / "_static/networks/two_1s.safetensors").read_bytes()
    live.evaluate(DROPPED, ["mine.safetensors", b64encode(weights).decode()])
    expect(live).to_contain_text("mine.safetensors: ")
    judge.click()
    expect(amiss).to_contain_text("please choose what the tensors do not say: heads, activation")
    for name, value in SAID.items():
        live.get_by_role("textbox", name=name, exact=True).fill(value)
    for name, value in CHOSEN.items():
        live.get_by_role("combobox", name=name, exact=True).select_option(value)
    judge.click()
    expect(rows).to_have_count(7)
    counts = [row.inner_text().split("\t") for row in rows.all()]
    assert counts == [[str(n), str(2**n), "0", "0"] for n in range(7)]
    field.fill("0*10*10*")  # exactly two 1s, which it was not trained for
    expect(said).to_have_text("")
    judge.click()
    expect(said).to_contain_text("The first: 111")
    expect(said).to_contain_text("Assumed, because the weights do not say it: layers 1 of width")
    live.evaluate(DROPPED, ["a.pt", b64encode(b"PK\3\4" * 20).decode()])
    expect(amiss).to_contain_text("a .safetensors file is expected")
    expect(rows).to_have_count(0)


# ---- 6. a Turing machine, step by step


def test_a_machine_is_stepped_forwards_backwards_and_to_its_end(opened):
    page = opened("tab=machine&machine=increment&input=1011")
    answer, last = page.locator(".answer"), page.locator(".run li").last
    table = next(one for one in PROGRAMS if one.name == "increment")
    run = [str(now) for now in table.run("1011")]
    for step, now in enumerate(run[:4]):
        expect(answer).to_contain_text(f"step {step},")
        expect(last).to_have_text(now)
        press(page, "one step")
    press(page, "one step back")
    expect(last).to_have_text(run[3])
    press(page, "100 steps")
    expect(answer).to_contain_text("halted: accepted")
    assert page.locator(".run li").all_inner_texts() == run
    assert page.locator(".answer strong").inner_text() == "right"
    press(page, "to the start")
    page.get_by_role("button", name="play").click()
    expect(answer).to_contain_text("halted: accepted")
    expect(page.get_by_role("button", name="play")).to_be_visible()


# ---- 7. what chapters open with, and guesses


@pytest.fixture
def live(look):
    """Opens a chapter and waits for what it opens with."""

    def opened(name: str) -> tuple[Page, Locator]:
        page = look(f"chapters/{name}.html", until="load", math=False)
        page.wait_for_selector(".live :is(input, button)")
        return page, page.locator(".live")

    return opened


SET = "(input, v) => { input.value = v; input.dispatchEvent(new Event('input')); }"


def test_demos_say_what_the_constructions_say_and_compile(live):
    _, demo = live("03_layer_norm")
    forms = variants(constructions.parity())
    demo.locator("input[type=range]").evaluate(SET, 12)
    for form, eps in (("published", None), ("sharpened", 1e-5), ("sharpened", 0)):
        logit = Encoder(forms[form], eps=eps)("1" + "0" * 11).item()
        expect(demo).to_contain_text(f"{1 / (1 + exp(-logit)):.3f}")
    _, demo = live("04_log_n_scaling")
    for n, without in ((7, "accepted"), (8, "rejected, wrong")):  # e² is 7.39
        demo.locator("input[type=range]").evaluate(SET, n)
        expect(demo).to_contain_text(f"weight {exp(2) / (exp(2) + n):.3f}: {without}")
        expect(demo).to_contain_text(f"weight {(n + 1) / (2 * n + 1):.3f}: accepted")
    page, demo = live("08_formulas_to_transformers")
    demo.locator("input").fill('count(Q("(")) == count(Q(")")) and Q(")")')
    expect(demo.locator("tbody tr").last).to_contain_text("holds")
    demo.locator("input").fill(HOSTILE[0])
    expect(demo.locator("tbody tr")).to_have_count(0)
    assert page.locator(".live img").count() == 0
    _, demo = live("11_every_length")
    expect(demo).to_contain_text("Proved for every length")
    demo.get_by_label("regular expression").fill("0*10*1")
    expect(demo).to_contain_text("Wrong: “110” is the shortest string")


def test_a_guess_is_scored_once_and_opens_its_answer(look):
    page = look("chapters/09_which_log_n.html", until="load", math=False)
    wait_until(page, "!document.querySelector('.guess:not(.alive)')")
    first = page.locator(".guess").first
    answer = page.locator("details:has(> summary:text-is('The answer'))").first
    assert not answer.evaluate("fold => fold.open")
    right = int(first.get_attribute("data-right")) - 1
    for which, said in ((0 if right else 1, "No"), (right, "Right")):
        first.get_by_role("button").nth(which).click()
        expect(first.get_by_role("status")).to_have_text(
            f"{said}; 0 of 1 right at first on this page."
        )
    assert answer.evaluate("fold => fold.open")
