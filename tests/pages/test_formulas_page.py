"""Chapter 8's page: the numbers worked out by hand, and the library's languages in plain Python."""

from fractions import Fraction

import pytest

from chapters.formulas_to_transformers.figures import PLAIN, distance, least_distance, mean_position
from lib.formulas import LIBRARY


@pytest.mark.parametrize(
    "i, g, mean", [(3, 0, Fraction(34, 15)), (3, -2, Fraction(83, 585)), (1, 0, Fraction(4, 5))]
)
def test_the_means_worked_out_by_hand(i, g, mean):
    assert mean_position(i, g) == pytest.approx(float(mean), abs=1e-15)
    assert float(distance(i, 16, g)) == pytest.approx(float(mean - Fraction(i, 2)), abs=1e-15)


def test_the_bound_is_met_at_the_first_position_alone():
    assert float(least_distance(9)) == pytest.approx(0.25)
    for b in (1.5, 4, 9, 16, 100):
        assert distance(1, b).overlaps(least_distance(b))
        for i in range(2, 12):
            for g in range(-3, 4):
                off = distance(i, b, g)
                assert abs(off) > least_distance(b) and (off > 0) == (g >= 0)


def test_each_language_of_the_library_has_a_plain_definition():
    assert list(PLAIN) == [stated.name for stated in LIBRARY]
    for stated in LIBRARY:
        for length in range(6):
            for w in stated.language.all_strings(length):
                assert PLAIN[stated.name](w) == stated.language.contains(w)
