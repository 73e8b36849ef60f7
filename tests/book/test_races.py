"""Whoever types and presses at once gets what they get who wait: a press acts on what stands in the
boxes at that moment.
"""

from collections import deque
from collections.abc import Iterator
from shutil import copytree
from time import perf_counter, sleep

import pytest
from playwright.sync_api import Page

from record.runs import CHAPTERS
from tests.book.test_journeys import HTML, data
from tests.conftest import serving, wait_until

PLAYGROUND = """<main class="playground"><div id="playground-root"></div></main>
<script type="module" src="_static/playground.mjs"></script>"""
STARTS = {  # what is changed in the workshop's state, or the address of another tab
    "own": {},
    "property": {"language": "a property"},
    "formula": {"language": "a formula", "said": 'count(Q("1")) == 2'},
    "examples": {"language": "examples", "list": "0"},
    "rows": {"made": "rows", "rows": "word 0: a\nword 1: ()\noutput: a"},
    "puzzle": {"puzzle": "two-1s"},
    "old": "m=PARITY&w=0110",  # a link of an earlier edition
    "machine": "tab=machine&machine=increment&input=1",
}
TYPED = {  # the start, the label of a box, and what is typed at its end: what is pressed then
    ("own", "formula", "0"): ("as rows", "judge", "copy as Python", "copy link"),
    ("own", "formula", ")"): ("as rows", "judge", "copy as Python", "copy link"),
    ("own", "symbols", "2"): ("as rows", "copy link"),
    ("own", "expression", "1"): ("Turing machines", "copy link"),
    ("own", "string", "1"): ("copy link",),
    ("property", "n", "1"): ("copy link",),
    ("formula", "formula of the language", ")"): ("judge", "copy link"),
    ("examples", "strings that belong", "1"): ("copy link",),
    ("puzzle", "formula", "+"): ("judge", "copy link"),
    ("rows", "rows", "+"): ("judge", "copy as Python", "copy link", "a formula"),
    ("old", "string", "1"): ("Turing machines", "copy link"),
    ("machine", "input", "0"): ("one step", "play", "100 steps", "copy link", "Workshop"),
    ("machine", "rules", ";"): ("to the start", "copy link"),
}
RACES = [(*race, press) for race, presses in TYPED.items() for press in presses]
DELAYS, LATE = (0, 0.05, 0.15, 0.3), 1.5  # seconds between the key and the press
SOON = 0.05  # seconds that one more key may take

PACKED = """async state => {
  const { fresh, packed } = await import("./_static/experiment.mjs");
  return `tab=workshop&x=${await packed({ ...fresh(state.puzzle), ...state })}`;
}"""
SETUP = """
  navigator.clipboard.writeText = async text => { window.copied = text; };
  window.shown = selector =>
    [...document.querySelectorAll(selector)].filter(one => one.checkVisibility());
  window.boxOf = name => {
    const boxes = shown("label :is(input[type=text], textarea)");
    const text = box => box.closest("label").textContent;
    return boxes.find(box => text(box) === name) ?? boxes.find(box => text(box).startsWith(name));
  };
  window.begin = hash => {
    location.hash = hash;
    window.copied = undefined;
  };
  window.isBegun = ([name, typed]) => boxOf(name) && !boxOf(name).value.endsWith(typed);
  window.rest = () => {
    window.isCalm = false;
    setTimeout(() => { window.isCalm = true; }, 300);
  };
  window.focusEnd = name => {
    const box = boxOf(name);
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  };
  document.addEventListener("click", event => {
    const button = event.target.closest("button, [role=radiogroup] label");
    window.pressed = button && [button.textContent, button.ariaLabel];
  }, true);
  window.placeOf = name => {
    window.pressed = null;
    const is = one => [one.textContent, one.ariaLabel].includes(name);
    const button = shown("button, [role=radiogroup] label").find(is);
    button.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = button.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  window.state = () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const fields = shown("input, select, textarea").map(one => `${one.value} ${one.checked}`);
    const links = [location.hash, window.copied ?? ""].map(link => link.replace(/&at=[^&]*/, ""));
    return isCalm && [fields, document.body.innerText, links];
  };
"""


