"""Stored learners' runs, picked out by configuration, and their figures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from lib.book.learning_figures import (
    LENGTH_STYLES,
    accuracy_at,
    chance,
    generalisation_figure,
    last_accuracy,
    learned_text,
    learning_figure,
    range_text,
    rows,
    shared_figure,
)
from lib.book.results import Stored
from lib.learning.strings import poisson_distribution


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
    with pytest.raises(
        ValueError, match="the run 'toy' has no configuration with {'language': 'DYCK'}"
    ):
        rows(RUN, language="DYCK")


def test_accuracies_are_the_last_ones_and_those_at_a_length():
    assert last_accuracy(RUN.results[0]).tolist() == [0.7, 0.9] and accuracy_at(
        RUN.results[0], 20
    ).tolist() == [0.5, 1]
    assert (
        learned_text(RUN.results[:2], bar=0.75) == "1 of 2, 2 of 2"
        and learned_text(RUN.results[:1]) == "0 of 2"
    )
    assert range_text(np.array([0.5, 1])) == "0.75 (0.50 to 1.00)"
    with pytest.raises(ValueError, match=r"a length of \[10\] is expected, not 30"):
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


def test_the_learning_figure_has_a_median_for_each_length():
    figure = learning_figure(
        {"FIRST": rows(RUN, language="FIRST"), "ONE": rows(RUN, positions="ONE")}
    )
    lines = [
        line
        for line in figure.axes[0].lines
        if len(line.get_ydata()) == 2 and list(line.get_xdata()) == [1, 2]
    ]
    assert [list(line.get_ydata()) for line in lines] == [
        pytest.approx([0.55, 0.8]),
        pytest.approx([0.55, 0.9]),
    ]
    assert [line.get_linestyle() for line in lines] == [LENGTH_STYLES[10], LENGTH_STYLES[100]]
    assert [axis.get_title(loc=plt.rcParams["axes.titlelocation"]) for axis in figure.axes] == [
        "FIRST",
        "ONE",
    ] and all(axis.get_xlabel() for axis in figure.axes)


def test_the_generalisation_figure_parts_fixed_from_variable_lengths():
    one = Stored("toy", RUN.results[2:], {})
    fixed, variable = generalisation_figure(one).axes
    assert list(variable.lines[0].get_ydata()) == [0.5] and list(fixed.lines[0].get_ydata()) == [
        1.0
    ]


def test_the_shared_figure_has_a_column_for_each_initialisation_and_one_for_own_ones():
    shared = Stored(
        "toy",
        [
            row("ONE", 10, [[0.5, 0.6, 0.7, 0.8]], seeds=2, initialisations=2),
            row("ONE", 10, [[0.9, 0.4]]),
        ],
        {},
    )
    [axis] = np.atleast_1d(shared_figure(shared, {"ONE": "a title"}).axes)
    groups = [list(line.get_ydata()) for line in axis.lines[:3]]
    assert groups == [[0.5, 0.6], [0.7, 0.8], [0.4, 0.9]] and [
        t.get_text() for t in axis.get_xticklabels()
    ] == ["0", "1", "own"]
