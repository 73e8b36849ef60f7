"""Every page on paper: nothing is cut or fades in, and figures are not those of a phone."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

PAGES = sorted(
    path.stem for path in (ROOT / "chapters").iterdir() if path.suffix in {".md", ".ipynb"}
)
A4 = {"width": 718, "height": 1047}  # CSS pixels of a page of 210 by 297 mm within 1 cm
BEYOND_THE_EDGE = """() => [...document.querySelectorAll(".bd-article *")]
    .filter(one => !one.closest("mjx-assistive-mml") && !one.ownerSVGElement)
    .filter(one => one.getClientRects().length)
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => one.className + ": " + one.textContent.trim().slice(0, 40))"""
SCHEDULED = "() => document.getAnimations().map(one => one.animationName ?? one.transitionProperty)"
DRAWN = "() => [...document.querySelectorAll('picture img')].map(image => image.currentSrc)"


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_nothing_is_cut_or_fades_in(look, name: str):
    page = look(f"chapters/{name}.html", **A4)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(SCHEDULED) == []  # what fades in is printed at its first, empty, frame
    assert page.evaluate(BEYOND_THE_EDGE) == []
    assert not [source for source in page.evaluate(DRAWN) if "-narrow" in source]
