"""The bounded reader: signs of logits in float64 with proved bounds, for many strings at once.

A value is a pair (x, e) of arrays: the truth lies within e of x. Where nothing is known e is
infinite or not a number, and no comparison with it holds. What each rule adds is derived where it
stands, and rests on this: IEEE arithmetic rounding to nearest, with sums in any order, fused or
not; square roots correctly rounded; exp and expm1 within 4 units in the last place. So a sum of k
products is off by at most γ(k) times the sum of their sizes, γ(k) = k u / (1 - k u), u = 2^-53.

Underflow adds at most 2^-1022 an operation, flushed to zero or not: every e holds `TINY` besides,
and a number of the construction that is neither 0 nor between `SMALL` and its inverse is not a
number here. `SAFE` pays for the rounding of the bounds themselves, which are sums of positive
numbers. What overflows is not known.

Hard attention asks whether logits are equal. A bound never says so; what does is arithmetic without
rounding: e is 0 of whole multiples of 1/`GRID` that are at most `LARGE` in size, and of no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import nan, prod
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy import ndarray

from lib.languages import by_length
from lib.transformer.construction import Construction, position
from lib.transformer.space import Form, exactly
from lib.transformer.sublayers import FFN, Head, Layer, visible

U = 2.0**-53
SAFE = 1 + 2.0**-30
TINY, SMALL = 1e-300, 1e-140
GRID, LARGE = 2**10, 2**13  # products are multiples of 2^-20 to 2^26: sums of `MANY` are exact
MANY = 64
FAR = -600.0  # logits so far below the largest: e to them does not underflow
LONGEST = MANY  # tokens; of longer strings there are few, and bounds save little on each
HELD = 1 << 16  # numbers that one step holds: they stay in the processor's cache


class Bound(NamedTuple):
    """Numbers x, each with what it may be off by."""

    x: ndarray
    e: ndarray

    def at(self, place: Any) -> Bound:
        """Some of them."""
        return Bound(self.x[place], self.e[place])

    def reshape(self, *shape: int) -> Bound:
        """The same numbers in another shape."""
        return Bound(self.x.reshape(shape), self.e.reshape(shape))

    @property
    def signs(self) -> ndarray:
        """The sign of each, 1 or -1, or 0 where the bound leaves it open."""
        return np.where(np.abs(self.x) > self.e, np.sign(self.x), 0).astype(int)


def bound(x: ndarray, error: ndarray, is_exact: ndarray | None = None) -> Bound:
    """What was computed, with what it may be off by: 0 where it is exact and on the grid."""
    e = error * SAFE + TINY + 0 * x  # no number where x is infinite
    if is_exact is not None and is_exact.any():
        e[is_exact & (np.rint(x * GRID) == x * GRID) & (np.abs(x) <= LARGE)] = 0
    return Bound(x, e)


def joined(bounds: Sequence[Bound], axis: int) -> Bound:
    """Several, one behind the other."""
    return Bound(*(np.concatenate(parts, axis) for parts in zip(*bounds, strict=True)))


def _gamma(k: int) -> float:
    return k * U * SAFE


def _float(value: Fraction | int) -> float:
    """A number of the construction, off by at most u of itself, or no number."""
    try:
        x = float(value)
    except OverflowError:
        return nan
    return x if not value or SMALL < abs(x) < 1 / SMALL else nan


@cache
def _encoding(formula: str, i: int, n: int) -> tuple[float, float]:
    """A position encoding's value, and what it may be off by."""
    value = position(formula)(Fraction(i), Fraction(n))
    x = _float(value)
    is_whole = GRID % Fraction(value).denominator == 0 and abs(x) <= LARGE
    return x, 0.0 if is_whole else U * abs(x) + TINY


Row = tuple[dict[int, Fraction], Fraction]  # what is not 0 of a row of W, by column, and of b


