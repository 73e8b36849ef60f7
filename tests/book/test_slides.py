"""Slides turn by keys and buttons, fit, and are printed one a page."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

FENCED = re.compile(r"^```\{slides\}\n(.+?)^```", re.S | re.M)
DECKS = {
    path.stem: FENCED.search(path.read_text(encoding="utf-8"))[1].strip().split("\n")
    for path in sorted((ROOT / "chapters").glob("lecture_*.md"))
}


@pytest.mark.parametrize("name", DECKS)
def test_slides_turn_fit_and_are_printed(look, name):
    page, last = look(f"chapters/{name}.html", width=1366, height=768), len(DECKS[name])
    place, shown = page.locator(".deck output"), page.locator(".slide:not(.off)")
    for number in range(last + 1):
        assert place.inner_text() == f"{number + 1} of {last + 1}"
        assert shown.count() == 1 and shown.get_attribute("id") == f"slide-{number}"
        assert shown.bounding_box()["height"] <= 768 - 130
        for _ in range(1 + shown.locator(".later").count()):
            page.keyboard.press(("ArrowRight", "PageDown", "Space")[number % 3])
    page.get_by_role("button", name="Previous").click()
    page.reload(wait_until="networkidle")
    assert place.inner_text().startswith(f"{last} of")
    page.get_by_role("button", name="Notes").click()
    note = page.locator(".note").first
    assert note.evaluate("note => getComputedStyle(note).display") == "block"
    printed = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    assert last < printed <= last + 3
