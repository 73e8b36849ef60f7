"""Chapter 8 and its record: how far a softmax comparison is from turning, and the library's
languages said without formulas.

A head that attends to the positions j = 0, ..., i with weights b^(x j), for the query
x = (2g + 1)/(i + 1), reads the mean position m; m - i/2 has the sign of 2g + 1.
"""

from collections.abc import Callable

import numpy as np
from flint import arb

from lib.languages import PARITY


def mean_position(i: int, g: int = 0, b: float = 16) -> float:
    """The mean position that the head reads at position i, in floating point."""
    j = np.arange(i + 1)
    weights = b ** ((2 * g + 1) / (i + 1) * j)
    return float(weights @ j / weights.sum())


def distance(i: int, b: float, g: int = 0) -> arb:
    """How far that mean is from the middle i/2, as a ball; negative if it is to the left."""
    weights = [((2 * g + 1) * arb(j) / (i + 1) * arb(b).log()).exp() for j in range(i + 1)]
    return sum(j * w for j, w in enumerate(weights)) / sum(weights) - arb(i) / 2


def by_erasing(w: str) -> bool:
    """Whether erasing () again and again leaves nothing: Dyck-1."""
    while "()" in w:
        w = w.replace("()", "")
    return w == ""


PLAIN: dict[str, Callable[[str], bool]] = {  # the library's languages, without formulas
    "MAJORITY": lambda w: 2 * w.count("1") > len(w),
    "exactly two 1s": lambda w: w.count("1") == 2,
    "at least a third are 1s": lambda w: 3 * w.count("1") >= len(w),
    "Dyck-1": by_erasing,
    "a*b*": lambda w: "ba" not in w,
    "(ab)*": lambda w: w == "ab" * (len(w) // 2),
    "aⁿbⁿcⁿ": lambda w: w == "".join(a * (len(w) // 3) for a in "abc"),
    "PARITY": PARITY.contains,
    "PARITY, by halves": PARITY.contains,
    "FIRST": lambda w: w[:1] == "1",
    "ONE": lambda w: w.count("1") == 1,
}
