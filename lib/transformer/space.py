"""Named coordinates of the residual stream, affine forms over them, and dense matrices whose rows
and columns keep their names, as tables in text and HTML.

A construction never mentions "dimension 6". It names its coordinates once, in the paper's order,
and then writes every matrix row as a combination of names:

>>> S = Space("i/n", "k/n", "1/n")
>>> i, k, unit = S
>>> k - i + unit
k/n - i/n + 1/n
>>> S.dense(k - i + unit)
[Fraction(-1, 1), Fraction(1, 1), Fraction(1, 1)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from html import escape
from typing import Any, Self

import numpy as np
from flint import arb, fmpq

from lib.checks import Number, rational, shown, takes


def exactly(value: Number) -> fmpq:
    """A rational number in python-flint's type."""
    exact = rational(value)
    return fmpq(exact.numerator, exact.denominator)


class Combination:
    """What is added, and multiplied by numbers: so it has a negative and differences."""

    __add__: Any
    __mul__: Any

    def __neg__(self) -> Self:
        return self * -1

    def __sub__(self, other: Any) -> Self:
        return self + -other if isinstance(other, Combination) else -(-self + other)

    def __rsub__(self, other: Any) -> Self:
        return -self + other

    def __radd__(self, other: Any) -> Self:
        return self + other

    def __rmul__(self, factor: Any) -> Self:
        return self * factor


@dataclass(frozen=True, eq=False)
class Form(Combination):
    """An affine form: rational multiples of coordinates plus a constant (a row of W and of b).

    `terms` holds (coordinate, coefficient) pairs, merged and nonzero, in the order in which they
    were first written, which is for printing only: it makes no two forms different.
    """

    terms: tuple[tuple[str, Fraction], ...] = ()
    constant: Fraction = Fraction(0)

    def __post_init__(self):
        if not isinstance(self.terms, (tuple, list)):
            raise TypeError(f"terms must be a tuple of names and numbers, not {self.terms!r}")
        merged: dict[str, Fraction] = {}
        for term in self.terms:
            if not (isinstance(term, tuple) and len(term) == 2 and isinstance(term[0], str)):
                raise TypeError(f"a term must be a pair of a name and a number, not {term!r}")
            name, coefficient = term
            merged[name] = merged.get(name, Fraction(0)) + rational(coefficient)
        object.__setattr__(self, "terms", tuple((name, c) for name, c in merged.items() if c))
        object.__setattr__(self, "constant", rational(self.constant))

    def __add__(self, other: Form | Number) -> Form:
        if not isinstance(other, Form):
            return Form(self.terms, self.constant + rational(other))
        return Form((*self.terms, *other.terms), self.constant + other.constant)

    def __mul__(self, factor: Number) -> Form:
        if isinstance(factor, Form):
            raise TypeError(f"({self})·({factor}) is not affine: multiply a form by a number")
        factor = rational(factor)
        return Form(tuple((name, c * factor) for name, c in self.terms), self.constant * factor)

    def __truediv__(self, divisor: Number) -> Form:
        if rational(divisor, "a divisor") == 0:
            raise ZeroDivisionError(f"the form {self} cannot be divided by {divisor!r}")
        return self * (1 / rational(divisor))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and (dict(self.terms), self.constant) == (
            dict(other.terms),
            other.constant,
        )

    def __hash__(self) -> int:
        return hash((frozenset(self.terms), self.constant))

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates that the form reads."""
        return tuple(name for name, _ in self.terms)

    def __call__(self, vector: Mapping[str, Number | fmpq | arb]):
        """The value at a vector, a mapping from coordinates to numbers, also the exact reader's."""
        if not isinstance(vector, Mapping):
            raise TypeError(f"a mapping from coordinates to numbers is expected, not {vector!r}")
        read: dict[str, Any] = {}
        for name in self.names:
            if name not in vector:
                raise ValueError(f"the coordinate {name!r} is not among {shown(vector)}")
            read[name] = vector[name]
        if any(isinstance(x, fmpq | arb) for x in read.values()):
            read = {n: x if isinstance(x, fmpq | arb) else exactly(x) for n, x in read.items()}
            return sum((exactly(c) * read[n] for n, c in self.terms), exactly(self.constant))
        for name, x in read.items():
            rational(x, f"the value of {name!r}")
        return sum((c * read[name] for name, c in self.terms), self.constant)

    def __repr__(self) -> str:
        return combination(self.terms, self.constant, "·")


