"""Slides hold what the chapters say, turn by keys and buttons, and are printed one a page."""

from __future__ import annotations

import re

import pytest
from docutils import nodes

from chapters._ext.slides import read, taken
from tests.conftest import ROOT

FENCED = re.compile(r"^```\{slides\}\n(.+?)^```", re.S | re.M)
DECKS = {
    path.stem: FENCED.search(path.read_text(encoding="utf-8"))[1].strip().split("\n")
    for path in sorted((ROOT / "chapters").glob("lecture_*.md"))
}


def chapter() -> nodes.document:
    """A section with a paragraph, an equation and a fold."""
    from docutils.utils import new_document

    words = "See Chiang et al. (App. C) for "
    first = nodes.paragraph("", words, nodes.math("", "1. 2"), nodes.Text(". And then. Last one."))
    fold = nodes.container("", nodes.paragraph("", "Hidden."))
    fold.tagname = "dropdown_main"
    equation = nodes.container("", nodes.math_block("", "x = 1"))
    claim = nodes.section("", nodes.title("", "Claim"), fold, first, equation, ids=["claim"])
    page = new_document("page")
    page += nodes.section("", nodes.title("", "A page"), claim, ids=["a-page"])
    return page


def test_a_slide_takes_sentences_and_equations_and_the_rest_are_notes():
    start = "See Chiang et al. (App. C) for 1. 2."
    title, pieces, notes = taken("a#claim: text 1, equation", chapter())
    assert title == "A page: claim"
    assert [piece.astext() for piece in pieces] == [start, "x = 1"]
    assert [note.astext() for note in notes] == [f"{start} And then. Last one."]
    assert taken("a#claim: text, equation", chapter())[2] == []
    for line, missing in (
        ("a#nowhere: text", "no label 'nowhere'"),
        ("a#claim: equation, text", "no '' text"),
        ('a#claim: "Hidden" text', "no 'Hidden' text"),
        ("a#claim: text 9", "sentences more are asked for than"),
    ):
        with pytest.raises(LookupError, match=missing):
            taken(line, chapter())
    for line in ("", "claim: text", "a#b:", "a#b: prose", "a#b: text two"):
        with pytest.raises(ValueError, match="a slide is CHAPTER#LABEL"):
            read(line)


@pytest.mark.parametrize("name", DECKS)
def test_a_built_deck_has_every_slide_and_says_what_the_chapters_say(pages, name):
    slides = pages[f"chapters/{name}.html"].select(".deck > section.slide:not(.opening)")
    assert 10 <= len(slides) == len(DECKS[name]) <= 15

    def plain(text: str) -> str:
        return re.sub(r"Fig\. [\d.]+|[\s#]+", "", text)

    for slide, line in zip(slides, DECKS[name], strict=True):
        source, label, pieces = read(line)
        page, parts = pages[f"chapters/{source}.html"], slide.select(".cell_output")
        assert len(parts) == len(pieces) and page.find(id=label)
        assert all(plain(part.text) in plain(page.select_one("article").text) for part in parts)
        assert slide.select_one(".from a")["href"] == f"{source}.html#{label}"


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
