"""Where a factor on the logits turns the flawed FIRST, against the exact reader and by the proofs'
inequalities.
"""

from fractions import Fraction
from math import ceil, exp, log

import pytest

from chapters.pages.which_log_n import FACTORS, is_right, scaled, turning
from lib.constructions import flawed_first, pairwise_palindrome
from lib.languages import FIRST, PALINDROME
from lib.transformer import Exact

GAINS = [Fraction(1, 2), Fraction(4, 5), 1, Fraction(3, 2), 2]


@pytest.mark.parametrize("c", GAINS)
def test_a_rational_multiple_of_log_n_is_what_the_exact_reader_finds(c):
    """Every string of each length, the machine scaled and read under log n."""
    reader = Exact(scaled(flawed_first(), c), log_n=True)
    for n in range(2, 10):
        strings = list(FIRST.all_strings(n - 1))
        assert (FIRST.errors(strings, reader.accepts(strings)) == []) == is_right(n, c, "log n")


@pytest.mark.parametrize("c", GAINS)
def test_without_a_factor_it_is_the_exact_reader_too(c):
    reader, found = Exact(flawed_first(c)), turning(c, "none")
    assert found == ceil(exp(c)) + 1
    for n in range(2, found + 3):
        strings = ["1" + "0" * (n - 2), "0" + "1" * (n - 2)]
        assert (FIRST.errors(strings, reader.accepts(strings)) == []) == (n < found)


@pytest.mark.parametrize("L, c", [(17, 2), (17, 3), (9, Fraction(1, 2))])
def test_a_constant_of_the_training_length_only_moves_the_length(L, c):
    found = turning(c, "log L", L)
    exact = [n for n in range(2, 5000) if (n - 1) ** c.denominator >= L**c.numerator]
    assert found == exact[0]


@pytest.mark.parametrize("c", [5, 9, Fraction("9.005"), Fraction("9.05"), Fraction("9.2")])
def test_the_production_factor_turns_where_a_plain_search_says(c):
    def margin(n: int) -> float:
        return c * (1 + 0.1 * log(1 + n // 8192)) - log(n - 1)

    found = turning(c, "floor-log")
    assert found == next(n for n in range(2, 10**6) if margin(n) <= 0)


def test_a_scaled_mirror_is_right_where_its_gain_says():
    """`pairwise_palindrome` asks for a gain of 5/4: 4 s ln n."""
    for s, wrong in ((1, False), (Fraction(1, 2), False), (Fraction(1, 32), True)):
        reader = Exact(scaled(pairwise_palindrome(), s), log_n=True)
        strings = [w for length in range(6) for w in PALINDROME.all_strings(length)]
        assert bool(PALINDROME.errors(strings, reader.accepts(strings))) == wrong


def test_every_factor_has_a_turning_point_or_a_reason():
    assert [turning(3, name, 17) for name in FACTORS] == [22, 17**3 + 1, None, 2, None, 22]
