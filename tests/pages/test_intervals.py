"""Intervals against closed forms and a table."""

import pytest

from chapters.which_log_n.figures import clopper_pearson


def test_all_and_none_have_closed_forms():
    for runs in (1, 5, 20):
        low, high = clopper_pearson(runs, runs)
        assert low == pytest.approx(0.025 ** (1 / runs)) and high == 1
        low, high = clopper_pearson(0, runs)
        assert low == 0 and high == pytest.approx(1 - 0.025 ** (1 / runs))


def test_half_of_twenty_is_what_tables_print():
    assert clopper_pearson(10, 20) == pytest.approx((0.2720, 0.7280), abs=5e-5)
    assert clopper_pearson(4, 20) == pytest.approx((0.0573, 0.4366), abs=5e-5)
