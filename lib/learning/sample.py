"""Which stored configuration of learners is run again in full today, and how runs compare."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np


def todays(configurations: Sequence[dict]) -> dict:
    """One of the configurations: another each day, all of them in turn."""
    return configurations[date.today().toordinal() % len(configurations)]


def is_same_mean(now: list[float], was: list[float]) -> bool:
    """Whether two means over runs differ by at most two standard errors of their difference.

    Rounding sends long runs of float32 apart on another processor, so that single runs may differ.
    """
    here, stored = np.array(now), np.array(was)
    error = np.sqrt(here.var(ddof=1) / len(here) + stored.var(ddof=1) / len(stored))
    return bool(abs(here.mean() - stored.mean()) <= 2 * error + 1e-3)
