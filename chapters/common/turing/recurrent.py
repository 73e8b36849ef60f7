"""Recurrent networks with saturated-linear units over named coordinates, exact or in any other
arithmetic.

The definition is that of Bhattamishra, Patel & Goyal (2020), section 3.1, after Siegelmann &
Sontag: h_0 = 0 and h_t = g(W_h h_{t-1} + W_x x_t + b), where every layer of g ends in sigma(x) =
min(max(x, 0), 1) and x_t embeds the symbol read. The input is # w $ and after it $ for ever; # and
$ embed as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, repeat
from typing import Any

from lib.checks import check_string
from lib.transformer.space import Form, Space, exactly
from lib.transformer.sublayers import Named, Rows, form_rows, store

RowsLike = Named[Form]
Number = Any  # of one arithmetic: fmpq, Fraction, float, numpy.float16, ...
Vector = list[Number]
Arithmetic = Callable[[Fraction], Number]

BEGIN, END = "#", "$"


# The arithmetic of exact rationals. Another one is any function from a Fraction to a number, such
# as `numpy.float32`.
exact = exactly


def coordinate(name: str) -> Form:
    """The form that reads one coordinate."""
    return Form(((name, Fraction(1)),))


def total(forms: Iterable[Form]) -> Form:
    """The sum of forms; 0 for none."""
    return sum(forms, Form())


def pairs(rows: Any) -> tuple[tuple[Any, Form], ...]:
    """Rows as a tuple of (name, form), whatever the names: immutable, in declaration order.
    TypeError for what is no form, ValueError for a name that stands twice.
    """
    return form_rows(rows, "a row")


class Affine:
    """x -> W x + b for forms, the rows, over named coordinates, in the arithmetic `number`.

    Adds to b column after column, in the order of `names`, and skips the zeros of x.
    UnknownCoordinate for a name that is not there.
    """

    def __init__(self, forms: Iterable[Form], names: Sequence[str], number: Arithmetic):
        space = Space(*names)
        self.b: Vector = []
        columns: dict[str, list[tuple[int, Number]]] = {name: [] for name in names}
        for r, form in enumerate(forms):
            self.b.append(number(form.constant))
            for name, c in form.terms:
                columns[space.check(name)].append((r, number(c)))
        self.columns = list(columns.values())

    def __call__(self, x: Vector) -> Vector:
        result = list(self.b)
        for value, column in zip(x, self.columns, strict=True):
            if not value:
                continue
            for r, c in column:
                result[r] = result[r] + c * value
        return result


class Layers:
    """Layers with sigma after each of them: x -> sigma(W_L ... sigma(W_1 x + b_1) ... + b_L). It is
    ReLU with `is_clipped` False.
    """

    def __init__(
        self,
        layers: Iterable[RowsLike],
        names: Sequence[str],
        number: Arithmetic,
        is_clipped: bool = True,
    ):
        self.maps: list[Affine] = []
        self.zero = number(Fraction(0))
        self.one = number(Fraction(1))
        self.is_clipped = is_clipped
        for rows in map(pairs, layers):
            self.maps.append(Affine((form for _, form in rows), names, number))
            names = [name for name, _ in rows]

    def activation(self, value: Number) -> Number:
        """sigma: min(max(value, 0), 1)."""
        if value <= 0:
            return self.zero
        return self.one if self.is_clipped and value >= 1 else value

    def __call__(self, x: Vector) -> Vector:
        for affine in self.maps:
            x = [self.activation(value) for value in affine(x)]
        return x


@dataclass(frozen=True, init=False)
class RNN:
    """An RNN of section 3.1 that reads strings over `alphabet`.

    `inputs` names the coordinates of x_t and `embedding` gives f_b of each symbol. `layers` are the
    layers of g, each a mapping from the units' names to forms: the first reads h_{t-1} and x_t (its
    rows are W_h, W_x and b), each other one the layer before it, and the units of the last are h.
    The RNN halts when a unit of `halts` is 1. ValueError or UnknownCoordinate for what does not fit
    together, such as a name that is an input's and a unit's.
    """

    inputs: Space
    embedding: Rows
    layers: tuple[Rows, ...]
    halts: tuple[str, ...]

    def __init__(
        self,
        inputs: Space,
        embedding: RowsLike,
        layers: Iterable[RowsLike],
        halts: Iterable[str] = (),
    ):
        store(self, inputs=inputs, embedding=pairs(embedding))
        store(self, layers=tuple(map(pairs, layers)), halts=tuple(halts))
        for symbol, form in self.embedding:
            if len(symbol) != 1 or symbol in (BEGIN, END) or form.constant:
                raise ValueError(
                    f"the embedding of one character other than {BEGIN} and {END}, without a "
                    f"constant, is expected, not {form} for {symbol!r}"
                )
        for name in self.halts:
            self.hidden.check(name)
        # UnknownCoordinate for a name outside
        Affine((form for _, form in self.embedding), self.inputs.names, exact)
        Layers(self.layers, self.reads, exact)

    @property
    def hidden(self) -> Space:
        """The coordinates of h, as many as d_h."""
        return Space(*(name for name, _ in self.layers[-1]))

    @property
    def reads(self) -> tuple[str, ...]:
        """What the first layer reads: the coordinates of h_{t-1}, then those of x_t."""
        return (*self.hidden.names, *self.inputs.names)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols that a string may hold."""
        return tuple(symbol for symbol, _ in self.embedding)

    def tokens(self, w: str) -> list[str]:
        """s_0 ... s_n: #, the symbols of `w`, $. ValueError for a symbol outside the alphabet."""
        return [BEGIN, *check_string(w, self.alphabet), END]

    def states(self, w: str, number: Arithmetic = exact) -> Iterator[Vector]:
        """h_0 = 0 and then h after each symbol read, to the first in which the RNN halts: without
        end if it does not.
        """
        g = Layers(self.layers, self.reads, number)
        embedding = {BEGIN: Form(), **dict(self.embedding), END: Form()}
        x = {symbol: [*map(number, self.inputs.dense(form))] for symbol, form in embedding.items()}
        halting = [self.hidden.names.index(name) for name in self.halts]
        h = [number(Fraction(0))] * len(self.hidden)
        for symbol in chain(self.tokens(w), repeat(END)):
            yield h
            if any(h[i] == 1 for i in halting):
                return
            h = g(h + x[symbol])

    def within_unit_inputs(self) -> RNN:
        """An RNN with the same hidden states whose embedding lies in [0, 1]: where f_b does not,
        its positive and negative parts are inputs of their own, divided by the largest, which W_x
        takes back. An FFN with sigma can carry no other.
        """
        values = [c for _, form in self.embedding for _, c in form.terms]
        if all(0 <= c <= 1 for c in values):
            return self
        largest = max(map(abs, values))
        taken_back = {
            name: largest * (coordinate(f"{name}⁺") - coordinate(f"{name}⁻"))
            for name in self.inputs.names
        }

        def part(name: str, c: Fraction) -> Form:
            sign = "⁺" if c > 0 else "⁻"
            return coordinate(f"{name}{sign}") * (abs(c) / largest)

        def from_parts(form: Form) -> Form:
            terms = (c * taken_back.get(name, coordinate(name)) for name, c in form.terms)
            return total([Form((), form.constant), *terms])

        first, *others = self.layers
        return replace(
            self,
            inputs=Space(*(f"{name}{sign}" for name in self.inputs.names for sign in "⁺⁻")),
            embedding={
                symbol: total(part(name, c) for name, c in form.terms)
                for symbol, form in self.embedding
            },
            layers=[{name: from_parts(form) for name, form in first}, *others],
        )
