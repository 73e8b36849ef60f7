"""The exact reader: a construction run in rationals and, where softmax leaves them, in balls that
contain the truth.

A ball is a number with a proved error bound (arb, by python-flint). The sign of a logit is
certified when its ball excludes 0; otherwise the precision is doubled and the string run again.
Rational results carry no error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import overload

from flint import arb, ctx, fmpq

from lib.checks import Number, checked_eps, whole
from lib.transformer.construction import Construction, Head, Layer
from lib.transformer.positions import position
from lib.transformer.reader import Batch, checked_construction
from lib.transformer.space import Form
from lib.transformer.trace import Trace

Value = fmpq | arb
Stream = dict[str, list[Value]]

FIRST_BITS, MAX_BITS = 64, 4096


@dataclass(frozen=True)
class Decision:
    """A certified decision: `sign` of the logit `s` is 1, 0 or -1 (proved), or None (undecided at
    `bits` bits).

    `accepting_sign` is the sign with which the construction accepts.
    """

    s: Value
    sign: int | None
    bits: int
    accepting_sign: int = 1

    @property
    def accepts(self) -> bool | None:
        """Whether the string is accepted (for a sigmoid: probability above 1/2, that is s > 0);
        None if undecided.
        """
        return None if self.sign is None else self.sign == self.accepting_sign


class Exact:
    """Reads `construction` exactly, with `attention` "softmax" (balls where needed) or "hardmax"
    (always rational): a `lib.transformer.reader.Reader`.

    Hardmax is the averaging kind: the weight is shared by all positions whose logit is largest.
    `eps` is the constant of layer normalization after every residual connection (gamma = 1, beta =
    0), None for no layer normalization; a float stands for the rational that it stores. `log_n`
    multiplies every attention logit by log n (Chiang & Cholak 2022, equation 2): where logits are
    integers, weights are then powers of n, and the result is rational. Hardmax is the same with
    and without it. Refused, with ValueError, is hardmax under layer normalization: two balls that
    overlap may or may not be a tie, and no precision would tell.
    """

    def __init__(
        self,
        construction: Construction,
        attention: str = "softmax",
        eps: Number | None = None,
        log_n: bool = False,
    ):
        if attention not in ("softmax", "hardmax"):
            raise ValueError(f"attention must be 'softmax' or 'hardmax', not {attention!r}")
        if attention == "hardmax" and eps is not None:
            raise ValueError(
                "hardmax under layer normalization cannot be read exactly: use eps=None, not "
                f"{eps!r}"
            )
        self.construction = checked_construction(construction)
        self.attention, self.log_n = attention, log_n
        self.eps = None if eps is None else _fmpq(checked_eps(eps))

    def decide(self, w: str, max_bits: int = MAX_BITS) -> Decision:
        """The certified decision on `w`: precision doubles from 64 bits until the sign is proved,
        or `max_bits` is passed.
        """
        bits = min(FIRST_BITS, max(2, whole(max_bits, "a number of bits")))
        while True:
            s = self.logit(w, bits)
            sign = _sign(s)
            if sign is not None or 2 * bits > max_bits:
                return Decision(s, sign, bits, self.construction.accepting_sign)
            bits *= 2

    @overload
    def accepts(self, strings: str) -> bool | None: ...

    @overload
    def accepts(self, strings: Batch) -> list[bool | None]: ...

    def accepts(self, strings: str | Batch) -> bool | None | list[bool | None]:
        """Whether a string, or each of a batch, is accepted; None where that is undecided."""
        if isinstance(strings, str):
            return self.decide(strings).accepts
        return [self.decide(w).accepts for w in strings]

    def logit(self, w: str, bits: int = FIRST_BITS) -> Value:
        """The logit s of `w`: an exact rational where it is provably one, else a ball computed with
        `bits` bits.
        """
        with ctx.workprec(bits):
            return self._run(w)

    def trace(self, strings: str, bits: int = FIRST_BITS) -> Trace:
        """Every coordinate at every position of one string (lists over i = 0..n-1) and all
        attention weights (lists of rows).
        """
        attention: dict[tuple[int, int], list[list[Value]]] = {}
        trace = Trace([self.construction.tokens(strings)], attention=attention)
        with ctx.workprec(bits):
            self._run(strings, trace, attention)
        return trace

    def _run(self, w: str, trace: Trace | None = None, attention: dict | None = None) -> Value:
        """The logit; `trace` and `attention` are filled on the way."""
        stream, layers = self._embed(self.construction.tokens(w)), self.construction.layers
        if trace:
            trace.a.append(stream)
        for number, layer in enumerate(layers, start=1):
            only_cls = trace is None and not any(later.heads for later in layers[number:])
            if attention is not None:
                for index, head in enumerate(layer.heads, start=1):
                    attention[number, index] = self._weights(head, stream)
            c = self._normalize(self._attend(layer, stream, only_cls))
            stream = self._normalize(_feed_forward(layer, c))
            if trace:
                trace.c.append(c)
                trace.a.append(stream)
        return _column(self.construction.output, stream)[0]

    def _embed(self, tokens: list[str]) -> Stream:
        """a^{0,i} = WE(w_i) + PE(i)."""
        stream: Stream = {}
        word = {token: dict(form.terms) for token, form in self.construction.word}
        for name in dict.fromkeys(name for terms in word.values() for name in terms):
            value = {token: _fmpq(terms.get(name, 0)) for token, terms in word.items()}
            stream[name] = [value[token] for token in tokens]
        n = len(tokens)
        for formula, form in self.construction.position:
            encoding = [_position(formula, i, n) for i in range(n)]
            for name, coefficient in form.terms:
                _add(stream, name, [_fmpq(coefficient) * x for x in encoding])
        return stream

    def _attend(self, layer: Layer, stream: Stream, only_cls: bool) -> Stream:
        """c^{l,i}: the residual stream plus what every head writes, at CLS alone or everywhere."""
        queries = range(1 if only_cls else _length(stream))
        result = {name: values[: len(queries)] for name, values in stream.items()}
        for head in layer.heads:
            logits = _logits(head, stream, queries)
            for name, form in head.v:
                values = _column(form, stream)
                if head.is_uniform:
                    outputs = [self._average(head.base, logits[0], values)] * len(queries)
                else:
                    outputs = [self._average(head.base, row, values) for row in logits]
                _add(result, name, outputs)
        return result

    def _weights(self, head: Head, stream: Stream) -> list[list[Value]]:
        """The attention weights of a head, a row for each query."""
        n = _length(stream)
        units: list[list[Value]] = [[fmpq(int(j == i)) for j in range(n)] for i in range(n)]
        logits = _logits(head, stream, range(n))
        return [[self._average(head.base, row, unit) for unit in units] for row in logits]

    def _normalize(self, stream: Stream) -> Stream:
        """Layer normalization of every position over all d coordinates, those not yet written
        counting as 0.
        """
        if self.eps is None:
            return stream
        names, n = self.construction.space.names, _length(stream)
        zeros: list[Value] = [fmpq(0)] * n
        columns = [stream.get(name, zeros) for name in names]
        vectors = [_standardized(vector, self.eps) for vector in zip(*columns, strict=True)]
        return {name: [vector[r] for vector in vectors] for r, name in enumerate(names)}

    def _average(self, base: Fraction | None, logits: list[Value], values: list[Value]) -> Value:
        """sum_j alpha_j v_j for the attention weights alpha of one query of a head with that
        base.
        """
        if self.attention == "hardmax":
            return _hardmax_average(base, logits, values)
        groups = _by_logit(logits, values)
        means = [total / count for _, count, total in groups]
        if len(means) == 1 or all(isinstance(mean, fmpq) and mean == means[0] for mean in means):
            return means[0]  # a weighted mean of equal numbers, whatever the weights
        bases = [] if base is None else [_fmpq(base)]
        if self.log_n:
            bases.append(fmpq(len(logits)))
        weights = [(_power(bases, logit), count, total) for logit, count, total in groups]
        above = _sum(weight * total for weight, _, total in weights)
        return above / _sum(weight * count for weight, count, _ in weights)


def _hardmax_average(base: Fraction | None, logits: list[Value], values: list[Value]) -> Value:
    """The mean of the values whose logit is largest; the logarithm of a base below 1 turns the
    order round, that of base 1 makes all logits equal.
    """
    sign = 1 if base is None else (base > 1) - (base < 1)
    largest = max(sign * logit for logit in logits)
    chosen = [v for logit, v in zip(logits, values, strict=True) if sign * logit == largest]
    return _sum(chosen) / len(chosen)


def _by_logit(logits: list[Value], values: list[Value]) -> list[tuple[Value, int, Value]]:
    """Each logit, how many positions have it, and the sum of their values; two balls are not known
    to be equal, and stay apart.
    """
    groups: dict[object, tuple[Value, int, Value]] = {}
    for j, (logit, v) in enumerate(zip(logits, values, strict=True)):
        key = logit if isinstance(logit, fmpq) else (j,)
        _, count, total = groups.get(key, (logit, 0, fmpq(0)))
        groups[key] = (logit, count + 1, total + v)
    return list(groups.values())


def _power(bases: list[fmpq], logit: Value) -> Value:
    """What an attention logit weighs before normalization: e to its power, each base's logarithm
    being a factor of it.
    """
    if len(bases) == 1 and isinstance(logit, fmpq) and logit.q == 1:
        return bases[0] ** int(logit.p)
    for base in bases:
        logit = logit * arb(base).log()
    return arb(logit).exp()


def _logits(head: Head, stream: Stream, queries: range) -> list[list[Value]]:
    """One row of attention logits per query: gain * sum_r q_r(a_i) k_r(a_j)."""
    gain = _fmpq(head.gain)
    rows: list[list[Value]] = [[fmpq(0)] * _length(stream) for _ in queries]
    for q_form, k_form in zip(head.q, head.k, strict=True):
        q, k = _column(q_form, stream), _column(k_form, stream)
        for i, row in zip(queries, rows, strict=True):
            scaled = gain * q[i]
            row[:] = [logit + scaled * key for logit, key in zip(row, k, strict=True)]
    return rows


def _standardized(vector: Sequence[Value], eps: fmpq) -> list[Value]:
    """Layer normalization of one vector; ZeroDivisionError for 0/0."""
    mean = _sum(vector) / len(vector)
    centred = [x - mean for x in vector]
    variance = _sum(x * x for x in centred) / len(vector) + eps
    if variance == 0:
        raise ZeroDivisionError(
            "layer normalization with eps = 0 of a vector whose coordinates are all equal is 0/0"
        )
    scale = arb(variance).rsqrt()  # not a number while the variance may be 0
    return [fmpq(0) if x == 0 and variance > 0 else x * scale for x in centred]


def _feed_forward(layer: Layer, stream: Stream) -> Stream:
    """a^{l,i}: the residual stream plus W2 max(0, W1 c + b1) + b2."""
    if layer.ffn is None:
        return stream
    result = dict(stream)
    hidden = [[_relu(x) for x in _column(form, stream)] for form in layer.ffn.hidden]
    for name, row in layer.ffn.out:
        for coefficient, unit in zip(row, hidden, strict=True):
            _add(result, name, [_fmpq(coefficient) * x for x in unit])
    for name, bias in layer.ffn.bias:
        _add(result, name, [_fmpq(bias)] * _length(stream))
    return result


def _column(form: Form, stream: Stream) -> list[Value]:
    """The values of a form at every position of the stream; a coordinate not yet written counts as
    0.
    """
    total: list[Value] = [_fmpq(form.constant)] * _length(stream)
    for name, coefficient in form.terms:
        if name in stream:
            c = _fmpq(coefficient)
            total = [t + c * x for t, x in zip(total, stream[name], strict=True)]
    return total


def _add(stream: Stream, name: str, values: Sequence[Value]) -> None:
    """The residual connection: adds `values` to a coordinate, which starts as them if it is not yet
    written.
    """
    if name in stream:
        stream[name] = [x + y for x, y in zip(stream[name], values, strict=True)]
    else:
        stream[name] = list(values)


def _length(stream: Stream) -> int:
    return len(next(iter(stream.values())))


def _sum(values: Iterable[Value]) -> Value:
    total: Value = fmpq(0)
    for value in values:
        total = total + value
    return total


def _relu(x: Value) -> Value:
    if isinstance(x, fmpq):
        return max(x, fmpq(0))
    return fmpq(0) if x < 0 else x.max(arb(0))


def _sign(s: Value) -> int | None:
    """The sign that is proved, or None; a ball equals 0 only if it holds nothing else."""
    if s > 0:
        return 1
    if s < 0:
        return -1
    return 0 if s == 0 else None


def _fmpq(value: Fraction | int) -> fmpq:
    return fmpq(value.numerator, value.denominator)


@cache
def _position(formula: str, i: int, n: int) -> fmpq:
    return _fmpq(position(formula)(Fraction(i), Fraction(n)))
