"""Intervals in which one more run falls, against draws."""

import numpy as np

from chapters.counting_ablations.answers import AT_EIGHT_JOINTLY, predicted_width


def test_the_draw_of_the_tests_widens_the_interval_and_covers_as_it_should():
    draw = np.random.default_rng(0)
    of_seeds, of_tests = draw.normal(0, 2, (40_000, 6)), draw.normal(0, 3, (40_000, 2))
    runs, one_more = of_seeds[:, :5] + of_tests[:, :1], of_seeds[:, 5] + of_tests[:, 1]
    inside = np.abs(one_more - runs.mean(1)) <= predicted_width(runs, 3.0)
    assert 0.94 < inside.mean() < 0.98
    assert np.isclose(predicted_width(np.zeros((1, 5)), 3.0), 1.96 * 3 * 2**0.5).all()
    jointly = predicted_width(runs, 3.0, AT_EIGHT_JOINTLY)
    assert (np.abs(one_more - runs.mean(1)) <= jointly).mean() > 1 - 0.05 / 8 - 0.002
