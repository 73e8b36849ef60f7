"""A Chromium for what looks at the pages: `python -m tests.browser` makes sure there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser


NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    # No graphics card is imitated: that costs a tenth of a page's time.
    "--disable-gpu",
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
]
DEBIAN = "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium that asks no host of its own accord: one on the PATH, else the one that
    playwright fetched.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, NAMES)), None)
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


def works() -> bool:
    """Whether a Chromium starts."""
    try:
        with chromium() as browser:
            return bool(browser.version)
    except Exception:  # what playwright raises where a library is missing that it needs itself
        return False


def install() -> None:
    """Installs a Chromium if none starts: Debian's package where we may, else playwright's own,
    which needs no rights.
    """
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        commands.insert(0, ["sh", "-c", DEBIAN])
    for command in commands:
        if works():
            return
        subprocess.run(command, stdout=subprocess.DEVNULL)
    if not works():
        sys.exit("no Chromium could be installed; put one on the PATH as `chromium`")


if __name__ == "__main__":
    install()
