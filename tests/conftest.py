"""The built book, served and seen in a browser, for the tests that ask for it; and which they are.

What only they need (Sphinx, Beautiful Soup, playwright) is imported where it is used: a test of one
file of the library starts in a second.
"""

from __future__ import annotations

import asyncio
import functools
import http.server
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import joblib
import matplotlib
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from tests import EVERYTHING, ROOT
from tests.history import changed, seed

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.page.engine import Engine

HTML = ROOT / "_build" / "html"
# What fades with scrolling has a timeline of its own, which never ends.
IN_ITS_COLOURS = """scheme =>
    !document.getAnimations().some(one => one.timeline === document.timeline) &&
    [scheme, undefined].includes(document.documentElement.dataset.theme)"""
OF_COLOURS = ["color-contrast", "link-in-text-block"]  # of axe's rules A and AA
MARKERS = {
    "browser": "looks at pages in Chromium",
    "book": "reads the built book",
    "slow": "one of SLOW in tests/conftest.py",
}
SLOW = {  # files, and single tests of other files, that would keep `make quick` beyond two minutes
    "test_translation",
    "test_reproduce",
    "test_a_person_who_changes_the_numbers_of_a_cell_goes_on",
    "test_its_construction_is_proved",
    "test_no_coefficient_can_go",
    "test_the_code_of_the_readme_prints_what_it_says",
}


def pytest_configure(config: pytest.Config) -> None:
    matplotlib.use("agg")  # figures of the tests' own open no window, on any system
    if sys.platform == "win32":  # nbmake chose a loop that starts no process, as playwright must
        asyncio.set_event_loop_policy(asyncio.WindowsProactorEventLoopPolicy())
    # How long a machine takes for an example says nothing of the book.
    settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any")
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}; left out by `make quick`")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: tests wait for browsers and other processes."""
    return joblib.cpu_count() + 1


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks a test by the fixtures that it asks for, itself or through others, and by SLOW."""
    fixtures = set(getattr(item, "fixturenames", ()))
    if "browser" in fixtures:
        item.add_marker("browser")
    if "html" in fixtures:
        item.add_marker("book")
    if SLOW & {item.path.stem, getattr(item, "originalname", None)}:
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)  # when those that are not asked for have gone
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where the book is built too, which runs every notebook and holds it to the record, those that
    changed run here once more, as they find themselves alone in Colab, and one that the commit
    draws. Notebooks and slow tests come first, so that no process is left alone with one.
    """
    notebooks = [item for item in items if item.path.suffix == ".ipynb"]
    if notebooks and any(item.get_closest_marker("book") for item in items) and not EVERYTHING:
        new, drawn = changed(), random.Random(seed()).choice(notebooks)
        for item in notebooks:
            if new is not None and item is not drawn:
                if item.path.relative_to(ROOT).as_posix() not in new:
                    item.add_marker(pytest.mark.skip("the build runs it, and it has not changed"))
    items.sort(
        key=lambda item: item.path.suffix != ".ipynb" and item.get_closest_marker("slow") is None
    )


