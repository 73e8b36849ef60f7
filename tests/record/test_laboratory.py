"""Chapter 9's laboratory: what was expected is complete, outcomes are what their words say, and a
forged result is noticed.
"""

import copy
from functools import partial

import numpy as np
import pytest

from chapters.pages.which_log_n import band, count_text, key, reach_figure, scores, shown
from record.experiments import which_log_n as laboratory
from record.experiments.which_log_n import (
    EXPERIMENTS,
    LABORATORY,
    OUTCOMES,
    cells,
    learners,
    outcome,
    reach_as_far,
    reaches,
    solved,
)
from record.runs import stored

LENGTHS = (16, 32, 64, 128, 256, 1000)


def as_tested(*reached: int) -> list[dict]:
    """Runs that are right to these lengths, and are tested no further than they fail."""
    shares, alive = [], [True] * len(reached)
    for length in LENGTHS:
        row = [(1.0 if length <= to else 0.5) if on else None for to, on in zip(reached, alive)]
        alive = [on and length <= to for to, on in zip(reached, alive)]
        shares.append({"length": length, "accuracy": row})
    return shares


def test_every_cell_is_expected_once_and_with_a_reason():
    listed = [cell for name in LABORATORY for cell in cells(name)]
    assert len({key(cell) for cell in listed}) == len(listed) == 116
    assert all(cell["expected"] in OUTCOMES and len(cell["reason"]) > 10 for cell in listed)
    assert sum("seen" in cell for cell in listed) == 7
    assert all(len(EXPERIMENTS[name].configurations) == len(cells(name)) for name in LABORATORY)


def test_an_expectation_that_was_changed_is_refused(tmp_path, monkeypatch):
    changed = tmp_path / "length_laboratory.json"
    changed.write_text(
        laboratory.EXPECTED.read_text(encoding="utf-8").replace("further", "far", 1),
        encoding="utf-8",
    )
    monkeypatch.setattr(laboratory, "EXPECTED", changed)
    with pytest.raises(ValueError, match="was changed after the cells that it foretells were run"):
        cells("length_laboratory")


@pytest.mark.parametrize(
    "reached, expected",
    [
        ((16, 0, 0), "no"),
        ((16, 16, 0, 0), "own"),
        ((32, 1000, 0), "own"),
        ((64, 64, 0, 0), "further"),
        ((1000, 256, 256), "further"),
        ((1000, 1000, 0, 0), "far"),
    ],
)
def test_outcomes_are_what_their_words_say(reached, expected):
    assert outcome(as_tested(*reached)) == expected
    assert reaches(as_tested(*reached)).tolist() == list(reached)


def test_a_failure_at_a_short_length_ends_a_run():
    tests = as_tested(1000)
    tests[1]["accuracy"] = [0.98]
    for test in tests[2:]:
        test["accuracy"] = [None]
    assert reaches(tests).tolist() == [16]


def test_runs_that_fail_are_not_tested_further_and_the_others_are_as_if_alone():
    ensemble = learners("FIRST", "FIRST", "none", "log n", seeds=4)
    made = laboratory.measure(
        "cpu",
        epochs=1,
        strings=8,
        rate=3e-3,
        language="FIRST",
        positions="FIRST",
        mask="none",
        factor="log n",
        seeds=4,
    )
    assert [test["length"] for test in made["tests"]] == [*LENGTHS, 10**4, 10**5, 10**6]
    for before, after in zip(made["tests"], made["tests"][1:], strict=False):
        for was, now in zip(before["accuracy"], after["accuracy"], strict=True):
            assert (now is None) == (was is None or was < 0.99)
    untrained = solved(ensemble, "FIRST")
    assert untrained[-1]["accuracy"] == [None] * 4


def test_the_learned_factor_multiplies_the_named_one():
    made = learners("FIRST", "none", "future", "learned log i", seeds=2)
    assert made.network.learns_scale and {m.scale for m in made.members} == {"log i"}
    assert learners("copying", "RoPE", "future", "plain", seeds=1).network.symbols == 3


