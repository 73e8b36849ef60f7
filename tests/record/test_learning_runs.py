"""The stored runs of learners: kept weights give the stored figures, and means are compared by
their standard errors.
"""

import copy

from chapters.common import learning
from chapters.common.searches import searches
from record.experiment import combined, is_same_mean, is_same_start, packed, unpacked
from record.runs import stored


def test_an_earlier_failure_is_found_where_a_search_is_made_again_in_full():
    def find(start: int, stop: int) -> dict:
        return {"n": next((n for n in (10, 30) if start <= n < stop), None)}

    configuration = dict(start=2, stop=50)
    replay = searches(find, [configuration], []).replay
    assert replay(configuration, {"n": 10}, in_full=True)
    forged = {"n": 30}  # right from a few lengths before it on
    assert replay(configuration, forged) and not replay(configuration, forged, in_full=True)


def test_a_start_is_the_same_to_rounding():
    assert is_same_start([[0.5, 1.0]], [[0.50001, 1.0]])
    assert not is_same_start([[0.5, 1.0]], [[0.501, 1.0]])
    assert not is_same_start([[0.5, 1.0]], [0.5, 1.0])


def test_means_are_the_same_within_two_standard_errors():
    stored = [0.4, 0.6, 0.4, 0.6]
    assert is_same_mean(stored[::-1], stored) and is_same_mean([0.51, 0.6, 0.51, 0.6], stored)
    assert not is_same_mean([0.7, 0.6, 0.7, 0.6], stored)
    assert not is_same_mean([0.123] * 4, [1.0] * 4)


def test_where_all_stored_runs_are_alike_one_may_come_out_otherwise_and_six_may_not():
    stored = [1.0] * 20
    assert is_same_mean([1.0] * 19 + [0.67], stored)
    assert not is_same_mean([1.0] * 14 + [0.67] * 6, stored)


def test_a_grid_is_every_combination_and_settings_may_vary_together():
    grid = {"a": 1, "c": 0, "each": {"b": [2, [3]], "pair": [{}, {"c": 4, "d": {"e": 5}}]}}
    assert combined([{"a": 6}, grid]) == [
        {"a": 6},
        {"a": 1, "c": 0, "b": 2},
        {"a": 1, "c": 4, "b": 2, "d": {"e": 5}},
        {"a": 1, "c": 0, "b": [3]},
        {"a": 1, "c": 4, "b": [3], "d": {"e": 5}},
    ]


def test_weights_that_are_kept_give_the_last_figures_and_others_do_not():
    [row] = [row for row in stored("parity_steps").results if "weights" in row["result"]]
    configuration, result = row["configuration"], row["result"]
    assert learning.replay_learning(configuration, result)
    forged = copy.deepcopy(result)
    forged["final"][-1]["attention"][0][1] *= 1.03
    assert not learning.replay_learning(configuration, forged)
    weights = unpacked(result["weights"])
    other = result | {"weights": packed(weights * 1.01)}
    assert not learning.replay_learning(configuration, other)
