"""Trains encoders to count, as Ouellette et al. do, with fresh random grids at every step of Adam;
and says how well they count: whether each output is right, and the accuracy on random grids.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil, cos, pi

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from chapters.counting_ablations.grids import (
    COLOURS,
    GridBatch,
    by_cell,
    by_colour,
    random_counts,
    random_grids,
    started,
)
from chapters.counting_ablations.layer import Counters

SIDES = range(1, 7)  # of training grids: one side for all grids of a batch
BATCH_SIZE = 50  # grids
LARGEST_GRADIENT = 1.0  # a member's gradient is scaled down to this norm
REMEMBERED = 25  # the weights kept are those with the least mean loss over so many steps
DRAWN_AT_ONCE = 500  # batches
GRIDS_AT_ONCE = 100  # that are tested together


def count_batches(counters: Counters) -> Iterator[GridBatch]:
    """Training grids without end, fresh at every step: by colour where that is exact, else by cell.
    They are drawn on the CPU, for each seed from a generator of its own, so that members of one
    seed see the same; the sequence of sides is the same for all.
    """
    side_draw = np.random.default_rng(0)
    draws = {seed: np.random.default_rng([seed, 1]) for seed in counters.seeds}
    of_members = [list(draws).index(seed) for seed in counters.seeds]
    while True:
        sides = side_draw.integers(SIDES.start, SIDES.stop, size=DRAWN_AT_ONCE)
        if not counters.ablation.dropout:  # which tells cells of one colour apart
            shape = (len(sides), BATCH_SIZE)
            counts = [random_counts(sides[:, None], shape, draw) for draw in draws.values()]
            batches = map(by_colour, np.stack(counts, axis=1)[:, of_members])
        else:
            cells = (
                [random_grids(side, BATCH_SIZE, draw) for draw in draws.values()] for side in sides
            )
            batches = (by_cell(np.stack(grids)[of_members]) for grids in cells)
        for batch in batches:
            yield batch.like(counters.flat)


def loss(counters: Counters, batch: GridBatch, training: bool = False) -> Tensor:
    """The mean squared error of each member, over cells and all outputs: (members,)."""
    outputs = counters(batch.x, batch.weight, training)
    squares = mse_loss(outputs, batch.target, reduction="none").sum(-1)
    numbers = batch.weight.sum((1, 2)) * counters.ablation.width
    return (squares * batch.weight).sum((1, 2)) / numbers


def fit(
    counters: Counters,
    batches: Iterator[GridBatch],
    steps: int,
    rate: float | np.ndarray = 2e-4,
    cosine: int | None = None,
    keeps_best: bool = True,
) -> Tensor:
    """Trains every member for `steps` steps of Adam; the losses before each step, (steps, members).
    `rate` is one for all or one for each member. `cosine` lowers it to 0 along half a cosine of so
    many steps. `keeps_best` leaves each member with the weights after the step at which its mean
    loss over 25 steps was least, as the authors' code does.
    """
    flat = counters.flat
    rates = flat.new_tensor(np.ravel(rate))[:, None]
    adam = torch.optim.Adam([flat], lr=1.0, fused=True)
    # at once: small tensors would split the heap
    losses = flat.new_empty((steps, len(flat)))
    best, least = flat.detach().clone(), flat.new_full((len(flat),), torch.inf)
    for number, batch in enumerate(islice(batches, steps)):
        before = loss(counters, batch, training=True)
        losses[number] = before.detach()
        [gradient] = torch.autograd.grad(before.sum(), flat)
        norm = gradient.norm(dim=1, keepdim=True)
        flat.grad = gradient * (LARGEST_GRADIENT / (norm + 1e-6)).clamp(max=1.0)  # as torch clips
        start = flat.detach().clone()
        adam.step()
        share = 1.0 if cosine is None else (1 + cos(pi * min(1.0, number / cosine))) / 2
        with torch.no_grad():
            flat.copy_(torch.lerp(start, flat, share * rates))
        if keeps_best and number + 1 >= REMEMBERED:
            mean = losses[number + 1 - REMEMBERED : number + 1].mean(0)
            best = torch.where((mean < least)[:, None], flat.detach(), best)
            least = torch.minimum(mean, least)
    if keeps_best and steps >= REMEMBERED:
        with torch.no_grad():
            flat.copy_(best)
    return losses


@dataclass(frozen=True)
class Accuracies:
    """How members do on grids of one size: accuracy per cell and per grid, each (members,)."""

    cells: np.ndarray
    grids: np.ndarray


@torch.no_grad()
def right(counters: Counters, batch: GridBatch) -> Tensor:
    """Whether all outputs of a token round to its target: (members, B, T)."""
    batch = batch.like(counters.flat)
    outputs = counters(batch.x, batch.weight)
    return (outputs.round() == batch.target).all(-1)


def drawn_for_tests(side: int, grids: int = 1000, capped: bool = True) -> np.ndarray:
    """The colour counts of the grids that encoders are tested on, (grids, 10)."""
    return random_counts(side, grids, np.random.default_rng([0, side]), capped)


def accuracies(counters: Counters, side: int, grids: int = 1000, capped: bool = True) -> Accuracies:
    """Accuracy on `grids` random grids of that side, the same for all members; an encoder of eleven
    coordinates is given a start token.
    """
    counts = drawn_for_tests(side, grids, capped)[None]
    batches = map(by_colour, np.array_split(counts, ceil(grids / GRIDS_AT_ONCE), axis=1))
    if counters.ablation.width != COLOURS:
        batches = map(started, batches)
    is_right = torch.cat([right(counters, batch) for batch in batches], dim=1).cpu()
    is_right = is_right[..., :COLOURS]
    weight = torch.from_numpy(counts).double()
    cells = (is_right * weight).sum((1, 2)) / weight.sum()
    whole_grids = (is_right | (weight == 0)).all(-1).double().mean(-1)
    return Accuracies(cells.numpy(), whole_grids.numpy())
