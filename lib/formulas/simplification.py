"""What the compiler asks of a formula before it makes anything of it."""

from __future__ import annotations

from collections.abc import Iterable

from lib.formulas.parts import parts
from lib.formulas.syntax import (
    And,
    Atom,
    Compare,
    Conditional,
    Formula,
    FormulaError,
    Mod,
    Not,
    Or,
    Position,
    Q,
    Term,
    Total,
    Truth,
)


def negated(formula: Formula) -> Formula:
    """Not `formula`, without a double negation."""
    return formula.part if isinstance(formula, Not) else Not(formula)


def conjuncts(formula: Formula) -> list[Formula]:
    """The parts of a conjunction, those of conjunctions in it among them.

    >>> conjuncts(Q("a") & (Q("b") & ~(Q("c") | Q("d"))))
    [Q('a'), Q('b'), not Q('c'), not Q('d')]
    """
    match formula:
        case And(several):
            return [part for inner in several for part in conjuncts(inner)]
        case Not(Or(several)):
            return [part for inner in several for part in conjuncts(negated(inner))]
        case Not(Not(part)):
            return conjuncts(part)
    return [formula]


def symbol_set(formula: Formula, tokens: tuple[str, ...]) -> frozenset[str] | None:
    """The tokens at which a formula that asks for nothing but the symbol holds; None for others."""
    everything = frozenset(tokens)
    match formula:
        case Q(symbol):
            return frozenset((symbol,))
        case Truth(value):
            return everything if value else frozenset()
        case Not(part):
            inside = symbol_set(part, tokens)
            return None if inside is None else everything - inside
        case And(several):
            return _combined([symbol_set(part, tokens) for part in several], frozenset.intersection)
        case Or(several):
            return _combined([symbol_set(part, tokens) for part in several], frozenset.union)
    return None


def _combined(sets: list[frozenset[str] | None], operation) -> frozenset[str] | None:
    known = [members for members in sets if members is not None]
    return operation(*known) if len(known) == len(sets) else None


def at_cls(formula: Formula) -> bool | None:
    """Whether a formula holds at CLS, where there is no symbol and counts are 0; None where that
    depends on totals.
    """
    match formula:
        case Q():
            return False
        case Truth(value):
            return value
        case Mod(_, remainder):
            return remainder == 0
        case Not(part):
            inside = at_cls(part)
            return None if inside is None else not inside
        case And(several):
            return _all([at_cls(part) for part in several])
        case Or(several):
            none = _all([at_cls(negated(part)) for part in several])
            return None if none is None else not none
        case Compare(left, sign, right):
            return None if has_total(formula) else _compares(_constant(left - right), sign)
    raise AssertionError(f"{formula!r} was checked when it was made")


def _all(values: list[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def _compares(g: int, sign: str) -> bool:
    """Whether g stands in that relation to 0."""
    return {"==": g == 0, "!=": g != 0, "<": g < 0, "<=": g <= 0, ">": g > 0, ">=": g >= 0}[sign]


def _constant(term: Term) -> int:
    """A term where counts and the position are 0."""
    total = term.constant
    for atom, coefficient in term.terms:
        if isinstance(atom, Conditional):
            branch = atom.then if at_cls(atom.condition) else atom.otherwise
            total += coefficient * _constant(branch)
    return total


def has_total(thing: Formula | Term | Atom) -> bool:
    """Whether it asks for a total that is not inside a count."""
    return isinstance(thing, Total) or any(map(has_total, parts(thing)))


def is_certain(g: Term) -> bool:
    """Whether a combination of counts is at least 0 whatever the counts are."""
    return g.constant >= 0 and all(
        coefficient >= 0 and not isinstance(atom, Conditional) for atom, coefficient in g.terms
    )


def linear(compare: Compare) -> Formula:
    """The comparison itself if its terms hold no conditional; else the two comparisons between
    which the first conditional decides.
    """
    g = compare.left - compare.right
    for atom, coefficient in g.terms:
        if isinstance(atom, Conditional):
            rest, zero = g - Term(((atom, coefficient),)), Term()
            then = Compare(rest + atom.then * coefficient, compare.sign, zero)
            otherwise = Compare(rest + atom.otherwise * coefficient, compare.sign, zero)
            return Or((And((atom.condition, then)), And((negated(atom.condition), otherwise))))
    return compare


def scale(term: Term) -> str:
    """What the atoms of a term are divided by: "(i+1)" for counts up to a position, "n" for totals;
    FormulaError for both together.
    """
    kinds: Iterable[type] = {type(atom) for atom, _ in term.terms} - {Position}
    if len(set(kinds)) > 1:
        raise FormulaError(
            f"{term}: a count, which attention divides by i + 1, and a total, which it divides by "
            f"n, cannot be compared"
        )
    return "n" if kinds == {Total} else "(i+1)"
