"""Whoever types and presses at once gets what they get who wait: a press acts on what stands in the
boxes at that moment.
"""

import re
from random import Random

import pytest
from playwright.sync_api import Page

from tests import EVERYTHING
from tests.book.test_journeys import RULES
from tests.conftest import wait_until
from tests.history import seed

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
    ("machine", RULES, ";"): ("to the start", "copy link"),
}

PACKED = """async state => {
  const { fresh, packed } = await import("./_static/experiment.mjs");
  return `tab=workshop&x=${await packed({ ...fresh(state.puzzle), ...state })}`;
}"""
SETUP = """
  navigator.clipboard.writeText = async text => { window.copied = text; };
  window.begin = hash => {
    location.hash = hash;
    window.copied = undefined;
  };
  window.isIdle = () => [...document.querySelectorAll("button")].every(
    one => one.textContent !== "cancel" || one.disabled);
  window.state = () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const fields = [...document.querySelectorAll("input, select, textarea")]
      .filter(one => one.checkVisibility()).map(one => `${one.value} ${one.checked}`);
    const links = [location.hash, window.copied ?? ""].map(link => link.replace(/&at=[^&]*/, ""));
    return [fields, document.body.innerText, links];
  };
"""


def settled(page: Page) -> list:
    """What stands on the page, once nothing changes there."""
    before = None
    for _ in range(40):
        page.wait_for_timeout(200)
        wait_until(page, "isIdle()")
        before, now = page.evaluate("state()"), before
        if now == before:
            return now
    raise AssertionError("the page goes on changing")


SOME = [*TYPED] if EVERYTHING else Random(seed()).sample([*TYPED], 5)  # the commit draws which


@pytest.mark.parametrize("race", SOME, ids=" ".join)
def test_a_press_at_once_ends_as_a_press_after_a_while(reader, address, race):
    name, label, typed = race
    first, page = reader.pages[0], reader.new_page()
    page.add_init_script(SETUP)
    start = STARTS[name]
    start = start if isinstance(start, str) else first.evaluate(PACKED, start)
    page.goto(f"{address}#{start}")
    page.locator("[role=tabpanel]:visible :is(.decided, .run li)").first.wait_for()
    box = page.locator("[role=tabpanel]:visible").get_by_label(re.compile(f"^{label}( to it.*)?$"))
    box = box.and_(page.locator("textarea, input:not([type=radio])"))

    def ends(press: str, is_at_once: bool) -> list:
        page.evaluate("hash => begin(hash)", f"{start}&at={press} {is_at_once}")
        settled(page)
        box.focus()
        box.press("ControlOrMeta+End")
        page.keyboard.press(typed)
        if not is_at_once:
            settled(page)
        buttons = page.locator("button:visible, [role=radiogroup] label:visible")
        named = page.get_by_text(press, exact=True).or_(page.get_by_label(press, exact=True))
        buttons.and_(named).click(force=True)
        return settled(page)

    for press in TYPED[race]:
        assert ends(press, is_at_once=True) == ends(press, is_at_once=False), press
    page.close()
