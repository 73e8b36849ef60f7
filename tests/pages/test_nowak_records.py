"""What Nowak et al. recorded, beside what was run here."""

import json
from collections import Counter

import numpy as np

from chapters.palindrome_precision import claims as record
from chapters.palindrome_precision.records import (
    Comparison,
    compared,
    exact_records,
    learned_records,
)
from record.runs import RESULTS, stored


def test_the_records_are_complete_and_name_their_source():
    data = json.loads((RESULTS / "records" / "nowak2022.json").read_text(encoding="utf-8"))
    assert "github.com/giacomocamposampiero/palindrome-transformer" in data["source"]
    assert list(exact_records()) == list(range(2, 200))
    lengths = Counter(f"Fig. {one['figure']} {one['language']}" for one in learned_records())
    assert dict(zip(record.FIGURES, (12, 12, 4, 4, 4, 12, 12), strict=True)) == lengths
    for group in learned_records():
        runs = len(group["first_nats"])
        assert runs == (20 if group["figure"][0] in "45" else 10)
        assert np.array(group["accuracy"]).shape == (len(group["epochs"]), runs)


def test_the_repeated_runs_end_as_the_authors_ran_them():
    """Their accuracies, which nothing here computed, guard the stored ones."""
    groups = compared(stored("nowak_repeated"))
    figures = {(group.figure, group.length) for group in groups}
    assert {("Fig. 4 left FIRST", 10), ("Fig. 4 right FIRST", 300)} <= figures
    assert {("Fig. 7 PARITY", 10), ("Fig. 8 PALINDROME", 100)} <= figures
    assert all(group.largest_gap < 1e-5 for group in groups)
    assert sum(group.same for group in groups) > 0.9 * sum(len(group.here) for group in groups)


def test_means_agree_within_two_standard_errors():
    recorded = np.array([0.4, 0.6, 0.4, 0.6])
    for shift, agrees in ((0.0, True), (0.1154, True), (0.1155, False), (-0.2, False)):
        group = Comparison("Fig. 7 PARITY", 10, 100, 0.0, recorded, recorded + shift)
        assert group.mean_agrees == agrees  # twice the standard error is 0.11547
        assert group.same == (4 if shift == 0 else 0)
