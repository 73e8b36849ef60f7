"""A stored run: what takes longer than a chapter's minute, in which configurations, and how its
file is checked.

Which stored configuration of learners is run again in full today, and how runs compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from lib.checks import an, anything, mapping, shown, text


@dataclass(frozen=True)
class Experiment:
    """A stored run: `measure(device, **configuration)` gives a JSON object, `replay` compares
    today's code with one.

    `quick` holds a few configurations that take the same path in under a minute; `on_gpu` says
    whether a GPU is of use. With `pair` its data is that pair of `record.experiments.translation.sentences.SOURCES`,
    from a folder: `measure` is then given `data`, that folder, and `checkpoints`, one of its own,
    and `replay` is given `data` where it is at hand.
    """

    configurations: list[dict]
    quick: list[dict]
    measure: Callable[..., dict]
    replay: Callable[..., bool]
    on_gpu: bool = True
    pair: str | None = None


def measured_row(value: dict, what: str) -> dict:
    """`value` if it pairs a configuration with its result, as stored runs do; otherwise TypeError
    with its name.
    """
    for name, inside in an(dict)(value, what).items():
        text(name, f"a name in {what}")
        if name in ("configuration", "result"):
            mapping(anything)(inside, f"the {name} of {what}")
    if missing := {"configuration", "result"} - {*value}:
        raise TypeError(f"{what} must have a {min(missing)}, not be {shown(value)}")
    return value


def significant(values: np.ndarray, digits: int = 4) -> list:
    """Nested lists of numbers with that many significant digits."""
    return np.vectorize(lambda x: float(f"{x:.{digits}g}"), otypes=[float])(values).tolist()


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
