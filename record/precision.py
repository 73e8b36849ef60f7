"""Where floating point first makes PARITY err: as the torch reader finds it, in arithmetic with p
significant bits, and under layer normalization.

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

*Under layer normalization* (mirrored, eps = 0) it is CLS that fails. Its logit is of order 1/n^2,
and two errors of order 2^-p stand beside it, undiluted by attention: the rounding of the mean that
layer normalization subtracts, and, where the output reads the mark at CLS, a false mark there.
`AtCls` computes what CLS does to every count at once, so that a search reads whole strings only
where that error is large.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from lib.checks import between, many, takes
from lib.constructions.normalization import mirror
from lib.constructions.papers import parity
from lib.constructions.precision import FLOATS, MEANS
from lib.transformer.encoder import Encoder
from lib.transformer.sublayers import Layer


@takes(reader=Encoder, n=between(1), counts=many(between(0)))
def wrong_counts(reader: Encoder, n: int, counts: Iterable[int] | None = None) -> list[int]:
    """The numbers k of 1s, among `counts` (all of 0..n-1 by default), that a reader of PARITY
    decides wrongly at n = |w| + 1.
    """
    every = range(n)
    counts = [k for k in (every if counts is None else counts) if k in every]
    if not counts:
        return []
    accepted = reader.accepts(["1" * k + "0" * (n - 1 - k) for k in counts])
    return [k for k, a in zip(counts, accepted.tolist(), strict=True) if a != (k % 2 == 1)]


def drift(n: int, dtype: str) -> np.ndarray:
    """By how many positions a running sum misplaces the mark: |n S_k - k| for k = 0..n-1, where S_k
    is the sum of k terms 1/n, rounded after every addition in a float type of numpy.
    """
    terms = np.full(n, 1 / n, dtype=dtype)
    terms[0] = 0
    sums = np.add.accumulate(terms).astype(np.float64)
    return np.abs(n * sums - np.arange(n))


def first_wrong(lengths: range, wrong_at: Callable[[int], list[int]]) -> dict:
    """The first of the lengths n with an error, and its wrong k; {"n": None, "wrong": []} if there
    is none.
    """
    for n in lengths:
        if wrong := wrong_at(n):
            return {"n": n, "wrong": wrong}
    return {"n": None, "wrong": []}


def first_failure(
    dtype: str, mean: str, start: int, stop: int, least_drift: float | None = None
) -> dict:
    """The `first_wrong` of the lengths start..stop-1 for the torch reader.

    Every k is read, or with `least_drift`, for a running sum, every k whose mark drifts by at least
    so many positions.
    """
    reader = Encoder(parity(), FLOATS[dtype], mean=MEANS[mean])

    def wrong_at(n: int) -> list[int]:
        if least_drift is None:
            return wrong_counts(reader, n)
        doubtful = np.flatnonzero(drift(n, dtype) >= least_drift)
        return wrong_counts(reader, n, doubtful.tolist())

    return first_wrong(range(start, stop), wrong_at)


NEIGHBOURS = range(-1, 3)  # distances from the count at which false marks stand whatever n is
BLOCK = 20_000  # counts in one go
UNSETTLED = 3  # units of 2^-p that the false marks at short distances can take


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


def wrong_counts_in(p: int, n: int, counts: np.ndarray | None = None) -> list[int]:
    """The counts (all by default) that p-bit arithmetic decides wrongly at n.

    Distances beyond n/6 and next to the count come first: all others together hold less than 3
    units of 2^-p, so that a margin of 3 settles a count. For p from 3 to 24.
    """
    counts = np.arange(n) if counts is None else counts
    every = marked_distances(n)
    large = every[(every <= max(NEIGHBOURS)) | (every > n / 6)]
    wrong = []
    for block in np.array_split(counts, max(1, len(counts) // BLOCK)):
        doubtful = block[margins(n, block, large, p) <= UNSETTLED]
        margin = margins(n, doubtful, every, p)
        wrong += doubtful[(margin < 0) | ((margin == 0) & (doubtful % 2 == 1))].tolist()
    return wrong


def first_failure_in(p: int, start: int, stop: int, window: int | None = None) -> dict:
    """The `first_wrong` of the lengths start..stop-1 in p-bit arithmetic, with how many counts are
    wrong there and the first of them, "k".

    Every count is tried or, with `window`, so many from 9n/16 upwards.
    """

    def wrong_at(n: int) -> list[int]:
        if window is None:
            return wrong_counts_in(p, n)
        return wrong_counts_in(p, n, np.arange(9 * n // 16, min(n, 9 * n // 16 + window)))

    found = first_wrong(range(start, stop), wrong_at)
    return {"n": found["n"], "wrong": len(found["wrong"]), "k": next(iter(found["wrong"]), None)}


NODES, WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(16))
NODES = NODES + 1 / 2  # on 0..1


def scale(
    n: int, counts: np.ndarray, i: np.ndarray | float, mark: np.ndarray | float = 0
) -> np.ndarray:
    """The factor g_i by which the two normalizations of layer 1 multiply position i, at eps = 0:
    g_i^-2 = (2 + (i/n)^2 + (k/n)^2 + (1 + mark)/n^2) / 9; `mark` is 1 at position k, 0 elsewhere.
    """
    return 3 / np.sqrt(2 + (i / n) ** 2 + (counts / n) ** 2 + (1 + mark) / n**2)


def heard(n: int, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the two heads of layer 2 give to CLS, for every count, in float64 (c = 1).

    The mark is g_k/n; the denominators are sums of exp(±g_0 g_i) over n positions, taken as
    integrals with a correction for the two ends: from n = 100 on, within a thousandth.
    """
    at_cls = scale(n, counts, 0, counts == 0)
    at_mark = scale(n, counts, counts, 1)
    inside = at_cls[:, None] * scale(n, counts[:, None], n * NODES)
    first, last = np.sinh(at_cls**2), np.sinh(at_cls * scale(n, counts, n - 1))
    tilt = (first + last) / 2 if n % 2 else (first - last) / 2
    total = n * (np.cosh(inside) @ WEIGHTS)
    x = np.where(counts % 2 == 1, 1, -1) * at_cls * at_mark
    return at_mark / n * np.exp(x) / (total - tilt), at_mark / n * np.exp(-x) / (total + tilt)


