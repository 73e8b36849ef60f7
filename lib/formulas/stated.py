"""Languages by formula, as text: what counting says."""

from __future__ import annotations

from dataclasses import dataclass

from lib.checks import hold
from lib.checks import text as string
from lib.formulas.interpreter import language
from lib.formulas.syntax import Formula
from lib.formulas.text import formula
from lib.languages import Language


@dataclass(frozen=True)
class Stated:
    """A language's name, its symbols and the formula that says which strings belong to it."""

    name: str
    alphabet: str
    text: str

    def __post_init__(self):
        hold(self, name=string, alphabet=string, text=string)

    @property
    def formula(self) -> Formula:
        """The formula, read."""
        return formula(self.text, self.alphabet)

    @property
    def language(self) -> Language:
        """Its strings, by the interpreter."""
        return language(self.formula, self.alphabet, self.name)


MAJORITY = Stated("MAJORITY", "01", 'count(Q("1")) > count(Q("0"))')
EXACTLY_TWO = Stated("exactly two 1s", "01", 'count(Q("1")) == 2')
A_THIRD = Stated("at least a third are 1s", "01", '3*count(Q("1")) >= position')
DYCK_1 = Stated(
    "Dyck-1",
    "()",
    'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))',
)
SORTED = Stated("a*b*", "ab", 'never(Q("a") and once(Q("b")))')
ALTERNATING = Stated(
    "(ab)*",
    "ab",
    'count(Q("a")) == count(Q("b")) and always(0 <= count(Q("a")) - count(Q("b")) <= 1)',
)
A_N_B_N_C_N = Stated(
    "aⁿbⁿcⁿ",
    "abc",
    'count(Q("a")) == count(Q("b")) == count(Q("c"))'
    ' and never(Q("a") and count(Q("b")) + count(Q("c")) >= 1)'
    ' and never(Q("b") and once(Q("c")))',
)
PARITY_BY_MARKS = Stated("PARITY", "01", 'total(mod(2, 1) and position == total(Q("1"))) == 1')
PARITY_BY_HALVES = Stated(
    "PARITY, by halves",
    "01",
    'total(2*position == total(Q("1"))) == 0 and total(Q("1")) >= 1',
)
FIRST_BY_COUNTS = Stated("FIRST", "01", 'once(Q("1") and position == 1)')
ONE_BY_COUNTS = Stated("ONE", "01", 'count(Q("1")) == 1')

LIBRARY = (
    MAJORITY,
    EXACTLY_TWO,
    A_THIRD,
    DYCK_1,
    SORTED,
    ALTERNATING,
    A_N_B_N_C_N,
    PARITY_BY_MARKS,
    PARITY_BY_HALVES,
    FIRST_BY_COUNTS,
    ONE_BY_COUNTS,
)
