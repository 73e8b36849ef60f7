"""What a page's modules weigh, and what keeps formulas and their punctuation together."""

import gzip

import pytest
from playwright.sync_api import expect

from chapters._ext.page import together

PLAYGROUND = "chapters/playground.html"
PLACES = (
    *("chapters/intro.html", "chapters/06_turing_completeness.html", PLAYGROUND),
    "chapters/08_formulas_to_transformers.html",
    *(f"{PLAYGROUND}#tab={tab}" for tab in ("workshop&puzzle=followed", "machine")),
)


def test_a_formula_keeps_the_punctuation_after_it(look):
    """At any width, where the browser would break the line between them."""
    x = '<span class="math notranslate nohighlight">\\(x\\)</span>'
    assert together(f"{x} and {x}, {x}.)") == (
        f'{x} and <span class="together">{x},</span> <span class="together">{x}.)</span>'
    )
    page = look("chapters/01_ffnn_parity.html", width=1366, height=768)
    alone = """() => [...document.querySelectorAll("article span.math")].filter(one => {
      const range = document.createRange(), after = one.nextSibling;
      if (!after?.data || !/^[.,;:!?)’”]/.test(after.data)) return false;
      range.setStart(after, 0), range.setEnd(after, 1);
      return range.getBoundingClientRect().top > one.getBoundingClientRect().bottom - 2;
    }).length"""
    for width in (1366, 1100, 390):
        page.set_viewport_size({"width": width, "height": 768})
        assert page.evaluate(alone) == 0, width


@pytest.mark.parametrize("place", PLACES)
def test_what_a_page_loads_is_small(served, browser, place):
    """Modules and data together, gzipped; a tab's are loaded when it is first opened, and what a
    verdict needs when it is asked for.
    """
    pytest.importorskip("minify")  # has no build for macOS
    page, asked = browser.new_page(), set()
    page.on("request", lambda request: asked.add(request.url))
    page.goto(served + place, wait_until="networkidle")
    if place.startswith(PLAYGROUND) and "machine" not in place:
        page.get_by_role("button", name="judge").click()
        expect(page.locator(".verdict")).not_to_have_text("")
    else:
        page.locator(":is(.live, .run li)").first.wait_for()
    engine = (".mjs", "playground.json")
    loaded = [page.request.get(url).body() for url in asked if url.endswith(engine)]
    page.close()
    assert len(loaded) >= 5
    assert sum(len(gzip.compress(body)) for body in loaded) < 60_000
