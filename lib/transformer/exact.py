"""The exact reader: a construction run in rationals and, where softmax leaves them, in balls that
contain the truth.

A ball is a number with a proved error bound (arb, by python-flint). The sign of a logit is
certified when its ball excludes 0; otherwise the precision is doubled and the string run again.
Rational results carry no error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import overload

from flint import ctx, fmpq

from lib.checks import (
    Number,
    an,
    between,
    checked_eps,
    flag,
    one_of,
    run,
    shown,
    takes,
    whole,
)
from lib.transformer.arithmetic import (
    AVERAGES,
    ZERO,
    Affine,
    Value,
    Vector,
    add,
    exactly,
    position_value,
    sign,
    standardized,
)
from lib.transformer.construction import Construction
from lib.transformer.memory import FeedForward, Memory
from lib.transformer.positions import depends_on_length
from lib.transformer.reader import Batch, checked_construction
from lib.transformer.trace import Trace

Stream = dict[int, Vector]  # by position
Units = Mapping[int, Sequence[Value]]

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
    """Reads `construction` exactly, with `attention` "softmax" (balls where needed) or a hard kind
    (always rational): a `lib.transformer.reader.Reader`.

    "hardmax" is the averaging kind: the weight is shared by all positions whose logit is largest.
    The unique kinds, "leftmost" and "rightmost", give it all to the first or the last of them.
    `eps` is the constant of layer normalization after every residual connection (gamma = 1, beta =
    0), None for no layer normalization; a float stands for the rational that it stores. `log_n`
    multiplies every attention logit by log n (Chiang & Cholak 2022, equation 2): where logits are
    integers, weights are then powers of n, and the result is rational. The hard kinds are the same
    with and without it. Refused, with ValueError, are those under layer normalization: two balls
    that overlap may or may not be a tie, and no precision would tell.
    """

    @takes(attention=one_of(tuple(AVERAGES)), log_n=flag)
    def __init__(
        self,
        construction: Construction,
        attention: str = "softmax",
        eps: Number | None = None,
        log_n: bool = False,
    ):
        if attention != "softmax" and eps is not None:
            raise ValueError(
                f"{attention} under layer normalization cannot be read exactly: use eps=None, not "
                f"{eps!r}"
            )
        self.construction = checked_construction(construction)
        self.attention, self.log_n = attention, log_n
        self.eps = None if eps is None else exactly(checked_eps(eps))
        zero = {name: ZERO for _, form in construction.word for name, _ in form.terms}
        self._word: dict[str, Vector] = {
            token: {**zero, **{name: exactly(c) for name, c in form.terms}}
            for token, form in construction.word
        }
        self._position = [
            (formula, name, exactly(c))
            for formula, form in construction.position
            for name, c in form.terms
        ]
        self._layers = [
            (
                [Memory(head, attention) for head in layer.heads],
                layer.ffn and FeedForward(layer.ffn),
            )
            for layer in construction.layers
        ]
        self._output = Affine(construction.output)
        self._last_attention = max(
            (number for number, layer in enumerate(construction.layers) if layer.heads), default=-1
        )

    @property
    def never_looks_ahead(self) -> bool:
        """Whether what a position holds depends on the tokens up to it alone, and the last one is
        read: strings then share the work on what they begin with.
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
        """The certified decision on `w`: precision doubles from 64 bits until the sign is proved,
        or `max_bits` is passed.
        """
        bits = min(FIRST_BITS, max(2, whole(max_bits, "a number of bits")))
        while True:
            decision = self._decision(self.logit(w, bits), bits)
            if decision.sign is not None or 2 * bits > max_bits:
                return decision
            bits *= 2

    @takes(strings=an(list, tuple))
    def decide_all(self, strings: Batch) -> list[Decision]:
        """`decide` for each string; fast where the construction never looks ahead."""
        if not self.never_looks_ahead:
            return [self.decide(w) for w in strings]
        first = dict(self._shared(strings))
        return [d if (d := first[w]).sign is not None else self.decide(w) for w in strings]

    @overload
    def accepts(self, strings: str) -> bool | None: ...

    @overload
    def accepts(self, strings: Batch) -> list[bool | None]: ...

    def accepts(self, strings: str | Batch) -> bool | None | list[bool | None]:
        """Whether a string, or each of a batch, is accepted; None where that is undecided."""
        if isinstance(strings, str):
            return self.decide(strings).accepts
        return [decision.accepts for decision in self.decide_all(strings)]

    @takes(bits=between(2))
    def logit(self, w: str, bits: int = FIRST_BITS) -> Value:
        """The logit s of `w`: an exact rational where it is provably one, else a ball computed with
        `bits` bits.
        """
        with ctx.workprec(bits):
            return self._run(w)

    @takes(bits=between(2))
    def trace(self, strings: str, bits: int = FIRST_BITS) -> Trace:
        """Every coordinate at every position of one string (lists over i = 0..n-1) and all
        attention weights (lists of rows).
        """
        trace = Trace([self.construction.tokens(strings)], attention={})
        with ctx.workprec(bits):
            self._run(strings, trace)
        return trace

    @takes(tokens=run, bits=between(2))
    def vectors(self, tokens: Iterable[str], bits: int = FIRST_BITS) -> Iterator[Vector]:
        """The last layer's vector at each token, as soon as the token is known: later tokens may
        depend on it. ValueError for a token without an embedding, and for a construction in which
        a position sees later ones or the length.
        """
        if not self.never_looks_ahead:
            raise ValueError(
                f"a construction that never looks ahead is expected, not {self.construction.name}"
            )
        for heads, _ in self._layers:
            for memory in heads:
                memory.clear()
        for i, token in enumerate(tokens):
            with ctx.workprec(bits):
                vector = self._push(self._known(token), i)
            yield vector

    @takes(tokens=run, bits=between(2))
    def vector(self, tokens: Iterable[str], bits: int = FIRST_BITS) -> Vector:
        """The last layer's vector at the token that is read, with CLS among the tokens. ValueError
        for a token without an embedding, and for no token.
        """
        if not (listed := [self._known(token) for token in tokens]):
            raise ValueError("at least one token is expected, not none")
        with ctx.workprec(bits):
            return self._read_out(listed)

    def _decision(self, s: Value, bits: int) -> Decision:
        return Decision(s, sign(s), bits, self.construction.accepting_sign)

    def _known(self, token: str) -> str:
        """The token, if it has an embedding."""
        if not isinstance(token, str) or token not in self._word:
            known = ", ".join(self._word)
            raise ValueError(f"a token among {known} is expected, not {shown(token)}")
        return token

    def _run(self, w: str, trace: Trace | None = None) -> Value:
        """The logit; `trace` is filled on the way."""
        return self._output(self._read_out(self.construction.tokens(w), trace))

    def _read_out(self, tokens: list[str], trace: Trace | None = None) -> Vector:
        """The last vector at the position that is read. From the last attention on, unless all is
        traced, only that position goes on.
        """
        n = len(tokens)
        rows = range(n)
        readout = rows[-1] if self.construction.readout == "last" else 0
        stream = {i: self._embed(token, i, n) for i, token in enumerate(tokens)}
        if trace:
            trace.a.append(_columns(stream))
        for number, (heads, _) in enumerate(self._layers):
            if trace is None and number >= self._last_attention:
                rows = range(readout, readout + 1)
            if trace and trace.attention is not None:
                for h, memory in enumerate(heads, start=1):
                    trace.attention[number + 1, h] = self._weights(memory, stream)
            attended = {i: dict(stream[i]) for i in rows}
            for memory in heads:
                for i, written in self._read(memory, stream, rows):
                    memory.write(attended[i], written)
            c = {i: self._normalize(vector) for i, vector in attended.items()}
            stream = {i: self._normalize(self._feed(number, vector)) for i, vector in c.items()}
            if trace:
                trace.c.append(_columns(c))
                trace.a.append(_columns(stream))
        return stream[readout]

    def _shared(self, strings: Batch) -> Iterator[tuple[str, Decision]]:
        """A first decision on each string, in an order in which only what follows the beginning
        that it shares with the one before is read.
        """
        for heads, _ in self._layers:
            for memory in heads:
                memory.clear()
        path: list[str] = []
        vector: Vector = {}
        for w in sorted(set(strings)):
            tokens = self.construction.tokens(w)
            common = len(commonprefix([path, tokens]))
            for heads, _ in self._layers:
                for memory in heads:
                    memory.keep(common)
            with ctx.workprec(FIRST_BITS):
                for i, token in enumerate(tokens[common:], start=common):
                    vector = self._push(token, i)
                yield w, self._decision(self._output(vector), FIRST_BITS)
            path = tokens

    def _push(self, token: str, i: int) -> Vector:
        """The last vector at a position, after those before it were pushed."""
        vector = self._embed(token, i, i + 1)
        for number, (heads, _) in enumerate(self._layers):
            attended = dict(vector)
            for memory in heads:
                memory.write(attended, memory.step(vector))
            vector = self._normalize(self._feed(number, self._normalize(attended)))
        return vector

    def _embed(self, token: str, i: int, n: int) -> Vector:
        """a^{0,i} = WE(w_i) + PE(i)."""
        vector = dict(self._word[token])
        for formula, name, coefficient in self._position:
            add(vector, name, coefficient * position_value(formula, i, n))
        return vector

    def _read(
        self, memory: Memory, stream: Stream, rows: range, values: Units | None = None
    ) -> Iterator[tuple[int, Sequence[Value]]]:
        """What a head gives to each of `rows`; `values` stand for what it would read."""
        bases = [fmpq(len(stream))] if self.log_n else []
        memory.clear()
        if memory.head.mask is None:
            for i, vector in stream.items():
                memory.put(vector, values[i] if values else None)
            yield from ((i, memory.read(stream[i], bases)) for i in rows)
            return
        for i in range(rows.stop):
            attends = i in rows
            written = memory.step(stream[i], bases, values[i] if values else None, attends)
            if attends:
                yield i, written

    def _weights(self, memory: Memory, stream: Stream) -> list[list[Value]]:
        """The attention weights of a head, a row for each query."""
        rows = range(len(stream))
        units = {j: [fmpq(int(i == j)) for i in rows] for j in rows}
        return [list(row) for _, row in self._read(memory, stream, rows, units)]

    def _normalize(self, vector: Vector) -> Vector:
        """Layer normalization over all d coordinates, those not yet written counting as 0."""
        if self.eps is None:
            return vector
        names = self.construction.space.names
        values = standardized([vector.get(name, ZERO) for name in names], self.eps)
        return dict(zip(names, values, strict=True))

    def _feed(self, number: int, vector: Vector) -> Vector:
        """a^{l,i} before its normalization: the residual stream plus the feed-forward output."""
        _, feed_forward = self._layers[number]
        return vector if feed_forward is None else feed_forward(vector)


def _columns(stream: Stream) -> dict[str, list[Value]]:
    """A list over positions for each coordinate."""
    return {name: [vector[name] for vector in stream.values()] for name in stream[0]}
