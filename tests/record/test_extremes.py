"""The laboratory on hard strings: they are those that are named, and a wrong answer ends a run."""

import numpy as np

from chapters.which_log_n.runs import extreme, extremes_right, hard_reaches, learners
from lib.languages import FIRST
from lib.learning.strings import tokens


def test_extreme_strings_are_those_whose_symbols_after_the_first_are_equal():
    found = {w for w in FIRST.all_strings(5) if len({*w[1:]}) == 1}
    assert {*extreme(5)} == found


def test_a_run_is_right_where_each_strings_logit_has_its_sign():
    ensemble = learners("FIRST", "FIRST", "future", "log i", seeds=3)
    alone = [[ensemble(tokens([w]))[0][j, 0].item() > 0 for w in extreme(6)] for j in range(3)]
    wanted = [w in FIRST for w in extreme(6)]
    assert (extremes_right(ensemble, 6) == (np.array(alone) == wanted)).all()


def test_a_failure_on_either_kind_of_string_ends_a_run():
    tests = [{"length": n, "accuracy": [1.0, 1.0, 1.0 if n < 64 else 0.5]} for n in (16, 32, 64)]
    right = [{"length": n, "right": [[1] * 4, [1, 1, 1, n != 32], [1] * 4]} for n in (16, 32, 64)]
    assert hard_reaches({"tests": tests, "extremes": right}).tolist() == [64, 16, 32]
