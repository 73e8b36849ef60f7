"""The exact reader: a construction run in rationals and, where softmax leaves them, in balls that
contain the truth.

A ball is a number with a proved error bound (arb, by python-flint). The sign of a logit is
certified when its ball excludes 0; otherwise the precision is doubled and the string run again.
Rational results carry no error.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from lib.checks import Number, checked_eps, whole
from lib.transformer.construction import Construction, Head, Layer
from lib.transformer.positions import position
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
    """Runs `construction` exactly, with `attention` "softmax" (balls where needed) or "hardmax"
    (always rational).

    Hardmax is the averaging kind: the weight is shared by all positions whose logit is largest.
    `eps` is the constant of layer normalization after every residual connection (gamma = 1, beta =
    0), None for no layer normalization; a float stands for the rational that it stores. `log_n`
    multiplies every attention logit by log n (Chiang & Cholak 2022, equation 2): where logits are
    integers, weights are then powers of n, and the result is rational. Hardmax cannot be combined
    with it: the ties that it shares could not be proved.
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
                f"hardmax under layer normalization cannot be read exactly: use eps=None, not eps={eps!r}"
            )
        self.construction, self.attention, self.log_n = construction, attention, log_n
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

    def logit(self, w: str, bits: int = FIRST_BITS) -> Value:
        """The logit s of `w`: an exact rational where it is provably one, else a ball computed with
        `bits` bits.
        """
        with ctx.workprec(bits):
            return self._run(w)

    def trace(self, w: str, bits: int = FIRST_BITS) -> Trace:
        """Every coordinate at every position (lists over i = 0..n-1) and all attention weights
        (lists of rows).
        """
        trace = Trace([self.construction.tokens(w)])
        with ctx.workprec(bits):
            self._run(w, trace)
        return trace

    def _run(self, w: str, trace: Trace | None = None) -> Value:
        stream, layers = self._embed(self.construction.tokens(w)), self.construction.layers
        if trace:
            trace.a.append(stream)
        for number, layer in enumerate(layers, start=1):
            heard_later = any(
                later.heads for later in layers[number:]
            )  # otherwise only CLS is read from here on
            everywhere = trace is not None or heard_later
            c = self._normalize(self._attend(number, layer, stream, everywhere, trace))
            stream = self._normalize(_feed_forward(layer, c))
            if trace:
                trace.c.append(c)
                trace.a.append(stream)
        return _column(self.construction.output, stream)[0]

    def _embed(self, tokens: list[str]) -> Stream:
        stream: Stream = {}
        word = dict(self.construction.word)
        for name in {name: None for form in word.values() for name in form.names}:
            value = {token: _fmpq(dict(form.terms).get(name, 0)) for token, form in word.items()}
            stream[name] = [value[token] for token in tokens]
        for f, form in self.construction.position:
            for name, coefficient in form.terms:
                _add(
                    stream,
                    name,
                    [_fmpq(coefficient) * _position(f, i, len(tokens)) for i in range(len(tokens))],
                )
        return stream

    def _attend(
        self, number: int, layer: Layer, stream: Stream, everywhere: bool, trace: Trace | None
    ) -> Stream:
        n = _length(stream)
        queries = range(n if everywhere else 1)
        result = {name: values[: len(queries)] for name, values in stream.items()}
        for index, head in enumerate(layer.heads, start=1):
            logits = _logits(head, stream, queries)
            for name, form in head.v:
                values = _column(form, stream)
                _add(
                    result,
                    name,
                    [self._average(head.base, logits[0], values)] * len(queries)
                    if head.is_uniform
                    else [self._average(head.base, row, values) for row in logits],
                )
            if trace:
                units = [[fmpq(int(j == i)) for j in range(n)] for i in range(n)]
                trace.attention[number, index] = [
                    [self._average(head.base, row, unit) for unit in units] for row in logits
                ]
        return result

    def _normalize(self, stream: Stream) -> Stream:
        """Layer normalization of every position over all d coordinates, those not yet written
        counting as 0.
        """
        if self.eps is None:
            return stream
        names, n = self.construction.space.names, _length(stream)
        positions = []
        for vector in zip(*(stream.get(name, [fmpq(0)] * n) for name in names)):
            mean = sum(vector, fmpq(0)) / len(names)
            centred = [x - mean for x in vector]
            variance = sum((x * x for x in centred), fmpq(0)) / len(names) + self.eps
            if variance == 0:
                raise ZeroDivisionError(
                    "layer normalization with eps = 0 of a vector whose coordinates are all equal is 0/0"
                )
            scale = arb(variance).rsqrt()  # not a number while the variance may be 0
            positions.append([fmpq(0) if x == 0 and variance > 0 else x * scale for x in centred])
        return dict(zip(names, map(list, zip(*positions))))

    def _average(self, base: Fraction | None, logits: list[Value], values: list[Value]) -> Value:
        """sum_j alpha_j v_j for the attention weights alpha of one query of a head with that base."""
        if self.attention == "hardmax":
            largest = max(logits)
            chosen = [v for logit, v in zip(logits, values) if logit == largest]
            return sum(chosen, fmpq(0)) / len(chosen)
        groups: dict[
            object, tuple[Value, int, Value]
        ] = {}  # logit, how many positions have it, the sum of their values
        for j, (logit, v) in enumerate(zip(logits, values)):
            key = logit if isinstance(logit, fmpq) else (j,)  # two balls are not known to be equal
            _, count, total = groups.get(key, (logit, 0, fmpq(0)))
            groups[key] = (logit, count + 1, total + v)
        means = [total / count for _, count, total in groups.values()]
        if len(means) == 1 or all(isinstance(mean, fmpq) and mean == means[0] for mean in means):
            return means[0]  # a weighted mean of equal numbers, whatever the weights
        bases = ([_fmpq(base)] if base is not None else []) + (
            [fmpq(len(logits))] if self.log_n else []
        )
        weights = [(_power(bases, logit), count, total) for logit, count, total in groups.values()]
        return sum(e * total for e, _, total in weights) / sum(e * count for e, count, _ in weights)


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
    gain, rows = _fmpq(head.gain), [[fmpq(0)] * _length(stream) for _ in queries]
    for q, k in zip(head.q, head.k):
        asked, offered = _column(q, stream), _column(k, stream)
        rows = [
            [logit + gain * asked[i] * key for logit, key in zip(row, offered)]
            for i, row in zip(queries, rows)
        ]
    return rows


