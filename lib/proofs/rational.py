"""Polynomials in named whole numbers and in E, what is known of their signs, and fractions of them:
what a construction's coordinates hold where the length is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from lib.checks import Number, takes, text
from lib.transformer.construction import RELATIONS
from lib.transformer.space import Combination, Form, combination


@dataclass(frozen=True)
class Poly(Combination):
    """A polynomial with rational coefficients: monomials, as sorted names, and their factors."""

    terms: frozenset[tuple[tuple[str, ...], Fraction]] = frozenset()

    @classmethod
    def of(cls, terms: Mapping[tuple[str, ...], Number]) -> Poly:
        """The polynomial with these factors, of which some may be 0."""
        return cls(frozenset((names, Fraction(c)) for names, c in terms.items() if c))

    def __add__(self, other: Poly | Number) -> Poly:
        merged = dict(self.terms)
        for names, c in poly(other).terms:
            merged[names] = merged.get(names, Fraction(0)) + c
        return Poly.of(merged)

    def __mul__(self, other: Poly | Number) -> Poly:
        if not isinstance(other, Poly):
            return Poly.of({names: c * other for names, c in self.terms})
        merged: dict[tuple[str, ...], Fraction] = {}
        for (left, c), (right, d) in product(self.terms, other.terms):
            names = tuple(sorted(left + right))
            merged[names] = merged.get(names, Fraction(0)) + c * d
        return Poly.of(merged)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    @property
    def names(self) -> set[str]:
        """What it speaks of."""
        return {name for names, _ in self.terms for name in names}

    @property
    def degree(self) -> int:
        """How many names the longest monomial has."""
        return max((len(names) for names, _ in self.terms), default=0)

    @property
    def constant(self) -> Fraction | None:
        """Its value, if it is a number."""
        return None if self.degree else dict(self.terms).get((), Fraction(0))

    def at(self, values: Mapping[str, Poly | Number]) -> Poly:
        """The polynomial with values in place of names."""
        if not self.names & values.keys():
            return self
        return total(times(c, *(values.get(x, variable(x)) for x in xs)) for xs, c in self.terms)

    def __repr__(self) -> str:
        terms = dict(sorted(self.terms))
        constant = terms.pop((), Fraction(0))
        return combination([("·".join(names), c) for names, c in terms.items()], constant, "·")


def poly(given: Poly | Number) -> Poly:
    """A polynomial as it is, a number as a constant one."""
    return given if isinstance(given, Poly) else Poly.of({(): given})


@takes(name=text)
def variable(name: str) -> Poly:
    """The polynomial that is a name."""
    return Poly.of({(name,): 1})


def total(polys: Iterable[Poly]) -> Poly:
    """Their sum."""
    return sum(polys, start=Poly())


def times(*factors: Poly | Number) -> Poly:
    """Their product."""
    found: Any = prod(factors, start=poly(1))
    return found


HERE, E = variable("i"), variable("E")


@dataclass(frozen=True)
class Fact:
    """The polynomial stands in the relation `sign` to 0; with a `period`, this divides it."""

    poly: Poly
    sign: str
    period: int = 0

    def at(self, values: Mapping[str, Poly | Number]) -> Fact:
        """The fact with values in place of names."""
        return replace(self, poly=self.poly.at(values))

    def holds(self, values: Mapping[str, Number]) -> bool:
        """Whether it is so for these numbers, which are all that it speaks of."""
        x = self.poly.at(values).constant
        if x is None:
            raise ValueError(f"numbers for {self.poly} are expected, not {values!r}")
        return x % self.period == 0 if self.period else RELATIONS[self.sign](x, 0)

    @property
    def place(self) -> Poly | None:
        """The position i, where the fact says what it is: a whole combination of whole numbers."""
        slope = dict(self.poly.terms).get(("i",))
        if self.sign != "==" or self.period or not slope:
            return None
        found = HERE - self.poly * (1 / slope)
        is_whole = all(c.denominator == 1 for _, c in found.terms)
        return found if is_whole and not found.names & {"i", "E"} else None


def is_period(x: object) -> bool:
    """Whether it is a whole number above 0."""
    return isinstance(x, Fraction) and x > 0 and x.denominator == 1


def _compared(sign: str) -> Callable[[Value, Value | Number], bool]:
    """The method of a value that compares it with another."""
    return lambda self, other: RELATIONS[sign](self.sign(self - other), 0)


@dataclass(frozen=True, eq=False)
class Value(Combination):
    """What a coordinate holds: a polynomial over a product of others, all above 0. That of a
    position has `ask`, for the sign of a polynomial there or, with a period, its remainder.
    """

    above: Poly
    below: tuple[Poly, ...] = ()
    ask: Callable[..., int] | None = None

    def __add__(self, other: Value | Number) -> Value:
        right = value(other)
        if not right.above.terms or not self.above.terms:
            return replace(self if self.above.terms else right, ask=self.ask)
        mine, others = _left(self.below, right.below), _left(right.below, self.below)
        above = times(self.above, *others) + times(right.above, *mine)
        return Value(above, (*self.below, *others), self.ask)

    def __mul__(self, other: Value | Number) -> Value:
        right = value(other)
        above = self.above * right.above
        return Value(above, self.below + right.below if above.terms else (), self.ask)

    def __truediv__(self, other: Value | Number) -> Value:
        right = value(other)
        sign = self.sign(right)
        if not sign:
            raise ZeroDivisionError
        return self * Value(times(sign, *right.below), (right.above * sign,))

    def __mod__(self, period: Fraction) -> Fraction:
        is_whole = not self.below and all(c.denominator == 1 for _, c in self.above.terms)
        if not self.ask or not is_whole or not is_period(period):
            raise TypeError
        return Fraction(self.ask(self.above, int(period)))

    def __rtruediv__(self, other: Number) -> Value:
        return Value(poly(other), (), self.ask) / self

    __lt__, __le__, __eq__ = _compared("<"), _compared("<="), _compared("==")  # type: ignore
    __gt__, __ge__, __ne__ = _compared(">"), _compared(">="), _compared("!=")  # type: ignore

    def sign(self, other: Value) -> int:
        """The sign of another value, where this one stands."""
        if not self.ask:
            raise TypeError
        return self.ask(other.above)

    def __repr__(self) -> str:
        return f"({self.above})" + "".join(f"/({factor})" for factor in self.below)


ZERO = Value(poly(0))


def value(given: Value | Number) -> Value:
    """A value as it is, a number as a constant one."""
    return given if isinstance(given, Value) else Value(poly(given))


def affine(form: Form, vector: Mapping[str, Value | None]) -> Value | None:
    """A form of a vector; None where it reads what is not known."""
    found = value(form.constant)
    for name, c in form.terms:
        if (x := vector.get(name, ZERO)) is None:
            return None
        found = found + x * c
    return found


def _left(factors: Sequence[Poly], others: Sequence[Poly]) -> list[Poly]:
    """The factors that are not among the others, each as often as it is missing there."""
    left = list(factors)
    for factor in others:
        if factor in left:
            left.remove(factor)
    return left
