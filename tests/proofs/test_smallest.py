"""The smallest formulas: their sizes, and that a smaller one is not overlooked."""

import pytest

from lib.formulas.stated import FIRST_BY_COUNTS, MAJORITY, ONE_BY_COUNTS, SORTED
from lib.formulas.syntax import truth
from lib.proofs import smallest
from lib.verdicts import PROVED


@pytest.mark.parametrize(
    ("stated", "size"), [(FIRST_BY_COUNTS, 3), (MAJORITY, 5), (ONE_BY_COUNTS, 4), (SORTED, 5)]
)
def test_the_smallest_formula_is_proved(stated, size):
    found = smallest(stated.formula, stated.alphabet)
    assert found.size == size and found.answer.kind == PROVED
    assert smallest(stated.formula, stated.alphabet, most=size - 1).formula is None


def test_examples_are_matched_and_no_more_is_claimed():
    examples = {"": False, "01": True, "10": False, "0101": True, "11": False}
    found = smallest(examples, "01")
    assert all(truth(found.formula, w)[-1] == belongs for w, belongs in examples.items())
    assert found.answer is None