class BoundedAffine:
    """W x + b, (columns, ...) to (rows, ...); a row is its nonzero entries and its constant."""

    def __init__(self, rows: Sequence[Row], columns: int, is_tracked: bool):
        self.weight, self.bias = np.zeros((len(rows), columns)), np.zeros((len(rows), 1))
        for row, (entries, constant) in enumerate(rows):
            self.bias[row] = _float(constant)
            for column, c in entries.items():
                self.weight[row, column] = _float(c)
        self.size, self.gamma = np.abs(self.weight), _gamma(columns + 3)
        self.off = self.gamma * np.abs(self.bias)
        known = [
            is_tracked and all(GRID % c.denominator == 0 for c in (*entries.values(), b))
            for entries, b in rows
        ]
        sizes = self.size.sum(1) + np.abs(self.bias[:, 0])
        self.is_whole = (np.array(known, bool) & (sizes <= MANY))[:, None]

    def __call__(self, v: Bound) -> Bound:
        """A term is rounded when W is, when it is multiplied, and with each sum it goes into."""
        shape = v.x.shape[1:]
        v = v.reshape(self.weight.shape[1], -1)
        x = self.weight @ v.x + self.bias
        error = self.size @ (v.e + self.gamma * np.abs(v.x)) + self.off
        is_exact = None
        if self.is_whole.any():
            is_exact = self.is_whole & (self.size @ (v.e != 0).astype(float) == 0)
        return bound(x, error, is_exact).reshape(-1, *shape)


def added(x: Bound, columns: list[int], y: Bound) -> Bound:
    """The residual connection: vectors (d, ...) with some columns added."""
    before, result = x.at(columns), Bound(x.x.copy(), x.e.copy())
    total = before.x + y.x
    error = before.e + y.e + U * np.abs(total)
    result.x[columns], result.e[columns] = bound(total, error, (before.e == 0) & (y.e == 0))
    return result


def relu(v: Bound) -> Bound:
    """max(0, x): exactly 0 where x is proved to be below 0."""
    return Bound(np.maximum(v.x, 0), np.where(-v.x > v.e, 0.0, v.e))


def standardized(v: Bound, eps: float) -> Bound:
    """Layer normalization of vectors (d, ...). The scale s is the norm of (c/√d, √eps), and so off
    by at most c's largest error; and c'/s' - c/s = (c' - c)/s' + (c/s) (s - s')/s'.
    """
    rounding = _gamma(len(v.x) + 6)
    c = v.x - v.x.mean(0)
    error = v.e + (v.e + rounding * np.abs(v.x)).mean(0) + U * np.abs(c)
    error = error * SAFE + TINY
    scale = np.sqrt(np.square(c).mean(0) + eps)
    off = error.max(0) + rounding * scale
    left, y = scale - off * SAFE, c / scale
    moved = (error + np.abs(y) * off) / left + 2 * U * np.abs(y)
    return bound(y, np.where((left > 0) & (scale > SMALL), moved, np.inf))


def averaged(share: ndarray, v: Bound) -> Bound:
    """Means of values (e, batch, n) where the share (..., m, n) is 1, or 0: (e, batch, m)."""
    count = np.maximum(share.sum(-1), 1)
    total, is_rounded = _sum(share, v.x), v.e != 0
    x = total / count
    error, is_exact = U * np.abs(x), x * count == total
    if is_rounded.any():
        error += _sum(share, v.e + _gamma(v.x.shape[-1]) * np.abs(v.x)) / count
        is_exact &= _sum(share, is_rounded.astype(float)) == 0
    return bound(x, error, is_exact)


def _sum(share: ndarray, values: ndarray) -> ndarray:
    return np.einsum("...mn,e...n->e...m", share, values)


def _where(seen: ndarray, x: ndarray, hidden: float) -> ndarray:
    return x if seen.all() else np.where(seen, x, hidden)


def scaled(q: Bound, factor: float, off: float) -> Bound:
    """Queries (r, batch, m) times a factor, which may be off."""
    x = q.x * factor
    error = q.e * (abs(factor) + off) + np.abs(q.x) * off + U * np.abs(x)
    return bound(x, error, (off == 0) & ((q.e == 0) | (factor == 0)))


def logits(q: Bound, k: Bound) -> Bound:
    """Queries (r, batch, m) times keys (r, batch, n), (batch, m, n); e allows one rounding more."""
    rounding = _gamma(len(q.x) + 3)
    x, error = np.zeros((2, *q.x.shape[1:], k.x.shape[-1]))
    for asked, asked_error, known, known_error in _pairs(q, k):
        size = np.abs(asked)
        x += asked * known
        error += (asked_error + rounding * size) * np.abs(known)
        if known_error.any():
            error += (asked_error + size) * known_error
    return bound(x, error)


def are_exact(q: Bound, k: Bound) -> ndarray:
    """Which logits are computed without rounding: both are on the grid, or one is 0."""
    found = np.full((*q.x.shape[1:], k.x.shape[-1]), len(q.x) <= MANY)
    for asked, asked_error, known, known_error in _pairs(q, k):
        is_0 = (asked == 0) & (asked_error == 0)
        found &= is_0 | ((known_error == 0) & ((known == 0) | (asked_error == 0)))
    return found


