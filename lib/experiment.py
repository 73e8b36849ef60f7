"""A stored run: what takes longer than a chapter's minute, in which configurations, and how its
file is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Experiment:
    """A stored run: `measure(device, **configuration)` gives a JSON object, `replay` compares
    today's code with one.

    `quick` holds a few configurations that take the same path in under a minute; `on_gpu` says
    whether a GPU is of use. With `pair` its data is that pair of `lib.translation.folders.SOURCES`,
    from a folder: `measure` is then given `data`, that folder, and `checkpoints`, one of its own.
    """

    configurations: list[dict]
    quick: list[dict]
    measure: Callable[..., dict]
    replay: Callable[[dict, dict], bool]
    on_gpu: bool = True
    pair: str | None = None


def significant(values: np.ndarray, digits: int = 4) -> list:
    """Nested lists of numbers with that many significant digits."""
    return np.vectorize(lambda x: float(f"{x:.{digits}g}"), otypes=[float])(values).tolist()
