"""Where a factor on the logits turns the flawed FIRST, against the exact reader and by the proofs'
inequalities.
"""

from fractions import Fraction
from math import ceil, exp, log

import pytest

from chapters.which_log_n.figures import FACTORS, is_right, scaled, turning
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


def test_the_production_factor_recovers_at_its_steps_and_never_fails_from_gain_10():
    c = Fraction("9.005")
    assert [is_right(n, c, "floor-log") for n in (8144, 8145, 8191, 8192)] == [
        True,
        False,
        False,
        True,
    ]
    assert turning(10, "floor-log") is None
    ends = [8192 * 10**k - 1 for k in range(12)]
    assert all(is_right(n, 10, "floor-log") for n in ends)
    assert turning(Fraction("9.9"), "floor-log") > 10**42


def test_gains_near_the_limit_come_back():
    """Just below the limit of log n, n log n is about 1 / (1 - c), as n log(n / (n - 1)) is 1."""
    n = turning(1 - Fraction(1, 10**7), "log n")
    assert (n - 1) * log(n - 1) < 10**7 < (n + 1) * log(n + 1)
    for c in (9.999, 9.9999):
        with pytest.raises(
            ArithmeticError, match="under floor-log first errs after 10.1000 tokens"
        ):
            turning(c, "floor-log")
    assert turning(0.1, "log L", 17) == 3  # 2 > 17^0.1 = 1.33, and 0.1 is a quotient by 2^55


def test_a_scaled_mirror_is_right_where_its_gain_says():
    """`pairwise_palindrome` asks for a gain of 5/4: 4 s ln n."""
    for s, wrong in ((1, False), (Fraction(1, 2), False), (Fraction(1, 32), True)):
        reader = Exact(scaled(pairwise_palindrome(), s), log_n=True)
        strings = [w for length in range(6) for w in PALINDROME.all_strings(length)]
        assert bool(PALINDROME.errors(strings, reader.accepts(strings))) == wrong


def test_every_factor_has_a_turning_point_or_a_reason():
    assert [turning(3, name, 17) for name in FACTORS] == [22, 17**3 + 1, None, 2, None, 22]
