"""What encoders answer: right or wrong by colour, how their counts are distributed, and what an
answer without a network scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lib.checks import between, takes
from lib.counting.grids import by_cell, by_colour, checked
from lib.counting.layer import Counters, Trace
from lib.counting.scores import drawn_for_tests, right


@takes(side=between(1, 10**4), count=between(0))
def free_answer(side: int, count: int) -> float:
    """Accuracy per cell, on the grids of `accuracies`, of an answer that needs no network: 0 on
    black and everywhere else `count`.
    """
    counts = drawn_for_tests(side)
    coloured = counts[:, 1:]
    return float((counts[:, 0].sum() + coloured[coloured == count].sum()) / counts.sum())


@takes(side=between(1, 10**4))
def mean_count(side: int) -> int:
    """The mean, over the coloured cells of those grids, of how many cells of its colour there are,
    rounded.
    """
    coloured = drawn_for_tests(side)[:, 1:]
    return round((coloured**2).sum() / coloured.sum())


@dataclass(frozen=True)
class Outcomes:
    """What one member says of the colours of many grids, black left out: one entry for each grid
    and colour.

    True and predicted counts (the largest output, rounded); whether all ten outputs are right; the
    standard deviation of what enters the one layer normalization; and for how many `cells` the
    entry stands.
    """

    true: np.ndarray
    predicted: np.ndarray
    is_right: np.ndarray
    deviation: np.ndarray
    cells: np.ndarray

    @property
    def order(self) -> float:
        """How likely a wrong cell has a larger deviation than a right one; 1 if a threshold
        separates them.
        """
        by_deviation = np.argsort(self.deviation)
        rights = (self.cells * self.is_right)[by_deviation]
        wrongs = (self.cells * ~self.is_right)[by_deviation]
        pairs_in_order = (np.cumsum(rights) * wrongs).sum()
        return float(pairs_in_order / (rights.sum() * wrongs.sum()))

    def share_above(self, threshold: float, is_right: bool) -> float:
        """The share of the right cells, or of the wrong ones, whose deviation is above it."""
        chosen = self.is_right == is_right
        is_above = self.deviation[chosen] > threshold
        return float(np.average(is_above, weights=self.cells[chosen]))

    @property
    def misplaced(self) -> float:
        """The share of cells that the distribution of predicted counts has elsewhere than that of
        true counts; 0 if they are alike.
        """
        difference = 0.0
        for count in {*self.true, *self.predicted}:
            true = self.cells[self.true == count].sum()
            predicted = self.cells[self.predicted == count].sum()
            difference += abs(true - predicted)
        return float(difference / self.cells.sum() / 2)


@torch.no_grad()
@takes(counters=Counters, side=between(1, 10**4), member=between(0))
def outcomes(counters: Counters, side: int, member: int = 0) -> Outcomes:
    """The outcomes of one member on the grids of `accuracies`; ValueError unless it has exactly one
    layer normalization.
    """
    norms = counters.ablation.norms
    if len(norms) != 1:
        raise ValueError(
            f"an encoder with one layer normalization is expected, not with {len(norms)}"
        )
    batch = by_colour(drawn_for_tests(side)[None])
    trace: Trace = {}
    outputs = counters(batch.x, batch.weight, trace=trace)[member]
    before = trace[f"before LN after {norms[0]}"][member]
    is_present = batch.weight[0, :, 1:] > 0

    def coloured(values: torch.Tensor) -> np.ndarray:
        """The values (grids, 10) of the colours that a grid has, black left out."""
        return values[:, 1:][is_present].numpy()

    return Outcomes(
        true=coloured(batch.target[0].sum(-1)),
        predicted=coloured(outputs.amax(-1).round()),
        is_right=coloured(right(counters, batch)[member]),
        deviation=coloured(before.std(-1, correction=0)),
        cells=coloured(batch.weight[0]),
    )


@torch.no_grad()
@takes(counters=Counters)
def most_frequent(counters: Counters, grid: Sequence[Sequence[int]]) -> int:
    """The colour of the largest output anywhere on a grid, by the first member: ARC's task 5582e5ca
    of an encoder whose outputs grow with the counts.
    """
    batch = by_cell(checked(grid).ravel()[None, None])
    return int(counters(batch.x, batch.weight)[0, 0].amax(0).argmax())


@torch.no_grad()
@takes(counters=Counters)
def relative_weights(counters: Counters, grid: Sequence[Sequence[int]]) -> np.ndarray:
    """The sizes of the attention scores between the cells of a grid, (members, T, T), divided by
    their mean on cells of one colour, black left out (table III).
    """
    cells = checked(grid).ravel()
    batch = by_cell(cells[None, None])
    trace: Trace = {}
    counters(batch.x, batch.weight, trace=trace)
    sizes = trace["attention scores"][:, 0].abs().numpy()
    return sizes / sizes[:, same_colour(cells)].mean(1)[:, None, None]


def same_colour(cells: np.ndarray) -> np.ndarray:
    """Which pairs of cells (T,) have one colour that is not black: (T, T)."""
    return (cells[:, None] == cells) & (cells > 0)


@torch.no_grad()
@takes(counters=Counters, side=between(1, 10**4), count=between(0), member=between(0))
def share_answered(counters: Counters, side: int, count: int, member: int = 0) -> float:
    """The share of the coloured cells, on the grids of `accuracies`, at which the output of one
    member for the cell's own colour rounds to `count`.
    """
    batch = by_colour(drawn_for_tests(side)[None])
    outputs = counters(batch.x, batch.weight)[member].diagonal(dim1=1, dim2=2)[:, 1:]
    cells = batch.weight[0, :, 1:]
    return float((cells * (outputs.round() == count)).sum() / cells.sum())
