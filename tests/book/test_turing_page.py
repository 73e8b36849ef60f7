"""The playground's tab of Turing machines is usable by pointer, keyboard, link and history."""

import json
from functools import cache
from itertools import islice
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from chapters.common.turing.machines import INCREMENT, PROGRAMS, Machine
from chapters.playground.data import INPUTS, machine
from record.runs import CHAPTERS

BUILT = "chapters/playground.html"
PAGE = "http://book.invalid/"  # no host: every request to it is answered here
HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>machines</title>
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
<div class="playground"><button id="tab-machine">machines</button>
<div id="panel-machine" role="tabpanel" aria-labelledby="tab-machine"></div></div>
<script type="module">
  import { mount } from "./_static/turing.mjs";
  const root = document.getElementById("panel-machine");
  const show = mount(root, await (await fetch("_static/playground.json")).json());
  document.getElementById("tab-machine").onclick = () => { root.hidden = false; show(); };
  show();
</script>"""
TRANSFORMERS = ("position encodings", "masking alone")


@cache
def data() -> str:
    return json.dumps({"longest": 40, "machines": [*map(machine, PROGRAMS)]})


def answer(route) -> None:
    """The page, or one of the files that the book's build would put beside it."""
    name = route.request.url.removeprefix(PAGE).removeprefix("_static/")
    kind = {"css": "text/css", "mjs": "text/javascript"}.get(name.rpartition(".")[2], "text/html")
    if name == "playground.json":
        route.fulfill(content_type="application/json", body=data())
    elif name == "":
        route.fulfill(content_type="text/html; charset=utf-8", body=HTML)
    else:
        body = (CHAPTERS / "_static" / name).read_text(encoding="utf-8")
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)


def visited(context):
    """A new page, which may show nothing but this tab and complain of nothing."""
    page, page.complaints = context.new_page(), []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (page.complaints.append(dialog.message), dialog.dismiss()))
    page.on(
        "console",
        lambda said: page.complaints.append(said.text) if said.type == "error" else None,
    )
    page.route(f"{PAGE}**", answer)
    return page


@pytest.fixture(scope="module")
def modules(browser):
    """A page that stays open: Chromium keeps its process for the others."""
    with browser.new_context(viewport={"width": 1200, "height": 900}) as context:
        page = visited(context)
        page.goto(PAGE)
        yield page


@pytest.fixture
def page(modules):
    page = visited(modules.context)
    yield page
    page.close()
    assert [said for said in page.complaints if "favicon" not in said] == []


def address(**asks) -> str:
    return f"{PAGE}#{urlencode({'tab': 'machine', **asks})}"


def opened(page, **asks) -> str:
    page.goto("about:blank")  # a new hash alone would not load the page anew
    page.goto(address(**asks))
    expect(page.locator(".answer")).to_contain_text("step")
    return page.locator(".answer").inner_text()


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def names_of(page):
    return page.locator("#panel-machine select").first


def rules(page):
    return page.get_by_label("rules, one a line")


def lit(page) -> str:
    """The text of the line that is lit, found by where the light is."""
    return rules(page).evaluate(
        """area => {
          const mark = area.parentElement.querySelector(".mark");
          if (mark.hidden) return "";
          const { lineHeight, paddingTop } = getComputedStyle(area);
          const from = mark.getBoundingClientRect().top - area.getBoundingClientRect().top;
          const top = from - parseFloat(paddingTop) - 1 + area.scrollTop;
          const line = top / parseFloat(lineHeight);
          return area.value.split("\\n")[Math.round(line)].split(/\\s+/).join(" ").trim();
        }"""
    )


