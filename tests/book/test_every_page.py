"""Every page as a reader opens it, once on a wide screen and once on a phone: what it asks for and
moves, whether it is whole, fits, prints, and passes axe.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.conftest import REFUSED, ROOT, violations, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

LISTED = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [name for name in LISTED if re.match(r"chapters/\d", name)]
TABS = [f"chapters/playground.html#tab={tab}" for tab in ("workshop", "machine")]
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
A4 = {"width": 718, "height": 1047}  # CSS pixels of a page of 210 by 297 mm within 1 cm
PROSE, INTERACTIVE = 500_000, 1_000_000  # bytes that a page may move, compressed
SMALLEST = 8  # pixels of type on a phone
SETTLED = "Promise.all([window.MathJax?.startup?.promise, document.fonts.ready])"
SEEN = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const name = (control) =>
        control.ariaLabel || control.title || control.textContent.trim() || "nameless";
    const width = (thing) => thing.getBoundingClientRect().width;
    return {
        interactive: all(".chart, #playground-root").length > 0,
        formulas: all(".math").length,
        rendered: all("mjx-container").length,
        spoken: all("mjx-assistive-mml math").length,
        errors: all("mjx-merror").length,
        icons: all("svg.drawn").filter((icon) => icon.checkVisibility()).map(width),
        names: all(":is(a, button):has(svg.drawn)").map(name),
        undrawn: all("i[class*=fa-], span[class*=fa-]").length,
        sidebar: width(all(".bd-sidebar-primary")[0]),
    };
}"""
BEYOND_THE_EDGE = """() => [...document.querySelectorAll(".bd-article *")]
    .filter(one => !one.closest("mjx-assistive-mml") && !one.ownerSVGElement)
    .filter(one => one.getClientRects().length)
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => one.className + ": " + one.textContent.trim().slice(0, 40))"""
SCHEDULED = "() => document.getAnimations().map(one => one.animationName ?? one.transitionProperty)"
IS_WIDE = """() => [...document.querySelectorAll("picture img")].every(
  image => !image.currentSrc.includes("-narrow"))"""


@dataclass(frozen=True)
class Visit:
    """A page at rest, the addresses that it asked for, and what it complained of."""

    name: str
    page: Page
    asked: list[str]
    complaints: list[str]


@contextmanager
def tab(
    profile: BrowserContext, served: str, size: dict[str, int], scheme: str
) -> Iterator[Callable[[str], Visit]]:
    """A function that opens pages one after the other and waits until each is at rest, all in one
    tab: in tabs of their own they would take half as long again.
    """
    page, asked, complaints = profile.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.on(
        "response", lambda answer: complaints.append(answer.url) if answer.status >= 400 else None
    )
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.add_init_script(REFUSED)
    session = profile.new_cdp_session(page)

    def visit(name: str) -> Visit:
        page.goto("about:blank")
        session.send("Network.clearBrowserCache")  # fonts of earlier pages would count as asked for
        asked.clear()
        complaints.clear()
        page.set_viewport_size(size)
        page.emulate_media(media="screen", color_scheme=scheme, reduced_motion="no-preference")
        page.goto(f"{served}{name}.html", wait_until="networkidle")
        page.evaluate(SETTLED)
        return Visit(name, page, asked, complaints)

    yield visit
    page.close()


@pytest.fixture(scope="module")
def wide_tab(served: str, profile: BrowserContext) -> Iterator[Callable[[str], Visit]]:
    with tab(profile, served, WIDE, "light") as visit:
        yield visit


@pytest.fixture(scope="module")
def phone_tab(served: str, profile: BrowserContext) -> Iterator[Callable[[str], Visit]]:
    with tab(profile, served, PHONE, "dark") as visit:
        yield visit


@pytest.fixture(scope="module", params=[*LISTED, "search", "genindex"])
def wide(request: pytest.FixtureRequest, wide_tab: Callable[[str], Visit]) -> Visit:
    """Each page in turn on a wide screen, in the light."""
    return wide_tab(request.param)


@pytest.fixture(scope="module", params=LISTED)
def phone(request: pytest.FixtureRequest, phone_tab: Callable[[str], Visit]) -> Visit:
    """Each page in turn on a phone, in the dark."""
    return phone_tab(request.param)


def keeps_to_itself_and_fits(visited: Visit, served: str, width: int) -> None:
    """Asserts that a page asks no other host, complains of nothing and is no wider than that."""
    assert [url for url in visited.asked if not url.startswith((served, "data:"))] == []
    assert visited.complaints == [] and len(visited.asked) > 10
    overflow = visited.page.evaluate("document.documentElement.scrollWidth") - width
    assert overflow <= 0, f"{overflow} px too wide"


# ---- on a wide screen


def test_a_page_asks_no_other_host_logs_no_error_and_fits(wide, served):
    keeps_to_itself_and_fits(wide, served, WIDE["width"])
    assert wide.page.evaluate("document.documentElement.dataset.theme") == "light"


def test_a_module_is_asked_for_once(wide):
    """But for the playground's, which a worker asks for too."""
    ours = [url for url in wide.asked if url.endswith((".mjs", "playground.json"))]
    assert len(ours) == len(set(ours)) or wide.name == "chapters/playground"
    assert len(ours) >= 4 or not wide.page.locator(".live").count()


