"""Chapter 8's page: the numbers worked out by hand, and the library's languages in plain Python."""

from fractions import Fraction

import pytest

from chapters.formulas_to_transformers.figures import PLAIN, distance, mean_position
from lib.formulas import LIBRARY


@pytest.mark.parametrize(
    "i, g, mean", [(3, 0, Fraction(34, 15)), (3, -2, Fraction(83, 585)), (1, 0, Fraction(4, 5))]
)
def test_the_means_worked_out_by_hand(i, g, mean):
    assert mean_position(i, g) == pytest.approx(float(mean), abs=1e-15)
    assert float(distance(i, 16, g)) == pytest.approx(float(mean - Fraction(i, 2)), abs=1e-15)


def test_each_language_of_the_library_has_a_plain_definition():
    assert list(PLAIN) == [stated.name for stated in LIBRARY]
    for stated in LIBRARY:
        for length in range(6):
            for w in stated.language.all_strings(length):
                assert PLAIN[stated.name](w) == stated.language.contains(w)
