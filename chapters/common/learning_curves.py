"""What stored runs of learners say in chapters 4, 7 and 9, picked out by their configuration, and
the figures that show it in the last two.
"""

from collections.abc import Mapping
from itertools import cycle
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lib.learning.strings import TASKS, Task
from lib.notebook import COLOURS, REFERENCE
from record.runs import Stored

STEPS = 100  # of Adam in an epoch of a stored run
GENERALISATION: dict[str, dict[str, Any]] = {  # how the means are drawn, by what was trained on
    "one length": {"color": COLOURS["PARITY"], "linestyle": "--"},
    "lengths from 2 up": {"color": COLOURS["FIRST"]},
}

SHADES = ("#56B4E9", "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#D55E00", "#555555")


def chance(language: str, length: int = 1000) -> float:
    """The accuracy of the better constant answer on the strings that learners of the language get:
    1/2, but for ONE.
    """
    task = TASKS[language]
    if not isinstance(task, Task):
        return 0.5
    first, rest, weight = task.distribution(length)
    share = float(weight @ task.label(first, rest, length))
    return max(share, 1 - share)


def rows(run: Stored, **values) -> list[dict]:
    """The rows of a run whose configuration has these values, None standing for what a
    configuration does not mention.
    """
    return [
        row
        for row in run.results
        if all(row["configuration"].get(name) == value for name, value in values.items())
    ]


def last_accuracy(row: dict) -> np.ndarray:
    """Each member's accuracy after the last epoch, on the length tested while it learned."""
    return np.array(row["result"]["accuracy"])[-1]


def accuracy_at(row: dict, length: int) -> np.ndarray:
    """Each member's accuracy at the end on strings of a length that was tested."""
    [accuracy] = [
        final["accuracy"] for final in row["result"]["final"] if final["length"] == length
    ]
    return np.array(accuracy)


def solved_by_steps(row: dict) -> tuple[np.ndarray, np.ndarray]:
    """After how many steps of Adam the members were tested while they learned, (tests,), and which
    of them were then right on over 99 % of the strings, (tests, members).
    """
    result = row["result"]
    return STEPS * np.array(result["epochs"]), np.array(result["accuracy"]) > 0.99


def solvers(run: Stored) -> tuple[list[int], dict[tuple[int, int], np.ndarray]]:
    """After how many steps the members of a run were tested, and who of them was then right,
    (tests, members), by strings a step and length.

    ValueError where rows are not told apart by these two, of which one would hide another.
    """
    settings = [row["configuration"] for row in run.results]
    keys = [(setting.get("strings"), setting["length"]) for setting in settings]
    if None in dict(keys) or len(set(keys)) < len(keys):
        raise ValueError(
            f"one row for each pair of strings a step and length is expected in {run.name!r}"
        )
    found = [solved_by_steps(row) for row in run.results]
    [tests] = {tuple(steps.tolist()) for steps, _ in found}
    return list(tests), {key: solved for key, (_, solved) in zip(keys, found, strict=True)}


class Fates(NamedTuple):
    """How many members fail at the last test; of these, how many had been right; and how many
    others were right, then wrong, and are right again.
    """

    failed: int
    lost: int
    regained: int


def fates(solved: np.ndarray) -> Fates:
    """What becomes of members, from who of them is right at each test: bools (tests, members)."""
    had = np.logical_or.accumulate(solved)
    fell = (had & ~solved).any(axis=0)
    right = solved[-1]
    return Fates(int((~right).sum()), int((fell & ~right).sum()), int((fell & right).sum()))


def range_text(accuracy: np.ndarray) -> str:
    """The mean and, in brackets, the worst and the best of some runs."""
    return f"{accuracy.mean():.2f} ({accuracy.min():.2f} to {accuracy.max():.2f})"


def generalisation_figure(run: Stored) -> Figure:
    """ONE: accuracy against the length tested, a panel for each length trained at: the runs on one
    length and those on lengths from 2 up, with their means.
    """
    lengths = sorted({row["configuration"]["length"] for row in run.results})
    figure, axes = plt.subplots(
        2, (len(lengths) + 1) // 2, figsize=(7.2, 5), sharex=True, sharey=True, squeeze=False
    )
    panels = dict(zip(lengths, axes.flat, strict=False))
    for row in rows(run, scale="plain"):
        _generalisation_lines(panels[row["configuration"]["length"]], row)
    for length, axis in panels.items():
        axis.axhline(chance("ONE"), **REFERENCE | {"linestyle": ":"})
        axis.set(xscale="log", title=f"trained at {length}", ylim=(0.2, 1.03))
    for axis in axes[-1]:
        axis.set_xlabel("$|w|$ tested")
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy")
    lines = [Line2D([], [], label=name, **style) for name, style in GENERALISATION.items()]
    figure.legend(handles=lines, loc="outside lower center", ncols=len(lines))
    return figure


def _generalisation_lines(axis: Axes, row: dict) -> None:
    """The runs of one row and their mean: circles for ONE's own positions, which have few runs."""
    configuration, final = row["configuration"], row["result"]["final"]
    style = GENERALISATION["lengths from 2 up" if "shortest" in configuration else "one length"]
    tested = [test["length"] for test in final]
    accuracy = np.array([test["accuracy"] for test in final])
    if configuration["positions"] == "ONE":
        means, colour = accuracy.mean(axis=1), style["color"]
        axis.plot(tested, means, "o", color=colour, markersize=5, markerfacecolor="none")
    else:
        axis.plot(tested, accuracy, color=style["color"], linewidth=0.4, alpha=0.25)
        axis.plot(tested, accuracy.mean(axis=1), **style)


def steps_figure(run: Stored) -> Figure:
    """How many members solve each length against the steps of training, a panel for each number of
    strings a step; each curve's length stands at its end, in its colour.

    ValueError as of `solvers`.
    """
    steps, solved = solvers(run)
    sizes = sorted({size for size, _ in solved})
    lengths = sorted({length for _, length in solved})
    figure, axes = plt.subplots(
        1, len(sizes), figsize=(7.2, 3), sharex=True, sharey=True, squeeze=False
    )
    panels = dict(zip(sizes, axes.flat, strict=True))
    colours = dict(zip(lengths, map(np.array, map(to_rgba, cycle(SHADES)))))
    for (size, length), right in solved.items():
        panels[size].plot(steps, right.sum(axis=1), color=colours[length], linewidth=1.4)
    for size, axis in panels.items():
        last = {n: int(right[-1].sum()) for (one, n), right in solved.items() if one == size}
        for height in {*last.values()}:
            alike = {n: colours[n] for n in lengths if last.get(n) == height}
            _name_ends(axis, (steps[-1], height), alike)
        axis.set(xscale="log", title=f"{size} strings a step", xlabel="steps")
    axes[0, 0].set_ylabel("networks that are right")
    return figure


def _name_ends(axis: Axes, end: tuple[int, int], alike: Mapping[int, np.ndarray]) -> None:
    """The lengths whose curves end there, each in its colour, one beside another."""
    place: dict[str, Any] = {"xy": end, "xytext": (4, 0), "textcoords": "offset points"}
    for n, colour in alike.items():
        said = f"{n}" if n == [*alike][-1] else f"{n}, "
        name = axis.annotate(said, color=colour, fontweight="bold", va="center", **place)
        place = {"xy": (1, 0.5), "xycoords": name}
