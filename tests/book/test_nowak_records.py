"""What Nowak et al. recorded, beside what was run here."""

import json

import numpy as np
import pytest

from chapters.pages.palindrome_precision.claims import (
    SETTINGS,
    Comparison,
    after_changes,
    compared,
    errata,
    exact_records,
    learned_records,
    lines,
    repeated_figure,
    variable_lengths,
)
from record.runs import RESULTS, Stored, stored


def test_the_records_are_complete_and_name_their_source():
    data = json.loads((RESULTS / "records" / "nowak2022.json").read_text(encoding="utf-8"))
    assert "github.com/giacomocamposampiero/palindrome-transformer" in data["source"]
    assert list(exact_records()) == list(range(2, 200))
    assert {record["figure"] for record in learned_records()} == {
        "3",
        "4 left",
        "4 right",
        "5",
        "7",
        "8",
    }
    for record in learned_records():
        runs = len(record["first_nats"])
        assert runs == (20 if record["figure"][0] in "45" else 10)
        assert np.array(record["accuracy"]).shape == (len(record["epochs"]), runs)


def test_the_repeated_runs_end_as_the_authors_ran_them():
    """Their accuracies, which nothing here computed, guard the stored ones."""
    groups = compared(stored("nowak_repeated"))
    figures = {(group.figure, group.length) for group in groups}
    assert {("4 left", 10), ("4 right", 300), ("7", 10), ("8", 100)} <= figures
    assert all(group.largest_gap < 1e-5 for group in groups)
    assert sum(group.same for group in groups) > 0.9 * sum(len(group.here) for group in groups)


def toy(accuracy: list[float], **changed) -> Stored:
    record = next(r for r in learned_records() if (r["figure"], r["length"]) == ("7", 10))
    group = {
        "scale": "plain",
        "length": 10,
        "first_nats": record["first_nats"][: len(accuracy)],
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
    assert (group.figure, group.language, group.length) == ("7", "PARITY", 10)
    assert group.largest_gap == 0 and len(group.recorded) == len(group.here) == 2
    assert compared(toy([0.5, 0.5], heads=2)) == [] and compared(toy([0.5]), epoch=99) == []


def test_means_agree_within_two_standard_errors():
    recorded = np.array([0.4, 0.6, 0.4, 0.6])
    for shift, agrees in ((0.0, True), (0.11, True), (0.12, False), (-0.2, False)):
        group = Comparison("7", "PARITY", "plain", 10, 100, 0.0, recorded, recorded + shift)
        assert group.mean_agrees == agrees
        assert group.same == (4 if shift == 0 else 0)
    assert group.standard_error == pytest.approx(0.11547 / 2, rel=1e-4)


def test_a_figure_agrees_where_each_of_its_groups_does():
    record = next(r for r in learned_records() if (r["figure"], r["length"]) == ("7", 10))
    run = toy(record["accuracy"][record["epochs"].index(100)])
    [same] = compared(run)
    other = Comparison("7", "PARITY", "plain", 30, 100, 1e-3, same.recorded, same.here)
    for groups, agrees in (([same], True), ([same, other], False)):
        parity = next(line for line in lines(groups) if line["settles"] == "PARITY")
        assert parity["agrees"] == agrees and parity["paper"] == parity["here"]
        assert f"{len(groups)} of 12 lengths" in parity["quantity"]
        assert parity["printed"].endswith("mean of the same 10 runs")


def test_the_settings_say_where_the_tested_length_is_another():
    recorded = {
        (record["length"], record["test_length"])
        for record in learned_records()
        if record["figure"] in ("3", "7", "8") and record["length"] != record["test_length"]
    }
    assert recorded == {(20, 10), (30, 10), (400, 300)}
    [row] = [row for row in SETTINGS if row[0].startswith("tested at")]
    assert row[2] == "10 from 20, 30; 300 from 400"


def test_accuracies_are_known_by_what_was_changed():
    assert list(after_changes(toy([0.5, 0.75], heads=2)).items()) == [
        (("PARITY", ("heads", 2)), pytest.approx([0.5, 0.75]))
    ]


def test_the_repeated_figure_has_recorded_dots_and_a_line_through_each():
    axes = repeated_figure(stored("nowak_repeated")).axes
    titles = [axis.get_title(loc="left") or axis.get_title() for axis in axes]
    assert titles == [f"trained at {n}" for n in (10, 30, 100, 300)]
    for axis in axes:
        lines = {line.get_label(): line for line in axis.lines}
        assert len(lines) == len(axis.lines) == 4
        for scale, marker in (("plain", "o"), ("log n", "s")):
            dots, curve = lines[f"{scale}, recorded"], lines[f"{scale}, here"]
            assert dots.get_marker() == marker and dots.get_linestyle() == "None"
            assert dots.get_color() == curve.get_color()
            assert list(dots.get_xdata()) == list(curve.get_xdata())
            assert np.abs(dots.get_ydata() - curve.get_ydata()).max() < 0.05
        styles = {
            (line.get_color(), line.get_linestyle(), line.get_marker()) for line in axis.lines
        }
        assert len(styles) == 4


def test_what_the_records_settle_of_the_text():
    found = list(errata(compared(stored("nowak_repeated"))))
    assert [erratum["row"] for erratum in found] == [
        "N Fig. 4",
        "N Fig. 5",
        "N Fig. 3",
        "N Figs. 7, 8",
    ]
    assert all(erratum["holds"] for erratum in found)
    claim = variable_lengths(stored("nowak_repeated"))
    assert claim["agrees"] and len(claim["here"].split(", ")) == 4