def combination(terms: Iterable[tuple[object, Number]], constant: Number, times: str) -> str:
    """A linear combination as text, its constant last; `times` stands between factor and thing."""
    pieces = [(c, str(x) if abs(c) == 1 else f"{abs(c)}{times}{x}") for x, c in terms]
    if constant or not pieces:
        pieces.append((constant, str(abs(constant))))
    first, *rest = ((" - " if c < 0 else " + ") + text for c, text in pieces)
    return ("-" if first.startswith(" -") else "") + first[3:] + "".join(rest)


class Space:
    """An ordered list of coordinate names: the dimensions 1..d of a paper.

    Iterating yields one Form per coordinate, so `zero, one, cls = Space("0", "1", "CLS")` names
    them all. Raises ValueError for a repeated or empty name.
    """

    def __init__(self, *names: str):
        for name in names:
            if not isinstance(name, str) or not name:
                raise ValueError(f"a coordinate's name must be a non-empty string, not {name!r}")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"coordinate {name!r} is named twice in {', '.join(names)}")
        if not names:
            raise ValueError("a space needs at least one coordinate")
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Form]:
        return (self[name] for name in self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Form:
        self.check(name)
        return Form(((name, Fraction(1)),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.names == other.names

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"Space({', '.join(map(repr, self.names))})"

    def check(self, name: str) -> str:
        """`name` itself if it is a coordinate; otherwise KeyError with the valid names."""
        if isinstance(name, str) and name in self.names:
            return name
        close = get_close_matches(str(name), self.names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UnknownCoordinate(
            f"no coordinate {name!r} among {', '.join(map(repr, self.names))}{hint}"
        )

    @takes(form=Form)
    def dense(self, form: Form) -> list[Fraction]:
        """The coefficients of `form` in the order of the space, (d,), without its constant."""
        coefficients = dict(form.terms)
        return [coefficients.get(name, Fraction(0)) for name in self.names]


class UnknownCoordinate(KeyError):
    """A name that is not a coordinate of the space; the message lists those that are."""

    def __str__(self) -> str:
        return self.args[0]


@dataclass(frozen=True)
class Matrix:
    """A dense matrix with named rows and columns, times a `factor` that is a symbol ("" for 1).

    Entries are kept as the exact rationals that floats store. ValueError for a wrong shape.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[Sequence[Fraction], ...]
    factor: str = ""

    def __post_init__(self):
        exact = tuple(tuple(map(rational, row)) for row in self.entries)
        object.__setattr__(self, "entries", exact)
        if [len(row) for row in self.entries] != [len(self.columns)] * len(self.rows):
            raise ValueError(
                f"{self.name}: {len(self.rows)} rows of {len(self.columns)} entries are expected, "
                f"not rows of {[len(row) for row in self.entries]}"
            )

    def numpy(self) -> np.ndarray:
        """The entries, without the common factor, as float64 of shape (rows, columns)."""
        return np.array(self.entries, float).reshape(len(self.rows), len(self.columns))

    def __repr__(self) -> str:
        body = "\n".join(
            f"{label:>10} " + " ".join(f"{x!s:>6}" for x in row)
            for label, row in zip(self.rows, self.entries, strict=True)
        )
        head = " " * 11 + " ".join(f"{label:>6}" for label in self.columns)
        return f"{self.name} = {self.factor or '1'} ×\n{head}\n{body}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(label)}</th>" for label in self.columns)
        body = ""
        for label, row in zip(self.rows, self.entries, strict=True):
            cells = (f'<td class="{"entry" if x else "zero"}">{x}</td>' for x in row)
            body += f"<tr><th>{escape(label)}</th>{''.join(cells)}</tr>"
        factor = f" = {escape(self.factor)} ×" if self.factor else ""
        name = re.sub(r"\^\{([^}]*)\}|\^(.)", r"<sup>\1\2</sup>", escape(self.name))
        return (
            f'<table class="matrix"><caption>{name}{factor}</caption>'
            f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
