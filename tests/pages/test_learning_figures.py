"""Stored learners' runs, picked out by configuration, and their figures."""

import numpy as np
import pytest

from chapters.pages.learning_curves import (
    accuracy_at,
    chance,
    fates,
    last_accuracy,
    range_text,
    rows,
    solved_by_steps,
    solvers,
    steps_figure,
)
from lib.learning.strings import poisson_distribution
from record.runs import Stored


def row(language: str, length: int, accuracy: list, final: dict | None = None, **more) -> dict:
    configuration = (
        dict(
            language=language,
            length=length,
            seeds=len(accuracy[0]),
            positions="FIRST",
            scale="plain",
        )
        | more
    )
    return {
        "configuration": configuration,
        "result": {
            "epochs": list(range(1, len(accuracy) + 1)),
            "accuracy": accuracy,
            "final": [{"length": n, "accuracy": a} for n, a in (final or {}).items()],
        },
    }


RUN = Stored(
    "toy",
    [
        row("FIRST", 10, [[0.5, 0.6], [0.7, 0.9]], {10: [1, 1], 20: [0.5, 1]}),
        row("FIRST", 100, [[0.5, 0.6], [0.8, 1.0]], {10: [0.2, 0.4]}),
        row("ONE", 10, [[0.6, 0.7], [0.9, 0.9]], {10: [0, 1]}, shortest=2),
        row("ONE", 10, [[0.6, 0.7], [0.9, 0.8]], {10: [1, 1]}, positions="ONE"),
    ],
    {},
)


def test_rows_are_picked_by_what_their_configuration_says_and_does_not_say():
    assert (
        rows(RUN, language="FIRST") == RUN.results[:2]
        and rows(RUN, language="ONE", shortest=None) == RUN.results[3:]
    )
    assert rows(RUN, language="ONE", shortest=2) == RUN.results[2:3]
    assert rows(RUN, language="DYCK") == []


def test_accuracies_are_the_last_ones_and_those_at_a_length():
    assert last_accuracy(RUN.results[0]).tolist() == [0.7, 0.9]
    assert accuracy_at(RUN.results[0], 20).tolist() == [0.5, 1]
    assert range_text(np.array([0.5, 1])) == "0.75 (0.50 to 1.00)"
    with pytest.raises(ValueError):
        accuracy_at(RUN.results[1], 30)


def test_chance_is_the_better_constant_answer():
    assert [chance(language) for language in ("FIRST", "PARITY")] == pytest.approx(
        [0.5, 0.5]
    ) and chance("PALINDROME") == 0.5
    first, rest, weight = poisson_distribution(1000)
    assert (
        chance("ONE")
        == pytest.approx(1 - weight[first + rest == 1].sum())
        == pytest.approx(1 - 1.5 * np.exp(-1.5), abs=1e-12)
    )


def test_solvers_are_named_by_strings_a_step_and_length():
    results = [
        row("PARITY", 10, [[1.0, 0.99], [0.5, 1.0]], strings=64),
        row("PARITY", 12, [[0.5, 0.5], [1.0, 0.5]], strings=8),
    ]
    steps, solved = solvers(Stored("toy", results, {}))
    assert steps == [100, 200]
    assert {one: right.tolist() for one, right in solved.items()} == {
        (64, 10): [[True, False], [False, True]],
        (8, 12): [[False, False], [True, False]],
    }
    with pytest.raises(ValueError):  # tested after other steps
        solvers(Stored("toy", [*results, row("PARITY", 4, [[1.0, 1.0]], strings=8)], {}))
    alike = Stored("toy", [results[0], results[0]], {})
    for unclear in (RUN, alike):
        with pytest.raises(ValueError, match="one row for each pair of strings a step and length"):
            steps_figure(unclear)


def test_fates_are_those_of_the_last_test():
    never, at_last, left, back, twice = (
        [0, 0, 0, 0, 0],
        [0, 0, 0, 1, 1],
        [0, 1, 1, 0, 0],
        [1, 0, 0, 1, 1],
        [1, 0, 1, 0, 0],
    )
    members = [never, at_last, left, back, twice]
    assert fates(np.array(members, dtype=bool).T) == (3, 2, 1)  # failed, lost, regained


def test_the_figure_of_steps_counts_who_solves_each_length():
    first, second = [[0.5, 1.0, 0.99], [0.5, 0.995, 1.0]], [[0.5, 0.5, 0.5], [1.0, 0.6, 0.5]]
    results = [
        row("PARITY", 12, second, strings=64),
        row("PARITY", 10, first, strings=64),
        row("PARITY", 12, first, strings=8),
    ]
    steps, solved = solved_by_steps(results[1])
    assert steps.tolist() == [100, 200]
    assert solved.tolist() == [[False, True, False], [False, True, True]]
    eight, many = steps_figure(Stored("toy", results, {})).axes
    drawn = [[*map(int, line.get_ydata())] for line in many.lines]
    assert drawn == [[0, 1], [1, 2]]
    assert [*map(int, eight.lines[0].get_ydata())] == [1, 2]
    assert (eight.lines[0].get_color() == many.lines[0].get_color()).all()
    assert (many.lines[0].get_color() != many.lines[1].get_color()).any()
    assert list(many.lines[0].get_xdata()) == [100, 200] and many.get_xscale() == "log"
