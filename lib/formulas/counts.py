"""Formulas that say at the end of a string how often symbols occur, and nothing of their order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lib.checks import shown
from lib.formulas import syntax
from lib.formulas.syntax import Formula, Term

Known = tuple[np.ndarray, np.ndarray]  # where it surely holds, and where it surely fails
LARGEST = 1 << 18  # of factors and constants: what is computed with them are 64-bit integers
EXPECTED = "a condition on numbers of symbols is expected, not {}"


class Counted:
    """A formula as conditions on linear forms of the numbers of symbols: `factors` (forms, symbols)
    and `constants` (forms,). ValueError for one that asks for more.

    >>> from lib.formulas.text import formula
    >>> counted = Counted(formula('2 * count(Q("b")) > position + 3', "ab"), ("a", "b"))
    >>> counted.factors.tolist(), counted.constants.tolist()
    ([[-1, 1]], [-3])
    >>> counted.members(np.array([[1, 4], [1, 5]])).tolist()
    [False, True]
    """

    def __init__(self, formula: Formula, alphabet: tuple[str, ...]):
        self.alphabet = alphabet
        self._forms: list[tuple[list[int], int]] = []
        # Of sets on which the forms are between two values, (sets, forms) each: where the formula
        # surely holds, and where it surely fails.
        self.known = self._reader(formula)
        self.factors = np.array([factors for factors, _ in self._forms], np.int64)
        self.factors = self.factors.reshape(-1, len(alphabet))
        self.constants = np.array([constant for _, constant in self._forms], np.int64)

    def members(self, counts: np.ndarray) -> np.ndarray:
        """Whether strings with these numbers of symbols, (strings, symbols), are meant."""
        values = counts @ self.factors.T + self.constants
        return self.known(values, values)[0]

    def _reader(self, formula: Formula) -> Callable[[np.ndarray, np.ndarray], Known]:
        match formula:
            case syntax.Compare(left, sign, right):
                place = len(self._forms)
                self._forms.append(self._form(left - right))
                return lambda low, high: _compared(sign, low[:, place], high[:, place])
            case syntax.Not(part):
                inside = self._reader(part)
                return lambda low, high: (inside(low, high)[1], inside(low, high)[0])
            case syntax.And(several) | syntax.Or(several):
                parts = [*map(self._reader, several)]
                gates = np.logical_and.reduce, np.logical_or.reduce
                both, either = gates if isinstance(formula, syntax.And) else gates[::-1]

                def joined(low: np.ndarray, high: np.ndarray) -> Known:
                    holds, fails = zip(*(part(low, high) for part in parts), strict=True)
                    return both(holds), either(fails)

                return joined
            case syntax.Truth(value):
                return lambda low, _: (np.full(len(low), value), np.full(len(low), not value))
        raise ValueError(EXPECTED.format(shown(formula)))

    def _form(self, term: Term) -> tuple[list[int], int]:
        factors = [0] * len(self.alphabet)
        for atom, factor in term.terms:
            match atom:
                case syntax.Position():
                    counted: Formula = syntax.Truth(True)
                case syntax.Sum(inside) if syntax.asks_for_symbols_alone(inside):
                    counted = inside
                case _:
                    raise ValueError(EXPECTED.format(atom))
            for k, symbol in enumerate(self.alphabet):
                factors[k] += factor * syntax.truth(counted, symbol)[-1]
        for number in (*factors, term.constant):
            if abs(number) > LARGEST:
                raise ValueError(f"numbers of at most {LARGEST:,} are expected, not {number:,}")
        return factors, term.constant


def _compared(sign: str, low: np.ndarray, high: np.ndarray) -> Known:
    """What is known of a comparison with 0 of numbers between `low` and `high`."""
    above, below, at_least, at_most = low > 0, high < 0, low >= 0, high <= 0
    return {
        ">": (above, at_most),
        ">=": (at_least, below),
        "<": (below, at_least),
        "<=": (at_most, above),
        "==": (at_least & at_most, above | below),
        "!=": (above | below, at_least & at_most),
    }[sign]
