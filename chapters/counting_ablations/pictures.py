"""What counting looks like: a grid's squares in their colours and the counts that are asked for, a
grid and its enlargement, the bent line from shares to counts, and how far learned encoders count.
"""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from chapters.counting_ablations.answers import PRINTED, TABLE_I, free_answer
from chapters.counting_ablations.grids import by_cell, checked, enlargement
from chapters.counting_ablations.runs import SIZES, kept, percent
from chapters.counting_ablations.train import accuracies
from record.notebook import REFERENCE

FILLS: list[str] = PRINTED["fills"]
PAINT = dict(zip(TABLE_I, ("#56B4E9", "#009E73", "#E69F00", "#CC79A7"), strict=True))
PRINTED_SIZES = SIZES[:8]  # of table I


def copy_figure(grid: Sequence[Sequence[int]], colour: int) -> Figure:
    """A grid and its enlargement with their counts, and under each the share of one colour."""
    figure, axes = plt.subplots(1, 2, figsize=(5.2, 2.9))
    for axis, name, squares in zip(
        axes, ("a grid", "its enlargement"), (checked(grid), enlargement(grid)), strict=True
    ):
        _panel(axis, squares, _asked(squares), name)
        own = int((squares == colour).sum())
        share = f"{own} / {squares.size} = {own / squares.size:.3f}"
        axis.set_xlabel(f"share of colour {colour}: {share}")
    return figure


def bent_figure(largest: int) -> Figure:
    """The line of straight pieces through the shares N / (N + 1) of the counts N to `largest`."""
    figure, axis = plt.subplots(figsize=(4.6, 2.7))
    counts = np.arange(largest + 1)
    shares = counts / (counts + 1)
    axis.plot(shares, counts, "o-")
    beyond = np.arange(largest + 1, 2 * largest + 1)
    steepest = largest * (largest + 1)  # of the last piece
    ends = [(-0.1, 0), (0, 0)], [(shares[-1], largest), (1, largest + steepest * (1 - shares[-1]))]
    axis.add_collection(LineCollection(ends, colors="C0"))
    axis.scatter(beyond / (beyond + 1), beyond, s=30, facecolors="none", edgecolors="C0")
    axis.set(xlabel="share of the own colour in what arrives", ylabel="count", xlim=(-0.1, 1))
    axis.set(yticks=range(2 * largest + 1), ylim=(-0.4, 2 * largest + 0.4))
    return figure


def flattened_figure(deltas: Sequence[float], eps: float, largest: int = 40) -> Figure:
    """What the layer that normalizes after attention writes for counts to `largest` that are shrunk
    by each of `deltas`; and with epsilon 0 and nothing multiplied back, 3 + 1/3 for every
    count: 3 at the colour, less minus 1/3 at black.
    """
    figure, axis = plt.subplots(figsize=(4.8, 3.2))
    counts = np.linspace(0, largest, 200)
    for delta in deltas:
        passed = counts / np.sqrt(1 + 0.09 * (delta * counts) ** 2 / eps)
        axis.plot(counts, passed, label=f"δ = {delta:f}".rstrip("0"))
    axis.axhline(10 / 3, **REFERENCE, label="$\\epsilon = 0$: $3\\frac{1}{3}$")
    axis.set(xlabel="count", ylabel="what the layer writes", xlim=(0, largest), ylim=(0, largest))
    axis.legend()
    return figure


def sizes_figure(tables: Mapping[str, dict]) -> Figure:
    """How many squares learned encoders count correctly, against the side of the grid: the mean of
    their runs (thick), each run (thin), what the paper prints (dots), and zeros everywhere. Grey
    are the sides that they were trained on; of these all but the largest are not stored, and the
    runs that are kept are tested here, on the grids of `accuracies`.

    `tables` are rows of stored runs by the encoders' names.
    """
    figure, axis = plt.subplots(figsize=(6.8, 3.8))
    sides = *range(1, PRINTED_SIZES[0]), *PRINTED_SIZES
    for name, printed in TABLE_I.items():
        learned = kept(tables[name])
        smaller = np.array([100 * accuracies(learned, side).cells for side in sides[:-8]])
        stored, paint = percent(tables[name])[:8], PAINT[name]
        axis.plot(PRINTED_SIZES, printed, "o", markersize=4, color=paint)
        axis.plot(sides[:-8], smaller, linewidth=0.9, color=paint)
        axis.plot(PRINTED_SIZES, stored, linewidth=0.9, color=paint)
        axis.plot(sides, [*smaller.mean(1), *stored.mean(1)], linewidth=2.4, color=paint)
    zeros = [100 * free_answer(side, 0) for side in sides]
    axis.plot(sides, zeros, **REFERENCE, zorder=3)
    for name, (x, y, side, said) in PRINTED["labels"].items():
        paint = PAINT.get(name.partition(",")[0], REFERENCE["color"])
        axis.text(x, y, said, color=paint, fontsize=9, ha=side, va="center")
    axis.axvspan(1, 6, color="#888888", alpha=0.15, linewidth=0)
    axis.set(xlabel="squares on a side of the grid", ylim=(0, 110), xlim=(0.7, 20.6))
    axis.set(ylabel="squares right (%)")
    named = 1, 3, 6, 8, 10, 12, 15, 20  # as many as a phone has room for
    axis.set_xticks(named, list(map(str, named)))
    return figure


def _asked(squares: np.ndarray) -> np.ndarray:
    """The counts that the squares of a grid are to hold."""
    target = by_cell(squares.ravel()[None, None]).target[0, 0]
    return target.sum(-1).int().numpy().reshape(squares.shape)


def _panel(axis: Axes, squares: np.ndarray, numbers: np.ndarray, title: str) -> None:
    """Squares filled with their colours, a number in each."""
    height, width = squares.shape
    for (row, column), colour in np.ndenumerate(squares):
        fill = FILLS[colour]
        axis.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor="#777777"))
        is_dark = fill != "none" and np.dot(to_rgb(fill), (0.299, 0.587, 0.114)) < 0.4
        ink = "white" if is_dark else "black"
        place, size = (column + 0.5, row + 0.5), 15 if width < 5 else 9
        axis.text(*place, str(numbers[row, column]), ha="center", va="center", size=size, color=ink)
    axis.set(xlim=(-0.03, width + 0.03), ylim=(height + 0.03, -0.03), aspect="equal")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
    axis.set_title(title, loc="center")
