"""What a formula means, computed on a string directly: it knows nothing of transformers."""

from __future__ import annotations

from itertools import accumulate

from lib.checks import check_string, takes, text
from lib.formulas.syntax import (
    RELATIONS,
    And,
    Atom,
    Compare,
    Conditional,
    Count,
    Formula,
    Mod,
    Not,
    Or,
    Position,
    Q,
    Term,
    Total,
    Truth,
    checked,
)
from lib.formulas.text import checked_alphabet
from lib.languages import Language


@takes(w=text)
def holds(formula: Formula, w: str) -> bool:
    """Whether `formula` holds at the last position of `w`, which is CLS where `w` is empty.

    >>> from lib.formulas.text import formula
    >>> majority = formula('count(Q("1")) > count(Q("0"))', "01")
    >>> holds(majority, "110"), holds(majority, "10")
    (True, False)
    """
    return truth(checked(formula), w)[-1]


@takes(name=text)
def language(formula: Formula, alphabet: str | tuple[str, ...], name: str = "") -> Language:
    """The strings over `alphabet` at whose last position `formula` holds."""
    checked(formula)
    symbols = checked_alphabet(alphabet)
    return Language(
        name or str(formula), lambda w: truth(formula, check_string(w, symbols))[-1], symbols
    )


def truth(formula: Formula, w: str) -> list[bool]:
    """Whether `formula` holds at CLS, which has no symbol and is not counted, and at each symbol:
    |w| + 1 truth values.
    """
    everywhere = range(len(w) + 1)
    match formula:
        case Q(symbol):
            return [False, *(other == symbol for other in w)]
        case Truth(value):
            return [value for _ in everywhere]
        case Mod(period, remainder):
            return [i % period == remainder for i in everywhere]
        case Not(part):
            return [not value for value in truth(part, w)]
        case And(parts):
            return list(map(all, zip(*(truth(part, w) for part in parts), strict=True)))
        case Or(parts):
            return list(map(any, zip(*(truth(part, w) for part in parts), strict=True)))
        case Compare(left, sign, right):
            return list(map(RELATIONS[sign], numbers(left, w), numbers(right, w)))
    raise AssertionError(f"{formula!r} was checked when it was made")


def numbers(term: Term, w: str) -> list[int]:
    """The value of a term at CLS and at each symbol."""
    totals: list[int] = [term.constant] * (len(w) + 1)
    for atom, coefficient in term.terms:
        values = _values(atom, w)
        totals = [total + coefficient * x for total, x in zip(totals, values, strict=True)]
    return totals


def _values(atom: Atom, w: str) -> list[int]:
    match atom:
        case Count(formula):
            return list(accumulate(truth(formula, w)[1:], initial=0))
        case Total(formula):
            return [sum(truth(formula, w)[1:])] * (len(w) + 1)
        case Position():
            return list(range(len(w) + 1))
        case Conditional(condition, then, otherwise):
            chosen = zip(truth(condition, w), numbers(then, w), numbers(otherwise, w), strict=True)
            return [x if holds_here else y for holds_here, x, y in chosen]
    raise AssertionError(f"{atom!r} was checked when it was made")
