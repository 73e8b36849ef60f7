"""Counting formulas: what may be said of a position in a string, in Python's own signs, and what it
means, computed on a string directly: nothing here knows of transformers.

A formula is true or false at every position; a term is a whole number there. `count(φ)` is the
number of positions up to this one at which φ holds, `total(φ)` that of the whole string:

>>> balanced = (count(Q("(")) == count(Q(")"))) & never(count(Q(")")) > count(Q("(")))
>>> balanced
count(Q('(')) == count(Q(')')) and count(count(Q(')')) > count(Q('('))) == 0

Without `total`, `mod` and `previous` this is the counting logic K_t[#] of Yang & Chiang 2024, which
C-RASP programs compile to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lib import checks
from lib.checks import hold, shown, takes
from lib.languages import Language, by_length
from lib.transformer.construction import RELATIONS
from lib.transformer.space import Combination, combination


class FormulaError(ValueError):
    """What is no formula; the message names the place."""


class Formula:
    """Something that holds at a position or does not; combined by &, | and ~."""

    def __post_init__(self):
        for part in parts(self):
            checked(part)

    def __and__(self, other: Formula) -> Formula:
        return And((self, other))

    def __or__(self, other: Formula) -> Formula:
        return Or((self, other))

    def __invert__(self) -> Formula:
        return Not(self)

    def __bool__(self) -> bool:
        raise FormulaError(f"the formula {self} has no truth value of its own: use &, |, ~")


@dataclass(frozen=True, eq=False, repr=False)
class Q(Formula):
    """The symbol at this position is `symbol`; false at CLS."""

    symbol: str

    def __post_init__(self):
        if not isinstance(self.symbol, str) or len(self.symbol) != 1:
            raise FormulaError(f"Q takes a single character, not {self.symbol!r}")

    def __repr__(self) -> str:
        return f"Q({self.symbol!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Truth(Formula):
    """True, or false, at every position."""

    value: bool

    def __post_init__(self):
        hold(self, value=checks.flag)

    def __repr__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, eq=False, repr=False)
class Mod(Formula):
    """The position, counted from 1, leaves `remainder` when divided by `period`."""

    period: int
    remainder: int

    def __post_init__(self):
        checks.whole(self.period, "a period", 1)
        if checks.whole(self.remainder, "a remainder") >= self.period:
            raise FormulaError(
                f"a remainder below the period {self.period} is expected, not {self.remainder}"
            )

    def __repr__(self) -> str:
        return f"mod({self.period}, {self.remainder})"


@dataclass(frozen=True, eq=False, repr=False)
class Not(Formula):
    """`part` does not hold."""

    part: Formula

    def __repr__(self) -> str:
        return f"not {_bracketed(self.part)}"


@dataclass(frozen=True, eq=False, repr=False)
class Previous(Formula):
    """`part` holds at the position before this one; false at CLS and at position 1, before which
    there is no symbol.

    >>> no_neighbours = never(Q("1") & previous(Q("1")))
    >>> [w for w in ("1", "101", "0110") if holds(no_neighbours, w)]
    ['1', '101']
    """

    part: Formula

    def __repr__(self) -> str:
        return f"previous({self.part})"


@dataclass(frozen=True, eq=False, repr=False)
class Several(Formula):
    """What joins several formulas, its `parts`."""

    parts: tuple[Formula, ...]

    def __post_init__(self):
        if not isinstance(self.parts, list | tuple) or not self.parts:
            raise FormulaError(f"a tuple of formulas is expected, not {shown(self.parts)}")
        super().__post_init__()

    def __repr__(self) -> str:
        return f" {type(self).__name__.lower()} ".join(map(_bracketed, self.parts))


class And(Several):
    """All `parts` hold."""


class Or(Several):
    """At least one of the `parts` holds."""


def _compared(sign: str) -> Callable[[Term, Term | int], Formula]:
    """The method of a term that compares it with another."""
    return lambda self, other: Compare(self, sign, term(other))


class Term(Combination):
    """A whole number at each position: a linear combination of atoms, which are counts, totals,
    the position and conditionals. Compared, it makes a formula.
    """

    def __init__(self, terms: tuple[tuple[Atom, int], ...] = (), constant: int = 0):
        merged: dict[str, tuple[Atom, int]] = {}
        for atom, coefficient in terms:
            _, already = merged.get(str(atom), (atom, 0))
            merged[str(atom)] = (atom, already + integer(coefficient))
        self.terms = tuple((atom, c) for atom, c in merged.values() if c)
        self.constant = integer(constant)

    def __add__(self, other: Term | int) -> Term:
        other = term(other)
        return Term(self.terms + other.terms, self.constant + other.constant)

    def __mul__(self, factor: int) -> Term:
        if not is_whole(factor):
            raise FormulaError(f"({self})·({factor!r}): a term is multiplied by whole numbers only")
        return Term(tuple((atom, c * factor) for atom, c in self.terms), self.constant * factor)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: Term | int) -> Formula:  # type: ignore[override]
        return Compare(self, "==", term(other))

    def __ne__(self, other: Term | int) -> Formula:  # type: ignore[override]
        return Compare(self, "!=", term(other))

    __lt__, __le__ = _compared("<"), _compared("<=")
    __gt__, __ge__ = _compared(">"), _compared(">=")

    def __repr__(self) -> str:
        return combination(self.terms, self.constant, "*")


@dataclass(frozen=True, eq=False, repr=False)
class Compare(Formula):
    """`left` and `right` stand in the relation `sign`."""

    left: Term
    sign: str
    right: Term

    def __post_init__(self):
        hold(self, left=Term, sign=checks.one_of(RELATIONS), right=Term)

    def __repr__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


class Atom:
    """What a term is made of."""


@dataclass(frozen=True, eq=False, repr=False)
class Sum(Atom):
    """At how many positions `formula` holds."""

    formula: Formula

    def __post_init__(self):
        checked(self.formula)

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({self.formula})"


class Count(Sum):
    """At how many positions up to this one `formula` holds."""


class Total(Sum):
    """At how many positions of the whole string `formula` holds."""


@dataclass(frozen=True, eq=False, repr=False)
class Position(Atom):
    """The position, counted from 1; 0 at CLS."""

    def __repr__(self) -> str:
        return "position"


@dataclass(frozen=True, eq=False, repr=False)
class Conditional(Atom):
    """`then` where `condition` holds, elsewhere `otherwise`."""

    condition: Formula
    then: Term
    otherwise: Term

    def __post_init__(self):
        hold(self, condition=Formula, then=Term, otherwise=Term)

    def __repr__(self) -> str:
        return f"({self.then} if {self.condition} else {self.otherwise})"


def is_whole(value: object) -> bool:
    """Whether it is a whole number, of numpy too."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def integer(value: int) -> int:
    """`value` if it is a whole number; otherwise FormulaError."""
    if not is_whole(value):
        raise FormulaError(f"a count or a whole number is expected, not {shown(value)}")
    return int(value)


