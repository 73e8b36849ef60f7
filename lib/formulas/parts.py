"""What formulas are made of."""

from __future__ import annotations

from collections.abc import Iterator

from lib.checks import an, takes
from lib.formulas.syntax import (
    And,
    Atom,
    Compare,
    Conditional,
    Count,
    Formula,
    Not,
    Or,
    Q,
    Term,
    Total,
)


def parts(thing: Formula | Term | Atom) -> Iterator[Formula | Term | Atom]:
    """What a formula, a term or an atom is made of, one step down."""
    match thing:
        case Not(part):
            yield part
        case And(several) | Or(several):
            yield from several
        case Compare(left, _, right):
            yield from (left, right)
        case Term():
            yield from (atom for atom, _ in thing.terms)
        case Count(formula) | Total(formula):
            yield formula
        case Conditional(condition, then, otherwise):
            yield from (condition, then, otherwise)


@takes(thing=an(Formula, Term, Atom))
def depth(thing: Formula | Term | Atom) -> int:
    """How deep counts stand in counts.

    >>> from lib.formulas.syntax import once
    >>> depth(Q("a")), depth(once(Q("a") & once(Q("b"))))
    (0, 2)
    """
    below = max(map(depth, parts(thing)), default=0)
    return below + isinstance(thing, (Count, Total))


def symbols(thing: Formula | Term | Atom) -> frozenset[str]:
    """The symbols that it asks for."""
    if isinstance(thing, Q):
        return frozenset(thing.symbol)
    return frozenset().union(*map(symbols, parts(thing)))
