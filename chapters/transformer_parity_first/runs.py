"""Chapter 2's stored runs: where floating point first makes PARITY's construction (Chiang & Cholak
2022) err, as the torch reader finds it, and in arithmetic with p significant bits.

The construction sees a string through its number k of 1s, and neither a running sum nor one sum and
one division notices where the 0s stand among the 1s: for these means the strings 1^k 0^(n-1-k)
speak for all. A weighted mean in float32 depends on the order in which a library adds, and so on
the machine and the batch; in the half types torch adds in float32 and rounds once.

*In p-bit arithmetic* rounding is correct, ties to even, the exponent without limits, and k/n, i/n
and 1/n are each rounded once. At distance D = k - i from the count, the three hidden units give

    max(0, d - u) - 2 max(0, d) + max(0, d + u),   d = k/n - i/n,   u = 1/n,

from left to right. In exact arithmetic that is 1/n at D = 0 and 0 elsewhere. Rounding leaves false
marks, but only next to the count and where d passes a power of two: elsewhere d - u, d and d + u
share one spacing, and the two roundings are the same. Attention is taken to be exact, so that s has
the sign of (n + 1) odd - (n - 1) even for odd n, of odd - even for even n: the marks on odd and on
even positions, added up. What is scanned here is rounding of the marks alone.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from chapters.common.floats import FLOATS, MEANS
from lib.constructions import parity
from lib.transformer.encoder import Encoder
from record.experiment import Experiment, experiments

REPLAYED_LENGTHS = 5  # a search is made again from so many lengths before the one that it found
NEIGHBOURS = range(-1, 3)  # distances from the count at which false marks stand whatever n is
BLOCK = 20_000  # counts in one go
UNSETTLED = 3  # units of 2^-p that the false marks at short distances can take


def wrong_counts(reader: Encoder, n: int, counts: Iterable[int] | None = None) -> list[int]:
    """The numbers k of 1s, among `counts` (all of 0..n-1 by default), that a reader of PARITY
    decides incorrectly at n = |w| + 1.
    """
    counts = range(n) if counts is None else counts
    words = ["1" * k + "0" * (n - 1 - k) for k in counts]
    accepted = reader.accepts(words).tolist() if words else []
    return [k for k, a in zip(counts, accepted, strict=True) if a != (k % 2 == 1)]


def drift(n: int, dtype: str) -> np.ndarray:
    """By how many positions a running sum misplaces the mark: |n S_k - k| for k = 0..n-1, where S_k
    is the sum of k terms 1/n, rounded after every addition in a float type of numpy.
    """
    terms = np.full(n, 1 / n, dtype=dtype)
    terms[0] = 0
    sums = np.add.accumulate(terms).astype(np.float64)
    return np.abs(n * sums - np.arange(n))


def wrong_in_torch(n: int, dtype: str, mean: str, least_drift: float | None = None) -> dict:
    """The counts that the torch reader decides incorrectly at n: of all or, with `least_drift`, for
    a running sum, of those whose mark drifts by at least so many positions.
    """
    reader, counts = Encoder(parity(), FLOATS[dtype], mean=MEANS[mean]), range(n)
    if least_drift is not None:
        counts = np.flatnonzero(drift(n, dtype) >= least_drift).tolist()
    return {"wrong": wrong_counts(reader, n, counts)}


def rounded(x: np.ndarray | float, p: int) -> np.ndarray:
    """x to p bits, ties to even; exact for p <= 24 if x is a sum or quotient of p-bit numbers."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(mantissa, p)), exponent - p)


def hat(d: np.ndarray, u: np.ndarray, p: int) -> np.ndarray:
    """max(0, d - u) - 2 max(0, d) + max(0, d + u), rounded to p bits at every step."""
    below = np.maximum(0, rounded(d - u, p))
    above = np.maximum(0, rounded(d + u, p))
    return rounded(rounded(below - 2 * np.maximum(0, d), p) + above, p)


def marks(n: int, counts: np.ndarray, distances: np.ndarray, p: int) -> np.ndarray:
    """What position k - D, 0 where there is none, holds for each count k and distance D."""
    k, i = counts[:, None], counts[:, None] - distances
    d = rounded(rounded(k / n, p) - rounded(np.abs(i) / n, p), p)
    return np.where((i >= 0) & (i < n), hat(d, rounded(1 / n, p), p), 0.0)


def marked_distances(n: int) -> np.ndarray:
    """The distances D from the count at which a mark, true or false, can stand: next to the count,
    and within three positions of n/2, n/4, n/8, ...
    """
    distances, power = set(NEIGHBOURS), n
    while power > 1:
        power /= 2
        distances |= {int(power) + j for j in range(-3, 4)}
    return np.array(sorted(D for D in distances if -1 <= D < n))


def margins(n: int, counts: np.ndarray, distances: np.ndarray, p: int) -> np.ndarray:
    """How much the mark's parity outweighs the other one, in units of 2^-p: at most 0 is an error
    for an odd count, below 0 for an even one.
    """
    held = marks(n, counts, distances, p)
    same = held[:, distances % 2 == 0].sum(1)
    other = held[:, distances % 2 == 1].sum(1)
    tilt = np.where(counts % 2 == 1, 1, -1) / n if n % 2 else 0.0
    return ((1 + tilt) * same - (1 - tilt) * other) * 2.0**p


def wrong_counts_in(p: int, n: int, counts: np.ndarray) -> list[int]:
    """Those of the counts that p-bit arithmetic decides incorrectly at n, p from 3 to 24. Distances
    beyond n/6 and next to the count come first: all others together hold less than 3 units of 2^-p,
    so that a margin of 3 settles a count.
    """
    every = marked_distances(n)
    large = every[(every <= max(NEIGHBOURS)) | (every > n / 6)]
    wrong = []
    for block in np.array_split(counts, max(1, len(counts) // BLOCK)):
        doubtful = block[margins(n, block, large, p) <= UNSETTLED]
        margin = margins(n, doubtful, every, p)
        wrong += doubtful[(margin < 0) | ((margin == 0) & (doubtful % 2 == 1))].tolist()
    return wrong


def wrong_in_bits(n: int, p: int, window: int | None = None) -> dict:
    """How many counts p-bit arithmetic decides incorrectly at n, and the first of them, "k": of all
    or, with a `window`, of so many from 9n/16 upwards.
    """
    first, last = (0, n) if window is None else (9 * n // 16, 9 * n // 16 + window)
    wrong = wrong_counts_in(p, n, np.arange(first, min(n, last)))
    return {"wrong": len(wrong), "k": wrong[0] if wrong else None}


def searches(wrong_at: Callable[..., dict], configurations: list[dict]) -> Experiment:
    """The experiment that looks for the first of the lengths n from start to below stop at which
    PARITY errs, by what is `wrong_at` n; n is None where it errs at none.
    """

    def measure(device: str, start: int, stop: int, **setting) -> dict:
        found = {}
        for n in range(start, stop):
            found = wrong_at(n, **setting)
            if found["wrong"]:
                return {"n": n, **found}
        return {"n": None, **found}

    def replay(configuration: dict, result: dict) -> bool:
        """Whether the search, begun a little before its end, ends where it is stored to end."""
        end = configuration["stop"] if result["n"] is None else result["n"] + 1
        start = max(configuration["start"], end - 1 - REPLAYED_LENGTHS)
        return measure("cpu", **configuration | {"start": start, "stop": end}) == result

    return Experiment(configurations, measure, replay)


EXPERIMENTS = experiments(
    __file__,
    first_failure=partial(searches, wrong_in_torch),
    first_failure_in=partial(searches, wrong_in_bits),
)
