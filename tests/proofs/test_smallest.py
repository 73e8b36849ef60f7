"""The smallest formulas: their sizes, and that a smaller one is not overlooked."""

import pytest

from chapters.common.enumeration import smallest
from lib.formulas.stated import BY_NAME, MAJORITY, SORTED
from lib.formulas.syntax import truth
from lib.verdicts import PROVED


@pytest.mark.parametrize(
    ("stated", "size"), [(BY_NAME["FIRST"], 3), (MAJORITY, 5), (BY_NAME["ONE"], 4), (SORTED, 5)]
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


@pytest.mark.parametrize(
    ("language", "alphabet", "size"),
    [("count(Q('a')) >= 5", "abcde", 6), ("count(Q('a')) >= 6", "abcd", 8)],
)
def test_a_formula_is_not_lost_with_one_that_short_strings_do_not_tell_from_it(
    language, alphabet, size
):
    """A refuted formula stands for all that agree with it on short strings; its counterexample
    tells them apart.
    """
    found = smallest(language, alphabet, most=size)
    assert (found.size, found.answer.kind) == (size, PROVED) and found.parting


def test_none_means_none_of_the_size():
    """`position == 2` agrees with `mod(8, 2)` on all strings of at most 9 symbols."""
    none = smallest("mod(8, 2)", "ab", most=6)
    assert none.formula is None and none.parting == ("a" * 10,)
    assert str(none).endswith("formulas differ on strings up to length 8 or on 1 longer one")
