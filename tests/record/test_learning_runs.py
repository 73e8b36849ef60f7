"""Means of learners are compared by their standard errors."""

from record.experiment import is_same_mean


def test_means_are_the_same_within_two_standard_errors():
    stored = [0.4, 0.6, 0.4, 0.6]
    assert is_same_mean(stored[::-1], stored) and is_same_mean([0.51, 0.6, 0.51, 0.6], stored)
    assert not is_same_mean([0.7, 0.6, 0.7, 0.6], stored)
    assert not is_same_mean([0.123] * 4, [1.0] * 4)


def test_where_all_stored_runs_are_alike_one_may_come_out_otherwise_and_six_may_not():
    stored = [1.0] * 20
    assert is_same_mean([1.0] * 19 + [0.67], stored)
    assert not is_same_mean([1.0] * 14 + [0.67] * 6, stored)
