"""The judges of chapter 8's exercises find where wrong answers go wrong."""

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from chapters.common.judge import said
from chapters.formulas_to_transformers.exercises import BLOCKS, twice_the_distance
from lib.formulas import Q, compiled, count, formula, holds, never, once
from lib.transformer import Encoder


def test_8_1_counts():
    # One averages, three compare (= is two), one averages the truth of >, one compares it with 0.
    assert said("8.1", 6) == "Exercise 8.1: right."
    assert said("8.1", 5).endswith("not yet: 5 is too few.")
    assert said("8.1", 11).endswith("not yet: 11 is too many.")


RIGHT = "Exercise 8.2: right at every length."
TEXT = 'count(Q("1")) > count(Q("0")) >= 1 and never(Q("0") and once(Q("1")))'


def test_8_2_shows_a_string():
    ordered = never(Q("0") & once(Q("1")))
    more = count(Q("1")) > count(Q("0"))
    assert said("8.2", ordered & more & once(Q("0"))) == RIGHT
    assert said("8.2", TEXT) == RIGHT
    assert said("8.2", more).endswith("not yet: it accepts 1.")
    assert said("8.2", more & once(Q("0"))).endswith("not yet: it accepts 101.")
    assert said("8.2", ordered & once(Q("0"))).endswith("not yet: it accepts 0.")
    assert said("8.2", ordered & ~ordered).endswith("not yet: it rejects 011.")
    assert "ends in FormulaError: no formula" in said("8.2", 'count(Q("1")) >')
    assert "unknown symbol '2'" in said("8.2", once(Q("2")))


def in_blocks(w: str) -> bool:
    return 1 <= w.count("0") < w.count("1") and w == "".join(sorted(w))


def test_8_2_is_held_against_what_it_asks_for():
    blocks = formula(BLOCKS, "01")
    strings = ("".join(w) for n in range(12) for w in product("01", repeat=n))
    assert all(holds(blocks, w) == in_blocks(w) for w in strings)


@pytest.mark.parametrize(
    "text, length",
    [
        (f"{TEXT} and position <= 10", 11),
        (f'{TEXT} and count(Q("1")) <= 40', 42),
        (f'{TEXT} and count(Q("0")) <= 20', 43),
        (f'{TEXT} or position >= 11 and Q("1")', 11),
        (f'{TEXT} or count(Q("0")) == 4 and position >= 20', 20),
    ],
)
def test_8_2_finds_what_first_goes_wrong_at_any_length(text, length):
    wrong = said("8.2", text)
    w = wrong.split()[-1].removesuffix(".")
    assert len(w) == length
    machine = compiled(text, "01", "softmax")
    assert Encoder(machine).accepts(w) == ("accepts" in wrong) != in_blocks(w)


def test_8_3_wants_a_witness():
    assert said("8.3", (8, 2)) == said("8.3", (Fraction(3, 2), 8)) == "Exercise 8.3: right."
    assert "then show it: give a base below 9" in said("8.3", "refuted")
    assert "at base 8, of the positions 1 to 200 only [1] are inexact" in said("8.3", "proved")
    assert "at position 1, for g = 0, the mean is about 0.239 off" in said("8.3", (8, 1))
    assert "at position 6, for g = 0, the mean is about 0.231 off" in said("8.3", (1.5, 6))
    assert "the base 9 is not between 1 and 9" in said("8.3", (9, 1))
    assert "the base 1 is not between" in said("8.3", (1, 10**9))
    assert "3 things are not a base" in said("8.3", (8, 2, 1))
    assert "a position must be at least 1" in said("8.3", (8, 0))


def test_8_3_reads_a_base_however_close_to_1():
    """D grows like ln(base) i / 12: here 1/4 lies just beyond i = 3 / ln(base)."""
    for digits in (40, 400):
        base = Fraction(10**digits + 1, 10**digits)
        for right in (10 ** (digits + 2), 4 * 10**digits):
            assert said("8.3", (base, right)) == "Exercise 8.3: right."
        for early in (10**digits, 2 * 10**digits):
            assert "less than the 1/4 that slope 2 asks for" in said("8.3", (base, early))
    assert "about 0.083 off" in said("8.3", (1 + Fraction(1, 10**40), 10**40))
    assert "no more than 10,000 bits" in said("8.3", (1 + Fraction(1, 10**4000), 10**10))
    assert "no more than 10,000 bits" in said("8.3", (10**6000, 1))
    assert "no more than 10,000 bits" in said("8.3", (8, 10**6000))


def test_8_3_tells_a_hair_below_a_quarter_from_a_quarter():
    near = 9 - Fraction(1, 10**30)  # at base 9 the mean of position 1 is 1/4 off, for g = 0
    assert "is about 0.250 off the middle, which is less than the 1/4" in said("8.3", (near, 1))
    assert said("8.3", (near, 2)) == "Exercise 8.3: right."


@pytest.mark.parametrize("base, i", [(8, 1), (8, 2), (1.5, 7), (3, 40), (100, 9)])
def test_the_distance_is_that_of_the_weights(base, i):
    weights = [exp(j / (i + 1) * log(base)) for j in range(i + 1)]
    mean = sum(j * w for j, w in enumerate(weights)) / sum(weights)
    assert float(twice_the_distance(base, i)) == pytest.approx(2 * mean - i, abs=1e-12)