def term(value: Term | int) -> Term:
    """A term as it is, a number as a constant one; FormulaError for anything else."""
    return value if isinstance(value, Term) else Term(constant=integer(value))


def checked(formula: object) -> Formula:
    """`formula` itself; FormulaError for anything else."""
    if not isinstance(formula, Formula):
        found = shown(formula)
        raise FormulaError(f"a formula, true or false at a position, is expected, not {found}")
    return formula


def count(formula: Formula) -> Term:
    """At how many positions up to this one `formula` holds."""
    return Term(((Count(formula), 1),))


def total(formula: Formula) -> Term:
    """At how many positions of the whole string `formula` holds."""
    return Term(((Total(formula), 1),))


def conditional(condition: Formula, then: Term | int, otherwise: Term | int) -> Term:
    """`then` where `condition` holds, elsewhere `otherwise`."""
    return Term(((Conditional(checked(condition), term(then), term(otherwise)), 1),))


def minimum(left: Term | int, right: Term | int) -> Term:
    """The smaller of two terms."""
    return conditional(term(left) <= term(right), left, right)


def maximum(left: Term | int, right: Term | int) -> Term:
    """The larger of two terms."""
    return conditional(term(left) >= term(right), left, right)


def once(formula: Formula) -> Formula:
    """`formula` holds at this position or at one before it."""
    return count(formula) >= 1


def never(formula: Formula) -> Formula:
    """`formula` holds at no position up to this one."""
    return count(formula) == 0


def always(formula: Formula) -> Formula:
    """`formula` holds at every position up to this one."""
    return never(Not(formula))


mod, previous = Mod, Previous
position = Term(((Position(), 1),))


def _bracketed(formula: Formula) -> str:
    return f"({formula})" if isinstance(formula, (And, Or, Not)) else str(formula)


def parts(thing: Formula | Term | Atom) -> Iterator[Formula | Term | Atom]:
    """What a formula, a term or an atom is made of, one step down."""
    match thing:
        case Not(part) | Previous(part):
            yield part
        case Several(several):
            yield from several
        case Compare(left, _, right):
            yield from (left, right)
        case Term():
            yield from (atom for atom, _ in thing.terms)
        case Sum(formula):
            yield formula
        case Conditional(condition, then, otherwise):
            yield from (condition, then, otherwise)


@takes(thing=checks.an(Formula, Term, Atom))
def depth(thing: Formula | Term | Atom) -> int:
    """How deep counts stand in counts.

    >>> from lib.formulas.syntax import once
    >>> depth(Q("a")), depth(once(Q("a") & once(Q("b"))))
    (0, 2)
    """
    below = max(map(depth, parts(thing)), default=0)
    return below + isinstance(thing, Sum)


def every(kind: type, thing: Formula | Term | Atom) -> Iterator:
    """Everything of a kind in it, itself included."""
    if isinstance(thing, kind):
        yield thing
    for part in parts(thing):
        yield from every(kind, part)


def asks_for(kind: type, thing: Formula | Term | Atom) -> bool:
    """Whether something of that kind stands in it."""
    return next(every(kind, thing), None) is not None


def symbols(formula: Formula) -> set[str]:
    """The symbols that it asks for."""
    return {asked.symbol for asked in every(Q, formula)}


