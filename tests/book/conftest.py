"""A page with the playground and the judge of networks alone, and a reader who opens it."""

import json
from collections.abc import Iterator
from shutil import copytree

import pytest

from chapters.playground.data import playground
from record.runs import CHAPTERS
from tests.conftest import serving

HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>playground</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><link rel="stylesheet" href="_static/book.css">
<main class="playground"><div id="playground-root"></div>
<div class="live" data-live="audit"></div></main>
<script type="module" src="_static/playground.mjs"></script>
<script type="module" src="_static/live.mjs"></script>"""


@pytest.fixture(scope="session")
def address(tmp_path_factory) -> Iterator[str]:
    """Of that page."""
    folder = tmp_path_factory.mktemp("journeys")
    copytree(CHAPTERS / "_static", folder / "_static")
    data = json.dumps(playground())
    (folder / "_static" / "playground.json").write_text(data, encoding="utf-8")
    (folder / "index.html").write_text(HTML, encoding="utf-8")
    with serving(folder) as served:
        yield served


@pytest.fixture(scope="session")
def reader(browser, address):
    """A reader's profile with one page left open: Chromium keeps its process for the others."""
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        context.new_page().goto(address)
        yield context
