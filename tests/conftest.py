"""The built book, served and seen in a browser: what the tests of its pages share."""

import functools
import http.server
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from lib.book.browser import chromium, works

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"

specification = importlib.util.spec_from_file_location(
    "book_extension", ROOT / "chapters" / "_ext" / "book.py"
)
extension = importlib.util.module_from_spec(specification)
specification.loader.exec_module(extension)


def build(source: Path) -> subprocess.CompletedProcess:
    """The strict build of the README, of the tree at `source`."""
    for leftover in ("html", ".doctrees"):
        shutil.rmtree(source / "_build" / leftover, ignore_errors=True)
    command = [
        Path(sys.executable).parent / "jupyter-book",
        "build",
        ".",
        "-W",
        "-n",
        "--keep-going",
        "--all",
    ]
    return subprocess.run(
        command,
        cwd=source,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.fixture(scope="session")
def html() -> Path:
    """The built book; one that `make book` left is taken if it was made from exactly these sources."""
    mark = HTML / "fingerprint.txt"
    if not mark.exists() or mark.read_text().strip() != extension.fingerprint():
        done = build(ROOT)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return HTML


@pytest.fixture(scope="session")
def pages(html) -> dict[str, BeautifulSoup]:
    return {
        str(path.relative_to(html)): BeautifulSoup(path.read_text(), "html.parser")
        for path in html.glob("chapters/*.html")
    }


@pytest.fixture(scope="session")
def served(html):
    """The address of a local server that serves the book under a sub-path, as a project's Pages do."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def translate_path(self, path):
            return super().translate_path(path.removeprefix("/book"))

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=html)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/book/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    if not works() and not os.environ.get("CI"):
        pytest.skip("no Chromium: `make browser` installs one")
    with chromium() as found:
        yield found