def run(races: dict[tuple, Page], delay: float) -> None:
    """Types on each page and presses so many seconds later; on others is typed meanwhile."""
    due, last = deque(), [*races][-1]
    for race, page in races.items():
        _, box, typed, _ = race
        page.evaluate("box => focusEnd(box)", box)
        page.keyboard.press(typed)
        due.append((perf_counter() + delay, race))
        while due and (due[0][0] < perf_counter() + SOON or race is last):
            then, first = due.popleft()
            sleep(max(0, then - perf_counter()))
            press(races[first], first[-1])


def press(page: Page, button: str) -> None:
    """Presses a button; again, where it moved away while the pointer was on its way."""
    for _ in range(3):
        page.mouse.click(*page.evaluate("button => placeOf(button)", button))
        if page.evaluate("button => window.pressed?.includes(button)", button):
            return
    raise AssertionError(f"{button} moves away")


def settled(races: dict[tuple, Page]) -> dict[tuple, list]:
    """What stands on the pages, once nothing changes there."""
    found: dict = {}
    for page in races.values():
        page.evaluate("rest()")
    for _ in range(40):
        sleep(0.4)
        before, found = found, {race: page.evaluate("state()") for race, page in races.items()}
        if before == found and all(found.values()):
            return found
    raise AssertionError("the pages go on changing")


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """Of a page with the playground alone."""
    folder = tmp_path_factory.mktemp("races")
    copytree(CHAPTERS / "_static", folder / "_static")
    (folder / "_static" / "playground.json").write_text(data(), encoding="utf-8")
    html = HTML.split("<main")[0] + PLAYGROUND
    (folder / "index.html").write_text(html, encoding="utf-8")
    with serving(folder) as served:
        yield served


@pytest.fixture(scope="module")
def ends(browser, address) -> dict[float, dict]:
    """What each race ends in, by the delay of its press. All pages are open and settle at once."""
    found, races = {}, {}
    with browser.new_context() as context:
        context.add_init_script(SETUP)
        first = context.new_page()
        first.goto(address)
        starts = {
            name: start if isinstance(start, str) else first.evaluate(PACKED, start)
            for name, start in STARTS.items()
        }
        for race in RACES:
            races[race] = context.new_page()
            races[race].goto(f"{address}#{starts[race[0]]}", wait_until="commit")
        for (_, box, _, _), page in races.items():
            wait_until(page, "box => window.boxOf?.(box)", box)
        for delay in (*DELAYS, LATE):
            for race, page in races.items():
                page.evaluate("hash => begin(hash)", f"{starts[race[0]]}&at={delay}")
            for race, page in races.items():
                wait_until(page, "race => isBegun(race)", race[1:3])
            settled(races)
            run(races, delay)
            found[delay] = settled(races)
    return found


@pytest.mark.parametrize("race", RACES, ids=" ".join)
def test_a_press_at_once_ends_as_a_press_after_a_while(ends, race):
    late = ends[LATE][race]
    assert {delay: ends[delay][race] for delay in DELAYS} == dict.fromkeys(DELAYS, late)


@pytest.mark.parametrize("name", ["toString", "__proto__", "length"])
def test_what_every_object_inherits_is_no_name_of_the_page(browser, address, name):
    failed, asks = [], f"eps={name}&step={name}&row={name}&m={name}&v={name}&{name}=1"
    for tab in (name, "strings", "machine", "workshop"):
        page = browser.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(
            f"{address}#tab={tab}&{asks}&puzzle={name}&example={name}&machine={name}&by={name}"
        )
        page.wait_for_selector(":is(#panel-machine .run li, .decided)")
        assert not page.get_by_text("could not be loaded").count()
        page.close()
    assert failed == []
