"""The paper's tables, and what agreeing with them means."""

import numpy as np
import pytest

from lib.counting.ablations import PUBLISHED
from lib.counting.published import TABLE_I, TABLE_II, is_within_spread, predicted_width


def test_each_experiment_of_the_paper_stands_in_one_table():
    assert [*TABLE_I, *TABLE_II] == [
        *list(PUBLISHED)[:4],
        "No-LayerNorm-Identity",
        "LayerNorm-Identity",
    ]
    assert all(len(shares) == 8 for shares in TABLE_I.values())


def test_one_more_run_is_inside_as_often_as_it_should_be():
    draws = np.random.default_rng(0).normal(3, 2, (40_000, 6))
    runs, one_more = draws[:, :5], draws[:, 5]
    inside = np.abs(one_more - runs.mean(1)) <= predicted_width(runs)
    assert abs(inside.mean() - 0.95) < 0.005


def test_another_number_of_runs_is_refused():
    with pytest.raises(ValueError, match="five runs are expected, not 4"):
        predicted_width(np.zeros((8, 4)))


def test_both_losses_must_be_within_the_spread():
    assert is_within_spread("LayerNorm-Identity", (0.0174 + 0.0018, 0.1147 - 0.0068))
    assert not is_within_spread("LayerNorm-Identity", (0.0174 + 0.0020, 0.1147))
    assert not is_within_spread("LayerNorm-Identity", (0.0174, 0.1147 - 0.0070))
