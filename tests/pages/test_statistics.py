"""Intervals, against closed forms, a table and draws; and when means of learners are the same."""

import numpy as np
import pytest

from chapters.counting_ablations.answers import AT_EIGHT_JOINTLY, predicted_width
from chapters.which_log_n.figures import clopper_pearson
from record.experiment import is_same_mean


def test_all_and_none_have_closed_forms():
    for runs in (1, 5, 20):
        low, high = clopper_pearson(runs, runs)
        assert low == pytest.approx(0.025 ** (1 / runs)) and high == 1
        low, high = clopper_pearson(0, runs)
        assert low == 0 and high == pytest.approx(1 - 0.025 ** (1 / runs))


def test_half_of_twenty_is_what_tables_print():
    assert clopper_pearson(10, 20) == pytest.approx((0.2720, 0.7280), abs=5e-5)
    assert clopper_pearson(4, 20) == pytest.approx((0.0573, 0.4366), abs=5e-5)


def test_one_more_run_is_inside_as_often_as_it_should_be():
    draws = np.random.default_rng(0).normal(3, 2, (40_000, 6))
    runs, one_more = draws[:, :5], draws[:, 5]
    inside = np.abs(one_more - runs.mean(1)) <= predicted_width(runs)
    assert abs(inside.mean() - 0.95) < 0.005


def test_the_draw_of_the_tests_widens_the_interval_and_covers_as_it_should():
    draw = np.random.default_rng(0)
    of_seeds, of_tests = draw.normal(0, 2, (40_000, 6)), draw.normal(0, 3, (40_000, 2))
    runs, one_more = of_seeds[:, :5] + of_tests[:, :1], of_seeds[:, 5] + of_tests[:, 1]
    inside = np.abs(one_more - runs.mean(1)) <= predicted_width(runs, 3.0)
    assert 0.94 < inside.mean() < 0.98
    assert np.isclose(predicted_width(np.zeros((1, 5)), 3.0), 1.96 * 3 * 2**0.5).all()
    jointly = predicted_width(runs, 3.0, AT_EIGHT_JOINTLY)
    assert (np.abs(one_more - runs.mean(1)) <= jointly).mean() > 1 - 0.05 / 8 - 0.002


def test_means_are_the_same_within_two_standard_errors():
    stored = [0.4, 0.6, 0.4, 0.6]
    assert is_same_mean(stored[::-1], stored) and is_same_mean([0.51, 0.6, 0.51, 0.6], stored)
    assert not is_same_mean([0.7, 0.6, 0.7, 0.6], stored)
    assert not is_same_mean([0.123] * 4, [1.0] * 4)


def test_where_all_stored_runs_are_alike_one_may_come_out_otherwise_and_six_may_not():
    stored = [1.0] * 20
    assert is_same_mean([1.0] * 19 + [0.67], stored)
    assert not is_same_mean([1.0] * 14 + [0.67] * 6, stored)