def _pairs(q: Bound, k: Bound) -> Iterator[tuple[ndarray, ...]]:
    """Of each row queries (batch, m, 1), keys (batch, 1, n), and their errors."""
    for asked, asked_error, known, known_error in zip(*q, *k):
        yield asked[..., None], asked_error[..., None], known[:, None], known_error[:, None]


def softmax(logit: Bound, seen: ndarray, v: Bound) -> Bound:
    """The means of values (e, batch, n) with weights proportional to e to the logits (batch, m, n)
    of what is seen (m, n): (e, batch, m); 0 where nothing is.

    g is e to a logit less the largest, and f the share of it by which the truth G may differ: with
    an error δ, e^δ - 1, and at least 1 where g is but an upper bound. As Σ g (v - o) = 0 for the
    mean o of the weights g, the weights G move it by |Σ (G - g)(v - o)| / Σ G, which is at most
    Σ g f |v - o| / Σ g (1 - f).
    """
    is_blind = np.logical_not(seen.any(-1))
    below = _where(seen, logit.x, -np.inf)
    below = below - np.where(is_blind, 0, below.max(-1))[..., None]
    f = np.expm1((logit.e + U * np.abs(below) + 9 * U) * SAFE) * SAFE
    f = np.where(below > FAR, f, np.maximum(f, 1))
    g = _where(seen, np.exp(np.maximum(below, FAR)), 0)
    moved = _where(seen, g * f, 0)
    total, lost = np.where(is_blind, 1, g.sum(-1)), moved.sum(-1)
    o = _sum(g, v.x) / total
    rounding = _gamma(2 * v.x.shape[-1] + 3) * _sum(g, np.abs(v.x)) / total + TINY
    apart = np.abs(v.x[..., None, :] - o[..., None])
    spread = (moved * apart).sum(-1) + lost * rounding + _sum(g + moved, v.e)
    left = total - lost
    error = np.where(left > total / 2, spread / (left * (2 - SAFE)), np.inf)
    return bound(o, error + rounding, is_blind)


def hardmax(kind: str, logit: Bound, is_exact: ndarray, seen: ndarray, v: Bound) -> Bound:
    """The means of values (e, batch, n) over the largest of the logits (batch, m, n) of what is
    seen (m, n), or the value of the first or last of them: (e, batch, m); 0 where nothing is seen.

    Where it is not known which are largest, it is still one of those that may be, or their mean.
    """
    off = np.where(is_exact, 0, logit.e)
    least = _where(seen, logit.x - off, -np.inf).max(-1, keepdims=True)
    possible = seen & ~(logit.x + off < least)
    chosen = possible
    if kind != "hardmax":
        turn = slice(None, None, 1 if kind == "leftmost" else -1)
        chosen = possible & (possible[..., turn].cumsum(-1)[..., turn] == 1)
    mean = averaged(chosen.astype(float), v)
    is_known = (possible.sum(-1) <= 1) | (is_exact | ~possible).all(-1)
    if is_known.all():
        return mean
    apart = np.abs(v.x[..., None, :] - mean.x[..., None]) + v.e[..., None, :]
    error = np.where(is_known, mean.e, np.where(possible, apart, 0).max(-1))
    return bound(mean.x, error, np.logical_not(error))


class HeadColumns(NamedTuple):
    """A head, and which columns of what its layer asks and tells are its queries, keys, values."""

    head: Head
    q: slice
    k: slice
    v: slice
    columns: list[int]  # which coordinates it writes


