"""The exact reader: a construction run in rationals and, where softmax leaves them, in balls that
contain the truth.

A ball is a number with a proved error bound (arb, by python-flint). The sign of a logit is
certified when its ball excludes 0; otherwise the precision is doubled and the string run again.
Rational results carry no error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import compress
from math import prod
from typing import overload

import numpy as np
from flint import arb, ctx, fmpq

from lib.checks import Number, an, between, check_strings, flag, one_of, shown, takes
from lib.transformer.bounded import BoundedReader
from lib.transformer.construction import (
    Batch,
    Construction,
    Made,
    Trace,
    add,
    constructed,
    depends_on_length,
    position,
    read_with,
)
from lib.transformer.space import Form, exactly
from lib.transformer.sublayers import ATTENTIONS, FFN, Head

Value = fmpq | arb
Values = Sequence[Sequence[Value]]  # what a head reads: a row for each position
Vector = dict[str, Value]  # one position of the residual stream; what is absent counts as 0
Stream = dict[int, Vector]  # by position
UNIQUE = ("leftmost", "rightmost")  # kinds that attend to one position, whatever ties
ZERO = fmpq(0)
FIRST_BITS, MAX_BITS = 64, 4096
FLOAT_BITS = 53  # of a float
LEAST = 5e-324  # float above 0
LARGEST_POWER = 1 << 20  # bits of a power that is kept as a rational; beyond, a ball will do


class Affine:
    """A form with its coefficients made ready: a function of a vector."""

    def __init__(self, form: Form):
        self.terms = [(name, exactly(c)) for name, c in form.terms]
        self.constant = exactly(form.constant)
        self._name = None  # of a form that is one coordinate, which is read, not computed
        if len(form.terms) == 1 and form.terms[0][1] == 1 and not form.constant:
            self._name = form.terms[0][0]

    def __call__(self, vector: Mapping[str, Value]) -> Value:
        if self._name is not None:
            return vector.get(self._name, ZERO)
        total: Value = self.constant
        for name, coefficient in self.terms:
            if name in vector:
                total = total + coefficient * vector[name]
        return total


def attended(
    kind: str, bases: list[fmpq], logits: Sequence[Value], values: Values
) -> Sequence[Value]:
    """What attention of that kind gives to one query: a number for each column of `values`, which
    has a row for each position. The logarithm of each base is a factor of every logit.
    """
    if kind == "softmax":
        return _softmax_averages(bases, logits, values)
    # The logarithm of a base below 1 turns the order round, that of base 1 makes all logits equal.
    direction = prod((base > 1) - (base < 1) for base in bases)
    turned = logits if direction == 1 else [direction * logit for logit in logits]
    most = max(turned, key=lambda logit: logit.lower() if isinstance(logit, arb) else logit)
    largest = [(x, row) for x, row in zip(turned, values, strict=True) if not x < most]
    rows = [row for _, row in largest]
    if len(rows) > 1 and any(isinstance(x, arb) for x, _ in largest):  # a tie, or none
        return [reduce(arb.union, map(arb, column)) for column in zip(*rows, strict=True)]
    if kind == "hardmax":
        return [sum_of(column) / len(rows) for column in zip(*rows, strict=True)]
    return {"leftmost": rows[0], "rightmost": rows[-1]}[kind]


def standardized(
    vector: Sequence[Value], eps: fmpq, rsqrt: Callable[[Value], Value] = lambda x: arb(x).rsqrt()
) -> list[Value]:
    """Layer normalization of one vector; ZeroDivisionError for 0/0."""
    mean = sum_of(vector) / len(vector)
    centred = [x - mean for x in vector]
    variance = sum_of(x * x for x in centred) / len(vector) + eps
    if variance == 0:
        raise ZeroDivisionError(
            "layer normalization with eps = 0 of a vector whose coordinates are all equal is 0/0"
        )
    scale = rsqrt(variance)  # not a number while the variance may be 0
    return [ZERO if x == 0 and variance > 0 else x * scale for x in centred]


def rational_rsqrt(x: Value) -> Value:
    """1 / sqrt(x) of what is not 0, rational where that is known to be rational."""
    if isinstance(x, fmpq) and x.p.is_square() and x.q.is_square():
        return fmpq(x.q.isqrt(), x.p.isqrt())
    return arb(x).rsqrt()


def sum_of(values: Iterable[Value]) -> Value:
    """The sum, rational where every value is."""
    return sum(values, ZERO)


def relu(x: Value) -> Value:
    """max(0, x)."""
    if isinstance(x, fmpq):
        return max(x, ZERO)
    return ZERO if x < 0 else x.max(arb(0))


def sign(s: Value) -> int | None:
    """The sign that is proved, or None; a ball equals 0 only if it holds nothing else."""
    if s > 0:
        return 1
    if s < 0:
        return -1
    return 0 if s == 0 else None


@cache
def position_value(formula: str, i: int, n: int) -> fmpq:
    """A position encoding's value."""
    return exactly(position(formula)(Fraction(i), Fraction(n)))


