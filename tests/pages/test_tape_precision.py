"""Chapter 6 in floating point: where a tape no longer fits."""

import pytest

from chapters.turing_completeness.precision import FLOATS, exact_depth, longest_ones


@pytest.mark.parametrize("name", FLOATS)
def test_a_run_is_exact_as_deep_as_its_stacks_fit(name):
    bits, number = FLOATS[name]
    for b in (2, 3, 4):
        symbols = "abcdefg"[: 2 ** (b - 1) - 1]
        assert exact_depth(symbols, number) == (bits + 1) // b


def test_a_float_is_rounded_to_its_bits():
    for bits, number in FLOATS.values():
        assert float(number(1 + 2.0 ** (1 - bits))) > 1 == float(number(1 + 2.0 ** (-1 - bits)))


def test_a_base_that_is_no_power_of_two_is_rounded():
    number = FLOATS["float16"].number
    assert longest_ones(number) == 4 > longest_ones(number, 6) == 1
