"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(happened: Callable[[], bool], seconds: float = 60) -> None:
    """Waits until something has happened."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"it did not happen in {seconds} seconds"
        time.sleep(0.001)
