"""Whoever types and presses at once gets what they get who wait: a press acts on what stands in the
boxes at that moment, whenever the page would have taken it.
"""

import re
from collections import deque
from functools import reduce
from shutil import copytree
from time import perf_counter, sleep

import pytest
from playwright.sync_api import Locator, Page

from record.runs import CHAPTERS
from tests.book.test_workshop import HTML, data
from tests.conftest import serving

HEAD = HTML.split("<main")[0]
BODY = """<main class="playground"><div id="playground-root"></div></main>
<script type="module" src="_static/playground.mjs"></script>"""
COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; };"
PACKED = """async state => {
  const { fresh, packed } = await import("./_static/experiment.mjs");
  return `tab=workshop&x=${await packed({ ...fresh(state.puzzle), ...state })}`;
}"""
BEGIN = """hash => {
  location.hash = hash;
  window.copied = undefined;
  for (const fold of document.querySelectorAll("details")) fold.open = true;
}"""
# Where a race begins: the state of the workshop, or the address of another tab.
STARTS = {
    "own": {},
    "property": {"language": "a property"},
    "formula": {"language": "a formula", "said": 'once(Q("1"))'},
    "examples": {"language": "examples", "list": "0"},
    "rows": {"made": "rows", "rows": "word 0: a\nword 1: ()\noutput: a"},
    "puzzle": {"puzzle": "two-1s"},
    "strings": "tab=strings&w=0110",
    "machine": "tab=machine&machine=increment&input=1",
}
TYPED = {  # where, the label of a box, and what is typed at its end: what is pressed then
    ("own", "formula$", "0"): ("as rows", "judge", "copy as Python", "copy link"),
    ("own", "formula$", ")"): ("as rows", "judge", "copy as Python", "copy link"),
    ("own", "symbols", "2"): ("as rows", "copy link"),
    ("own", "expression", "1"): ("Strings", "copy link"),
    ("own", "string$", "1"): ("copy link",),
    ("property", "n$", "1"): ("copy link",),
    ("formula", "formula of the language", ")"): ("judge", "copy link"),
    ("examples", "strings that belong", "1"): ("copy link",),
    ("puzzle", "formula$", ")"): ("judge", "copy link"),
    ("rows", "rows", " + b"): ("judge", "copy as Python", "copy link", "a formula"),
    ("strings", "string w", "1"): ("after embedding", "Workshop", "copy link"),
    ("machine", "input", "0"): ("one step", "play", "100 steps", "copy link"),
    ("machine", "rules", " ;"): ("to the start", "copy link"),
}
RACES = [(*race, press) for race, presses in TYPED.items() for press in presses]
ROLES = ("button", "radio", "tab", "combobox")
DELAYS, LATE = (0, 0.05, 0.15, 0.3), 1.5  # seconds between the last key and the press
TYPING = 0.1  # seconds that typing may take
STATE = """() => {
  const boxes = [...document.querySelectorAll("input, select, textarea")];
  const fields = boxes.filter(one => one.checkVisibility()).map(one => one.value + one.checked);
  const address = location.hash.replace(/&at=\\d+/, "");
  return [fields, document.body.innerText, address, window.copied?.replace(/&at=\\d+/, "")];
}"""


class Race:
    """A page on which one race is run again and again."""

    def __init__(self, page: Page, start: str, box: str, typed: str, press: str) -> None:
        self.page, self.start, self.typed = page, start, typed
        self.box = page.get_by_role("textbox", name=re.compile(f"^{box}"))
        named = [page.get_by_role(role, name=press, exact=True) for role in ROLES]
        self.button = reduce(Locator.or_, named)

    def begin(self, turn: int) -> None:
        self.page.evaluate(BEGIN, f"{self.start}&at={turn}")

    def type(self) -> None:
        self.box.click()
        self.page.keyboard.press("ControlOrMeta+End")
        self.page.keyboard.type(self.typed)

    def press(self) -> None:
        box = self.button.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def run(races: list[Race], delay: float) -> None:
    """Types on each page and presses so many seconds later; others are typed on meanwhile."""
    due: deque[tuple[float, Race]] = deque()
    for race in races:
        race.type()
        due.append((perf_counter() + delay, race))
        while due and (due[0][0] < perf_counter() + TYPING or race is races[-1]):
            then, first = due.popleft()
            sleep(max(0, then - perf_counter()))
            first.press()


def settled(races: list[Race]) -> list:
    """What stands on the pages, once nothing changes there."""
    found = None
    for _ in range(40):
        races[0].page.wait_for_timeout(400)
        before, found = found, [race.page.evaluate(STATE) for race in races]
        if before == found:
            return found
    raise AssertionError("the pages go on changing")


@pytest.fixture(scope="module")
def ends(browser, tmp_path_factory) -> dict[float, dict]:
    """What each race ends in, by the delay of its press. All pages are open, and settle, at once."""
    folder, found = tmp_path_factory.mktemp("races"), {}
    copytree(CHAPTERS / "_static", folder / "_static")
    (folder / "_static" / "playground.json").write_text(data(), encoding="utf-8")
    (folder / "index.html").write_text(HEAD + BODY, encoding="utf-8")
    with serving(folder) as address, browser.new_context() as context:
        context.add_init_script(COPIES)
        first = context.new_page()
        first.goto(address)
        races = []
        for where, box, typed, press in RACES:
            start = STARTS[where]
            start = start if isinstance(start, str) else first.evaluate(PACKED, start)
            page = context.new_page()
            page.set_viewport_size({"width": 1200, "height": 3000})
            page.goto(f"{address}#{start}", wait_until="commit")
            races.append(Race(page, start, box, typed, press))
        for race in races:
            race.box.wait_for()
        for delay in (*DELAYS, LATE):
            for race in races:
                race.begin(delay)
            settled(races)
            run(races, delay)
            found[delay] = dict(zip(RACES, settled(races), strict=True))
    return found


@pytest.mark.parametrize("race", RACES, ids=" ".join)
def test_a_press_at_once_ends_as_a_press_after_a_while(ends, race):
    late = ends[LATE][race]
    assert {delay: ends[delay][race] for delay in DELAYS} == dict.fromkeys(DELAYS, late)