def build() -> None:
    """The strict build of the README."""
    for leftover in ("html", ".doctrees"):
        shutil.rmtree(ROOT / "_build" / leftover, ignore_errors=True)
    command = shutil.which("jupyter-book", path=sysconfig.get_path("scripts"))
    assert command, "jupyter-book is not installed"
    done = subprocess.run(
        [command, "build", ".", "-W", "-n", "--keep-going", "--all"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        # Its own code, before that of the folder whose path `make book` left in the environment.
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture(scope="session")
def html() -> Path:
    """The built book: what `make book` left, if made from exactly these sources; else made anew, by
    one of the processes that share the tests.
    """
    from chapters._ext.book import fingerprint

    mark = HTML / "fingerprint.txt"
    HTML.parent.mkdir(exist_ok=True)
    with FileLock(HTML.parent / "tests.lock"):
        if not mark.exists() or mark.read_text(encoding="utf-8").strip() != fingerprint():
            build()
    return HTML


@pytest.fixture(scope="session")
def pages(html: Path) -> dict[str, BeautifulSoup]:
    """The chapters' pages by their paths, parsed."""
    from bs4 import BeautifulSoup

    return {
        f"chapters/{page.name}": BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        for page in html.glob("chapters/*.html")
    }


class UnderAPath(http.server.SimpleHTTPRequestHandler):
    """Serves a folder under /book, as a project's Pages do, and says nothing."""

    extensions_map = {
        ".mjs": "text/javascript",
        ".js": "text/javascript",
    }  # whatever the system says

    def log_message(self, *_: object) -> None:
        pass

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix("/book"))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a local server of a folder."""
    handler = functools.partial(UnderAPath, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/book/"
    server.shutdown()


@pytest.fixture(scope="session")
def served(html: Path) -> Iterator[str]:
    """The address of a local server of the book."""
    with serving(html) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    from playwright.sync_api import expect

    from tests.browser import chromium, works

    if not works() and not os.environ.get("CI"):
        pytest.skip("no Chromium: `python -m tests.browser` installs one")
    expect.set_options(timeout=120_000)  # milliseconds: beside other work a page takes long
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """The page's modules in Node, which ends with its input."""
    from tests.page.engine import Engine

    found = Engine()
    yield found
    found.process.communicate()


@pytest.fixture(scope="session")
def profile(served: str, browser: Browser) -> Iterator[BrowserContext]:
    """A profile with one page left open. Chromium then keeps, for all others of that address, a
    process and the scripts that it has compiled: they cost half.
    """
    with browser.new_context() as context:
        context.new_page().goto(f"{served}chapters/errata.html")
        yield context


@pytest.fixture
def look(served: str, profile: BrowserContext) -> Iterator[Callable[..., Page]]:
    """A function that opens a page in a window of that profile: the one of an address in the book,
    or an empty one; without `math` formulas stay as they are written, which takes half the time. In
    the end they are closed, and what they stored is forgotten.
    """
    opened, pages = profile.pages[0], []

    def page(
        address: str | None = None,
        width: int = 1200,
        height: int = 900,
        scheme: str = "light",
        until: str = "networkidle",
        math: bool = True,
    ) -> Page:
        made = profile.new_page()
        pages.append(made)
        if not math:
            session = made.context.new_cdp_session(made)
            session.send("Network.enable")
            session.send("Network.setBlockedURLs", {"urls": ["*mathjax*"]})
        made.set_viewport_size({"width": width, "height": height})
        made.emulate_media(color_scheme=scheme)
        if address is not None:
            made.goto(served + address, wait_until=until)
        return made

    yield page
    for made in pages:
        made.close()
    opened.evaluate("localStorage.clear()")


def wait_until(page: Page, expression: str, arg: object = None) -> None:
    """Waits until a JavaScript expression holds in a page; beside other work that takes long."""
    page.wait_for_function(expression, arg=arg, timeout=120_000)


def violations(page: Page) -> list[tuple[str, str, list[list[str]]]]:
    """What axe-core finds against the WCAG 2 rules A and AA: the mode, the rule, and the places
    that break it. In the dark colours alone are looked at.
    """
    from axe_playwright_python.base import AXE_SCRIPT
    from axe_playwright_python.sync_playwright import Axe

    axe, found = Axe(AXE_SCRIPT), []
    for scheme, rules in (("light", ["wcag2a", "wcag2aa"]), ("dark", OF_COLOURS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        wait_until(page, IN_ITS_COLOURS, scheme)
        options = {"runOnly": rules, "resultTypes": ["violations"]}
        for one in axe.run(page, options=options).response["violations"]:
            found.append((scheme, one["id"], [node["target"] for node in one["nodes"]]))
    return found
