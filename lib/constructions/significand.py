"""PARITY's mark in arithmetic with p significant bits: correctly rounded, ties to even, the
exponent without limits, and k/n, i/n and 1/n each rounded once.

At distance D = k - i from the count, the three hidden units give

    max(0, d - u) - 2 max(0, d) + max(0, d + u),   d = k/n - i/n,   u = 1/n,

from left to right. In exact arithmetic that is 1/n at D = 0 and 0 elsewhere. Rounding leaves false
marks, but only next to the count and where d passes a power of two: elsewhere d - u, d and d + u
share one spacing, and the two roundings are the same. Attention is taken to be exact, so that s has
the sign of (n + 1) odd - (n - 1) even for odd n, of odd - even for even n: the marks on odd and on
even positions, added up. What is scanned here is rounding of the marks alone.
"""

from __future__ import annotations

import numpy as np

from lib.checks import between, positive, shown, takes

NEIGHBOURS = range(-1, 3)
BLOCK = 20_000  # counts in one go
UNSETTLED = 3  # units of 2^-p that the false marks at short distances can take


def numbers(value: np.ndarray | float, what: str) -> np.ndarray | float:
    """`value` if it is a finite number, or an array of them."""
    is_one = isinstance(value, (float, int, np.number)) and not isinstance(value, bool)
    is_real = isinstance(value, np.ndarray) and value.dtype.kind in "iuf"
    if not (is_one or is_real) or not np.isfinite(np.asarray(value, dtype=float)).all():
        raise ValueError(f"{what} must be a finite number or an array of them, not {shown(value)}")
    return float(value) if isinstance(value, int) else value


def counts_of(value: np.ndarray, what: str) -> np.ndarray:
    """`value` as an array of counts, along one axis."""
    found = np.asarray(value if isinstance(value, (list, range, tuple, np.ndarray)) else None)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu") or (found < 0).any():
        raise ValueError(f"{what} must be a list of whole numbers from 0 on, not {shown(value)}")
    return found.astype(np.int64)


@takes(x=numbers, p=between(1, 1000))
def rounded(x: np.ndarray | float, p: int) -> np.ndarray:
    """x to p significant bits, ties to even; exact for p <= 24 where x is a sum or quotient of two
    numbers of p bits in float64.
    """
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(mantissa, p)), exponent - p)


def hat(d: np.ndarray, u: np.ndarray, p: int) -> np.ndarray:
    """max(0, d - u) - 2 max(0, d) + max(0, d + u), rounded to p bits at every step."""
    below = np.maximum(0, rounded(d - u, p))
    above = np.maximum(0, rounded(d + u, p))
    return rounded(rounded(below - 2 * np.maximum(0, d), p) + above, p)


def marks(n: int, counts: np.ndarray, distances: np.ndarray, p: int) -> np.ndarray:
    """What position k - D holds for every count k (rows) and distance D (columns); 0 where there is
    no such position.
    """
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


@takes(n=between(1), counts=counts_of)
def wrong_counts_in(p: int, n: int, counts: np.ndarray | None = None) -> list[int]:
    """The counts (all by default) that p-bit arithmetic decides wrongly at n.

    Distances beyond n/6 and next to the count come first: all others together hold less than 3
    units of 2^-p, so that a margin of 3 settles a count. ValueError unless 3 <= p <= 24.
    """
    if not 3 <= positive(p, "a number p of bits") <= 24:
        raise ValueError(f"a number p of bits from 3 to 24 is expected, not {p!r}")
    counts = np.arange(positive(n, "a length n")) if counts is None else np.asarray(counts)
    every = marked_distances(n)
    large = every[(every <= max(NEIGHBOURS)) | (every > n / 6)]
    wrong = []
    for block in np.array_split(counts, max(1, len(counts) // BLOCK)):
        doubtful = block[margins(n, block, large, p) <= UNSETTLED]
        margin = margins(n, doubtful, every, p)
        wrong += doubtful[(margin < 0) | ((margin == 0) & (doubtful % 2 == 1))].tolist()
    return wrong


@takes(p=between(3, 24), start=between(1), stop=between(1), window=between(1))
def first_failure_in(p: int, start: int, stop: int, window: int | None = None) -> dict:
    """The first n of start..stop-1 that p-bit arithmetic gets wrong, how many counts are wrong
    there and the first of them; n None if there is none.

    Every count is tried or, with `window`, so many from 9n/16 upwards.
    """
    for n in range(start, stop):
        counts = None if window is None else 9 * n // 16 + np.arange(window)
        if wrong := wrong_counts_in(p, n, counts if counts is None else counts[counts < n]):
            return {"n": n, "wrong": len(wrong), "k": wrong[0]}
    return {"n": None, "wrong": 0, "k": None}
