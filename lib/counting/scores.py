"""How well encoders count: whether each output is right, and the accuracy on random grids."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import torch
from torch import Tensor

from lib.checks import between, flag, positive, takes
from lib.counting.grids import COLOURS, GridBatch, by_colour, random_counts, started
from lib.counting.layer import Counters

GRIDS_AT_ONCE = 100  # that are tested together


@dataclass(frozen=True)
class Accuracies:
    """How members do on grids of one size: accuracy per cell and per grid;
    each (members,).
    """

    cells: np.ndarray
    grids: np.ndarray


@torch.no_grad()
@takes(counters=Counters, batch=GridBatch)
def right(counters: Counters, batch: GridBatch) -> Tensor:
    """Whether all ten outputs of a token, rounded to the nearest whole number, are its target:
    (members, B, T).
    """
    batch = batch.to(counters.device, counters.dtype)
    outputs = counters(batch.x, batch.weight)
    return (outputs.round() == batch.target).all(-1)


@takes(side=between(1, 10**4), grids=between(1), capped=flag, seed=between(0, 2**63))
def drawn_for_tests(side: int, grids: int = 1000, capped: bool = True, seed: int = 0) -> np.ndarray:
    """The colour counts of the grids that encoders are tested on, (grids, 10)."""
    positive(side, "a side")
    positive(grids, "a number of grids")
    return random_counts(side, grids, np.random.default_rng([seed, side]), capped)


@takes(
    counters=Counters, side=between(1, 10**4), grids=between(1), capped=flag, seed=between(0, 2**63)
)
def accuracies(
    counters: Counters, side: int, grids: int = 1000, capped: bool = True, seed: int = 0
) -> Accuracies:
    """Accuracy on `grids` random grids of that side, the same for all members; an encoder of eleven
    coordinates is given a start token.
    """
    tokens = by_colour if counters.ablation.width == COLOURS else _started_by_colour
    counts = drawn_for_tests(side, grids, capped, seed)[None]
    parts = np.array_split(counts, ceil(grids / GRIDS_AT_ONCE), axis=1)
    is_right = torch.cat([right(counters, tokens(part)) for part in parts], dim=1).cpu()
    is_right = is_right[..., :COLOURS]
    weight = torch.from_numpy(counts).double()
    cells = (is_right * weight).sum((1, 2)) / weight.sum()
    whole_grids = (is_right | (weight == 0)).all(-1).double().mean(-1)
    return Accuracies(cells.numpy(), whole_grids.numpy())


@torch.no_grad()
@takes(counters=Counters, side=between(1, 10**4))
def sampling_error(counters: Counters, side: int) -> float:
    """The standard error of the members' mean accuracy per cell, from the draw of the test grids.

    Two grids with all cells right and two with none are added, so that it is not 0 where every
    grid drawn is right (as Agresti and Coull do for shares).
    """
    counts = drawn_for_tests(side)
    cells = np.append(counts.sum(1), [side**2] * 4)
    is_right = right(counters, by_colour(counts[None])).double().mean(0).numpy()
    rights = np.append((is_right * counts).sum(1), [side**2] * 2 + [0] * 2)
    off = rights - cells * rights.sum() / cells.sum()
    return sqrt((off**2).sum()) / cells.sum()


def _started_by_colour(counts: np.ndarray) -> GridBatch:
    return started(by_colour(counts))