def _softmax_averages(bases: list[fmpq], logits: Sequence[Value], values: Values) -> list[Value]:
    """sum_j alpha_j v_j for each column of `values`, a row for each position, with weights alpha_j
    proportional to e to the logit times each base's logarithm.
    """
    groups = _by_logit(logits, values)
    weights: list[Value] = []
    averages: list[Value] = []
    for column in range(len(values[0])):
        means = [totals[column] / count for _, count, totals in groups]
        if len(means) == 1 or all(isinstance(mean, fmpq) and mean == means[0] for mean in means):
            averages.append(means[0])  # a weighted mean of equal numbers, whatever the weights
            continue
        weights = weights or [_power(bases, logit) for logit, _, _ in groups]
        shares = list(zip(weights, groups, strict=True))
        above = sum_of(weight * totals[column] for weight, (_, _, totals) in shares)
        averages.append(above / sum_of(weight * count for weight, (_, count, _) in shares))
    return averages


def _by_logit(logits: Sequence[Value], values: Values) -> list[tuple[Value, int, list[Value]]]:
    """Each logit, how many positions have it, and the sums of their values. Two balls are not known
    to be equal, so they stay apart.
    """
    groups: dict[object, tuple[Value, int, list[Value]]] = {}
    for j, (logit, row) in enumerate(zip(logits, values, strict=True)):
        key = (int(logit.p), int(logit.q)) if isinstance(logit, fmpq) else j
        _, count, totals = groups.get(key, (logit, 0, [ZERO] * len(row)))
        both = [total + value for total, value in zip(totals, row, strict=True)]
        groups[key] = (logit, count + 1, both)
    return list(groups.values())


def _power(bases: list[fmpq], logit: Value) -> Value:
    """The weight of a logit before normalization: e to the logit times each base's logarithm."""
    if len(bases) == 1 and isinstance(logit, fmpq) and logit.q == 1:
        digits = max(bases[0].p.bit_length(), bases[0].q.bit_length())
        if abs(logit.p) * digits <= LARGEST_POWER:
            return bases[0] ** int(logit.p)
    for base in bases:
        logit = logit * arb(base).log()
    return arb(logit).exp()