def overflow(page) -> int:
    """By how many pixels the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def fits(page) -> bool:
    """Whether it is no wider than a telephone, nor than a usual window."""
    over = []
    for width in (390, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        over.append(overflow(page))
    return max(over) <= 0


# ---- steps ----


def test_it_steps_forwards_backwards_and_to_the_end(page):
    assert opened(page).startswith("step 0")
    answer = page.locator(".answer")
    press(page, "one step")
    press(page, "one step")
    press(page, "one step back")
    assert answer.inner_text().startswith("step 1,") and "state right" in answer.inner_text()
    press(page, "100 steps")
    assert (
        "halted: accepted" in answer.inner_text()
        and "that of the rules: right" in answer.inner_text()
    )
    assert page.get_by_role("button", name="one step", exact=True).is_disabled()
    assert page.get_by_role("button", name="play").is_disabled()
    assert page.locator(".run li").last.inner_text() == "1[accept]100"
    press(page, "to the start")
    assert answer.inner_text().startswith("step 0")
    assert page.get_by_role("button", name="one step back").is_disabled()


def test_the_rule_that_applies_is_lit_and_scrolled_to(page):
    opened(page, machine="unary multiplication")
    for now in islice(PROGRAMS[3].run(INPUTS["unary multiplication"]), 12):
        assert lit(page) == str(PROGRAMS[3].rule(now))
        area, mark = rules(page).bounding_box(), page.locator(".mark").bounding_box()
        assert area["y"] <= mark["y"] and mark["y"] + mark["height"] <= area["y"] + area["height"]
        press(page, "one step")
    opened(page, step=100)
    assert lit(page) == ""  # it has halted


def test_it_plays_and_pauses_and_stops_at_the_end(page):
    opened(page, step=5)
    answer = page.locator(".answer")
    press(page, "play")
    expect(answer).to_have_attribute("aria-live", "off")
    assert answer.inner_text().startswith(("step 6,", "step 7,"))
    press(page, "pause")
    seen = answer.inner_text()
    page.wait_for_timeout(600)
    assert answer.inner_text() == seen and answer.get_attribute("aria-live") == "polite"
    press(page, "play")
    expect(answer).to_contain_text("halted: accepted")
    expect(page.get_by_role("button", name="play")).to_be_visible()
    assert answer.get_attribute("aria-live") == "polite"


def test_nothing_plays_where_less_motion_is_asked_for(page):
    page.emulate_media(reduced_motion="reduce")
    opened(page)
    assert page.get_by_role("button", name="play").is_disabled()
    assert page.get_by_text("asks for less motion").is_visible()
    page.get_by_role("button", name="play").click(force=True)
    page.wait_for_timeout(600)
    assert page.locator(".answer").inner_text().startswith("step 0")
    press(page, "one step")
    assert page.locator(".answer").inner_text().startswith("step 1,")


def test_a_slider_leads_through_what_was_computed(page):
    opened(page, machine="palindromes", step=20)
    slider = page.get_by_role("slider", name="step")
    assert slider.input_value() == "20" and slider.get_attribute("max") == "21"
    slider.fill("7")
    assert page.locator(".answer").inner_text().startswith("step 7,")
    assert slider.get_attribute("max") == "21"
    slider.press("ArrowRight")
    assert page.locator(".answer").inner_text().startswith("step 8,")
    assert slider.get_attribute("aria-valuetext") == "step 8 of 21 computed"
    page.wait_for_url("**step=8*")


def test_a_long_computation_can_be_left(page):
    page.goto(address(machine="5-state champion", by="masking alone", step=5000))
    expect(page.get_by_text("computing: step")).to_be_visible()
    press(page, "to the start")
    expect(page.locator(".answer")).to_contain_text("step 0")
    expect(page.get_by_text("computing: step")).to_be_hidden()


PIXEL = """([x, y]) => {
  const canvas = document.querySelector(".picture canvas");
  const ratio = canvas.width / parseFloat(canvas.style.width);
  return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data];
}"""


def test_space_and_time_grow_in_columns_that_stay(page):
    opened(page, step=6)
    canvas = page.locator(".picture canvas")
    box = canvas.bounding_box()
    assert box["height"] == 7 * 11 and box["width"] == 36 + 12 * 16
    zero = page.locator(".tape td.head")  # 1 at the start is as it is on the tape
    orange, blue = [230, 159, 0, 255], [86, 180, 233, 255]

    def cell(x, row):
        return page.evaluate(PIXEL, [36 + 16 * (x + 4) + 3, 11 * row + 4])

    assert [cell(x, 1) for x in range(4)] == [blue, orange, blue, blue]  # 1011
    assert cell(-2, 1)[3] < 40 and cell(5, 1)[3] < 40
    assert [cell(x, 6) for x in range(4)] == [blue, orange, blue, orange]  # 1010
    assert "head is in cell 2" in canvas.get_attribute("aria-label") and zero.inner_text() == "1"
    outline = page.evaluate(PIXEL, [36 + 16 * (2 + 4) + 1, 11 * 6 + 5])
    assert outline == [0, 0, 0, 255]
    canvas.click(position={"x": 60, "y": 11 * 3 + 5})
    assert page.locator(".answer").inner_text().startswith("step 3,")
    assert canvas.bounding_box()["width"] == box["width"]
    opened(page, machine="5-state champion", step=300)
    label = page.locator(".picture canvas").get_attribute("aria-label")
    assert "steps 241 to 300" in label and "configurations says the same" in label


# ---- editing ----

COMPLEMENT = """find 1 -> 0 R find   ; a comment
find 0 -> 1 R find

