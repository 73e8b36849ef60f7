"""Intervals of BLEU hold what they say; the criteria are those that their rules say."""

import numpy as np
import pytest

from chapters.translation.bleu import (
    CRITERIA,
    Comparison,
    interval,
    significant_seeds,
)
from chapters.translation.settings import MEAN
from record.runs import Stored


def run(name: str, norm_first: bool, **gains) -> Stored:
    """A stored run whose baseline has 10 BLEU, with these gains by split and seed."""
    rows = [
        {
            "configuration": dict(
                split=split, seed=seed, variants=["baseline", "log n"], norm_first=norm_first
            ),
            "result": {
                "systems": {
                    "baseline": dict(bleu=10.0, confidence=1.0, p=None),
                    "log n": dict(bleu=10 + gain, confidence=1.0, p=0.5),
                }
            },
        }
        for split, values in gains.items()
        for seed, gain in enumerate(values)
    ]
    return Stored(f"translation_{name}", rows, {})


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


def test_a_p_value_is_counted_as_it_was_before_it_was_rounded():
    rounded = [round(parts / 1001, 4) for parts in (1, 10, 11)]  # 10 / 1001 is stored as 0.01
    assert rounded[1] == 0.01
    found = [comparison(0.0, p=p) for p in rounded]
    assert [significant_seeds(one) for one in found] == [1, 1, 0]
