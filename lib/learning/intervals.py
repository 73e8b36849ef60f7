"""How sure a count of successful runs is."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from lib.checks import between, takes

HALVINGS = 50


@takes(successes=between(0), runs=between(1))
def clopper_pearson(successes: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of a probability of success, from that many successes in so many runs: the
    values at which neither as many nor as few are less likely than 2.5 %.

    Clopper & Pearson 1934. ValueError for more successes than runs.
    """
    if successes > runs:
        raise ValueError(f"at most {runs} successes of {runs} runs are expected, not {successes}")

    def at_least(p: float, k: int) -> float:
        return sum(comb(runs, j) * p**j * (1 - p) ** (runs - j) for j in range(k, runs + 1))

    low = _root(lambda p: at_least(p, successes) - 0.025) if successes else 0.0
    high = _root(lambda p: at_least(p, successes + 1) - 0.975) if successes < runs else 1.0
    return low, high


def _root(rises: Callable[[float], float]) -> float:
    """Where a function that rises between 0 and 1 is 0."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < 0 else (low, middle)
    return (low + high) / 2