find _ -> _ N accept"""


def test_an_edited_machine_runs_on_the_transformer(page):
    opened(page)
    rules(page).fill(COMPLEMENT)
    assert names_of(page).input_value() == "your own"
    assert lit(page) == "find 1 -> 0 R find ; a comment"
    press(page, "100 steps")
    for by in TRANSFORMERS:
        page.get_by_label("built with").select_option(by)  # the step stays
        run = [str(now) for now in Machine.parse(COMPLEMENT).run("1011")]
        assert page.locator(".run li").all_inner_texts() == run
        assert "halted: accepted" in page.locator(".answer").inner_text()
        assert page.locator(".answer strong").inner_text() == "right"
    page.get_by_label("accept", exact=True).fill("done")
    rules(page).fill(COMPLEMENT.replace("accept", "done"))
    press(page, "100 steps")
    assert "state done, halted: accepted" in page.locator(".answer").inner_text()


def test_the_old_machine_goes_on_until_the_new_one_is_right(page):
    opened(page, step=3)
    error, answer = page.locator(".rules .error"), page.locator(".answer")
    before = answer.inner_text()
    wrong = rules(page).input_value() + "\n\nright 1 -> 1 R right"
    rules(page).fill(wrong)
    with pytest.raises(ValueError) as said:
        Machine.parse(wrong)
    assert error.inner_text() == f"line 8: {said.value}; the machine before goes on"
    assert rules(page).get_attribute("aria-invalid") == "true"
    assert error.get_attribute("id") in rules(page).get_attribute("aria-describedby").split()
    assert lit(page) == "right 1 -> 1 R right" and answer.inner_text() == before
    press(page, "one step")
    assert answer.inner_text().startswith("step 4,") and lit(page) == "right 1 -> 1 R right"
    rules(page).press_sequentially(" x")
    assert error.inner_text().startswith("line 8, 'right 1 -> 1 R right x', is no rule: ")
    assert answer.inner_text().startswith("step 4,")
    rules(page).fill(wrong.rpartition("\n")[0] + "; right again")
    assert error.is_hidden() and rules(page).get_attribute("aria-invalid") == "false"
    assert answer.inner_text().startswith("step 4,")  # the same machine: nothing starts anew
    assert names_of(page).input_value() == "increment"
    rules(page).fill(wrong.replace("\n\nright 1 -> 1 R right", "\nelse 1 -> 1 R right"))
    assert answer.inner_text().startswith("step 0,")


def test_fields_say_what_the_rules_leave_open(page):
    opened(page, machine="5-state champion")
    values = {
        name: page.get_by_label(name, exact=True).input_value()
        for name in ("start", "accept", "reject", "blank", "alphabet")
    }
    assert values == {"start": "", "accept": "Z", "reject": "", "blank": "0", "alphabet": ""}
    error = page.locator(".rules .error")
    page.get_by_label("accept", exact=True).fill("")
    assert "rule 9 (E 0 -> 1 R Z) goes to 'Z', which no rule leaves" in error.inner_text()
    page.get_by_label("reject", exact=True).fill("no Z")
    assert error.is_hidden()
    page.get_by_label("start", exact=True).fill("F")
    assert "no rule leaves the first state, 'F'" in error.inner_text()
    page.get_by_label("start", exact=True).fill("E")
    press(page, "100 steps")
    assert "state Z, halted: not accepted" in page.locator(".answer").inner_text()
    page.get_by_label("alphabet", exact=True).fill("10")
    assert "the blank '0' cannot be an input symbol" in error.inner_text()
    page.get_by_label("alphabet", exact=True).fill("1 a")
    page.get_by_label("input", exact=True).fill("a")
    assert error.is_hidden() and page.locator(".tape .head").inner_text() == "a"


def test_names_that_would_clash_are_refused(page):
    opened(page)
    rules(page).fill("a 1 -> 1 R a′\na′ 1 -> 1 R a\na _ -> _ N accept")
    said = page.locator(".rules .error").inner_text()
    assert said.startswith("two units of the network would be called 'q=a′': rename a state")


# ---- input ----


def test_what_is_wrong_with_an_input_is_said(page):
    opened(page)
    field, error = page.get_by_label("input", exact=True), page.locator("#panel-machine-input")
    field.fill("1x12")
    assert field.input_value() == "1x12" and field.get_attribute("aria-invalid") == "true"
    assert error.inner_text() == (
        "symbol 'x' at position 2 is not in the alphabet {0, 1}; what runs is 1011"
    )
    assert error.get_attribute("id") == field.get_attribute("aria-describedby")
    field.fill("1" * 41)
    assert error.inner_text().startswith("41 symbols are too many for the page: at most 40; ")
    field.fill("")
    assert error.is_hidden() and field.get_attribute("aria-invalid") == "false"
    field.fill("11")
    press(page, "100 steps")
    assert page.locator(".run li").last.inner_text() == "[accept]100"
    rules(page).fill("a x -> x R a\na _ -> _ N accept")  # whose alphabet is another
    assert "symbol '1' at position 1" in error.inner_text()
    assert error.inner_text().endswith("what runs is the empty string")
    rules(page).fill("a _ -> _ R a")  # without any symbol
    assert field.is_disabled() and field.input_value() == "" and error.is_hidden()
    names_of(page).select_option("palindromes")
    field.fill("01")
    press(page, "100 steps")
    assert "halted: not accepted" in page.locator(".answer").inner_text()


# ---- the address and the history ----


def test_a_link_restores_the_machine_and_the_step(page):
    seen = opened(page, machine="4-state busy beaver", by="masking alone", step=9)
    assert seen.startswith("step 9,")
    assert page.get_by_label("built with").input_value() == "masking alone"
    there = page.url
    page.goto("about:blank")
    page.goto(there)
    expect(page.locator(".answer")).to_contain_text("step 9,")
    assert page.locator(".answer").inner_text() == seen
    assert opened(page, machine="none", by="magic", step="-4", input="??").startswith("step 0")
    assert "symbol '?'" in page.locator("#panel-machine-input").inner_text()
    wrong = opened(page, machine="your own", rules="a 1 1 R a b", step=2)
    assert wrong.startswith("step 2,") and names_of(page).input_value() == "increment"
    assert rules(page).input_value() == "a 1 -> 1 R a\nb"
    assert "line 2, 'b', is no rule" in page.locator(".rules .error").inner_text()


def test_a_link_restores_an_edited_machine(page):
    opened(page)
    rules(page).fill("a 1 -> ★ R b\nb _ -> 1 L a\na ★ -> ★ N stop\nb 0 -> 0 N no")
    for name, value in (("accept", "stop also"), ("reject", "no"), ("alphabet", "10")):
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_label("input", exact=True).fill("1")
    press(page, "100 steps")
    seen = page.locator(".answer").inner_text()
    assert "state stop, halted: accepted" in seen
    page.wait_for_url("**step=3*")
    assert "rules=a+1+" in page.url and "%0A" not in page.url and "start=" not in page.url
    other = visited(page.context)
    other.goto(page.url)
    expect(other.locator(".answer")).to_contain_text("step 3,")
    assert other.locator(".answer").inner_text() == seen and other.url == page.url
    assert other.get_by_label("reject", exact=True).input_value() == "no"
    assert rules(other).input_value().splitlines()[1] == "b _ -> 1 L a"
    assert other.complaints == []
    other.close()


def test_a_link_pasted_over_an_open_page_works(page):
    opened(page)
    page.evaluate("document.getElementById('panel-machine').hidden = true")  # another tab is open
    page.evaluate("to => { location.href = to; }", address(machine="palindromes", step=4))
    expect(page.locator(".answer")).to_contain_text("step 4,")
    assert names_of(page).input_value() == "palindromes"
    page.evaluate("location.hash = 'tab=strings&machine=increment'")  # is for another tab
    page.wait_for_timeout(300)
    assert names_of(page).input_value() == "palindromes"


def test_back_and_forward_step_through_experiments(page):
    opened(page)
    answer, field = page.locator(".answer"), page.get_by_label("input", exact=True)
    names = names_of(page)
    start = page.evaluate("history.length")
    for _ in range(3):
        press(page, "one step")
    page.wait_for_url("**step=3*")
    assert page.evaluate("history.length") == start  # a step is no experiment
    names.select_option("palindromes")
    field.fill("")
    field.press_sequentially("0110", delay=20)  # one experiment, whatever is on the way to it
    rules(page).fill(COMPLEMENT)
    assert page.evaluate("history.length") == start + 3
    page.go_back()
    expect(names).to_have_value("palindromes")
    assert field.input_value() == "0110"
    page.go_back()
    expect(field).to_have_value(INPUTS["palindromes"])
    page.go_back()
    expect(names).to_have_value("increment")
    assert answer.inner_text().startswith("step 3,")
    for _ in range(3):
        page.go_forward()
    expect(names).to_have_value("your own")
    assert rules(page).input_value() == COMPLEMENT  # as it was typed
    assert page.evaluate("history.length") == start + 3


# ---- what may come ----

HOSTILE = [
    "<script>alert(1)</script>",
    "<img/src=x/onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "__proto__",
    "constructor",
    "😀👩‍🚀",
    "\u202eright\u200fto\u200eleft\u2066",
    "אבג",
    "x" * 10_000,
    "'\\\"`${alert(1)}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_only_text(page, text):
    opened(page)
    symbol = next((a for a in text if a not in "#$_x"), "y")
    q = text[:2500]  # six times that is a table that the page takes
    table = f"{q} _ -> {symbol} R {q}2\n{q}2 _ -> _ L {q}3\n{q}3 {symbol} -> _ N accept"
    for typed in (table, f"{text} {text} -> {text} {text} {text}", text):
        rules(page).fill(typed)
        page.get_by_label("input", exact=True).fill(text)
        assert fits(page)
    rules(page).fill(table)
    page.get_by_label("input", exact=True).fill("")
    press(page, "100 steps")
    run = [*Machine.parse(table).run("")]
    assert f"step {len(run) - 1}," in page.locator(".answer").inner_text()
    assert page.locator(".answer strong").inner_text() == "right" and fits(page)
    page.wait_for_url(f"**step={len(run) - 1}*")
    there = page.url
    names = ("machine", "by", "input", "step", "rules", "accept", "start", "blank", "tab")
    hostile = [{name: text} for name in names if name != "tab"]
    for asks in ({"machine": "your own", "rules": text}, *hostile, dict.fromkeys(names, text)):
        page.evaluate("to => { location.hash = to; }", urlencode({"tab": "machine", **asks}))
        page.wait_for_timeout(20)
        assert "step 0" in page.locator(".answer").inner_text() and fits(page)
    page.goto("about:blank")
    page.goto(address(**dict.fromkeys(names[:-1], text)))
    expect(page.locator(".answer")).to_contain_text("right")
    page.goto(there)
    expect(page.locator(".answer")).to_contain_text(f"step {len(run) - 1},")
    assert fits(page)
    assert page.locator("#panel-machine :is(script, img, svg)").count() == 0
    assert page.evaluate("Object.keys(Object.prototype)") == []


def test_what_is_too_large_for_the_page_is_said(page):
    opened(page)
    error = page.locator(".rules .error")
    rules(page).fill("a _ -> _ R a ;" + "x" * 19_987)
    assert error.inner_text().startswith("20001 characters are too many for the page: at most")
    many = "\n".join(f"{i} {chr(200 + i)} -> _ R {i}" for i in range(100))
    rules(page).fill(many)
    assert error.inner_text().startswith("101 states with 101 symbols are too many for the page")
    assert "step 0" in page.locator(".answer").inner_text()


# ---- for everybody ----


def test_every_control_has_a_name_and_its_turn(page):
    opened(page, step=2)
    names_of(page).focus()
    names = []
    for _ in range(18):
        names.append(
            page.evaluate(
                """() => {
                  const { activeElement: e } = document;
                  const { ariaLabel, labels, textContent } = e;
                  return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
                }"""
            )
        )
        page.keyboard.press("Tab")
    fields = ["start", "accept", "reject", "blank", "alphabet"]
    assert [name.split(",")[0] for name in names] == [
        *("machine" + "".join(table.name for table in PROGRAMS) + "your own",),
        *("built withposition encodingsmasking alone", "input", "copy link", "rules"),
        *fields,
        *("to the start", "one step back", "play", "one step", "100 steps", "step"),
        *("tape", "outputs"),
    ]
    live = page.locator("#panel-machine [aria-live]")
    assert live.evaluate_all("all => all.map(e => e.className)") == ["note", "answer"]


def test_the_keyboard_steps_and_keeps_its_place(page):
    opened(page)
    button = page.get_by_role("button", name="one step", exact=True)
    button.focus()
    for _ in range(12):
        page.keyboard.press("Enter")
    assert "halted" in page.locator(".answer").inner_text()
    assert button.evaluate("e => e === document.activeElement")  # at the end too


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_narrow_screen_and_the_dark(page, scheme):
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme=scheme)
    opened(page, machine="5-state champion", step=300)
    assert overflow(page) <= 0
    assert "… (over 2" in page.locator(".stacks").inner_text()
    band, head = (page.locator(name).bounding_box() for name in (".tape", ".tape .head"))
    assert band["x"] <= head["x"] and head["x"] + head["width"] <= band["x"] + band["width"] + 1
    number = "canvas => getComputedStyle(canvas).color"
    inks = {"light": "rgb(34, 40, 50)", "dark": "rgb(206, 214, 221)"}
    assert page.locator(".picture canvas").evaluate(number) == inks[scheme]
    opened(page, machine="5-state champion", by="masking alone", step=12)
    assert "x₁ = 1/2⁵¹" in page.locator(".words").inner_text()
    assert page.complaints == []


def test_the_tape_stays_and_the_head_moves(page):
    opened(page, machine=INCREMENT.name)
    band = page.locator(".tape")

    def head():
        return band.evaluate("e => [e.scrollLeft, e.querySelector('.head').cellIndex]")

    before, at = head()
    for moved in (1, 2, 3, 4, 3, 2, 1):
        press(page, "one step")
        assert head() == [before, at + moved]


# ---- in the book ----


def test_tabs_are_turned_by_pointer_and_keyboard(look):
    page = look(BUILT)
    tabs = page.get_by_role("tab").all()
    strings, machines = (page.get_by_role("tab", name=name) for name in ("Strings", "Turing"))
    panel = page.locator("#panel-machine")
    expect(strings).to_have_attribute("aria-selected", "true")
    assert not panel.is_visible()
    strings.focus()
    for _ in tabs[1:]:
        if machines.get_attribute("aria-selected") == "false":
            page.keyboard.press("ArrowRight")
    expect(machines).to_have_attribute("aria-selected", "true")
    expect(panel.locator(".answer")).to_contain_text("step 0,")
    page.wait_for_url("**#tab=machine*")
    page.get_by_role("button", name="one step", exact=True).click()
    strings.click()  # before the address has learnt of the step
    expect(page.locator("#panel-strings")).to_be_visible()
    assert not panel.is_visible()
    page.wait_for_timeout(500)
    assert "#tab=strings" in page.url
    page.evaluate("location.hash = 'tab=machine&machine=palindromes&step=4'")
    expect(panel.locator(".answer")).to_contain_text("step 4,")
    assert panel.is_visible()
