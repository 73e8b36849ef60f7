"""How sure a count of successful runs is.

What chapter 9's laboratory found beside what was expected: pictures and tables.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from lib.checks import between, takes
from collections.abc import Mapping, Sequence
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from lib.notebook import COLOURS
from record.experiments.which_log_n import OUTCOMES, TRAINED, outcome, reaches


HALVINGS = 50


@takes(successes=between(0), runs=between(1))
def clopper_pearson(successes: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of a probability of success, from that many successes in so many runs: the
    values at which neither as many nor as few are less likely than 2.5 %.

    Clopper & Pearson 1934. ValueError for more successes than runs.
    """
    if successes > runs:
        raise ValueError(f"at most {runs} successes of {runs} runs are expected, not {successes}")

    def at_least(p: float, k: int) -> float:
        return sum(comb(runs, j) * p**j * (1 - p) ** (runs - j) for j in range(k, runs + 1))

    low = _root(lambda p: at_least(p, successes) - 0.025) if successes else 0.0
    high = _root(lambda p: at_least(p, successes + 1) - 0.975) if successes < runs else 1.0
    return low, high


def _root(rises: Callable[[float], float]) -> float:
    """Where a function that rises between 0 and 1 is 0."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < 0 else (low, middle)
    return (low + high) / 2


OTHER_COLOUR = "#56B4E9"
WIDTH = 0.36  # of half a column of dots
MOST = 20  # dots that fill it
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def key(cell: Mapping) -> tuple[str, str, str, str]:
    """What names a cell: language, positions, mask and factor."""
    return cell["language"], cell["positions"], cell["mask"], cell["factor"]


def band(expected: str, lengths: Sequence[int]) -> tuple[int, int]:
    """The first and last rung, of those of `lengths` from 1 on and 0 below all, on which the
    middle run of a cell with this outcome stands.
    """
    rungs = [0, *lengths]
    of = {rung: _outcome_at(length, lengths) for rung, length in enumerate(rungs)}
    own = [rung for rung in of if of[rung] == expected]
    return own[0], own[-1]


def _outcome_at(reach: int, lengths: Sequence[int]) -> str:
    """The outcome of a cell all of whose runs reach this length."""
    tests = [{"length": length, "accuracy": [1.0 if length <= reach else 0]} for length in lengths]
    return outcome(tests)


def reach_figure(panels: Mapping[str, Sequence[tuple[str, dict, str]]], columns: int) -> Figure:
    """A panel for each name with a column for each (label, result, expected): a dot for each run
    at the longest length to which it is right, and a grey band where half of them were expected.
    """
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(7.2, 2.4 * rows), sharey="row", squeeze=False
    )
    for axis, (name, cells) in zip(axes.flat, panels.items(), strict=False):
        lengths = [test["length"] for test in cells[0][1]["tests"]]
        for column, (_, result, expected) in enumerate(cells):
            low, high = band(expected, lengths)
            span = [column - 0.45, column + 0.45]
            axis.fill_between(span, low - 0.45, high + 0.45, color="#999999", alpha=0.25, lw=0)
            _runs(axis, column, result, lengths, COLOURS.get(name.split(",")[0], OTHER_COLOUR))
        axis.set(title=name, xticks=range(len(cells)), yticks=range(len(lengths) + 1))
        axis.set_xticklabels([label for label, *_ in cells], fontsize=7, rotation=30, ha="right")
        axis.set_yticklabels(["none", *map(shown, lengths)], fontsize=7)
    for axis in axes[:, 0]:
        axis.set_ylabel("right to $|w|$")
    return figure


def _runs(axis: Axes, column: int, result: dict, lengths: Sequence[int], colour: str) -> None:
    """The dots of one cell, side by side on their rungs, and a line at the middle one."""
    rungs = np.searchsorted([0, *lengths], np.sort(reaches(result["tests"])))
    for rung, many in zip(*np.unique(rungs, return_counts=True), strict=True):
        half = WIDTH * (many - 1) / (MOST - 1)
        places = column + np.linspace(-half, half, many)
        heights = rung + 0.14 * (-1.0) ** np.arange(many) * (many > MOST // 2)
        axis.plot(places, heights, "o", color=colour, markersize=1.8)
    middle = rungs[len(rungs) // 2]
    axis.plot([column - 0.4, column + 0.4], [middle] * 2, color="black", linewidth=0.8)


def shown(length: int) -> str:
    """A length as an axis has it: a power of ten from 10⁴ on, as one type size."""
    return str(length) if length < 10**4 else f"10{SUPERSCRIPTS[len(str(length)) - 1]}"


def count_text(result: dict, length: int) -> str:
    """How many runs are right to a length, with the 95 % interval of Clopper & Pearson."""
    reach = reaches(result["tests"])
    solved = int((reach >= length).sum())
    low, high = clopper_pearson(solved, len(reach))
    return f"{solved} ({low:.2f}–{high:.2f})"


def scores(cells: Sequence[dict], found: Mapping[tuple, dict]) -> dict[tuple[str, str], int]:
    """How many cells of each expected outcome came to each outcome."""
    pairs = [(cell["expected"], outcome(found[key(cell)]["tests"])) for cell in cells]
    return {(e, o): pairs.count((e, o)) for e in OUTCOMES for o in OUTCOMES}


def counted_lengths(result: dict) -> list[int]:
    """The lengths at which a table counts a cell's runs: trained at, four times that, the last."""
    return [TRAINED, 4 * TRAINED, result["tests"][-1]["length"]]
