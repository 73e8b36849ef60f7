"""Every page as a reader opens it: what it asks for, whether it is whole, fits and prints; of each
kind of page one on a phone and for axe; links and figures; what notices an old page.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from chapters._ext import book
from chapters._ext.page import together
from tests.conftest import ROOT, violations, wait_until

LISTED = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [name for name in LISTED if re.match(r"chapters/\d", name)]
KINDS = [  # one page of each: the front, a lesson, its record, a note, tables, terms, slides, tools
    *("chapters/intro", "chapters/03_layer_norm", "chapters/record_03_layer_norm"),
    *("chapters/note_bounded_dyck", "chapters/scorecard", "chapters/notation"),
    *("chapters/lecture_parity", "chapters/playground"),
]
TABS = [f"chapters/playground.html#tab={tab}" for tab in ("workshop&puzzle=dyck-1", "machine")]
PROSE, INTERACTIVE = 500_000, 1_000_000  # bytes that a page may move, compressed
SMALLEST = 8  # pixels of type on a phone
SETTLED = "Promise.all([window.MathJax?.startup?.promise, document.fonts.ready])"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
SEEN = """() => {
    const all = selector => [...document.querySelectorAll(selector)];
    const name = ({ ariaLabel, title, textContent }) => ariaLabel || title || textContent.trim();
    return {
        interactive: all("#playground-root").length > 0,
        formulas: all(".math").length,
        rendered: all("mjx-container:has(mjx-assistive-mml math)").length,
        broken: all("mjx-merror, i[class*=fa-], span[class*=fa-]").length,
        icons: all("svg.drawn").length,
        nameless: all(":is(a, button):has(svg.drawn)").filter(one => !name(one)).length,
        guesses: all(".guess:not(.alive)").length,
        cut: all(".picture").filter(one => one.offsetHeight < one.firstChild.offsetHeight).length,
    };
}"""
BEYOND_THE_EDGE = """() => [...document.querySelectorAll(".bd-article *")]
    .filter(one => !one.closest("mjx-assistive-mml") && !one.ownerSVGElement)
    .filter(one => one.getClientRects().length)
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => one.className + ": " + one.textContent.trim().slice(0, 40))"""
FADING = """document.getAnimations().filter(one => one.timeline === document.timeline)
    .map(one => one.animationName ?? one.transitionProperty)"""
MASKED = """[...document.querySelectorAll(".bd-article *")]
    .filter(one => getComputedStyle(one).maskImage !== "none").map(one => one.className)"""


@pytest.fixture(scope="module")
def tab(profile):
    """One tab for all pages, with what it asked for and complained of."""
    page = profile.new_page()
    page.asked, page.complaints = [], []
    page.on("request", lambda one: page.asked.append(one.url))
    page.on("requestfailed", lambda one: page.complaints.append(one.url))
    page.on("response", lambda one: one.status >= 400 and page.complaints.append(one.url))
    page.on("console", lambda one: one.type == "error" and page.complaints.append(one.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.cdp = profile.new_cdp_session(page)
    yield page
    page.close()


@pytest.mark.parametrize("name", [*LISTED, "search", "genindex"])
def test_a_page_keeps_to_itself_is_whole_and_light_fits_and_prints(tab, served, html, name):
    tab.goto("about:blank")
    tab.cdp.send("Network.clearBrowserCache")  # fonts of earlier pages would count as asked for
    tab.asked.clear()
    tab.complaints.clear()
    tab.set_viewport_size({"width": 1400, "height": 900})
    tab.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference")
    tab.goto(f"{served}{name}.html", wait_until="networkidle")
    tab.evaluate(SETTLED)
    assert [url for url in tab.asked if not url.startswith((served, "data:", "about:"))] == []
    assert len(tab.asked) > 10 and tab.evaluate(TOO_WIDE) <= 0
    seen = tab.evaluate(SEEN)
    paths = {urlsplit(url).path.removeprefix("/book/") for url in tab.asked}
    files = [html / path for path in paths if (html / path).is_file()]
    weights = {f"{file.relative_to(html)}": len(gzip.compress(file.read_bytes())) for file in files}
    assert sum(weights.values()) <= (INTERACTIVE if seen["interactive"] else PROSE), weights
    assert ("searchindex" in str(weights)) == (name == "search")
    assert "awesome" not in str(weights)
    assert ("mathjax" in str(weights)) == bool(seen["formulas"])
    assert seen["formulas"] == seen["rendered"] and seen["icons"] >= 5
    assert seen["broken"] == seen["nameless"] == seen["guesses"] == seen["cut"] == 0
    if name in CHAPTERS:
        wait_until(tab, "document.querySelectorAll('.cell_output pre a').length === 3")
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 718, "height": 1047})  # an A4 page within 1 cm
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(FADING) == []  # what fades in is printed at its first, empty frame
    assert tab.evaluate(MASKED) == []  # and what fades at its edge would be printed so
    assert tab.evaluate(BEYOND_THE_EDGE) == []
    assert tab.complaints == []


@pytest.mark.parametrize("place", [*(f"{name}.html" for name in KINDS), *TABS])
def test_of_each_kind_a_page_passes_axe_and_fits_a_phone(look, html, place):
    page = look(place, math=False)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    for image in page.locator(".picture > img").all():
        image.scroll_into_view_if_needed()
        wait_until(page, "image => image.complete", image.element_handle())
        seen = "one => [one.currentSrc, one.getBoundingClientRect().width, one.naturalWidth]"
        address, width, natural = image.evaluate(seen)
        text = (html / "_images" / Path(address).name).read_text(encoding="utf-8")
        sizes = [float(size) for size in re.findall(r"font(?:-size)?: (?:\w+ )?([\d.]+)px", text)]
        assert min(sizes) * 4 / 3 * width / natural >= SMALLEST, (address, min(sizes))
    assert page.evaluate(TOO_WIDE) <= 0


def test_a_formula_keeps_the_punctuation_after_it():
    x = '<span class="math notranslate nohighlight">\\(x\\)</span>'
    assert together(f"{x} and {x}, {x}.)") == (
        f'{x} and <span class="together">{x},</span> <span class="together">{x}.)</span>'
    )


# ---- what stands in the pages


def test_every_local_link_leads_somewhere(html, pages):
    for page, soup in pages.items():
        for link in soup.select("article a[href]"):
            target, _, anchor = link["href"].partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            path = (html / page).parent / target if target else html / page
            assert path.exists(), f"{page} links to {target}"
            if anchor and path.suffix == ".html":
                held = pages.get(path.resolve().relative_to(html).as_posix())
                assert held is None or held.find(id=anchor), f"{page} links to {link['href']}"


def test_the_scorecard_filters_by_paper_and_verdict(look):
    page = look("chapters/scorecard.html")
    rows = page.locator(".scorecard details:visible")
    lines = page.locator(".scorecard tr[data-verdict]:visible")
    everything = rows.count()
    page.get_by_role("combobox", name="Paper", exact=True).select_option("C")
    assert 0 < rows.count() < everything and lines.count() == 0
    page.locator(".scorecard .squares a").first.click()
    expect(page.locator(".scorecard details[open]")).to_have_count(1)
    page.get_by_role("combobox", name="Verdict", exact=True).select_option("differs")
    assert {line.get_attribute("data-verdict") for line in lines.all()} == {"differs"}
    assert f"{lines.count()} lines" in page.locator(".scorecard output").inner_text()


def test_every_figure_has_a_caption_and_alt_text(pages):
    images = [image for soup in pages.values() for image in soup.select("article .cell_output img")]
    assert len(images) >= 8
    for image in images:
        caption = image.find_parent("figure").figcaption.text.strip()
        assert caption and len(image.get("alt", "")) > 20


# ---- what is old

CODE = ("lib", "record", "chapters/common", "chapters/the_map")
BESIDE = ("chapters/_ext", "chapters/_static")  # what the book, and no notebook, is made from


def test_a_change_in_any_file_that_the_book_is_made_from_is_noticed():
    for folder in (*CODE, *BESIDE):
        patterns = book.CODE if folder in CODE else book.SAID["sources"]
        held = {path for pattern in patterns for path in ROOT.glob(pattern)}
        assert {path for path in (ROOT / folder).rglob("*.*") if path.is_file()} <= held, folder