class Memory:
    """Keys and values that a head has seen so far; for a uniform mean, running sums."""

    def __init__(self, head: Head, attention: str):
        self.head, self.names = head, [name for name, _ in head.v]
        self.attention = head.attention or attention
        self._sums = head.is_uniform and self.attention not in UNIQUE
        self._base = [] if head.base is None else [exactly(head.base)]
        self._q = [Affine(form * head.gain) for form in head.q]
        self._k = [Affine(form) for form in head.k]
        self._v = [Affine(form) for _, form in head.v]
        self._keys: list[list[Value]] = []
        self._values: list[Sequence[Value]] = []

    def put(self, vector: Vector) -> None:
        """One position more."""
        read = [form(vector) for form in self._v]
        if self._sums and self._values:
            last = self._values[-1]
            read = [total + value for total, value in zip(last, read, strict=True)]
        self._values.append(read)
        self._keys.append([] if self._sums else [form(vector) for form in self._k])

    def forget(self) -> None:
        """Forgets all positions."""
        self._values.clear()
        self._keys.clear()

    def read(self, vector: Vector, bases: Sequence[fmpq] = ()) -> Sequence[Value]:
        """What a query attends to, a number for each value row. Every logit is multiplied by the
        logarithm of each of the `bases`.
        """
        if self._sums:
            return [total / len(self._values) for total in self._values[-1]]
        query = [form(vector) for form in self._q]
        heard = [(row, x) for row, x in enumerate(query) if x]
        logits = [sum_of([x * key[row] for row, x in heard if key[row]]) for key in self._keys]
        return attended(self.attention, [*self._base, *bases], logits, self._values)

    def step(
        self, vector: Vector, bases: Sequence[fmpq] = (), attends: bool = True
    ) -> Sequence[Value]:
        """What a masked head gives to the next position, if that `attends`; it is remembered."""
        strict = self.head.mask == "strict future"
        if not strict:
            self.put(vector)
        is_heard = attends and self._values  # else nothing is given, or nobody asks for it
        written = self.read(vector, bases) if is_heard else [ZERO] * len(self._v)
        if strict:
            self.put(vector)
        return written

    def write(self, vector: Vector, written: Sequence[Value]) -> None:
        """The residual connection: adds to a vector what the head gives to it."""
        for name, value in zip(self.names, written, strict=True):
            add(vector, name, value)


class FeedForward:
    """W2 max(0, W1 c + b1) + b2, or with layer normalization in place of max(0, x). Where the sign
    of every hidden unit is proved, the sum of the active units is one affine form, in which what
    cancels is gone before balls are rounded.
    """

    def __init__(self, ffn: FFN):
        self._eps = None if ffn.eps is None else exactly(ffn.eps)
        self._hidden = [Affine(form) for form in ffn.hidden]
        self._inputs = {f"h{unit}": form for unit, form in enumerate(ffn.hidden, start=1)}
        rows, biases = dict(ffn.out), dict(ffn.bias)
        self._out = {
            name: Form(tuple(zip(self._inputs, rows.get(name, ()))), biases.get(name, Fraction(0)))
            for name in ffn.writes
        }
        self._of_units = {name: Affine(form) for name, form in self._out.items()}
        self._regions: dict[tuple[bool, ...], dict[str, Affine]] = {}

    def __call__(self, vector: Vector) -> Vector:
        """The vector with the sublayer's output added to it."""
        units = [form(vector) for form in self._hidden]
        signs, lost = [sign(x) for x in units], ZERO
        if self._eps is not None:
            normalized = standardized(units, self._eps, rational_rsqrt)  # ±1 is then ±1, no ball
            forms, read = self._of_units, dict(zip(self._inputs, normalized, strict=True))
            lost = sum_of(ZERO * x for x in normalized)  # no number where one is none
        elif None in signs:
            forms, read = self._of_units, dict(zip(self._inputs, map(relu, units), strict=True))
        else:
            forms, read = self._region(tuple(s == 1 for s in signs)), vector
        result = dict(vector)
        for name, form in forms.items():
            add(result, name, form(read) + lost)
        return result

    def _region(self, active: tuple[bool, ...]) -> dict[str, Affine]:
        """The affine forms that the sublayer writes where those units are active."""
        if active not in self._regions:
            on = dict(compress(self._inputs.items(), active))
            self._regions[active] = {}
            for name, row in self._out.items():
                terms = (on[unit] * c for unit, c in row.terms if unit in on)
                self._regions[active][name] = Affine(sum(terms, Form((), row.constant)))
        return self._regions[active]


