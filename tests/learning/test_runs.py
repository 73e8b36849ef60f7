"""The stored runs of learners: forged accuracies are noticed on the day of their run."""

import copy

from record.experiments import learning as runs
from record.runs import stored


def test_a_forged_accuracy_of_parity_without_positions_is_noticed(monkeypatch):
    row = next(
        row
        for row in stored("parity_steps").results
        if (row["configuration"]["length"], row["configuration"]["strings"]) == (12, 8)
    )
    configuration, result = row["configuration"], row["result"]
    now = copy.deepcopy(result)  # what a run in full gives today
    monkeypatch.setattr(runs, "_learn", lambda device, **configuration: now)
    monkeypatch.setattr(runs, "todays", lambda _, all_runs: all_runs[all_runs.index(configuration)])
    replay = runs.EXPERIMENTS["parity_steps"].replay
    assert replay(configuration, result)
    forged = copy.deepcopy(result)
    forged["accuracy"][-1] = [1.0] * 10
    assert not replay(configuration, forged)
    for number in range(3):
        forged = copy.deepcopy(result)
        forged["final"][number]["accuracy"] = [1.0] * 10
        assert not replay(configuration, forged)
