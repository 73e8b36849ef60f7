"""Coloured grids: those that Ouellette et al. train on, and their colour counts.

Without positions a grid is its ten colour counts: cells of one colour cannot be told apart. A batch
therefore comes in two forms, a token for each cell or a token for each colour that knows for how
many cells it stands, and an encoder reads both alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

COLOURS = 10  # 0 is black, the background, which Ouellette et al. do not count
DENSITY = 0.8  # how likely a cell is to be coloured
LARGEST_CAP = 999  # coloured cells of a grid: at most a random number from 1 to this


def checked(grid: Sequence[Sequence[int]]) -> np.ndarray:
    """A grid as integers (height, width); ValueError unless a rectangle of colours 0 to 9."""
    squares = np.array(grid, dtype=object)
    if squares.ndim != 2 or not squares.size or not {*squares.flat} <= {*range(COLOURS)}:
        raise ValueError(f"rows of one length of colours from 0 to 9 are expected, not {grid!r}")
    return squares.astype(np.int64)


def colour_counts(cells: np.ndarray) -> np.ndarray:
    """How many cells have each colour: cells (..., T) to counts (..., 10)."""
    return (cells[..., None] == np.arange(COLOURS)).sum(-2)


def random_grids(
    side: int, size: int, draw: np.random.Generator, capped: bool = True
) -> np.ndarray:
    """Grids as Ouellette et al. draw them, (size, side * side), row by row: each cell is coloured
    with probability .8, uniformly over 1 to 9, until a cap of the grid's own, uniform over 1 to
    999, is reached; a grid without colour gets one coloured cell. `capped=False` leaves the cap
    out: it empties the end of large grids.
    """
    cells = side**2
    coloured = draw.random((size, cells)) < DENSITY
    if capped:
        cap = draw.integers(1, LARGEST_CAP, size=(size, 1), endpoint=True)
        coloured &= coloured.cumsum(-1) <= cap
    empty = np.flatnonzero(~coloured.any(-1))
    coloured[empty, draw.integers(cells, size=len(empty))] = True
    return np.where(coloured, draw.integers(1, COLOURS, size=(size, cells)), 0)


def random_counts(
    side: np.ndarray | int,
    size: int | tuple[int, ...],
    draw: np.random.Generator,
    capped: bool = True,
) -> np.ndarray:
    """The colour counts of such grids, (*size, 10), drawn without the grids, whose sides broadcast
    to `size`: the cap cuts a binomial number of coloured cells, which fall on the nine colours as a
    multinomial.
    """
    cells = np.broadcast_to(np.asarray(side) ** 2, size)
    coloured = draw.binomial(cells, DENSITY)
    if capped:
        coloured = np.minimum(coloured, draw.integers(1, LARGEST_CAP, size=size, endpoint=True))
    coloured = np.maximum(coloured, 1)
    black = (cells - coloured)[..., None]
    return np.concatenate([black, draw.multinomial(coloured, [1 / 9] * 9)], axis=-1)


@dataclass(frozen=True)
class GridBatch:
    """Tokens `x` (members or 1, B or 1, T, width), float64; `weight` (members or 1, B, T), the
    number of cells that each stands for; and its `target` (members or 1, B, T, width).
    """

    x: Tensor
    weight: Tensor
    target: Tensor

    def like(self, flat: Tensor) -> GridBatch:
        """The batch on the device and in the type of an encoder's parameters."""
        return GridBatch(self.x.to(flat), self.weight.to(flat), self.target.to(flat))


def _targets(x: Tensor, counts: Tensor) -> Tensor:
    """The targets of one-hot tokens: their colours' counts, 0 for black (section III-A)."""
    counts = counts.clone()
    counts[..., 0] = 0
    return x * counts[..., None, :]


def by_colour(counts: np.ndarray) -> GridBatch:
    """Grids by their counts (members or 1, B, 10): a token a colour, of weight 0 if absent."""
    weight = torch.from_numpy(np.asarray(counts, dtype=np.float64))
    x = torch.eye(COLOURS, dtype=torch.float64)[None, None]
    return GridBatch(x, weight, _targets(x, weight))


def started(batch: GridBatch) -> GridBatch:
    """The batch with a start token behind: an eleventh unit vector, of weight 1 and target 0."""
    x = pad(batch.x, (0, 1, 0, 1))
    x[..., -1, -1] = 1
    return GridBatch(x, pad(batch.weight, (0, 1), value=1.0), pad(batch.target, (0, 1, 0, 1)))


def by_cell(cells: np.ndarray) -> GridBatch:
    """Grids by their cells (members or 1, B, T), a token for each."""
    counts = torch.from_numpy(colour_counts(cells).astype(np.float64))
    x = torch.eye(COLOURS, dtype=torch.float64)[torch.from_numpy(cells)]
    weight = torch.ones(cells.shape, dtype=torch.float64)
    return GridBatch(x, weight, _targets(x, counts))


def enlargement(grid: Sequence[Sequence[int]]) -> np.ndarray:
    """The grid with every cell repeated two by two: proportions stay, counts grow fourfold."""
    return np.kron(checked(grid), np.ones((2, 2), dtype=np.int64))
