"""The sublayers of a construction in exact arithmetic, position by position: a head remembers what
it has seen, a feed-forward network is the affine map of the region that its input lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq

from lib.transformer.arithmetic import (
    AVERAGES,
    ZERO,
    Affine,
    Value,
    Vector,
    add,
    exactly,
    relu,
    sign,
    sum_of,
)
from lib.transformer.space import Form
from lib.transformer.sublayers import FFN, Head


class Memory:
    """Keys and values of the positions that a head has seen so far; of a uniform head, running
    sums.
    """

    def __init__(self, head: Head, attention: str):
        self.head, self.names = head, [name for name, _ in head.v]
        self._average = AVERAGES[attention]
        self._base = [] if head.base is None else [exactly(head.base)]
        self._q = [Affine(form * head.gain) for form in head.q]
        self._k = [Affine(form) for form in head.k]
        self._v = [Affine(form) for _, form in head.v]
        self.clear()

    def clear(self) -> None:
        """Forgets every position."""
        self._keys: list[list[Value]] = []
        self._values: list[Sequence[Value]] = []

    def put(self, vector: Vector, values: Sequence[Value] | None = None) -> None:
        """One position more; `values` stands for what the head would read there."""
        read = [form(vector) for form in self._v] if values is None else values
        if self.head.is_uniform and self._values:
            last = self._values[-1]
            read = [total + value for total, value in zip(last, read, strict=True)]
        self._values.append(read)
        self._keys.append([] if self.head.is_uniform else [form(vector) for form in self._k])

    def keep(self, count: int) -> None:
        """Forgets all but the first `count` positions."""
        del self._values[count:], self._keys[count:]

    def read(self, vector: Vector, bases: Sequence[fmpq] = ()) -> Sequence[Value]:
        """What a query attends to, a number for each value row; `bases` multiply every logit by
        their logarithms.
        """
        if self.head.is_uniform:
            return [total / len(self._values) for total in self._values[-1]]
        query = [form(vector) for form in self._q]
        logits = [
            sum_of(x * y for x, y in zip(query, key, strict=True) if x and y) for key in self._keys
        ]
        return self._average([*self._base, *bases], logits, self._values)

    def step(
        self,
        vector: Vector,
        bases: Sequence[fmpq] = (),
        values: Sequence[Value] | None = None,
        attends: bool = True,
    ) -> Sequence[Value]:
        """What a masked head gives to the next position, if that `attends`; it is remembered."""
        first = not self._values
        strict = self.head.mask == "strict future"
        if not strict:
            self.put(vector, values)
        if strict and first:
            written = [ZERO] * len(self._v if values is None else values)
        else:
            written = self.read(vector, bases) if attends else []
        if strict:
            self.put(vector, values)
        return written

    def write(self, vector: Vector, written: Sequence[Value]) -> None:
        """The residual connection: adds to a vector what the head gives to it."""
        for name, value in zip(self.names, written, strict=True):
            add(vector, name, value)


class FeedForward:
    """W2 max(0, W1 c + b1) + b2. Where the sign of every hidden unit is proved, the sum of the
    active units is one affine form, in which what cancels is gone before balls are rounded.
    """

    def __init__(self, ffn: FFN):
        self._ffn, self._hidden = ffn, [Affine(form) for form in ffn.hidden]
        self._bias = dict(ffn.bias)
        self._regions: dict[tuple[bool, ...], list[tuple[str, Affine]]] = {}

    def __call__(self, vector: Vector) -> Vector:
        """The vector with the sublayer's output added to it."""
        units = [form(vector) for form in self._hidden]
        signs = [sign(x) for x in units]
        result = dict(vector)
        if None in signs:
            for name, value in self._summed([relu(x) for x in units]):
                add(result, name, value)
            return result
        for name, form in self._region(tuple(s == 1 for s in signs)):
            add(result, name, form(vector))
        return result

    def _summed(self, activations: list[Value]) -> list[tuple[str, Value]]:
        return [
            (
                name,
                exactly(self._bias.get(name, Fraction(0)))
                + sum_of(exactly(c) * x for c, x in zip(row, activations, strict=True)),
            )
            for name, row in self._rows()
        ]

    def _rows(self) -> list[tuple[str, Sequence[Fraction]]]:
        """A row of W2 for each coordinate that is written, empty where only a bias is."""
        rows = dict(self._ffn.out)
        nothing = [Fraction(0)] * len(self._hidden)
        return [(name, rows.get(name, nothing)) for name in self._ffn.writes]

    def _region(self, active: tuple[bool, ...]) -> list[tuple[str, Affine]]:
        """The affine forms that the sublayer writes where those units are active."""
        if active not in self._regions:
            forms = []
            for name, row in self._rows():
                total = Form(constant=self._bias.get(name, Fraction(0)))
                for coefficient, form, on in zip(row, self._ffn.hidden, active, strict=True):
                    if on:
                        total = total + form * coefficient
                forms.append((name, Affine(total)))
            self._regions[active] = forms
        return self._regions[active]