class Sublayers:
    """A layer: attention, then the feed-forward network."""

    def __init__(self, layer: Layer, index: dict[str, int], attention: str, is_hard: bool):
        self.attention = attention
        asked: list[Form] = []
        told: list[Form] = []
        self.parts: list[HeadColumns] = []
        for head in (head for head in layer.heads if head.v):
            q = slice(len(asked), len(asked) + len(head.q))
            k = slice(len(told), len(told) + len(head.k))
            v = slice(k.stop, k.stop + len(head.v))
            self.parts.append(HeadColumns(head, q, k, v, [index[name] for name, _ in head.v]))
            asked += [form * head.gain for form in head.q]
            told += [*head.k, *(form for _, form in head.v)]
        self.asked, self.told = reading(asked, index, is_hard), reading(told, index, is_hard)
        self.has_ffn, ffn = layer.ffn is not None, layer.ffn or FFN((), {})
        self.eps = None if ffn.eps is None else _float(ffn.eps)
        self.hidden = reading(ffn.hidden, index, is_hard)
        out, bias, d = dict(ffn.out), dict(ffn.bias), len(index)
        rows = [
            (
                {column: Fraction(1)} | {d + unit: c for unit, c in enumerate(out.get(name, ()))},
                bias.get(name, Fraction(0)),
            )
            for name, column in index.items()
        ]
        self.fed = BoundedAffine(rows, d + len(ffn.hidden), is_hard)  # the residual connection too

    def attended(self, x: Bound, told: Bound, rows: range, log_n: bool) -> Bound:
        """The vectors at `rows`, (d, batch, rows), with what heads add; `told`: (..., batch, n)."""
        if not self.parts:
            return x
        n, asked = told.x.shape[-1], self.asked(x)
        for head, q, k, v, columns in self.parts:
            seen, kind = visible(head.mask, rows, n), head.attention or self.attention
            values = told.at(v)
            if head.is_uniform and kind in ("softmax", "hardmax"):
                heard = averaged(seen.astype(float), values)
            else:
                query = scaled(asked.at(q), *self._factor(head, n if log_n else None))
                logit = logits(query, told.at(k))
                if kind == "softmax":
                    heard = softmax(logit, seen, values)
                else:
                    is_exact = are_exact(query, told.at(k)) & np.isfinite(logit.x)
                    heard = hardmax(kind, logit, is_exact, seen, values)
            x = added(x, columns, heard)
        return x

    def _factor(self, head: Head, n: int | None) -> tuple[float, float]:
        """What multiplies a logit, logarithms of its base and n, or just their sign; its error."""
        bases = tuple(Fraction(base) for base in (head.base, n) if base is not None)
        if (head.attention or self.attention) != "softmax":
            return float(prod((base > 1) - (base < 1) for base in bases)), 0.0
        return _logarithms(bases)

    def fed_forward(self, x: Bound) -> Bound:
        """The vectors with what the feed-forward network gives to them."""
        if not self.has_ffn:
            return x
        units = self.hidden(x)
        units = relu(units) if self.eps is None else standardized(units, self.eps)
        return self.fed(joined([x, units], 0))


@cache
def _logarithms(bases: tuple[Fraction, ...]) -> tuple[float, float]:
    """The product of their logarithms, and what it may be off by."""
    with ctx.workprec(128):
        product = prod((arb(exactly(base)).log() for base in bases), start=arb(1))
    x = float(product)
    if product in (0, 1):
        return x, 0.0
    is_known = product.rel_accuracy_bits() > 60 and abs(x) > SMALL
    return x if is_known else nan, 2 * U * abs(x)


def reading(forms: Iterable[Form], index: dict[str, int], is_tracked: bool) -> BoundedAffine:
    """Affine forms over the coordinates."""
    rows = [({index[name]: c for name, c in form.terms}, form.constant) for form in forms]
    return BoundedAffine(rows, len(index), is_tracked)


class Level(NamedTuple):
    """The prefixes of one length: where the parent of each was times the number of tokens, plus its
    last token; where its tokens stand in memory; its logit.
    """

    keys: ndarray
    path: ndarray
    logit: Bound


