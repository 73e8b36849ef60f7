"""What stored runs of learners say, picked out by their configuration, and the figures that show
it.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lib.book.figures import REFERENCE
from lib.book.results import Stored
from lib.learning.strings import TASKS, Task

CHANCE_LINE = REFERENCE | {"linestyle": ":"}


def chance(language: str, length: int = 1000) -> float:
    """The accuracy of the better constant answer on the strings that learners of the language get:
    1/2, but for ONE.
    """
    task = TASKS[language]
    if not isinstance(task, Task):
        return 0.5
    first, rest, weight = task.distribution(length)
    share = float(weight @ task.label(first, rest))
    return max(share, 1 - share)


def rows(run: Stored, **values) -> list[dict]:
    """The rows of a run whose configuration has these values, None standing for what a
    configuration does not mention.

    ValueError if there is none.
    """

    def matches(row: dict) -> bool:
        return all(row["configuration"].get(name) == value for name, value in values.items())

    matching = [row for row in run.results if matches(row)]
    if not matching:
        raise ValueError(f"the run {run.name!r} has no configuration with {values}")
    return matching


def last_accuracy(row: dict) -> np.ndarray:
    """Each member's accuracy after the last epoch, on the length tested while it learned."""
    return np.array(row["result"]["accuracy"])[-1]


def accuracy_at(row: dict, length: int) -> np.ndarray:
    """Each member's accuracy at the end on strings of that length; ValueError for a length that was
    not tested.
    """
    for final in row["result"]["final"]:
        if final["length"] == length:
            return np.array(final["accuracy"])
    tested = [final["length"] for final in row["result"]["final"]]
    raise ValueError(f"a length of {tested} is expected, not {length!r}")


def range_text(accuracy: np.ndarray) -> str:
    """The mean and, in brackets, the worst and the best of some runs."""
    return f"{accuracy.mean():.2f} ({accuracy.min():.2f} to {accuracy.max():.2f})"


def _legend(figure: Figure, lines: dict[str, Line2D]) -> None:
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=len(lines))


def generalisation_figure(run: Stored) -> Figure:
    """ONE: accuracy against the length tested, each run and their mean, for fixed and for variable
    training lengths.
    """
    lengths = sorted({row["configuration"]["length"] for row in run.results})
    colours = plt.get_cmap("viridis_r")(np.linspace(0.2, 0.75, len(lengths)))
    shades = dict(zip(lengths, colours, strict=True))
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for row in run.results:
        configuration, final = row["configuration"], row["result"]["final"]
        axis = axes[int("shortest" in configuration)]
        colour = shades[configuration["length"]]
        tested = [test["length"] for test in final]
        accuracy = np.array([test["accuracy"] for test in final])
        axis.plot(tested, accuracy, color=colour, linewidth=0.3, alpha=0.3)
        style = _generalisation_style(configuration)
        axis.plot(tested, accuracy.mean(axis=1), style, color=colour, markersize=4, linewidth=1.6)
    for axis, title in zip(axes, ("one length", "lengths from 2 up"), strict=True):
        axis.axhline(chance("ONE"), **CHANCE_LINE)
        axis.set(xscale="log", xlabel="$|w|$ tested", title=f"trained on {title}", ylim=(0.2, 1.03))
    axes[0].set_ylabel("accuracy")
    _legend(
        figure,
        {f"trained at {length}": Line2D([], [], color=shade) for length, shade in shades.items()},
    )
    return figure


def _generalisation_style(configuration: dict) -> str:
    """Dots for the positions of ONE, else a line; dashed where attention logits are scaled."""
    if configuration["positions"] == "ONE":
        return "o:"
    return "-" if configuration["scale"] == "plain" else "--"
