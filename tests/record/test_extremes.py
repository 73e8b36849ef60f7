"""The laboratory on hard strings: they are those that are named, the runs are the laboratory's, and
a forged result is noticed.
"""

import copy
from functools import partial

import numpy as np

from lib.languages import FIRST
from lib.learning.strings import tokens
from record.experiments import which_log_n
from record.experiments.which_log_n import extreme, extremes_right, hard_reaches, learners
from record.runs import stored

RUN = stored("length_extremes")


def test_extreme_strings_are_those_whose_symbols_after_the_first_are_equal():
    found = {w for w in FIRST.all_strings(5) if len({*w[1:]}) == 1}
    assert {*extreme(5)} == found


def test_the_stored_runs_are_those_of_the_laboratory():
    laboratory = {
        tuple(row["configuration"].values()): row["result"]
        for name in ("length_laboratory", "length_factors")
        for row in stored(name).results
    }
    assert len(RUN.results) == 7
    for row in RUN.results:
        theirs = laboratory[tuple(row["configuration"].values())]
        assert row["result"]["tests"] == theirs["tests"]
        assert row["result"]["first_bits"] == theirs["first_bits"]


def test_a_run_is_right_where_each_strings_logit_has_its_sign():
    ensemble = learners("FIRST", "FIRST", "future", "log i", seeds=3)
    alone = [[ensemble(tokens([w]))[0][j, 0].item() > 0 for w in extreme(6)] for j in range(3)]
    wanted = [w in FIRST for w in extreme(6)]
    assert (extremes_right(ensemble, 6) == (np.array(alone) == wanted)).all()


def test_a_failure_on_either_kind_of_string_ends_a_run():
    tests = [{"length": n, "accuracy": [1.0, 1.0, 1.0 if n < 64 else 0.5]} for n in (16, 32, 64)]
    right = [{"length": n, "right": [[1] * 4, [1, 1, 1, n != 32], [1] * 4]} for n in (16, 32, 64)]
    assert hard_reaches({"tests": tests, "extremes": right}).tolist() == [64, 16, 32]


def test_a_forged_result_is_noticed(monkeypatch):
    row = RUN.results[5]
    configuration, result = row["configuration"], row["result"]
    assert configuration["factor"] == "floor-log"
    now = copy.deepcopy(result)  # what a run in full gives today
    monkeypatch.setattr(which_log_n, "measure_extremes", lambda device, **configuration: now)
    replay = partial(which_log_n.EXPERIMENTS["length_extremes"].replay, in_full=True)
    forged = copy.deepcopy(result)
    for test in forged["extremes"]:
        test["right"] = [[1] * 4] * 20  # from 7 runs right to 1000 to 20
    early = copy.deepcopy(result)
    early["first_bits"][4][2] *= 1.01
    assert replay(configuration, result)
    assert not replay(configuration, forged) and not replay(configuration, early)
    now["tests"][-1]["accuracy"][0] -= 0.02  # as on another processor, where runs part
    assert replay(configuration, result)
    assert not replay(configuration, forged)
