"""The picture of counting: a grid's cells in their colours, and the counts that are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from lib.counting.grids import by_cell, checked

# Colour 0 is left empty, as dark pages turn light and dark round; the others differ in lightness
# too, and every cell holds a number.
FILLS = (
    "none",
    "#56B4E9",
    "#D55E00",
    "#009E73",
    "#F0E442",
    "#BBBBBB",
    "#CC79A7",
    "#E69F00",
    "#0072B2",
    "#882255",
)
DARK = 0.4  # the lightness of a fill below which its number is written in white


def counting_figure(grid: Sequence[Sequence[int]]) -> Figure:
    """A grid twice, with the number of its colour in each cell, and with the count that the cell's
    output is to hold: 0 for colour 0.
    """
    cells = checked(grid)
    asked = by_cell(cells.ravel()[None, None]).target[0, 0].sum(-1).int().numpy()
    figure, axes = plt.subplots(1, 2, figsize=(5.2, 2.7))
    for axis, numbers, title in zip(
        axes,
        (cells, asked.reshape(cells.shape)),
        ("given: the colour of each cell", "asked for: its count"),
        strict=True,
    ):
        _panel(axis, cells, numbers)
        axis.set_title(title, loc="center")
    return figure


def _panel(axis: Axes, cells: np.ndarray, numbers: np.ndarray) -> None:
    """Cells filled with their colours, a number in each."""
    for (row, column), colour in np.ndenumerate(cells):
        fill = FILLS[colour]
        axis.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor="#777777"))
        ink = "white" if fill != "none" and _lightness(fill) < DARK else "black"
        place = (column + 0.5, row + 0.5)
        axis.text(*place, str(numbers[row, column]), ha="center", va="center", size=15, color=ink)
    height, width = cells.shape
    axis.set(xlim=(-0.03, width + 0.03), ylim=(height + 0.03, -0.03), aspect="equal")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(False)


def _lightness(fill: str) -> float:
    """How light a colour looks, from 0 to 1."""
    return float(np.dot(to_rgb(fill), (0.299, 0.587, 0.114)))
