"""The built book: links that lead somewhere, alt text, numbers, the scorecard's filters."""

from __future__ import annotations

import re

from tests.conftest import ROOT

LISTED = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [f"{name}.html" for name in LISTED]


def test_every_page_of_the_contents_is_built(pages):
    assert set(PAGES) == set(pages)


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


def test_every_figure_has_a_caption_and_alt_text(pages):
    images = [image for soup in pages.values() for image in soup.select("article .cell_output img")]
    assert len(images) >= 8
    for image in images:
        assert (
            len(image.get("alt", "")) > 20 and image.find_parent("figure").figcaption.text.strip()
        )


def test_the_scorecard_filters_by_paper_and_verdict(look):
    page = look("chapters/scorecard.html")
    everything = page.locator(".scorecard tbody:visible").count()
    page.get_by_role("combobox", name="Paper", exact=True).select_option("C")
    assert 0 < page.locator(".scorecard tbody:visible").count() < everything
    page.get_by_role("combobox", name="Verdict", exact=True).select_option("differs")
    lines = page.locator(".scorecard tr[data-verdict]:visible")
    assert {line.get_attribute("data-verdict") for line in lines.all()} == {"differs"}
    assert f"{lines.count()} lines" in page.locator(".scorecard output").inner_text()
