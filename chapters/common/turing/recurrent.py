"""Recurrent networks with saturated-linear units over named coordinates, exact or in any other
arithmetic.

The definition is that of Bhattamishra, Patel & Goyal (2020), section 3.1, after Siegelmann &
Sontag: h_0 = 0 and h_t = g(W_h h_{t-1} + W_x x_t + b), where every layer of g ends in sigma(x) =
min(max(x, 0), 1) and x_t embeds the symbol read. The input is # w $ and after it $ for ever; # and
$ embed as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, repeat
from typing import Any

from lib.checks import check_string
from lib.transformer.space import Form, Space
from lib.transformer.space import exactly as exact
from lib.transformer.sublayers import form_rows

Rows = Mapping[str, Form]  # what each coordinate, or unit, is of those before it
Number = Any  # of one arithmetic: fmpq, Fraction, float, numpy.float16, ...
Vector = list[Number]
Values = dict[Any, Number]  # a vector by the names of its coordinates
Arithmetic = Callable[[Fraction], Number]  # `exact` rationals, `numpy.float32`, ...

BEGIN, END = "#", "$"


def coordinate(name: str) -> Form:
    """The form that reads one coordinate."""
    return Form(((name, Fraction(1)),))


def total(forms: Iterable[Form]) -> Form:
    """The sum of forms; 0 for none."""
    return sum(forms, Form())


def substituted(form: Form, by: Callable[[str], Form]) -> Form:
    """The form with another in place of each coordinate."""
    return total(c * by(name) for name, c in form.terms) + form.constant


def vector(space: Space, form: Form, number: Arithmetic) -> Values:
    """The coefficients of a form as a vector."""
    return dict(zip(space.names, map(number, space.dense(form)), strict=True))


def affine(
    rows: Mapping[Any, Form], names: Iterable[str], number: Arithmetic
) -> Callable[[Values], Values]:
    """x -> W x + b for forms over named coordinates, in the arithmetic `number`.

    Adds to b term after term, in the order of `names`, and skips the zeros of x. UnknownCoordinate
    for a name that is not there, TypeError for what is no form.
    """
    space, ready = Space(*names), []
    for row, form in form_rows(rows, "a row"):
        terms = sorted(form.terms, key=lambda term: space.names.index(space.check(term[0])))
        ready.append((row, number(form.constant), [(name, number(c)) for name, c in terms]))

    def apply(x: Values) -> Values:
        result = {}
        for row, value, terms in ready:
            for name, c in terms:
                if x[name]:
                    value = value + c * x[name]
            result[row] = value
        return result

    return apply


def layered(
    layers: Iterable[Rows], names: Iterable[str], number: Arithmetic, is_clipped: bool = True
) -> Callable[[Values], Values]:
    """x -> sigma(W_L ... sigma(W_1 x + b_1) ... + b_L). It is ReLU with `is_clipped` False."""
    zero, one = number(Fraction(0)), number(Fraction(1))
    maps = []
    for rows in layers:
        maps.append(affine(rows, names, number))
        names = rows

    def activation(value: Number) -> Number:
        if value <= 0:
            return zero
        return one if is_clipped and value >= 1 else value

    def apply(x: Values) -> Values:
        for weighted in maps:
            x = {name: activation(value) for name, value in weighted(x).items()}
        return x

    return apply


@dataclass(frozen=True)
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
    layers: Sequence[Rows]
    halts: Sequence[str] = ()

    def __post_init__(self):
        affine(self.embedding, self.inputs.names, exact)
        layered(self.layers, self.reads, exact)
        for symbol, form in self.embedding.items():
            if len(symbol) != 1 or symbol in (BEGIN, END) or form.constant:
                raise ValueError(
                    f"the embedding of one character other than {BEGIN} and {END}, without a "
                    f"constant, is expected, not {form} for {symbol!r}"
                )
        for name in self.halts:
            self.hidden.check(name)

    @property
    def hidden(self) -> Space:
        """The coordinates of h, as many as d_h."""
        return Space(*self.layers[-1])

    @property
    def reads(self) -> tuple[str, ...]:
        """What the first layer reads: the coordinates of h_{t-1}, then those of x_t."""
        return (*self.hidden.names, *self.inputs.names)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols that a string may hold."""
        return tuple(self.embedding)

    def embedded(self) -> dict[str, Form]:
        """f_b of #, of each input symbol and of $."""
        return {BEGIN: Form(), **self.embedding, END: Form()}

    def states(self, w: str, number: Arithmetic = exact) -> Iterator[Vector]:
        """h_0 = 0, then h after each symbol of # w $ $ ..., to the first in which the RNN halts,
        if any. ValueError for a symbol outside the alphabet.
        """
        g = layered(self.layers, self.reads, number)
        x = {a: vector(self.inputs, form, number) for a, form in self.embedded().items()}
        h = vector(self.hidden, Form(), number)
        for symbol in chain(BEGIN, check_string(w, self.alphabet), repeat(END)):
            yield [*h.values()]
            if any(h[name] == 1 for name in self.halts):
                return
            h = g(h | x[symbol])

    def within_unit_inputs(self) -> RNN:
        """An RNN with the same hidden states whose embedding lies in [0, 1]: where f_b does not,
        its positive and negative parts are inputs of their own, divided by the largest, which W_x
        takes back. An FFN with sigma can carry no other.
        """
        values = [c for form in self.embedding.values() for _, c in form.terms]
        if all(0 <= c <= 1 for c in values):
            return self
        largest = max(map(abs, values))

        def parts(form: Form) -> Form:
            signed = ((name + ("⁺" if c > 0 else "⁻"), abs(c)) for name, c in form.terms)
            return total(size / largest * coordinate(name) for name, size in signed)

        def taken_back(name: str) -> Form:
            if name not in self.inputs:
                return coordinate(name)
            return largest * (coordinate(f"{name}⁺") - coordinate(f"{name}⁻"))

        first, *others = self.layers
        return replace(
            self,
            inputs=Space(*(name + mark for name in self.inputs.names for mark in "⁺⁻")),
            embedding={symbol: parts(form) for symbol, form in self.embedding.items()},
            layers=[{unit: substituted(form, taken_back) for unit, form in first.items()}, *others],
        )