def _feed_forward(layer: Layer, stream: Stream) -> Stream:
    if layer.ffn is None:
        return stream
    result = dict(stream)
    hidden = [[_relu(x) for x in _column(form, stream)] for form in layer.ffn.hidden]
    for name, row in layer.ffn.out:
        for coefficient, unit in zip(row, hidden):
            _add(result, name, [_fmpq(coefficient) * x for x in unit])
    for name, bias in layer.ffn.bias:
        _add(result, name, [_fmpq(bias)] * _length(stream))
    return result


def _column(form: Form, stream: Stream) -> list[Value]:
    """The values of a form at every position of the stream; a coordinate not yet written counts as
    0.
    """
    total = [_fmpq(form.constant)] * _length(stream)
    for name, coefficient in form.terms:
        if name in stream:
            c = _fmpq(coefficient)
            total = [t + c * x for t, x in zip(total, stream[name])]
    return total


def _add(stream: Stream, name: str, values: list[Value]) -> None:
    """The residual connection: adds `values` to a coordinate, which starts as them if it is not yet
    written.
    """
    stream[name] = [x + y for x, y in zip(stream[name], values)] if name in stream else values


def _length(stream: Stream) -> int:
    return len(next(iter(stream.values())))


def _relu(x: Value) -> Value:
    if isinstance(x, fmpq) or x < 0:
        return max(x, fmpq(0)) if isinstance(x, fmpq) else fmpq(0)
    return x.max(arb(0))


def _sign(s: Value) -> int | None:
    return (
        1 if s > 0 else -1 if s < 0 else 0 if s == 0 else None
    )  # a ball equals 0 only if it holds nothing else


def _fmpq(value: Fraction | int) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _position(f: str, i: int, n: int) -> fmpq:
    return _fmpq(position(f)(Fraction(i), Fraction(n)))
