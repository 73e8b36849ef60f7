"""Where a factor on the logits turns the flawed FIRST, against the exact reader."""

from fractions import Fraction
from math import ceil, exp

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
