"""Where floating point first makes PARITY err, as the torch reader finds it.

The construction sees a string through its number k of 1s, and neither a running sum nor one sum and
one division notices where the 0s stand among the 1s: for these means the strings 1^k 0^(n-1-k)
speak for all. A weighted mean in float32 depends on the order in which a library adds, and so on
the machine and the batch; in the half types torch adds in float32 and rounds once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from torch import Tensor

from lib.checks import between, many, number, positive, takes, text
from lib.constructions.papers import parity
from lib.transformer.encoder import DTYPES, Encoder
from lib.transformer.means import divided, sequential, weighted

FLOATS = {str(dtype).removeprefix("torch."): dtype for dtype in DTYPES}
SIGNIFICAND = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}  # bits
MEANS: dict[str, Callable[[Tensor], Tensor]] = {
    mean.__name__: mean for mean in (sequential, weighted, divided)
}


@takes(reader=Encoder, n=between(1), counts=many(between(0)))
def wrong_counts(reader: Encoder, n: int, counts: Iterable[int] | None = None) -> list[int]:
    """The numbers k of 1s, among `counts` (all of 0..n-1 by default), that a reader of PARITY
    decides wrongly at n = |w| + 1.
    """
    every = range(positive(n, "a length n"))
    counts = [k for k in (every if counts is None else counts) if k in every]
    if not counts:
        return []
    accepted = reader.accepts(["1" * k + "0" * (n - 1 - k) for k in counts])
    return [k for k, a in zip(counts, accepted.tolist(), strict=True) if a != (k % 2 == 1)]


@takes(n=between(1), dtype=text)
def drift(n: int, dtype: str) -> np.ndarray:
    """By how many positions a running sum misplaces the mark: |n S_k - k| for k = 0..n-1, where S_k
    is the sum of k terms 1/n, rounded after every addition.

    ValueError for a float type that numpy lacks.
    """
    if dtype not in ("float16", "float32", "float64"):
        raise ValueError(f"a type of float16, float32, float64 is expected, not {dtype!r}")
    terms = np.full(positive(n, "a length n"), 1 / n, dtype=dtype)
    terms[0] = 0
    sums = np.add.accumulate(terms).astype(np.float64)
    return np.abs(n * sums - np.arange(n))


@takes(dtype=text, mean=text, start=between(1), stop=between(1, 10**6), least_drift=number)
def first_failure(
    dtype: str, mean: str, start: int, stop: int, least_drift: float | None = None
) -> dict:
    """The first n of start..stop-1 with an error, and its wrong k; {"n": None, "wrong": []} if
    there is none.

    Every k is read, or with `least_drift`, for a running sum, every k whose mark drifts by at least
    so many positions.
    """
    if dtype not in FLOATS or mean not in MEANS:
        raise ValueError(
            f"a type of {', '.join(FLOATS)} and a mean of {', '.join(MEANS)} are expected, not "
            f"{dtype!r} and {mean!r}"
        )
    if least_drift is not None and mean != "sequential":
        raise ValueError(f"a least drift is for the mean 'sequential', not for {mean!r}")
    reader = Encoder(parity(), FLOATS[dtype], mean=MEANS[mean])
    for n in range(start, stop):
        counts = None
        if least_drift is not None:
            counts = np.flatnonzero(drift(n, dtype) >= least_drift).tolist()
        if wrong := wrong_counts(reader, n, counts):
            return {"n": n, "wrong": wrong}
    return {"n": None, "wrong": []}
