"""The stored runs on counting: every published configuration, and one factor at a time; how each is
run and checked.

`python -m lib.reproduce counting_tables` and `counting_factors` run them (`lib.book.experiments`
gathers them with the others).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from lib.counting.ablations import FACTORS, PUBLISHED, Ablation
from lib.counting.grids import by_colour
from lib.counting.layer import Counters, Trace
from lib.counting.scores import accuracies, drawn_for_tests, right
from lib.counting.train import count_batches, fit, identity_batches, loss
from lib.experiment import Experiment, significant

ABLATIONS: dict[str, Ablation] = PUBLISHED | FACTORS
SIZES = (6, 7, 8, 9, 10, 12, 15, 20, 100)  # table I, and the largest grids that the text names
FIRST_LOSSES = 5  # of a stored run, which are run again when it is checked
BLOCKS = 20  # in which its losses are averaged
FEW_PARAMETERS = 1000  # published encoders of that size are stored whole


def _fitted(configuration: dict, steps: int, device: str = "cpu") -> tuple[Counters, np.ndarray]:
    """The encoders of a configuration after its first `steps` steps, and the losses before each,
    (steps, members).
    """
    counters = Counters(
        ABLATIONS[configuration["name"]],
        range(configuration["seeds"]),
        getattr(torch, configuration["dtype"]),
        device,
    )
    is_identity = counters.ablation.attention == "none"
    batches = identity_batches(counters) if is_identity else count_batches(counters)
    cosine = configuration["steps"] if configuration["schedule"] == "cosine" else None
    rate = configuration["rate"]
    losses = fit(counters, batches, steps, rate, cosine, keeps_best=cosine is None)
    return counters, losses.double().cpu().numpy()


@torch.no_grad()
def identity_losses(counters: Counters, reach: float, batches: int = 50) -> np.ndarray:
    """The mean squared error of each member on fresh vectors uniform in [-reach, reach]^width:
    (members,).
    """
    source = identity_batches(counters, reach, stream=3)
    losses = torch.stack([loss(counters, next(source)) for _ in range(batches)])
    return losses.mean(0).double().cpu().numpy()


def _table(counters: Counters, sizes: tuple[int, ...] = SIZES) -> dict:
    """Accuracy per cell and per grid, each (sizes, members)."""
    tested = [accuracies(counters, side) for side in sizes]
    return {
        "cells": significant(np.stack([at_size.cells for at_size in tested])),
        "grids": significant(np.stack([at_size.grids for at_size in tested])),
    }


def measure(device: str, **configuration) -> dict:
    """Trains one configuration's seeds and tests them; the small published encoders are kept, so
    that a chapter can look into them.
    """
    counters, losses = _fitted(configuration, configuration["steps"], device)
    blocks = [part.mean(0) for part in np.array_split(losses, BLOCKS)]
    result = {
        "first_losses": losses[:FIRST_LOSSES].tolist(),
        "losses": significant(np.stack(blocks)),
    }
    if counters.ablation.attention == "none":
        result["train_loss"] = significant(identity_losses(counters, 0.5))
        result["test_loss"] = significant(identity_losses(counters, 1.0))
        return result
    result |= _table(counters)
    result["uncapped"] = significant(accuracies(counters, 100, capped=False).cells)
    if configuration["name"] in PUBLISHED and counters.flat.shape[1] <= FEW_PARAMETERS:
        result["parameters"] = significant(counters.flat.detach().cpu().numpy(), digits=10)
    return result


def replay(configuration: dict, result: dict) -> bool:
    """Whether today's code gives the first losses that are stored, and the stored encoders the
    stored accuracies.
    """
    stored = np.array(result["first_losses"])
    _, again = _fitted(configuration, FIRST_LOSSES)
    tolerance = 1e-4 if configuration["dtype"] == "float32" else 1e-7
    if stored.shape != again.shape or not np.allclose(again, stored, rtol=tolerance):
        return False
    if "parameters" not in result:
        return True
    counters = Counters.of(ABLATIONS[configuration["name"]], result["parameters"])
    table = _table(counters, SIZES[:1])
    return np.allclose(table["cells"][0], result["cells"][0], atol=1e-3)


def free_answers(side: int) -> tuple[float, float]:
    """Accuracy per cell, on the grids of `accuracies`, of two answers that need no network: 0
    everywhere, and the mean count.

    The second answers 0 on black and else the mean, over coloured cells, of how many cells of a
    cell's colour there are.
    """
    counts = drawn_for_tests(side)
    zeros = counts[:, 0].sum() / counts.sum()
    coloured = counts[:, 1:]
    is_mean = coloured == round((coloured**2).sum() / coloured.sum())
    return zeros, zeros + (coloured * is_mean).sum() / counts.sum()


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


def _published(
    name: str, steps: int, dtype: str = "float64", rate: float = 2e-4, schedule: str = "constant"
) -> dict:
    """A published configuration with five seeds; the number of steps, and what differs from the
    paper's settings, is what one core affords.
    """
    return dict(name=name, steps=steps, rate=rate, schedule=schedule, seeds=5, dtype=dtype)


TABLES = [
    _published("Std-Transformer-Count", 1000, "float32"),
    *(
        _published(name, 300_000)
        for name in ("No-LayerNorm-Count", "LayerNorm-SA-Count", "LayerNorm-FF-Count")
    ),
    *(
        _published(name, 4000, rate=1e-3, schedule="cosine")
        for name in ("LayerNorm-Identity", "No-LayerNorm-Identity")
    ),
]
ONE_FACTOR = [
    dict(name=name, steps=10_000, rate=1e-2, schedule="cosine", seeds=5, dtype="float64")
    for name in FACTORS
]


EXPERIMENTS: Mapping[str, Experiment] = {
    "counting_tables": Experiment(
        TABLES, [{**c, "steps": 30, "seeds": 2} for c in TABLES], measure, replay
    ),
    "counting_factors": Experiment(
        ONE_FACTOR, [{**c, "steps": 30, "seeds": 2} for c in ONE_FACTOR], measure, replay
    ),
}
