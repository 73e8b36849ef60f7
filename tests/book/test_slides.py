"""Slides hold what the chapters say: every place that a deck names is there, every deck is built,
turns by keys and buttons, and prints a page for each slide.
"""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes

from chapters._ext.slides import opening, read, taken
from tests.conftest import ROOT

DECKS = {
    path.stem: re.search(
        r"^```\{slides\}\n(.+?)^```", path.read_text(encoding="utf-8"), re.S | re.M
    )[1].split("\n")
    for path in sorted((ROOT / "chapters").glob("lecture_*.md"))
}
DECKS = {name: [line for line in lines if line] for name, lines in DECKS.items()}
LINES = [line for lines in DECKS.values() for line in lines]


def test_the_teaching_page_offers_every_deck_of_10_to_15_slides():
    teaching, contents = (ROOT / "chapters/teaching.md", ROOT / "_toc.yml")
    assert len(DECKS) >= 2
    for name, lines in DECKS.items():
        assert f"({name}.md)" in teaching.read_text(
            encoding="utf-8"
        ) and f"/{name}\n" in contents.read_text(encoding="utf-8")
        assert 10 <= len(lines) == len(set(lines)) <= 15


@pytest.mark.parametrize("line", LINES)
def test_what_a_slide_names_stands_in_the_chapters_source(line):
    """Its label, as a label, a figure's name or a heading's anchor; how its paragraphs begin."""
    chapter, label, pieces = read(line)
    source = (ROOT / "chapters" / f"{chapter}.py").read_text(encoding="utf-8")
    source = re.sub(r"\{term\}`([^`<]*?)(?: <[^`]*>)?`", r"\1", source)  # as the page says it
    headings = re.findall(r"^#{2,3} (.+)$", source, re.M)
    labels = re.findall(r'^\(([\w-]+)\)=$|"name": "([\w-]+)"', source, re.M)
    anchors = {re.sub(r"\W+", "-", heading.lower()).strip("-") for heading in headings}
    assert label in anchors.union(*labels)
    for begins, _, _ in pieces:
        assert not begins or re.search(rf"^\W*{re.escape(begins)}", source, re.M), begins


def chapter() -> nodes.document:
    """Two sections with a paragraph, an equation and a fold."""
    from docutils.utils import new_document

    words = "See Chiang et al. (App. C) for "
    first = nodes.paragraph("", words, nodes.math("", "1. 2"), nodes.Text(". And then. Last one."))
    fold = nodes.container("", nodes.paragraph("", "Hidden."))
    fold.tagname = "dropdown_main"
    inner = nodes.section("", nodes.title("", "Inner"), nodes.paragraph("", "Inside."), ids=["in"])
    claim = nodes.section("", nodes.title("", "Claim"), fold, first, inner, ids=["claim"])
    claim.insert(3, nodes.container("", nodes.math_block("", "x = 1")))
    page = new_document("page")
    page += nodes.section("", nodes.title("", "A page"), claim, ids=["a-page"])
    return page


def said(line: str) -> tuple[str, list[str]]:
    title, pieces, _ = taken(line, chapter())
    return title, [piece.astext() for piece in pieces]


def test_a_slide_takes_sentences_and_equations_in_order():
    start = "See Chiang et al. (App. C) for 1. 2."
    assert said("a#claim: text 1, equation") == ("A page: claim", [start, "x = 1"])
    assert said("a#claim: text 2")[1] == [f"{start} And then."]
    assert said("a#claim: text 3") == said("a#claim: text")
    assert said("a#claim: text")[1] == [f"{start} And then. Last one."]
    assert said('a#in: "In" text') == ("Inner", ["Inside."])


def test_notes_are_what_the_lesson_says_beside_a_slide():
    _, _, notes = taken("a#claim: text 1, equation", chapter())
    assert [note.astext() for note in notes] == said("a#claim: text")[1]
    _, _, notes = taken("a#claim: equation", chapter())
    assert [note.astext() for note in notes] == said("a#claim: text")[1]
    assert taken("a#claim: text, equation", chapter())[2] == []


@pytest.mark.parametrize(
    "line, missing",
    [
        ("a#nowhere: text", "no label 'nowhere'"),
        ("a#claim: equation, text", "no '' text"),
        ('a#claim: "Hidden" text', "no 'Hidden' text"),
        ("a#in: figure", "no '' figure"),
        ("a#claim: text 9", "sentences more are asked for than"),
    ],
)
def test_what_a_chapter_lacks_is_named(line, missing):
    with pytest.raises(LookupError, match=missing):
        taken(line, chapter())


@pytest.mark.parametrize("line", ["", "claim: text", "a#b:", "a#b: prose", "a#b: text two"])
def test_what_is_no_slide_is_refused(line):
    with pytest.raises(ValueError, match="a slide is CHAPTER#LABEL"):
        read(line)