def test_a_forged_result_is_noticed(monkeypatch):
    """A cell that came to "own" is moved to "further", and one of its runs alone is moved."""
    run = stored("length_laboratory")
    named = ("MAJORITY", "FIRST", "none", "learned log n")
    row = next(row for row in run.results if key(row["configuration"]) == named)
    configuration, result = row["configuration"], row["result"]
    again = laboratory.measure("cpu", **configuration)
    monkeypatch.setattr(laboratory, "measure", lambda device, **cell: again)  # once is enough
    replay = partial(EXPERIMENTS["length_laboratory"].replay, in_full=True)
    assert replay(configuration, result)
    forged = copy.deepcopy(result)
    forged["first_bits"][4][2] *= 1.01
    assert not replay(configuration, forged)

    at_64 = LENGTHS.index(64)
    short = np.flatnonzero(reaches(result["tests"]) == 32)
    missing = 10 - (reaches(result["tests"]) >= 64).sum()
    forged = copy.deepcopy(result)
    for row in short[:missing]:
        forged["tests"][at_64]["accuracy"][row] = 0.992
    assert (outcome(result["tests"]), outcome(forged["tests"])) == ("own", "further")
    # Where each run trains as it did: on another processor some do not, and may reach otherwise.
    monkeypatch.setattr(laboratory, "measure", lambda device, **cell: result)
    assert not replay(configuration, forged)


def test_a_run_that_trained_otherwise_may_reach_otherwise():
    losses = [[0.9] * 4, [0.5] * 4, [0.1] * 4]
    was = {"losses_bits": losses, "tests": as_tested(16, 32, 64, 1000)}
    assert reach_as_far(was, was)
    moved = {"losses_bits": losses, "tests": as_tested(16, 64, 64, 1000)}
    assert not reach_as_far(moved, was)
    moved["losses_bits"] = [*losses[:2], [0.1, 0.2, 0.1, 0.1]]
    assert reach_as_far(moved, was)
    moved["losses_bits"] = [*losses[:2], [0.2, 0.1, 0.1, 0.1]]  # another run's
    assert not reach_as_far(moved, was)


@pytest.mark.parametrize("name", LABORATORY)
def test_every_cell_can_be_run_again_in_full(name, monkeypatch):
    row = stored(name).results[-1]
    monkeypatch.setattr(laboratory, "measure", lambda device, **cell: row["result"])
    replay = EXPERIMENTS[name].replay
    assert replay(row["configuration"], row["result"], in_full=True)
    forged = copy.deepcopy(row["result"])
    first = forged["tests"][0]
    first["accuracy"] = [0.5 if share >= 0.99 else 1.0 for share in first["accuracy"]]
    assert not replay(row["configuration"], forged, in_full=True)
    assert not replay(row["configuration"], forged)  # whose figures no longer fit one another


def test_pictures_stand_where_runs_do():
    assert band("no", LENGTHS) == (0, 0) and band("own", LENGTHS) == (1, 2)
    assert band("further", LENGTHS) == (3, 5) and band("far", LENGTHS) == (6, 6)
    result = {"tests": as_tested(0, 16, 64, 1000)}
    figure = reach_figure({"FIRST": [("none", result, "own")]}, 1)
    [axis] = figure.axes
    heights = np.sort(np.concatenate([line.get_ydata() for line in axis.lines[:-1]]))
    assert heights.tolist() == [0, 1, 3, 6]
    assert axis.lines[-1].get_ydata().tolist() == [3, 3]
    assert count_text(result, 64) == "2 (0.07–0.93)"


def test_lengths_are_shown_as_powers_of_ten_from_ten_thousand_on():
    assert [shown(length) for length in (16, 1000, 10**4, 10**6)] == ["16", "1000", "10⁴", "10⁶"]


def test_scores_count_each_pair():
    [cell] = [
        {"language": "x", "positions": "none", "mask": "none", "factor": "plain", "expected": "own"}
    ]
    counts = scores([cell], {key(cell): {"tests": as_tested(64, 64)}})
    assert counts["own", "further"] == 1 and sum(counts.values()) == 1
