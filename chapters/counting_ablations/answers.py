"""What encoders answer: what they write into a grid, right or wrong by colour, how their counts are
distributed, what an answer without a network scores, and a task of ARC; beside what Ouellette et
al. 2023 print in their tables and what agreeing with one run means.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from chapters.counting_ablations.grids import (
    COLOURS,
    by_cell,
    by_colour,
    checked,
    colour_counts,
    started,
)
from chapters.counting_ablations.layer import Counters, Trace
from chapters.counting_ablations.train import drawn_for_tests, right
from record.runs import read_yaml

PRINTED = read_yaml(Path(__file__).with_suffix(".yaml"))
TABLE_I: dict[str, list[float]] = PRINTED["table_1"]
TABLE_II: dict[str, list[list[float]]] = PRINTED["table_2"]
AT_EACH_SIZE, AT_EIGHT_JOINTLY = PRINTED["at_each_size"], PRINTED["at_eight_jointly"]
PARTS: dict[str, list[str]] = PRINTED["parts"]
FILLS: list[str] = PRINTED["fills"]
PAINT = dict(zip(TABLE_I, ("#56B4E9", "#009E73", "#E69F00", "#CC79A7"), strict=True))


def predicted_width(
    runs: np.ndarray,
    test_errors: np.ndarray | float = 0.0,
    quantiles: Sequence[float] = AT_EACH_SIZE,
) -> np.ndarray:
    """By how much one more run may differ from the mean of five: half of the 95 % prediction
    interval, for each row of `runs`, (sizes, 5).

    `test_errors`, (sizes,), are standard errors from the draw of the tests, which the five share:
    they count twice, for the tests of the five and for those of the one.
    """
    t, z = quantiles
    of_seeds = t**2 * (1 + 1 / 5) * runs.var(-1, ddof=1)
    of_tests = z**2 * 2 * np.square(test_errors)
    return np.sqrt(of_seeds + of_tests)


def free_answer(side: int, count: int) -> float:
    """Accuracy per cell, on the grids of `accuracies`, of answering 0 on black and else `count`."""
    counts = drawn_for_tests(side)
    coloured = counts[:, 1:]
    return float((counts[:, 0].sum() + coloured[coloured == count].sum()) / counts.sum())


def mean_count(side: int) -> float:
    """The mean, over the coloured cells of those grids, of how many cells have its colour."""
    coloured = drawn_for_tests(side)[:, 1:]
    return float((coloured**2).sum() / coloured.sum())


def rights(counters: Counters, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Which tokens of those grids each member gets right, (members, grids, 10), and for how many
    cells each stands, (grids, 10).
    """
    counts = drawn_for_tests(side)
    return right(counters, by_colour(counts[None])).double().numpy(), counts


def black_right(counters: Counters, side: int) -> np.ndarray:
    """The share of black cells that each member gets right, on those grids: (members,)."""
    is_right, counts = rights(counters, side)
    return is_right[..., 0] @ counts[:, 0] / counts[:, 0].sum()


def sampling_error(counters: Counters, side: int) -> float:
    """The standard error of the members' mean accuracy per cell, from the draw of the test grids,
    to which two with all cells right and two with none are added: it is not 0 where every grid
    drawn is right (as Agresti and Coull do for shares).
    """
    is_right, counts = rights(counters, side)
    cells = np.append(counts.sum(1), [side**2] * 4)
    right_cells = np.append((is_right.mean(0) * counts).sum(1), [side**2] * 2 + [0] * 2)
    off = right_cells - cells * right_cells.sum() / cells.sum()
    return sqrt((off**2).sum()) / cells.sum()