def test_the_first_slide_names_the_lecture_and_the_book():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    document = chapter()
    document[0][0] = nodes.title("", "Slides: how far a float goes")
    project = config["sphinx"]["config"].get("project", "Project name not set")  # as Sphinx has it
    document.settings.env = SimpleNamespace(config=SimpleNamespace(project=project))
    shown = [child.astext() for child in opening(document).children]
    assert shown == ["How far a float goes", "Self-Attention, Exactly"]


def test_no_page_and_no_inventory_lacks_the_books_name(html):
    files = [html / "objects.inv", *html.rglob("*.html")]
    assert [file.name for file in files if b"Project name not set" in file.read_bytes()] == []
    assert b"# Project: Self-Attention, Exactly\n" in files[0].read_bytes()
    assert len(files) > 40


def plain(text: str) -> str:
    return re.sub(r"Fig\. [\d.]+|[\s#]+", "", text)


@pytest.mark.parametrize("name", DECKS)
def test_a_built_deck_has_every_slide_and_says_what_the_chapters_say(pages, name):
    slides = pages[f"chapters/{name}.html"].select(".deck > section.slide:not(.opening)")
    assert len(slides) == len(DECKS[name])
    for slide, line in zip(slides, DECKS[name], strict=True):
        chapter, label, pieces = read(line)
        page = pages[f"chapters/{chapter}.html"]
        parts = slide.select(".cell_output")
        assert len(parts) == len(pieces) and slide.h2.get_text(strip=True)
        assert all(plain(part.text) in plain(page.select_one("article").text) for part in parts)
        assert slide.select_one(".from a")["href"] == f"{chapter}.html#{label}"
        assert page.find(id=label)


@pytest.mark.parametrize("name", DECKS)
def test_keys_and_buttons_turn_the_slides_which_fit_a_phone(look, name):
    page, count = look(f"chapters/{name}.html", width=390, height=844), 0
    last = len(DECKS[name])
    place, shown = page.locator(".deck output"), page.locator(".slide:not(.off)")
    for number in range(last + 1):
        assert place.inner_text() == f"{number + 1} of {last + 1}"
        assert shown.count() == 1 and shown.get_attribute("id") == f"slide-{number}"
        assert page.locator(".slide h2:visible").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        count += page.locator(".slide:not(.off) img").evaluate_all(
            "images => images.filter(image => image.complete && image.naturalWidth).length"
        )
        for _ in range(1 + page.locator(".slide:not(.off) .later").count()):
            page.keyboard.press(("ArrowRight", "PageDown", "Space")[number % 3])
    assert count == page.locator(".slide img").count() >= 2
    assert page.url.endswith(f"#slide-{last}")
    page.get_by_role("button", name="Previous").click()
    page.reload(wait_until="networkidle")
    assert place.inner_text().startswith(f"{last} of")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert place.inner_text().startswith("1 of")
    page.get_by_role("button", name="Next").press("Enter")
    assert place.inner_text().startswith("2 of")
    page.get_by_role("button", name="Previous").press("Space")
    assert place.inner_text().startswith("1 of")


@pytest.mark.parametrize("name", DECKS)
def test_a_slide_fits_a_projector_and_has_notes(look, name):
    page = look(f"chapters/{name}.html", width=1366, height=768)
    page.wait_for_timeout(500)
    noted = 0
    for number in range(len(DECKS[name]) + 1):
        slide = page.locator(f"#slide-{number}")
        page.evaluate(f"location.hash = 'slide-{number}'")
        page.wait_for_timeout(150)
        assert slide.evaluate("slide => slide.getBoundingClientRect().height") <= 768 - 130
        assert slide.locator(".note:visible").count() == 0
        noted += slide.locator(".note").count()
    assert noted >= 3
    page.keyboard.press("Home")
    page.get_by_role("button", name="Notes").click()
    page.evaluate("location.hash = 'slide-1'")
    assert page.locator(".note").first.evaluate("note => getComputedStyle(note).display") == "block"


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("name", DECKS)
def test_on_paper_and_without_scripts_every_slide_is_there(served, browser, name, scripts):
    page = browser.new_context(java_script_enabled=scripts).new_page()
    page.goto(f"{served}chapters/{name}.html", wait_until="networkidle")
    if not scripts:
        assert page.locator(".slide h2:visible").count() == len(DECKS[name]) + 1
    printed = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    assert len(DECKS[name]) < printed <= len(DECKS[name]) + 3
    page.emulate_media(media="print")
    assert page.locator(".slide h2:visible").count() == len(DECKS[name]) + 1
    assert page.locator(".deck .steps:visible").count() == 0
    page.context.close()
