"""The exercises of chapter 11: for every length."""

import numpy as np

from chapters.common import judge
from chapters.every_length.statements import bounded
from lib.formulas.syntax import Formula
from lib.proofs import proved_equal, regular


@judge.exercise("11.1", int, np.integer)
def where_depths_part(answer: int) -> str | None:
    """The length of the shortest string that tells a depth of 20 from one of 21."""
    found = proved_equal(bounded(20), bounded(21), "()")
    return judge.compared(answer, len(found.counterexample or ""))


@judge.exercise("11.2", Formula, str)
def followed_by_two(answer: Formula | str) -> str | None:
    """A formula for the strings in which two b's follow every a."""
    return judge.at_every_length(answer, regular("(b|abb)*", "ab"), "ab")


@judge.exercise("11.3", tuple[str, str])
def few_strings_are_enough(formula: str, expression: str) -> str | None:
    """Whether strings with fewer symbols than there are pairs would have been enough."""
    found = proved_equal(formula, regular(expression, "01"), "01")
    return f"the statement holds for these: {found}"