@dataclass(frozen=True)
class Outcomes:
    """What one member says of the colours of many grids, black left out, an entry for each grid and
    colour: true and predicted counts (the largest output, rounded); whether all ten outputs are
    right; the standard deviation of what enters the one layer normalization; and for how many
    `cells` the entry stands.
    """

    true: np.ndarray
    predicted: np.ndarray
    is_right: np.ndarray
    deviation: np.ndarray
    cells: np.ndarray

    @property
    def order(self) -> float:
        """How likely a wrong cell deviates more than a right one; 1 if a threshold parts them."""
        cells, is_right = (x[np.argsort(self.deviation)] for x in (self.cells, self.is_right))
        rights, wrongs = cells * is_right, cells * ~is_right
        return float((np.cumsum(rights) * wrongs).sum() / (rights.sum() * wrongs.sum()))

    def share(self, which: np.ndarray, among: np.ndarray) -> float:
        """The share of the cells `among` some that are `which`; both mark entries."""
        return float(self.cells[which & among].sum() / self.cells[among].sum())

    @property
    def misplaced(self) -> float:
        """The share of cells that the distribution of predicted counts has elsewhere than that of
        true counts; 0 if they are alike.
        """
        _, places = np.unique([self.true, self.predicted], return_inverse=True)
        excess = np.bincount(places.ravel(), np.concatenate([self.cells, -self.cells]))
        return float(np.abs(excess).sum() / self.cells.sum() / 2)


@torch.no_grad()
def outcomes(counters: Counters, side: int, member: int = 0) -> Outcomes:
    """The outcomes of one member, with just one layer normalization, on those grids."""
    [normalized] = counters.ablation.norms
    batch = by_colour(drawn_for_tests(side)[None])
    trace: Trace = {}
    outputs = counters(batch.x, batch.weight, trace=trace)[member]
    found = (
        batch.target[0].sum(-1),
        outputs.amax(-1).round(),
        right(counters, batch)[member],
        trace[f"before LN after {normalized}"][member].std(-1, correction=0),
        batch.weight[0],
    )
    is_present = batch.weight[0, :, 1:] > 0
    return Outcomes(*(values[:, 1:][is_present].numpy() for values in found))


def arc_task(draw: np.random.Generator) -> tuple[np.ndarray, int]:
    """A grid of ARC's task 5582e5ca, of 3 to 30 rows and columns of random colours, 0 among them,
    and its most frequent colour, which is asked for: without a tie, or the task has no answer.
    """
    while True:
        height, width = draw.integers(3, 31, size=2)
        palette = draw.permutation(COLOURS)[: draw.integers(2, COLOURS, endpoint=True)]
        grid = draw.choice(palette, size=(height, width))
        counts = colour_counts(grid.ravel())
        second, most = np.sort(counts)[-2:]
        if most > second:
            return grid, int(counts.argmax())


@torch.no_grad()
def of_squares(counters: Counters, squares: np.ndarray, trace: Trace | None = None) -> np.ndarray:
    """What each member writes into each square of a grid, (members, T, width). An encoder of eleven
    coordinates is given a start token.
    """
    batch = by_cell(squares.ravel()[None, None])
    if counters.ablation.width != COLOURS:
        batch = started(batch)
    return counters(batch.x, batch.weight, trace=trace)[:, 0].numpy()


@torch.no_grad()
def share_answered(counters: Counters, side: int, count: int) -> float:
    """The share of the coloured cells, on those grids, at which the output of the first member for
    the cell's own colour rounds to `count`.
    """
    batch = by_colour(drawn_for_tests(side)[None])
    outputs = counters(batch.x, batch.weight)[0].diagonal(dim1=1, dim2=2)[:, 1:]
    cells = batch.weight[0, :, 1:]
    return float((cells * (outputs.round() == count)).sum() / cells.sum())


def softmax_encoder(layers: int) -> nn.TransformerEncoder:
    """PyTorch's encoder of two heads a layer, all of whose parameters are random."""
    torch.manual_seed(0)
    look: dict = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}
    layer = nn.TransformerEncoderLayer(COLOURS, 2, 64, **look)
    encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).eval()
    for parameter in encoder.parameters():
        nn.init.normal_(parameter, std=0.5)
    return encoder


@torch.no_grad()
def read(encoder: nn.TransformerEncoder, grid: Sequence[Sequence[int]]) -> Tensor:
    """What such an encoder makes of each square of a grid: (height, width, 10)."""
    squares = checked(grid)
    tokens = by_cell(squares.ravel()[None, None]).x[0]
    return encoder(tokens)[0].unflatten(0, squares.shape)


def written(counters: Counters, grid: Sequence[Sequence[int]]) -> np.ndarray:
    """What the first member writes into each square of a grid at the place of the square's own
    colour, rounded: (height, width).
    """
    squares = checked(grid)
    own = of_squares(counters, squares)[0][np.arange(squares.size), squares.ravel()]
    return own.round().astype(int).reshape(squares.shape)
