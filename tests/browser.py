"""A Chromium for the tests that look at the built pages: `python -m tests.browser` makes sure that there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"]


def installed() -> str | None:
    """The path of a Chromium on this machine, or None: one on the PATH, else the one that playwright fetched."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        return found
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium that asks no host of its own accord."""
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=installed(), args=[*QUIET, *sandbox])
        yield browser
        browser.close()


def install() -> None:
    """Installs a Chromium if there is none: Debian's package where we may, otherwise playwright's own, with no rights."""
    if installed():
        return
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "chromium"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium", "--only-shell"], check=True)
    if not installed():
        sys.exit("no Chromium could be installed; put one on the PATH as `chromium`")


if __name__ == "__main__":
    install()