class BoundedReader:
    """Reads `construction` as `Exact` does, whose options these are, as far as bounds tell. Where
    no position looks ahead, prefixes are computed once, and kept for the next strings.
    """

    def __init__(
        self,
        construction: Construction,
        attention: str,
        eps: Fraction | None,
        log_n: bool,
        never_looks_ahead: bool,
    ):
        self.construction, self.log_n = construction, log_n
        self.never_looks_ahead = never_looks_ahead
        self.eps = None if eps is None else _float(eps)
        index = {name: column for column, name in enumerate(construction.space.names)}
        self.tokens = [token for token, _ in construction.word]
        embedded = [form for _, form in (*construction.word, *construction.position)]
        rows = [
            (
                {j: dict(form.terms).get(name, Fraction(0)) for j, form in enumerate(embedded)},
                Fraction(0),
            )
            for name in index
        ]
        is_hard = bool(construction.attentions(attention) - {"softmax"})
        self.embedding = BoundedAffine(rows, len(embedded), is_hard)
        self.layers = [Sublayers(layer, index, attention, is_hard) for layer in construction.layers]
        self.output = reading([construction.output], index, False)
        with_heads = [number for number, layer in enumerate(self.layers) if layer.parts]
        self.last_attention = max(with_heads, default=-1)
        self.levels: list[Level] = []
        self.memory = [Bound(*np.zeros((2, len(layer.told.bias), 0))) for layer in self.layers]

    def logits(self, strings: Sequence[str]) -> Bound:
        """The logit of each string; the bound of a long one is infinite."""
        found = Bound(np.zeros(len(strings)), np.full(len(strings), np.inf))
        read = self._of_prefixes if self.never_looks_ahead else self._of_strings
        for which, codes in by_length(strings):
            if codes.shape[1] + 2 > LONGEST:
                continue
            with np.errstate(all="ignore"):
                logit = read(self.construction.ids(codes))
            found.x[which], found.e[which] = logit.x, logit.e
        return found

    def _of_strings(self, rows: ndarray) -> Bound:
        """The logits of strings of one length, given as tokens (batch, n)."""
        n = rows.shape[1]
        step = max(1, HELD // (n * max(n, len(self.construction.space))))
        found = []
        for start in range(0, len(rows), step):
            x = self._embedded(rows[start : start + step], range(n), n)
            found.append(self._run(x, range(n), lambda _, told: told))
        return joined(found, 0)

    def _of_prefixes(self, rows: ndarray) -> Bound:
        """The same, where no position looks ahead."""
        node = np.zeros(len(rows), int)
        for place in range(rows.shape[1]):
            keys, node = np.unique(node * len(self.tokens) + rows[:, place], return_inverse=True)
            if place == len(self.levels) or not np.array_equal(self.levels[place].keys, keys):
                del self.levels[place:]
                self.levels.append(self._level(keys))
        return self.levels[rows.shape[1] - 1].logit.at(node)

    def _level(self, keys: ndarray) -> Level:
        """One token more, after prefixes of the last level."""
        place, (parents, tokens) = len(self.levels), np.divmod(keys, len(self.tokens))
        held = sum(len(level.keys) for level in self.levels)
        path = np.arange(held, held + len(keys))[:, None]
        if place:
            path = np.concatenate([self.levels[-1].path[parents], path], axis=1)
        self.memory = [
            joined([told.at((..., slice(held))), Bound(*np.empty((2, len(told.x), len(keys))))], 1)
            for told in self.memory
        ]
        found = []
        step = max(1, HELD // (place + len(self.construction.space)))
        for start in range(0, len(keys), step):
            some = path[start : start + step]

            def recall(number: int, told: Bound, some: ndarray = some) -> Bound:
                for kept, part in zip(self.memory[number], told):
                    kept[:, some[:, -1]] = part[..., 0]
                return Bound(*(kept.take(some, axis=1) for kept in self.memory[number]))

            rows = range(place, place + 1)
            x = self._embedded(tokens[start : start + step, None], rows, place + 1)
            found.append(self._run(x, rows, recall))
        return Level(keys, path, joined(found, 0))

    def _embedded(self, tokens: ndarray, rows: range, n: int) -> Bound:
        """WE + PE of tokens (batch, rows) that stand at `rows`, (d, batch, rows)."""
        symbols, formulas = len(self.tokens), [f for f, _ in self.construction.position]
        values = np.array([[_encoding(f, i, n) for f in formulas] for i in rows])
        given = np.zeros((2, symbols + len(formulas), symbols, len(rows)))
        given[0, :symbols] = np.eye(symbols)[..., None]
        given[:, symbols:] = values.reshape(len(rows), -1, 2).T[:, :, None]
        return self.embedding(Bound(*given)).at((slice(None), tokens, np.arange(len(rows))))

    def _run(self, x: Bound, rows: range, recall: Callable[[int, Bound], Bound]) -> Bound:
        """The logits (batch,) of vectors (d, batch, rows) that stand at `rows`; `recall` puts what
        earlier positions tell a layer's heads before what these do.
        """
        narrow = slice(0, 1) if self.construction.readout == "CLS" else slice(-1, None)
        for number, layer in enumerate(self.layers):
            told = recall(number, layer.told(x))
            if number >= self.last_attention:
                x, rows = x.at((..., narrow)), rows[narrow]
            c = self._normalized(layer.attended(x, told, rows, self.log_n))
            x = self._normalized(layer.fed_forward(c))
        return self.output(x.at((..., narrow))).at((0, ..., 0))

    def _normalized(self, x: Bound) -> Bound:
        return x if self.eps is None else standardized(x, self.eps)
