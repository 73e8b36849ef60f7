"""The playground's second tab: transformers that run Turing machines in the page are those of lib,
number by number.
"""

from itertools import islice
from urllib.parse import urlencode

import pytest
from flint import fmpq

from lib.book.playground import INPUTS
from lib.turing.compilation import stack_rnn
from lib.turing.programs import PROGRAMS
from lib.turing.simulate import directional, vanilla

PAGE = "chapters/playground.html"
OUTPUTS = """async ([machine, by, w, steps]) => {
  const { outputs, computed, ruled } = await import("../_static/turing.mjs");
  const data = await (await fetch("../_static/playground.json")).json();
  const m = data.machines.find(({ name }) => name === machine);
  const first = (count, source, written) => {
    const items = [];
    for (const item of source) {
      items.push(written(item));
      if (items.length === count) break;
    }
    return items;
  };
  const fractions = y => y.map(([n, d]) => `${n}/${d}`);
  const plain = ({ state, left, right }) => `${left}[${state}]${right}`;
  return [
    first(4 * steps, outputs(m.transformers[by], w), fractions),
    first(steps, computed(m, m.transformers[by], w), plain),
    first(steps, ruled(m, w), plain),
  ];
}"""
TRANSFORMERS = {"position encodings": (vanilla, 150), "masking alone": (directional, 30)}
MORE_INPUTS = {
    "increment": ["", "0", "1111"],
    "aⁿbⁿcⁿ": ["", "aabc", "abcc"],
    "palindromes": ["", "0110", "10"],
    "unary multiplication": ["*11="],
}


@pytest.fixture
def page(served, browser):
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    yield page
    page.close()


def opened(page, served, **address):
    page.goto("about:blank")  # a new hash alone would not load the page anew
    page.goto(
        f"{served}{PAGE}#{urlencode({'tab': 'machine', **address})}", wait_until="networkidle"
    )
    page.wait_for_selector("#panel-machine .answer")
    return page.locator("#panel-machine .answer").inner_text()


@pytest.mark.parametrize("by", TRANSFORMERS)
@pytest.mark.parametrize("machine", PROGRAMS, ids=lambda machine: machine.name)
def test_outputs_and_configurations_are_libs(page, served, machine, by):
    page.goto(served + PAGE)
    make, steps = TRANSFORMERS[by]
    transformer = make(stack_rnn(machine))
    for w in [INPUTS.get(machine.name, ""), *MORE_INPUTS.get(machine.name, [])]:
        outputs, configurations, by_rules = page.evaluate(OUTPUTS, [machine.name, by, w, steps])
        expected = list(islice(transformer.outputs(w), 4 * steps))
        assert [[fmpq(*map(int, value.split("/"))) for value in y] for y in outputs] == expected
        run = [str(now) for now in islice(machine.run(w), steps)]
        assert (
            by_rules == run
            and configurations == run[: len(configurations)]
            and len(configurations) > min(len(run), steps) - 5
        )


def test_it_steps_forwards_backwards_and_to_the_end(page, served):
    assert opened(page, served).startswith("step 0")
    answer, press = (
        page.locator("#panel-machine .answer"),
        lambda name: page.get_by_role("button", name=name, exact=True).click(),
    )
    press("one step")
    press("one step")
    press("one step back")
    assert answer.inner_text().startswith("step 1,") and "state right" in answer.inner_text()
    press("100 steps")
    assert (
        "halted: accepted" in answer.inner_text()
        and "that of the rules: right" in answer.inner_text()
    )
    assert page.get_by_role("button", name="one step", exact=True).is_disabled()
    assert page.locator("#panel-machine .run li").last.inner_text() == "1[accept]100"
    press("to the start")
    assert (
        answer.inner_text().startswith("step 0")
        and page.get_by_role("button", name="one step back").is_disabled()
    )


def test_an_input_is_typed_and_only_symbols_of_the_machine_stay(page, served):
    opened(page, served)
    page.get_by_label("input").fill("1x12")
    assert page.get_by_label("input").input_value() == "11"
    page.locator("#panel-machine select").first.select_option("palindromes")
    page.get_by_label("input").fill("01")
    page.get_by_role("button", name="100 steps").click()
    assert "halted: not accepted" in page.locator("#panel-machine .answer").inner_text()


def test_a_link_restores_the_machine_and_the_step(page, served):
    seen = opened(page, served, machine="4-state busy beaver", by="masking alone", step=9)
    assert (
        seen.startswith("step 9,")
        and page.get_by_label("built with").input_value() == "masking alone"
    )
    there = page.url
    page.goto("about:blank")
    page.goto(there, wait_until="networkidle")
    assert page.locator("#panel-machine .answer").inner_text() == seen
    assert opened(page, served, machine="none", by="magic", step="-4", input="??").startswith(
        "step 0"
    )


def test_tabs_are_turned_by_pointer_and_keyboard(page, served):
    page.goto(served + PAGE, wait_until="networkidle")
    strings, machines = page.get_by_role("tab").all()
    assert (
        strings.get_attribute("aria-selected") == "true"
        and not page.locator("#panel-machine").is_visible()
    )
    strings.focus()
    page.keyboard.press("ArrowRight")
    assert (
        machines.get_attribute("aria-selected") == "true"
        and page.locator("#panel-machine").is_visible()
        and "tab=machine" in page.url
    )
    strings.click()
    assert (
        page.locator("#panel-strings").is_visible()
        and not page.locator("#panel-machine").is_visible()
    )
    page.wait_for_url("**#tab=strings*")  # the address follows with the next frame


def test_long_numbers_are_named_and_the_head_stays_in_view(page, served):
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, served, machine="5-state champion", step=150)
    assert "… (over 2" in page.locator("#panel-machine .stacks").inner_text()
    band, head = (
        page.locator(f"#panel-machine {name}").bounding_box() for name in (".tape", ".head")
    )
    assert band["x"] <= head["x"] and head["x"] + head["width"] <= band["x"] + band["width"] + 1
    opened(page, served, machine="5-state champion", by="masking alone", step=12)
    assert "x₁ = 1/2⁵¹" in page.locator("#panel-machine .words").inner_text()
