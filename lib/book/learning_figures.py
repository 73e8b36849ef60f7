"""What stored runs of learners say, picked out by their configuration, and the figures that show
it.
"""

from __future__ import annotations

from math import ceil

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

from lib.book.figures import COLOURS, REFERENCE
from lib.book.results import Stored
from lib.learning.strings import TASKS, Task

LENGTH_STYLES: dict[int, LineStyleType] = {10: "-", 30: "-.", 100: "--", 1000: ":"}
ACROSS = 3  # panels in a row, legible on a narrow screen
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


def learned_text(rows: list[dict], bar: float = 0.99) -> str:
    """How many runs of each row end above `bar`, as "19 of 20, 20 of 20"."""
    accuracies = map(last_accuracy, rows)
    return ", ".join(f"{(accuracy > bar).sum()} of {len(accuracy)}" for accuracy in accuracies)


def range_text(accuracy: np.ndarray) -> str:
    """The mean and, in brackets, the worst and the best of some runs."""
    return f"{accuracy.mean():.2f} ({accuracy.min():.2f} to {accuracy.max():.2f})"


def _legend(figure: Figure, lines: dict[str, Line2D]) -> None:
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=len(lines))


def learning_figure(panels: dict[str, list[dict]]) -> Figure:
    """Accuracy against epochs: a panel for each title, a line (the median over seeds) and a band
    for each row, that is for each length.
    """
    lines = ceil(len(panels) / ACROSS)
    size = (6.4, 0.6 + 2.2 * lines)
    figure, axes = plt.subplots(lines, ACROSS, figsize=size, sharey=True, squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.remove()
    for axis, (title, shown) in zip(axes.flat, panels.items(), strict=False):
        for row in shown:
            _learning_curve(axis, row)
        axis.axhline(chance(shown[0]["configuration"]["language"]), **CHANCE_LINE)
        axis.set(xscale="log", xlabel="epoch", title=title, ylim=(0.2, 1.03))
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy")
    _legend(
        figure,
        {
            f"|w| = {length}": Line2D([], [], color="#777777", linestyle=style)
            for length, style in LENGTH_STYLES.items()
        },
    )
    return figure


def _learning_curve(axis: Axes, row: dict) -> None:
    """The median of the members' accuracies over the epochs, and the band that holds them all."""
    configuration, result = row["configuration"], row["result"]
    epochs, accuracy = result["epochs"], np.array(result["accuracy"])
    colour = COLOURS[configuration["language"]]
    style = LENGTH_STYLES[configuration["length"]]
    worst, best = accuracy.min(axis=1), accuracy.max(axis=1)
    axis.plot(epochs, np.median(accuracy, axis=1), color=colour, linestyle=style)
    axis.fill_between(epochs, worst, best, color=colour, alpha=0.12, linewidth=0)


def generalisation_figure(run: Stored) -> Figure:
    """ONE: mean accuracy against the length tested, for fixed and for variable training lengths."""
    lengths = sorted({row["configuration"]["length"] for row in run.results})
    colours = plt.get_cmap("viridis_r")(np.linspace(0.2, 0.75, len(lengths)))
    shades = dict(zip(lengths, colours, strict=True))
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for row in run.results:
        configuration, final = row["configuration"], row["result"]["final"]
        axes[int("shortest" in configuration)].plot(
            [tested["length"] for tested in final],
            [np.mean(tested["accuracy"]) for tested in final],
            _generalisation_style(configuration),
            color=shades[configuration["length"]],
            markersize=4,
            linewidth=1.4,
        )
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


def shared_figure(run: Stored, titles: dict[str, str]) -> Figure:
    """Final accuracies of runs that share an initialisation, a column for each, beside those of
    runs with weights of their own.
    """
    figure, axes = plt.subplots(1, len(titles), figsize=(7, 2.8), sharey=True, squeeze=False)
    for axis, (language, title) in zip(axes[0], titles.items(), strict=True):
        shown = rows(run, language=language)
        initialisations = shown[0]["configuration"]["initialisations"]
        for row in shown:
            _shared_columns(axis, row, initialisations)
        axis.axhline(chance(language), **CHANCE_LINE)
        axis.set(title=title, xlabel="initialisation")
        numbers = range(initialisations)
        axis.set_xticks([*numbers, initialisations], [*map(str, numbers), "own"])
    axes[0, 0].set_ylabel("accuracy")
    return figure


def _shared_columns(axis: Axes, row: dict, initialisations: int) -> None:
    """A row's final accuracies: a column for each initialisation, or the one behind them for runs
    with weights of their own.
    """
    configuration = row["configuration"]
    groups = last_accuracy(row).reshape(-1, configuration["seeds"])
    columns, colour = range(len(groups)), COLOURS[configuration["language"]]
    if "initialisations" not in configuration:
        columns, colour = range(initialisations, initialisations + 1), "#777777"
    for column, group in zip(columns, groups, strict=True):
        x = column + np.linspace(-0.25, 0.25, len(group))
        axis.plot(x, np.sort(group), "o", markersize=3, color=colour)
