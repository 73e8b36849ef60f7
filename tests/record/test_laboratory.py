"""Chapter 9's laboratory: what was expected is complete, and outcomes are what their words say."""

import pytest

from chapters.which_log_n import runs as laboratory
from chapters.which_log_n.figures import key
from chapters.which_log_n.runs import (
    EXPERIMENTS,
    LABORATORY,
    OUTCOMES,
    cells,
    learners,
    outcome,
    reaches,
    solved,
)

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
