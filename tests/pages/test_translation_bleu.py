"""Intervals of BLEU hold what they say; the criteria are those that their rules say."""

import numpy as np
import pytest

from chapters.translation.bleu import CRITERIA, Comparison, interval
from chapters.translation.settings import MEAN


def test_an_interval_holds_the_mean_of_19_draws_of_20():
    draw = np.random.default_rng(0)
    for seeds in (2, 3, 5, 10):
        drawn = draw.normal(1.5, 2.0, size=(4000, seeds))
        held = [low <= 1.5 <= high for low, high in (interval([*row]) for row in drawn)]
        assert np.mean(held) == pytest.approx(0.95, abs=0.012)
    for wrong in ([1.0], [1.0] * 11):
        with pytest.raises(ValueError, match=f"2 to 10 differences are expected, not {len(wrong)}"):
            interval(wrong)


def comparison(*gains, p=0.5) -> Comparison:
    values = np.array(gains, float)
    return Comparison(np.zeros(len(values)), values, np.full(len(values), p), 1.0)


@pytest.mark.parametrize(
    "split, variant, gains, p, agrees",
    [
        ("all", "log n", (0.1, -0.3, 0.2), 0.5, True),
        ("all", "log n", (0.1, -0.3, 0.2), 0.001, False),
        ("all", "log n", (0.9, 0.8, 0.9), 0.5, False),
        ("short to long", "log n", (0.9, 0.8, -0.1), 0.001, True),
        ("short to long", "log n", (0.9, 0.8, -0.1), 0.02, False),
        ("short to long", MEAN, (-0.9, 0.2, 0.1), 0.001, False),
        ("all", "no decoder-encoder residual", (-6.5, -7.5), 0.001, True),
        ("all", "no decoder-encoder residual", (-6.5, -6.9), 0.001, False),
        ("all", "no decoder-decoder residual", (-1.5, -1.7), 0.5, True),
    ],
)
def test_a_criterion_decides_as_its_rule_says(split, variant, gains, p, agrees):
    criterion = next(c for c in CRITERIA if (c.split, c.variant) == (split, variant))
    assert criterion.agrees(comparison(*gains, p=p)) == agrees
