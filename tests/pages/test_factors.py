"""Where a factor on the logits turns the flawed FIRST, against the exact reader and by the proofs'
inequalities.
"""

from fractions import Fraction
from math import ceil, exp, log

import pytest

from chapters.which_log_n.figures import is_right, scaled, turning
from lib.constructions import flawed_first
from lib.languages import FIRST
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
