"""What Nowak et al. recorded, beside what was run here."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from chapters.pages.palindrome_precision import claims as record
from chapters.pages.palindrome_precision.records import (
    Comparison,
    compared,
    exact_records,
    learned_records,
)
from record.claims import Claims
from record.runs import RESULTS, Stored, stored


@pytest.fixture
def claims() -> Claims:
    return Claims("07_palindrome_precision")


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


def toy(accuracy: list[float], **changed) -> Stored:
    recorded = next(r for r in learned_records() if (r["figure"], r["length"]) == ("7", 10))
    group = {
        "scale": "plain",
        "length": 10,
        "first_nats": recorded["first_nats"][: len(accuracy)],
        "accuracy": [accuracy],
    }
    configuration = {
        "language": "PARITY",
        "test_length": None,
        "shortest": None,
        "changed": changed,
    }
    row = {"configuration": configuration, "result": {"epochs": [100], "groups": [group]}}
    return Stored("toy", [row], {})


def test_runs_are_compared_with_the_record_of_their_conditions_only():
    [group] = compared(toy([0.5, 0.5]))
    assert (group.figure, group.length) == ("Fig. 7 PARITY", 10)
    assert group.largest_gap == 0 and len(group.recorded) == len(group.here) == 2
    assert compared(toy([0.5, 0.5], heads=2)) == [] and compared(toy([0.5]), epoch=99) == []


def test_means_agree_within_two_standard_errors():
    recorded = np.array([0.4, 0.6, 0.4, 0.6])
    for shift, agrees in ((0.0, True), (0.1154, True), (0.1155, False), (-0.2, False)):
        group = Comparison("Fig. 7 PARITY", 10, 100, 0.0, recorded, recorded + shift)
        assert group.mean_agrees == agrees  # twice the standard error is 0.11547
        assert group.same == (4 if shift == 0 else 0)


def test_a_figure_agrees_where_each_of_its_groups_does(claims):
    recorded = next(r for r in learned_records() if (r["figure"], r["length"]) == ("7", 10))
    run = toy(recorded["accuracy"][recorded["epochs"].index(100)])
    run.made.update(date="", device="")
    [same] = compared(run)
    record.figures(claims, run, [same])
    record.figures(claims, run, [same], conditions="fewer runs")
    [alike, fewer] = claims.claims
    assert (alike.settles, alike.verdict, alike.paper) == ("PARITY", "agrees", alike.here)
    assert "1 of 12 lengths" in alike.quantity
    assert alike.printed.endswith("mean of the same 10 runs")
    assert (fewer.verdict, fewer.note) == ("other conditions", "fewer runs, agrees")
    other = Comparison("Fig. 7 PARITY", 30, 100, 1e-3, same.recorded, same.here)
    with pytest.raises(ValueError, match="2 of 12 lengths.*differs: name its cause"):
        record.figures(claims, run, [same, other])


def test_what_the_records_settle_of_the_text(claims):
    groups = compared(stored("nowak_repeated"))
    record.errata(claims, groups)
    rows = [erratum.row for erratum in claims.errata]
    assert rows == ["N Fig. 4", "N Fig. 5", "N Fig. 3", "N Figs. 7, 8"]
    with pytest.raises(ValueError, match="correction of N Figs. 3 to 5, 7, 8, axes does not hold"):
        record.errata(claims, [replace(groups[0], largest_gap=1e-4)])
    record.variable_lengths(claims, stored("nowak_repeated"))
    [claim] = claims.claims
    assert claim.verdict == "agrees" and len(claim.here.split(", ")) == 4