def test_a_page_is_light_and_whole(wide, html):
    """It moves no more than it may; its formulas and icons are there, the sidebar at its side."""
    seen = wide.page.evaluate(SEEN)
    paths = {urlsplit(url).path.removeprefix("/book/") for url in wide.asked}
    files = [html / path for path in paths if (html / path).is_file()]
    weights = {str(file.relative_to(html)): len(gzip.compress(file.read_bytes())) for file in files}
    heaviest = sorted(weights, key=weights.__getitem__, reverse=True)
    weight = sum(weights.values())
    assert weight <= (INTERACTIVE if seen["interactive"] else PROSE), f"{weight}: {heaviest[:8]}"
    assert not re.search("awesome|plotly", str(heaviest))
    assert ("searchindex" in str(heaviest)) == (wide.name == "search")
    assert ("mathjax" in str(heaviest)) == bool(seen["formulas"])
    assert seen["formulas"] == seen["rendered"] == seen["spoken"]
    assert seen["errors"] == 0
    assert len(seen["icons"]) >= 5 and min(seen["icons"]) > 8
    assert len(seen["names"]) >= 5 and "nameless" not in seen["names"]
    assert seen["undrawn"] == 0
    assert seen["sidebar"] < 400


def test_an_exercise_says_where_it_can_be_answered(wide):
    """Three of each chapter, and what other pages ask."""
    if wide.name in CHAPTERS:
        wait_until(wide.page, "document.querySelectorAll('.cell_output pre a').length === 3")
    for link in wide.page.locator(".cell_output pre a").all():
        assert link.inner_text() == "Answer in Colab"
        assert link.get_attribute("href").endswith(f"{wide.name}.ipynb")


def test_a_page_passes_axe(wide):
    """Contrast, landmarks, names, labels, in the light and in the dark."""
    assert violations(wide.page) == []


PALE = """<html lang="en"><head><title>x</title><style>
:root { color-scheme: light dark; background: light-dark(white, black); }
p { color: light-dark(black, white); }
.pale { color: light-dark(black, #444); }
a { color: light-dark(#333, #ccc); text-decoration: none; }
</style></head><body><main><h1>x</h1><p>this</p><p>that</p><p class="pale" hidden>hidden</p>
<p class="pale">pale in the dark</p><p class="pale">and again</p>
<div style="opacity: 0.3"><p id="faded">faded</p></div><img src="data:,">
<p>among so many words <a href="x">a link</a></p>
<input aria-label="x" value="faint" style="color: #bbb; background: white"></main></body></html>"""


def test_what_is_pale_is_noticed_once_where_it_is_pale(look):
    page = look()
    page.set_content(PALE)
    assert violations(page) == [
        ("light", "color-contrast", [["#faded"], ["input"]]),
        ("light", "image-alt", [["img"]]),
        ("light", "link-in-text-block", [["a"]]),
        ("dark", "color-contrast", [['.pale[data-look=""]'], ["#faded"], ["input"]]),
        ("dark", "link-in-text-block", [["a"]]),
    ]


@pytest.mark.parametrize("name", TABS)
def test_a_tab_of_the_playground_passes_axe(look, name):
    assert violations(look(name)) == []


def test_a_page_needs_no_more_than_its_policy(wide):
    wide.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    wide.page.wait_for_timeout(500)
    assert wide.page.evaluate("refused") == []


def test_on_paper_nothing_is_cut_or_fades_in(wide):
    """Nor are figures those of a phone."""
    wide.page.set_viewport_size(A4)
    wide.page.emulate_media(media="print", color_scheme="light", reduced_motion="no-preference")
    wide.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert wide.page.evaluate(SCHEDULED) == []  # what fades in is printed at its first, empty frame
    assert wide.page.evaluate(BEYOND_THE_EDGE) == []
    wait_until(wide.page, IS_WIDE)  # a browser chooses a picture's source a little later
    wide.page.evaluate("dispatchEvent(new Event('afterprint'))")
    wide.page.emulate_media(media="screen")
    wide.page.set_viewport_size(WIDE)


# ---- on a phone


def test_on_a_phone_a_page_asks_no_other_host_logs_no_error_and_fits(phone, served):
    keeps_to_itself_and_fits(phone, served, PHONE["width"])
    assert phone.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert phone.page.locator("mjx-merror").count() == 0


def test_on_a_phone_figures_are_narrow_and_their_type_is_legible(phone, html):
    page = phone.page
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    images = page.locator("picture > img").all()
    assert images or phone.name not in CHAPTERS
    for image in images:
        image.scroll_into_view_if_needed()
        wait_until(page, "image => image.complete", image.element_handle())
        shown = image.evaluate("image => [image.currentSrc, image.width, image.naturalWidth]")
        address, width, natural = shown
        assert address.endswith("-narrow.svg") and width <= PHONE["width"]
        text = (html / "_images" / Path(address).name).read_text(encoding="utf-8")
        sizes = [float(size) for size in re.findall(r"font(?:-size)?: (?:\w+ )?([\d.]+)px", text)]
        assert min(sizes) * 4 / 3 * width / natural >= SMALLEST, (address, min(sizes))
