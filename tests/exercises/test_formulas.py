"""The judges of chapter 8's exercises find where wrong answers go wrong."""

from fractions import Fraction
from math import exp, log

import pytest

from lib.exercises.formulas import twice_the_distance
from lib.exercises.judge import said
from lib.formulas import Q, count, never, once


def test_8_1_counts():
    # One averages, three compare (= is two), one averages the truth of >, one compares it with 0.
    assert said("8.1", 6) == "Exercise 8.1: right."
    assert said("8.1", 5).endswith("not yet: 5 is too few.")
    assert said("8.1", 11).endswith("not yet: 11 is too many.")


def test_8_2_shows_a_string():
    ordered = never(Q("0") & once(Q("1")))
    more = count(Q("1")) > count(Q("0"))
    assert said("8.2", ordered & more & once(Q("0"))) == "Exercise 8.2: right."
    text = 'count(Q("1")) > count(Q("0")) >= 1 and never(Q("0") and once(Q("1")))'
    assert said("8.2", text) == "Exercise 8.2: right."
    assert said("8.2", more).endswith("not yet: it accepts 1.")
    assert said("8.2", more & once(Q("0"))).endswith("not yet: it accepts 101.")
    assert said("8.2", ordered & once(Q("0"))).endswith("not yet: it accepts 0.")
    assert said("8.2", ordered & ~ordered).endswith("not yet: it rejects 011.")
    assert "ends in FormulaError: no formula" in said("8.2", 'count(Q("1")) >')
    assert "unknown symbol '2'" in said("8.2", once(Q("2")))


def test_8_3_wants_a_witness():
    assert said("8.3", (8, 2)) == said("8.3", (Fraction(3, 2), 8)) == "Exercise 8.3: right."
    assert "then show it: give a base below 9" in said("8.3", "refuted")
    assert "at base 8, of the positions 1 to 200 only [1] are inexact" in said("8.3", "proved")
    assert "at position 1, for g = 0, the mean is 0.239 off" in said("8.3", (8, 1))
    assert "at position 6, for g = 0, the mean is 0.231 off" in said("8.3", (1.5, 6))
    assert "the base 9 is not between 1 and 9" in said("8.3", (9, 1))
    assert "the base 1 is not between" in said("8.3", (1, 10**9))
    assert "3 things are not a base" in said("8.3", (8, 2, 1))
    assert "a position must be at least 1" in said("8.3", (8, 0))


@pytest.mark.parametrize("base, i", [(8, 1), (8, 2), (1.5, 7), (3, 40), (100, 9)])
def test_the_distance_is_that_of_the_weights(base, i):
    weights = [exp(j / (i + 1) * log(base)) for j in range(i + 1)]
    mean = sum(j * w for j, w in enumerate(weights)) / sum(weights)
    assert float(twice_the_distance(base, i)) == pytest.approx(2 * mean - i, abs=1e-12)