@dataclass(frozen=True)
class Decision:
    """A certified decision: `sign` of the logit `s` is 1, 0 or -1 (proved), or None (undecided at
    `bits` bits). `accepting_sign` is the sign with which the construction accepts.
    """

    s: Value
    sign: int | None
    bits: int
    accepting_sign: int = 1

    @property
    def accepts(self) -> bool | None:
        """Whether the string is accepted (for a sigmoid: s > 0); None if undecided."""
        return None if self.sign is None else self.sign == self.accepting_sign


class Exact:
    """Reads `construction` exactly: by softmax (balls where needed) or a hard kind of attention
    (rational, but after a `norm`). `lib.transformer.construction` says what a reader offers.

    `attention` ("softmax" by default), `eps` and `log_n` are those of a `Reading`, for a
    construction without one; ValueError for one that contradicts it. "hardmax" shares the weight
    among all positions whose logit is largest; "leftmost" and "rightmost" give it to the first or
    the last of them. A float `eps` stands for the rational that it stores. With `log_n`, where
    logits are integers, weights are powers of n, and the result is rational. The hard kinds are the
    same with and without it. Refused, with ValueError, are those under layer normalization: two
    balls that overlap may or may not be a tie, and no precision would tell. Of a hard head that
    reads what a softmax head or a `norm` wrote, such strings are undecided.
    """

    @takes(attention=one_of(ATTENTIONS), log_n=flag)
    def __init__(
        self,
        construction: Construction | Made,
        attention: str | None = None,
        eps: Number | None = None,
        log_n: bool | None = None,
    ):
        self.construction = construction = constructed(construction)
        reading = read_with(construction, attention, eps, log_n)
        self.attention, self.log_n = reading.attention, reading.log_n
        hard = construction.attentions(self.attention) - {"softmax"}
        if (hard or self.attention != "softmax") and reading.eps is not None:
            raise ValueError(
                f"{min(hard, default=self.attention)} under layer normalization cannot be read "
                f"exactly: use eps=None, not {reading.eps if eps is None else eps}"
            )
        self.eps = None if reading.eps is None else exactly(reading.eps)
        zero = {name: ZERO for _, form in construction.word for name, _ in form.terms}
        self._word: dict[str, Vector] = {
            token: {**zero, **{name: exactly(c) for name, c in form.terms}}
            for token, form in construction.word
        }
        terms = ((f, *term) for f, form in construction.position for term in form.terms)
        self._position = [(formula, name, exactly(c)) for formula, name, c in terms]
        memories = (
            [Memory(head, self.attention) for head in layer.heads if head.v]
            for layer in construction.layers
        )
        fed = (FeedForward(layer.ffn or FFN((), {})) for layer in construction.layers)
        self._layers = [*zip(memories, fed, strict=True)]
        self._output = Affine(construction.output)
        with_heads = (number for number, (heads, _) in enumerate(self._layers) if heads)
        self._last_attention = max(with_heads, default=-1)

    @property
    def never_looks_ahead(self) -> bool:
        """Whether what a position holds depends on the tokens up to it alone, and the last one is
        read: bounds then share the work on what strings begin with.
        """
        construction = self.construction
        return (
            construction.readout == "last"
            and not self.log_n
            and all(head.mask for layer in construction.layers for head in layer.heads)
            and not any(depends_on_length(formula) for formula, _ in construction.position)
        )

    @takes(max_bits=between(0))
    def decide(self, w: str, max_bits: int = MAX_BITS) -> Decision:
        """The certified decision: bits double from 64, at most to `max_bits`, till it is proved."""
        bits = min(FIRST_BITS, max(2, max_bits))
        while True:
            s = self.logit(w, bits)
            decision = Decision(s, sign(s), bits, self.construction.accepting_sign)
            if decision.sign is not None or 2 * bits > max_bits:
                return decision
            bits *= 2

    @overload
    def accepts(self, strings: str) -> bool | None: ...

    @overload
    def accepts(self, strings: Batch) -> list[bool | None]: ...

    def accepts(self, strings: str | Batch) -> bool | None | list[bool | None]:
        """Whether a string, or each of a batch, is accepted; None where that is undecided. Of a
        batch bounds in float64 decide what they can: the same answers, sooner.
        """
        if isinstance(strings, str):
            return self.decide(strings).accepts
        return self.decided(strings)[0]

    @takes(strings=an(list, tuple))
    def decided(self, strings: Batch) -> tuple[list[bool | None], np.ndarray | None]:
        """What `accepts` says of each of a batch, and how far its logit is from 0, in float64, to
        six digits where it may be the nearest. None in place of these where a logit of 0 is what
        accepts: no distance is a margin then.
        """
        check_strings(strings, self.construction.alphabet)
        logits = self._bounded.logits(strings)
        accepting = self.construction.accepting_sign
        answers: list[bool | None] = (logits.signs == accepting).tolist()
        sizes, off = np.abs(logits.x), logits.e
        may_be_nearest = sizes - off <= (sizes + off).min(initial=np.inf)
        is_rough = may_be_nearest & (off > 1e-6 * sizes)
        for place in np.flatnonzero((logits.signs == 0) | is_rough).tolist():
            decision = self.finer(strings[place])
            size = float(arb(decision.s).abs_lower())  # 0 where its sign is proved is none
            answers[place], sizes[place] = decision.accepts, max(size, LEAST * bool(decision.sign))
        return answers, sizes if accepting else None

    def finer(self, w: str) -> Decision:
        """The decision on `w`, its logit to the bits of a float, if `MAX_BITS` can tell so many."""
        d = self.decide(w)
        while d.bits < MAX_BITS and isinstance(d.s, arb) and d.s.rel_accuracy_bits() < FLOAT_BITS:
            d = replace(d, s=self.logit(w, 2 * d.bits), bits=2 * d.bits)
        return d

    @cached_property
    def _bounded(self) -> BoundedReader:
        eps = None if self.eps is None else Fraction(int(self.eps.p), int(self.eps.q))
        options = self.attention, eps, self.log_n, self.never_looks_ahead
        return BoundedReader(self.construction, *options)

    @takes(bits=between(2))
    def logit(self, w: str, bits: int = FIRST_BITS) -> Value:
        """The logit s of `w`: a rational where it provably is one, else a ball of `bits` bits."""
        with ctx.workprec(bits):
            return self._output(self._read_out(self.construction.tokens(w)))

    @takes(bits=between(2))
    def trace(self, strings: str, bits: int = FIRST_BITS) -> Trace:
        """Each coordinate as a list over positions, and attention weights as lists of rows."""
        trace = Trace([self.construction.tokens(strings)], attention={})
        with ctx.workprec(bits):
            self._read_out(trace.tokens[0], trace)
        return trace

    @takes(tokens=an(list, tuple, Iterator), bits=between(2))
    def vectors(self, tokens: Iterable[str], bits: int = FIRST_BITS) -> Iterator[Vector]:
        """The last layer's vector at each token, as soon as that is known: later ones may depend on
        it. ValueError for an unknown token, and if a position sees later ones or the length.
        """
        if not self.never_looks_ahead:
            raise ValueError(
                f"a construction that never looks ahead is expected, not {self.construction.name}"
            )
        for memory in (memory for heads, _ in self._layers for memory in heads):
            memory.forget()
        for i, token in enumerate(tokens):
            with ctx.workprec(bits):
                vector = self._push(self._known(token), i)
            yield vector

    @takes(tokens=an(list, tuple, Iterator), bits=between(2))
    def vector(self, tokens: Iterable[str], bits: int = FIRST_BITS) -> Vector:
        """The vector of the last layer that is read; ValueError for an unknown token, or none."""
        if not (listed := [self._known(token) for token in tokens]):
            raise ValueError("at least one token is expected, not none")
        with ctx.workprec(bits):
            return self._read_out(listed)

    def _known(self, token: str) -> str:
        """The token, if it has an embedding."""
        if not isinstance(token, str) or token not in self._word:
            known = ", ".join(self._word)
            raise ValueError(f"a token among {known} is expected, not {shown(token)}")
        return token

    def _read_out(self, tokens: list[str], trace: Trace | None = None) -> Vector:
        """The vector that is read. After the last attention no other is computed, unless traced."""
        n = len(tokens)
        rows = range(n)
        readout = rows[-1] if self.construction.readout == "last" else 0
        stream = {i: self._embed(token, i, n) for i, token in enumerate(tokens)}
        if trace:
            trace.a.append(_columns(stream))
        for number, (heads, feed_forward) in enumerate(self._layers):
            if trace is None and number >= self._last_attention:
                rows = range(readout, readout + 1)
            if trace and trace.attention is not None:
                for h, head in enumerate(self.construction.layers[number].heads, start=1):
                    trace.attention[number + 1, h] = self._weights(head, stream)
            attended = {i: dict(stream[i]) for i in rows}
            for memory in heads:
                for i, written in self._read(memory, stream, rows):
                    memory.write(attended[i], written)
            c = {i: self._normalize(vector) for i, vector in attended.items()}
            stream = {i: self._normalize(feed_forward(vector)) for i, vector in c.items()}
            if trace:
                trace.c.append(_columns(c))
                trace.a.append(_columns(stream))
        return stream[readout]

    def _push(self, token: str, i: int) -> Vector:
        """The last vector at a position, after those before it were pushed."""
        vector = self._embed(token, i, i + 1)
        for heads, feed_forward in self._layers:
            written = [memory.step(vector) for memory in heads]
            attended = dict(vector)
            for memory, values in zip(heads, written, strict=True):
                memory.write(attended, values)
            vector = self._normalize(feed_forward(self._normalize(attended)))
        return vector

    def _embed(self, token: str, i: int, n: int) -> Vector:
        """a^{0,i} = WE(w_i) + PE(i)."""
        vector = dict(self._word[token])
        for formula, name, coefficient in self._position:
            add(vector, name, coefficient * position_value(formula, i, n))
        return vector

    def _read(
        self, memory: Memory, stream: Stream, rows: range
    ) -> Iterator[tuple[int, Sequence[Value]]]:
        """What a head gives to each of `rows`."""
        bases = [fmpq(len(stream))] if self.log_n else []
        memory.forget()
        if memory.head.mask is None:
            for vector in stream.values():
                memory.put(vector)
            yield from ((i, memory.read(stream[i], bases)) for i in rows)
            return
        for i in range(rows.stop):
            written = memory.step(stream[i], bases, attends=i in rows)
            if i in rows:
                yield i, written

    def _weights(self, head: Head, stream: Stream) -> list[list[Value]]:
        """Attention weights, a row for each query: what a head gives for a mark at each token."""
        longest = max(self.construction.space.names, key=len)
        marks = {i: f"{longest} {i}" for i in stream}  # too long to be the names of coordinates
        marked = {i: vector | {marks[i]: fmpq(1)} for i, vector in stream.items()}
        reads = {mark: Form(((mark, Fraction(1)),)) for mark in marks.values()}
        memory = Memory(replace(head, v=reads), self.attention)
        return [list(row) for _, row in self._read(memory, marked, range(len(stream)))]

    def _normalize(self, vector: Vector) -> Vector:
        """Layer normalization over all d coordinates, those not yet written counting as 0."""
        if self.eps is None:
            return vector
        names = self.construction.space.names
        values = standardized([vector.get(name, ZERO) for name in names], self.eps)
        return dict(zip(names, values, strict=True))


def _columns(stream: Stream) -> dict[str, list[Value]]:
    """A list over positions for each coordinate."""
    return {name: [vector[name] for vector in stream.values()] for name in stream[0]}