def asks_for_symbols_alone(formula: Formula) -> bool:
    """Whether nothing in a formula is compared or depends on the position or the previous one."""
    return not any(asks_for(kind, formula) for kind in (Compare, Mod, Previous))


def checked_alphabet(alphabet: Iterable[str]) -> tuple[str, ...]:
    """The symbols as a tuple; ValueError unless they are different single characters."""
    if not isinstance(alphabet, Iterable):
        raise ValueError(f"an alphabet is a string or a list of symbols, not {alphabet!r}")
    symbols = tuple(alphabet)
    for symbol in symbols:
        if not isinstance(symbol, str) or len(symbol) != 1:
            raise ValueError(f"a symbol is a single character, not {symbol!r}")
        if "\ud800" <= symbol <= "\udfff":
            raise ValueError(f"a symbol is a character, not half of one, {symbol!r}")
        if symbols.count(symbol) > 1:
            raise ValueError(
                f"the symbol {symbol!r} stands twice: different ones are expected, not {alphabet!r}"
            )
    if not symbols:
        raise ValueError("an alphabet of at least one symbol is expected")
    return symbols


@takes(w=checks.text)
def holds(formula: Formula, w: str) -> bool:
    """Whether `formula` holds at the last position of `w`, which is CLS where `w` is empty.

    >>> from lib.formulas.text import formula
    >>> majority = formula('count(Q("1")) > count(Q("0"))', "01")
    >>> holds(majority, "110"), holds(majority, "10")
    (True, False)
    """
    return truth(checked(formula), w)[-1]


@takes(name=checks.text)
def language(formula: Formula, alphabet: str | tuple[str, ...], name: str = "") -> Language:
    """The strings over `alphabet` at whose last position `formula` holds."""
    checked(formula)
    symbols = checked_alphabet(alphabet)

    def predicates(strings: Sequence[str]) -> list[bool]:
        found = np.zeros(len(strings), bool)
        for places, codes in by_length(strings):
            found[places] = truths(formula, codes)[:, -1]
        return found.tolist()

    def predicate(w: str) -> bool:
        return truth(formula, checks.check_string(w, symbols))[-1]

    return Language(name or str(formula), predicate, symbols, predicates=predicates)


def truth(formula: Formula, w: str) -> list[bool]:
    """Whether `formula` holds at CLS, which has no symbol, and at each symbol: |w| + 1 values."""
    return truths(formula, np.array([[*map(ord, w)]], np.int64))[0].tolist()


def truths(formula: Formula, strings: np.ndarray) -> np.ndarray:
    """`truth` of many strings of one length, given as code points (batch, n): (batch, n + 1)."""
    batch, n = strings.shape
    everywhere = np.zeros((batch, n + 1), bool)
    match formula:
        case Q(symbol):
            everywhere[:, 1:] = strings == ord(symbol)
        case Truth(value):
            everywhere |= value
        case Mod(period, remainder):
            everywhere |= np.arange(n + 1) % min(period, n + 1) == remainder
        case Not(part):
            return ~truths(part, strings)
        case Previous(part):
            everywhere[:, 2:] = truths(part, strings)[:, 1:-1]  # CLS and position 1 see no symbol
        case And(parts):
            return np.logical_and.reduce([truths(part, strings) for part in parts])
        case Or(parts):
            return np.logical_or.reduce([truths(part, strings) for part in parts])
        case Compare(left, sign, right):
            everywhere |= RELATIONS[sign](numbers(left, strings), numbers(right, strings))
        case _:
            raise AssertionError(f"{formula!r} was checked when it was made")
    return everywhere


def numbers(term: Term, strings: np.ndarray) -> np.ndarray:
    """The value of a term at CLS and at each symbol, (batch, n + 1) or what broadcasts to it."""
    n = strings.shape[1]
    kind = np.int64 if _largest(term, n) < 2**62 else object  # Python's own have no largest one
    total = np.full((1, n + 1), term.constant, kind)
    for atom, coefficient in term.terms:
        total = total + coefficient * _values_of(atom, strings).astype(kind)
    return total


def _largest(thing: Term | Atom, n: int) -> int:
    """What no value, factor or sum on the way to it exceeds in size on strings of n symbols."""
    match thing:
        case Term():
            sizes = (abs(c) * max(1, _largest(atom, n)) for atom, c in thing.terms)
            return abs(thing.constant) + sum(sizes)
        case Conditional(_, then, otherwise):
            return max(_largest(then, n), _largest(otherwise, n))
    return n


def _values_of(atom: Atom, strings: np.ndarray) -> np.ndarray:
    match atom:
        case Sum(formula):
            counts = np.cumsum(truths(formula, strings), axis=1)
            counts -= counts[:, :1]
            return counts if isinstance(atom, Count) else counts[:, -1:]
        case Position():
            return np.arange(strings.shape[1] + 1)[None]
        case Conditional(condition, then, otherwise):
            chosen = numbers(then, strings), numbers(otherwise, strings)
            return np.where(truths(condition, strings), *chosen)
    raise AssertionError(f"{atom!r} was checked when it was made")
