"""Eight journeys of a reader: through the playground's tabs, and through what chapters open with.
What the page says is held against the library, and what was typed must not be lost.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import exp

import pytest
from playwright.sync_api import Locator, Page, expect

from chapters.common.turing.machines import PROGRAMS, Machine
from chapters.playground.data import INPUTS, MODELS, variants
from lib import constructions
from lib.formulas import compiled
from lib.languages import FIRST
from lib.proofs import proved_equal, regular
from lib.transformer import Encoder, Exact
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


def test_no_verdict_says_more_than_was_shown(opened):
    page = opened()
    options(page)
    meant(page, FORMULA, TWO)
    box(page, "formula").fill(f"({TWO})")
    judged(page, "Nothing was tested")
    meant(page, "MAJORITY")
    box(page, "formula").fill('count(Q("1")) > count(Q("0"))')
    judged(page, "Proved for every length")
    choice(page, "attention").select_option("softmax")  # not what it was compiled for
    judged(page, "Wrong: “")
    choice(page, "kind of attention").select_option("hardmax")
    meant(page, EXAMPLES, '1\n""\n01\n10')
    box(page, "formula").fill('count(Q("1")) == 1 and count(Q("0")) <= 1')
    judged(page, "Wrong: the empty string is rejected, but is in the list")
    page.get_by_label("strings that belong").fill("1\n01\n10")
    expect(verdict(page)).to_have_text("")  # it was of other strings
    assert "Nothing is claimed about longer strings." in judged(page, "Right on all 7 strings")


def test_a_slip_is_mended_by_a_press_and_a_name_goes_where_the_caret_is(opened):
    page = opened()
    formula, error = box(page, "formula"), page.locator(".wrote .error")
    for slip, mend in (
        ('cuont(Q("1")) = 2', TWO),
        ('!once(Q("1")) && Q("0")', 'not once(Q("1")) and Q("0")'),
    ):
        formula.fill(slip)
        page.get_by_role("button", name=f"write {mend}", exact=True).press("Enter")
        expect(formula).to_have_value(mend)
        expect(error).to_have_text("")
    formula.fill(TWO)
    formula.evaluate("box => box.setSelectionRange(6, 12)")
    page.locator(".wrote .names button:visible").get_by_text('Q("0")', exact=True).click()
    expect(formula).to_have_value('count(Q("0")) == 2')


SLOW = "name: slow\nword 0: a\nword 1: b\nword CLS: cls\nposition i: i\n" + "".join(
    f"layer\nhead\n  q: cls + a\n  k: i\n  x{n} <- a\nhead\n  q: b\n  k: i\n  y{n} <- b\n"
    for n in range(6)
)


def test_judging_runs_elsewhere_and_is_cancelled_by_a_press_and_by_an_edit(opened):
    page = opened()
    page.get_by_role("radio", name="rows").click()
    box(page, "rows").fill(f"{SLOW}output: a - 1\n")
    meant(page, FORMULA, "False")
    for end in (lambda: press(page, "cancel"), lambda: box(page, "rows").press("Space")):
        press(page, "judge")
        wait_until(page, "document.querySelector('.workshop progress').value > 0.02")
        end()
        expect(page.get_by_role("button", name="cancel")).to_be_disabled()
        expect(verdict(page)).not_to_contain_text("Right")
        wait_until(page, "document.querySelector('.tries').textContent === ''")


# ---- 2. as rows and back, and an edit


def test_a_formula_becomes_rows_which_are_edited_and_judged(opened, engine):
    page, text = opened(), 'never(Q("a") and once(Q("b")))'
    meant(page, EXPRESSION, "a*b*")
    box(page, "symbols").fill("ab")
    box(page, "formula").fill(text)
    options(page)
    press(page, "as rows")
    rows = box(page, "rows")
    made = rows.input_value()
    assert engine.read(made) == replace(compiled(text, "ab").construction, reading=None)
    assert "rows are tried string by string" in judged(page, "Right on all 8,191 strings")
    number = next(n for n, line in enumerate(made.split("\n"), 1) if line.startswith("output: "))
    rows.fill(made.replace("output: ", "output: nowhere + "))
    expect(page.locator(".wrote .error")).to_contain_text(f"line {number}: ")
    expect(rows).to_have_attribute("aria-invalid", "true")
    judged(page, f"Not judged: line {number}: ")
    wrong = made.replace("output: ", "output: -")
    rows.fill(wrong)
    assert Exact(engine.read(wrong)).accepts("") is False
    judged(page, "Wrong: the empty string is rejected, but is in the language of a*b*")
    page.get_by_role("radio", name="a formula").click()
    assert box(page, "formula").input_value() == text
    judged(page, "Proved for every length")
    page.get_by_role("radio", name="rows").click()
    expect(rows).to_have_value(wrong)


# ---- 3. a puzzle is solved, and kept


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
    expect(choice(page, "what to do")).to_contain_text("✓ 2. Is there a 1?")


def test_puzzles_of_a_longer_string_a_formula_a_string_and_an_invariant(opened, puzzles):
    page = opened()
    for name, label, change, said in (
        ("first-with-log-n", "rows", ("head\n", "head gain 99/100\n"), "(61 symbols) is rejected"),
        ("two-1s", "formula", (">=", "=="), "Wrong: “111” is rejected, but is in"),
        ("smaller-once", "formula", ("once", "never"), "Wrong: "),
        ("string-two", "your string", ("1", "x"), "Not judged: x is no symbol"),
        ("invariant", "formula", ("2*", ""), "Wrong: “aab” is a row of blocks"),
    ):
        choice(page, "what to do").select_option(name)
        solution = puzzles[name]["solution"]
        for text, then in ((solution.replace(*change), said), (solution, "Solved")):
            box(page, label).fill(text)
            judged(page, then)
    expect(page.locator(".count")).to_have_text("5 of 20 puzzles solved")


# ---- 4. a counterexample is drawn


def test_a_counterexample_is_traced_and_its_attention_is_the_exact_readers(opened):
    page = opened()
    options(page)
    choice(page, "start from").select_option("rows flawed FIRST")
    judged(page, "Wrong: “100” is rejected, but is in FIRST. Its logit is −0.0")
    reader = Exact(constructions.flawed_first())
    strings = [w for n in range(4) for w in FIRST.all_strings(n)]
    assert FIRST.errors(strings, reader.accepts(strings))[0] == "100"
    press(page, "trace “100”")
    expect(page.locator(".decided")).to_contain_text("“100”: rejected (logit −0.0")
    expect(page.locator(".decided")).to_contain_text("It is in FIRST: wrong.")
    table, trace = page.locator(".numbers"), reader.trace("100")
    assert table.locator("thead button").all_inner_texts() == ["CLS₀", "1₁", "0₂", "0₃"]
    looks = table.locator("tr.looks").first
    shown = [float(text) for text in looks.locator("td").all_inner_texts()]
    assert shown == pytest.approx([float(x.mid()) for x in trace.attention[1, 1][0]], rel=1e-2)
    table.get_by_role("button", name="attention from 0 at position 3").click()
    expect(looks.locator("th")).to_have_text("head 1 looks, from 0₃")
    assert set(looks.locator("td").all_inner_texts()) == {"0.25"}
    arcs = [float(arc.get_attribute("stroke-width")) for arc in page.locator(".arcs path").all()]
    assert arcs == [2.8] * 4  # a quarter of eleven pixels
    box(page, "string").fill("012")
    expect(page.locator(".decided")).to_have_text("2 is no symbol: there are 0, 1.")


def test_where_float64_errs_the_page_says_so_and_a_mutant_errs_exactly(opened):
    page = opened("m=PALINDROME&w=0110")
    decided = page.locator(".decided")
    expect(decided).to_contain_text("“0110”: accepted (logit 0). It is in PALINDROME: right.")
    logit = Encoder(constructions.palindrome())("0110").item()
    float64 = f"{logit:.1e}".replace("-", "−")
    expect(decided).to_contain_text(f"float64 computes {float64} and rejects it.")
    page.evaluate("location.hash = 'm=PARITY&w=1&e=12*0'")  # one of chapter 2's
    expect(decided).to_have_text(re.compile(r"“1”: rejected .* It is in PARITY: wrong\.$"))


# ---- 5. links, old ones too, and Back


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


OLD = {  # links of the tab that there was, and of earlier editions: what they open
    "m=FIRST&w=0110": ("FIRST", "published", {}, "0110"),
    "tab=strings&m=PARITY&v=mirrored&w=11&eps=0": ("PARITY", "mirrored", {"eps": "0"}, "11"),
    "tab=strings&transformer=ONE&w=010": ("ONE", "published", {}, "010"),
    "m=flawed+FIRST&w=10000&logn=1&c=3": ("flawed FIRST", "published", {"c": 3}, "10000"),
    "m=compiled+Dyck-1&w=(()())": ("compiled Dyck-1", "compiled", {}, "(()())"),
    "tab=workshop&example=FIRST": ("FIRST", "published", {}, "10110"),
    "m=nothing&v=x&w=1a0b110&c=-3&eps=7&e=9*x_999*1_2*1/0": ("PARITY", "published", {}, "10110"),
    "tab=strings": ("PARITY", "published", {}, "10110"),
}


@pytest.mark.parametrize("link", OLD)
def test_an_old_link_opens_the_workshop_on_that_example_and_string(opened, engine, link):
    name, variant, asks, w = OLD[link]
    page = opened(link)
    language, construct = MODELS[name]
    expect(page.get_by_role("tab", name="Workshop")).to_have_attribute("aria-selected", "true")
    expect(box(page, "string")).to_have_value(w)
    expect(choice(page, "given by")).to_have_value(language.name)
    meant_form = variants(construct(asks.get("c", 1)))[variant]
    assert engine.read(box(page, "rows").input_value()) == replace(meant_form, reading=None)
    options(page)
    expect(choice(page, "normalization, ε")).to_have_value(asks.get("eps", "off"))
    assert page.get_by_label("logits times log n").is_checked() == ("logn=1" in link)
    expect(page.locator(".decided")).to_contain_text(f"“{w}”: ")


PACKED = """async state => (await import('./_static/experiment.mjs')).packed(state)"""


def test_a_damaged_link_starts_afresh(opened):
    page = opened()
    for x in ("!!!", "AAAA", "q1YqKMpPL0ssUrJSKs", "A" * 50_000):
        page.evaluate("x => { location.hash = `tab=workshop&x=${x}` }", x)
        expect(verdict(page)).to_contain_text("This link is damaged")
        expect(box(page, "formula")).to_have_value('count(Q("1")) == 1')
        box(page, "formula").fill("True")


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


# ---- 6. a network is dropped, judged and changed

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
    expect(said).to_contain_text(
        "Assumed, because the weights do not say it: heads 2, activation gelu"
    )
    live.evaluate(DROPPED, ["a.pt", b64encode(b"PK\3\4" * 20).decode()])
    expect(amiss).to_contain_text("a .safetensors file is expected")
    expect(rows).to_have_count(0)


# ---- 7. a Turing machine, step by step

COMPLEMENT = "find 1 -> 0 R find   ; a comment\nfind 0 -> 1 R find\nfind _ -> _ N accept"


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


def test_an_edited_machine_runs_and_a_wrong_one_is_refused(opened):
    page = opened("tab=machine&machine=increment&input=1011&step=3")
    rules, error = box(page, RULES), page.locator(".rules .error")
    answer, names = page.locator(".answer"), choice(page, "machine")
    wrong = rules.input_value() + "\n\nright 1 -> 1 R right"
    rules.fill(wrong)
    expect(error).to_contain_text("line 8: ")
    press(page, "one step")
    expect(answer).to_contain_text("step 4,")
    rules.fill(COMPLEMENT)
    expect(names).to_have_value("your own")
    run = [str(now) for now in Machine.parse(COMPLEMENT).run("1011")]
    press(page, "100 steps")
    for by in ("position encodings", "masking alone"):
        choice(page, "built with").select_option(by)
        expect(answer).to_contain_text("halted: accepted")
        assert page.locator(".run li").all_inner_texts() == run
        assert page.locator(".answer strong").inner_text() == "right"
    page.wait_for_url(f"**step={len(run) - 1}*")
    other = opened(page.url.split("#")[1])
    expect(other.locator(".answer")).to_have_text(answer.text_content())
    assert Machine.parse(box(other, RULES).input_value()).rules == Machine.parse(COMPLEMENT).rules
    field = box(page, "input")
    field.fill("1x12")
    expect(page.locator("#panel-machine-input")).to_contain_text(
        "symbol 'x' at position 2 is not in the alphabet"
    )
    expect(field).to_have_value("1x12")
    names.select_option("palindromes")
    expect(field).to_have_value(INPUTS["palindromes"])
    page.go_back()
    expect(names).to_have_value("your own")
    expect(rules).to_have_value(COMPLEMENT)  # as it was typed
    page.evaluate("location.hash = 'tab=machine&machine=palindromes&step=4'")
    expect(answer).to_contain_text("step 4,")


# ---- 8. what chapters open with, and guesses


@pytest.fixture
def live(look):
    """Opens a chapter and waits for what it opens with."""

    def opened(name: str) -> tuple[Page, Locator]:
        page = look(f"chapters/{name}.html", until="load", math=False)
        page.wait_for_selector(".live :is(input, button)")
        return page, page.locator(".live")

    return opened


SET = "(input, v) => { input.value = v; input.dispatchEvent(new Event('input')); }"


def test_demos_of_attention_say_what_the_constructions_say(live):
    _, demo = live("02_transformer_parity_first")
    for c, accepts in ((1, "rejected"), (-1, "accepted, wrong")):
        demo.get_by_role("combobox").select_option(str(c))
        expect(demo).to_contain_text(f"weight {exp(-c) / (2 * (exp(-c) + exp(c))):.3f}")
        expect(demo).to_contain_text(accepts)
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
    _, demo = live("09_which_log_n")
    demo.locator("input").last.evaluate(SET, 3)
    expect(demo).to_contain_text(f"weight {exp(1) / (exp(1) + 2):.4f}")


def test_other_demos_round_and_compile(live):
    _, demo = live("07_palindrome_precision")
    demo.locator("input[type=range]").evaluate(SET, 7)
    expect(demo.locator("tbody tr").last).to_contain_text(f"s = 1/{4 * 9}")
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