class AtCls(Encoder):
    """Mirrored PARITY at CLS alone. What its heads give to CLS is computed in float64 and rounded
    once; everything else is the reader's own arithmetic in its float type.
    """

    def logits(self, n: int, counts: np.ndarray, heads: Sequence[np.ndarray]) -> np.ndarray:
        """The logits of strings with each number of 1s among `counts` at n = |w| + 1, float64;
        `heads` is what the two heads of layer 2 give to CLS for each.
        """
        self._n, self._counts, self._heads = n, counts, heads
        ids = self._ids("").expand(len(counts), 1)
        with torch.no_grad():
            return self._run(ids).double().numpy()

    def _attend(
        self, layer: Layer, stream: dict[str, Tensor], rows: slice, n: int
    ) -> dict[str, Tensor]:
        """The stream at CLS plus what the heads write: counts over n, or what the heads hear."""
        result = dict(stream)
        for head, output in zip(layer.heads, self._heads):
            for name, form in head.v:
                read = {source: float(c) for source, c in form.terms}
                if head.is_uniform:
                    sums = read.get("1", 0.0) * self._counts + read.get("CLS", 0.0)
                    written = self._column(sums) / self._n
                else:
                    written = self._column(read["[i=k]/n"] * output)
                result[name] = result[name] + written if name in result else written
        return result

    def _column(self, values: np.ndarray) -> Tensor:
        return torch.from_numpy(np.asarray(values, dtype=np.float64)).to(self.dtype)[:, None]


def errors_at_cls(reader: AtCls, n: int, counts: np.ndarray) -> np.ndarray:
    """What rounding at CLS adds to the logit of each count, as a fraction of it: a decision turns
    at -1.
    """
    odd, even = heard(n, counts)
    return reader.logits(n, counts, (odd, even)) / (odd - even) - 1


def depth(p: int, share: float = 0.5, units: float = 2.0) -> float:
    """The length at which an error of `units` 2^-p at CLS equals the logit of a string with that
    share of 1s: the logit is A/n^2, so n is the square root of 2^p A / units.
    """
    n = 10**6
    odd, even = heard(n, np.array([round(share * n)]))
    return float(np.sqrt(2.0**p * np.abs(odd - even)[0] * n**2 / units))


def first_normalized_failure(
    dtype: str,
    tie_free: bool,
    adjacent: bool,
    start: int,
    stop: int,
    least_error: float | None = None,
) -> dict:
    """The `first_wrong` of the lengths start..stop-1 for mirrored PARITY at eps = 0.

    `tie_free` is the output s - [k=0]/n instead of s; `adjacent` puts every coordinate next to its
    negative. Every k is read or, with `least_error`, every k > 0 whose logit rounding at CLS moves
    towards 0 by at least that fraction.
    """
    construction = mirror(parity(tie_free=tie_free), adjacent=adjacent)
    reader = Encoder(construction, FLOATS[dtype], eps=0)
    at_cls = AtCls(construction, FLOATS[dtype], eps=0)

    def wrong_at(n: int) -> list[int]:
        if least_error is None:
            return wrong_counts(reader, n)
        every = np.arange(1, n)
        doubtful = every[errors_at_cls(at_cls, n, every) <= -least_error]
        return wrong_counts(reader, n, doubtful.tolist())

    return first_wrong(range(start, stop), wrong_at)
