"""The built book: a strict build, links that lead somewhere, alt text, search, sliders, filters."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, build, build_command, extension, wait_until
from tests.waiting import wait_for

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


def test_figures_are_vectors(pages):
    assert all(
        image["src"].endswith(".svg")
        for soup in pages.values()
        for image in soup.select("article .cell_output img")
    )


def test_glued_numbers_are_there(pages):
    prose = "".join(soup.select_one("article").text for soup in pages.values())
    assert "glue:" not in prose and "{glue" not in prose
    assert len([span for soup in pages.values() for span in soup.select(".pasted-text")]) >= 5


def test_each_chapter_can_be_opened_in_colab(pages):
    for page, soup in pages.items():
        if page.startswith("chapters/0"):
            [link] = {a["href"] for a in soup.select("a[href*='colab.research.google.com']")}
            assert link.endswith(f"/blob/main/{page.removesuffix('.html')}.ipynb")


def test_the_sliders_of_chapter_3_move_the_curves(look):
    page = look("chapters/03_layer_norm.html")
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator(".slider-rail-touch-rect").wait_for()
    charts = "document.querySelectorAll('.js-plotly-plot')"
    curves = f"number => {charts}[number].data.map(trace => trace.y[2])"
    for number in (0, 1):
        chart = page.locator(".js-plotly-plot").nth(number)
        before = page.evaluate(curves, number)
        rail = chart.locator(".slider-rail-touch-rect")
        rail.scroll_into_view_if_needed()
        box = rail.bounding_box()
        page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
        wait_until(page, f"before => ({curves})({number})[0] !== before", before[0])
        assert page.evaluate(curves, number) != before


def test_a_link_unfolds_into_a_title_a_summary_and_a_picture(html, pages):
    assert struct.unpack(">8s8xII", (html / "_static" / "card.png").read_bytes()[:24]) == (
        b"\x89PNG\r\n\x1a\n",
        1200,
        630,
    )
    for soup in pages.values():
        shown = {tag["property"]: tag["content"] for tag in soup.select("meta[property^='og:']")}
        assert (
            shown["og:title"]
            and len(shown["og:description"]) > 50
            and shown["og:image"].endswith("/_static/card.png")
        )
    assert len(
        {soup.select_one("meta[property='og:title']")["content"] for soup in pages.values()}
    ) == len(pages)


def test_search_finds_propositions_by_number(served, look):
    page = look()
    for asked, chapter in (
        ("Proposition 1", "02_transformer_parity_first"),
        ("Proposition 2", "03_layer_norm"),
        ("Proposition 3", "04_log_n_scaling"),
    ):
        page.goto(f"{served}search.html?q={asked.replace(' ', '+')}", wait_until="networkidle")
        page.wait_for_selector("ul.search li")
        assert any(
            chapter in link.get_attribute("href")
            for link in page.query_selector_all("ul.search li a")
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


def test_a_page_prints_without_its_frame_and_nothing_cut(look):
    page = look("chapters/02_transformer_parity_first.html", width=800, height=1100)
    page.emulate_media(media="print")
    assert page.locator(".bd-sidebar-primary").is_hidden()
    assert page.locator("h1:visible").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 800


PARTS = [
    "_config.yml",
    "requirements.txt",
    "lib",
    "record",
    "CITATION.cff",
    "chapters/_ext",
    "chapters/_static",
    *(str(path.parent.relative_to(ROOT)) for path in ROOT.glob("chapters/[!_]*/__init__.py")),
    "chapters/references.bib",
    "chapters/errata.py",
    "chapters/bibliography.md",
]
LOST = "[lost](nowhere.md) and [lost](#no-such-label)"
DAMAGES = {  # a file, the last such text in it, what takes its place, and what the build says
    "links that lead nowhere": (
        "chapters/bibliography.md",
        "# Bibliography",
        f"# Bibliography\n\n{LOST}",
        ("WARNING: .*nowhere.md", "WARNING: .*no-such-label"),
    ),
    "a failing cell": (
        "chapters/errata.py",
        "Markdown(tally())",
        "1 / 0",
        ("ZeroDivisionError",),
    ),
}


def test_what_an_earlier_build_copied_is_copied_again(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "fonts" / "woff").mkdir(parents=True)
    (source / "a.js").write_bytes(b"1")
    for content in (b"old", b"new"):
        (source / "fonts" / "woff" / "a.woff").write_bytes(content)
        extension().copy_parts(source, target, ["a.js", "fonts/woff"])
        assert (target / "fonts" / "woff" / "a.woff").read_bytes() == content
    assert (target / "a.js").read_bytes() == b"1"


@pytest.fixture
def small_book(tmp_path, monkeypatch) -> Path:
    """A small book of this book's own parts, in a folder whose name has a space and other scripts,
    of a person whose home cannot be written to: it is a file.
    """
    (tmp_path / "home").touch()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "IPYTHONDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONUTF8", "1")  # what Windows prints can name that folder
    book = tmp_path / "ein Büchlein 本"
    for part in PARTS:
        (book / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, book / part)
    (book / "_toc.yml").write_text(
        "format: jb-book\nroot: chapters/errata\nchapters:\n- file: chapters/bibliography\n",
        encoding="utf-8",
    )
    for record in (book / "record/results/claims").glob("*.json"):
        record.unlink()  # its cells stand in a page left out here
    return book


def break_off_a_build(book: Path) -> None:
    """Begins a build, and kills it once it has read one of the two pages."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    begun = subprocess.Popen(build_command(), cwd=book, **quiet)
    wait_for(lambda: any((book / "_build").glob(".doctrees/**/*.doctree")))
    begun.kill()
    assert begun.wait() != 0


def test_a_book_builds_after_a_build_that_was_broken_off_and_damaged_it_does_not(small_book):
    fingerprint = small_book / "_build" / "html" / "fingerprint.txt"
    fingerprint.parent.mkdir(parents=True)
    fingerprint.write_text("of an earlier build", encoding="utf-8")
    break_off_a_build(small_book)
    assert not fingerprint.exists()
    whole = build(small_book, afresh=False)
    assert whole.returncode == 0, whole.stdout[-2000:] + whole.stderr[-2000:]
    assert fingerprint.exists()
    for path, old, new, complaints in DAMAGES.values():
        text = (small_book / path).read_text(encoding="utf-8")
        assert text.count(old) >= 1
        (small_book / path).write_text(new.join(text.rsplit(old, 1)), encoding="utf-8")
        failed = build(small_book, afresh=False)
        (small_book / path).write_text(text, encoding="utf-8")
        said = failed.stdout + failed.stderr
        assert failed.returncode != 0
        assert [words for words in complaints if not re.search(words, said)] == []
        assert not fingerprint.exists()
