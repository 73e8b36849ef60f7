"""What stored runs of learners say, picked out by their configuration, and the figures that show
it.
"""

from __future__ import annotations

from math import ceil

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lib.book.figures import COLOURS, REFERENCE
from lib.book.results import Stored
from lib.learning.strings import TASKS, Task

LENGTH_STYLES = {10: "-", 30: "-.", 100: "--", 1000: ":"}
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


def rows(run: Stored, **wanted) -> list[dict]:
    """The rows of a run whose configuration has these values, None standing for what a
    configuration does not mention.

    ValueError if there is none.
    """
    found = [
        row
        for row in run.results
        if all(row["configuration"].get(name) == value for name, value in wanted.items())
    ]
    if not found:
        raise ValueError(f"the run {run.name!r} has no configuration with {wanted}")
    return found


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
    raise ValueError(
        f"a length of {[final['length'] for final in row['result']['final']]} is expected, not {length!r}"
    )


def learned_text(found: list[dict], bar: float = 0.99) -> str:
    """How many runs of each row end above `bar`, as "19 of 20, 20 of 20"."""
    return ", ".join(
        f"{(last_accuracy(row) > bar).sum()} of {len(last_accuracy(row))}" for row in found
    )


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
    figure, axes = plt.subplots(
        lines, ACROSS, figsize=(6.4, 0.6 + 2.2 * lines), sharey=True, squeeze=False
    )
    for axis in axes.flat[len(panels) :]:
        axis.remove()
    for axis, (title, shown) in zip(axes.flat, panels.items()):
        language = shown[0]["configuration"]["language"]
        for row in shown:
            epochs, accuracy = row["result"]["epochs"], np.array(row["result"]["accuracy"])
            axis.plot(
                epochs,
                np.median(accuracy, 1),
                LENGTH_STYLES[row["configuration"]["length"]],
                color=COLOURS[language],
            )
            axis.fill_between(
                epochs,
                accuracy.min(1),
                accuracy.max(1),
                color=COLOURS[language],
                alpha=0.12,
                linewidth=0,
            )
        axis.axhline(chance(language), **CHANCE_LINE)
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


def generalisation_figure(run: Stored) -> Figure:
    """ONE: mean accuracy against the length tested, for fixed and for variable training lengths."""
    lengths = sorted({row["configuration"]["length"] for row in run.results})
    shades = dict(zip(lengths, plt.cm.viridis_r(np.linspace(0.2, 0.75, len(lengths)))))
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for row in run.results:
        c, final = row["configuration"], row["result"]["final"]
        style = "o:" if c["positions"] == "ONE" else "-" if c["scale"] == "plain" else "--"
        axes[int("shortest" in c)].plot(
            [f["length"] for f in final],
            [np.mean(f["accuracy"]) for f in final],
            style,
            color=shades[c["length"]],
            markersize=4,
            linewidth=1.4,
        )
    for axis, title in zip(axes, ("one length", "lengths from 2 up")):
        axis.axhline(chance("ONE"), **CHANCE_LINE)
        axis.set(xscale="log", xlabel="$|w|$ tested", title=f"trained on {title}", ylim=(0.2, 1.03))
    axes[0].set_ylabel("accuracy")
    _legend(
        figure,
        {f"trained at {length}": Line2D([], [], color=shade) for length, shade in shades.items()},
    )
    return figure


def shared_figure(run: Stored, titles: dict[str, str]) -> Figure:
    """Final accuracies of runs that share an initialisation, a column for each, beside those of
    runs with weights of their own.
    """
    figure, axes = plt.subplots(1, len(titles), figsize=(7, 2.8), sharey=True)
    for axis, (language, title) in zip(np.atleast_1d(axes), titles.items()):
        for row in rows(run, language=language):
            c = row["configuration"]
            groups, own = last_accuracy(row).reshape(-1, c["seeds"]), "initialisations" not in c
            columns = (
                range(len(groups))
                if not own
                else [rows(run, language=language)[0]["configuration"]["initialisations"]]
            )
            for column, group in zip(columns, groups):
                axis.plot(
                    column + np.linspace(-0.25, 0.25, len(group)),
                    np.sort(group),
                    "o",
                    markersize=3,
                    color="#777777" if own else COLOURS[language],
                )
        axis.axhline(chance(language), **CHANCE_LINE)
        axis.set(title=title, xlabel="initialisation")
        axis.set_xticks(range(column + 1), [*map(str, range(column)), "own"])
    np.atleast_1d(axes)[0].set_ylabel("accuracy")
    return figure
