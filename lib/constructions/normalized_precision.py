"""Where floating point first makes PARITY err under layer normalization (mirrored, eps = 0).

What fails is CLS. Its logit is of order 1/n^2, and two errors of order 2^-p stand beside it,
undiluted by attention: the rounding of the mean that layer normalization subtracts, and, where the
output reads the mark at CLS, a false mark there. `AtCls` computes what CLS does to every count at
once, so that a search reads whole strings only where that error is large.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from lib.checks import between, flag, number, positive, takes, text
from lib.constructions.normalization import mirror
from lib.constructions.papers import parity
from lib.constructions.precision import FLOATS, wrong_counts
from lib.transformer.encoder import Encoder
from lib.transformer.sublayers import Layer

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
        self._n, self._counts, self._heads = positive(n, "a length n"), counts, heads
        ids = self._ids("").expand(len(counts), 1)
        with torch.no_grad():
            return self._run(ids).double().numpy()

    def _attend(
        self, layer: Layer, stream: dict[str, Tensor], rows: slice, matrices: dict | None
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


@takes(p=between(1, 1000), share=number, units=number)
def depth(p: int, share: float = 0.5, units: float = 2.0) -> float:
    """The length at which an error of `units` 2^-p at CLS equals the logit of a string with that
    share of 1s: the logit is A/n^2, so n is the square root of 2^p A / units.
    """
    if not 0 < share < 1 or not units > 0:
        raise ValueError(
            f"a share between 0 and 1 and positive units are expected, not {share!r} and {units!r}"
        )
    n = 10**6
    odd, even = heard(n, np.array([round(share * n)]))
    return float(np.sqrt(2.0**p * np.abs(odd - even)[0] * n**2 / units))


@takes(
    dtype=text,
    tie_free=flag,
    adjacent=flag,
    start=between(1),
    stop=between(1, 10**6),
    least_error=number,
)
def first_normalized_failure(
    dtype: str,
    tie_free: bool,
    adjacent: bool,
    start: int,
    stop: int,
    least_error: float | None = None,
) -> dict:
    """The first n of start..stop-1 at which mirrored PARITY errs at eps = 0, and its wrong k.

    `tie_free` is the output s - [k=0]/n instead of s; `adjacent` puts every coordinate next to its
    negative. Every k is read or, with `least_error`, every k > 0 whose logit rounding at CLS moves
    towards 0 by at least that fraction.
    """
    if dtype not in FLOATS:
        raise ValueError(f"a type of {', '.join(FLOATS)} is expected, not {dtype!r}")
    construction = mirror(parity(tie_free=tie_free), adjacent=adjacent)
    reader = Encoder(construction, FLOATS[dtype], eps=0)
    at_cls = AtCls(construction, FLOATS[dtype], eps=0)
    for n in range(start, stop):
        counts = None
        if least_error is not None:
            counts = np.arange(1, n)
            counts = counts[errors_at_cls(at_cls, n, counts) <= -least_error].tolist()
        if wrong := wrong_counts(reader, n, counts):
            return {"n": n, "wrong": wrong}
    return {"n": None, "wrong": []}
