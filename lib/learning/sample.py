"""Which stored configuration of learners is run again in full today, and how runs compare."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np

# Of so many kinds of experiments one a day is run again in full.
KINDS = ("learning", "repeated", "laboratory", "extremes")


def todays(kind: str, configurations: Sequence[dict]) -> dict | None:
    """One of the configurations on a day of that kind, all of them in turn; None on other days."""
    day = date.today().toordinal()
    if day % len(KINDS) != KINDS.index(kind):
        return None
    return configurations[day // len(KINDS) % len(configurations)]


def is_same_mean(now: list[float], was: list[float]) -> bool:
    """Whether two means over runs differ by at most two standard errors of their difference.

    Rounding sends long runs of float32 apart on another processor, so that single runs may differ.
    """
    here, stored = np.array(now), np.array(was)
    error = np.sqrt(here.var(ddof=1) / len(here) + stored.var(ddof=1) / len(stored))
    return bool(abs(here.mean() - stored.mean()) <= 2 * error + 1e-3)
