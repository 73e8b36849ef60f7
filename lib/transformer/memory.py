"""The sublayers of a construction in exact arithmetic, position by position: a head remembers what
it has seen, a feed-forward network is the affine map of the region that its input lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq

from lib.transformer.arithmetic import (
    AVERAGES,
    UNIQUE,
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
    """Keys and values of the positions that a head has seen so far; of a uniform head that
    averages, running sums.
    """

    def __init__(self, head: Head, attention: str):
        self.head, self.names = head, [name for name, _ in head.v]
        self._average = AVERAGES[attention]
        self._sums = head.is_uniform and attention not in UNIQUE
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
        if self._sums and self._values:
            last = self._values[-1]
            read = [total + value for total, value in zip(last, read, strict=True)]
        self._values.append(read)
        self._keys.append([] if self._sums else [form(vector) for form in self._k])

    def keep(self, count: int) -> None:
        """Forgets all but the first `count` positions."""
        del self._values[count:], self._keys[count:]

    def read(self, vector: Vector, bases: Sequence[fmpq] = ()) -> Sequence[Value]:
        """What a query attends to, a number for each value row; `bases` multiply every logit by
        their logarithms.
        """
        if self._sums:
            return [total / len(self._values) for total in self._values[-1]]
        query = [form(vector) for form in self._q]
        heard = [(row, x) for row, x in enumerate(query) if x]
        logits = [sum_of([x * key[row] for row, x in heard if key[row]]) for key in self._keys]
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
        signs = [sign(x) for x in units]
        if None in signs:
            forms, read = self._of_units, dict(zip(self._inputs, map(relu, units), strict=True))
        else:
            forms, read = self._region(tuple(s == 1 for s in signs)), vector
        result = dict(vector)
        for name, form in forms.items():
            add(result, name, form(read))
        return result

    def _region(self, active: tuple[bool, ...]) -> dict[str, Affine]:
        """The affine forms that the sublayer writes where those units are active."""
        if active not in self._regions:
            inputs = zip(self._inputs.items(), active, strict=True)
            on = {unit: form for (unit, form), is_active in inputs if is_active}
            self._regions[active] = {}
            for name, row in self._out.items():
                terms = (on[unit] * c for unit, c in row.terms if unit in on)
                self._regions[active][name] = Affine(sum(terms, Form((), row.constant)))
        return self._regions[active]
