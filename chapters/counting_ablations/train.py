"""Trains encoders to count, as Ouellette et al. do, with fresh random grids at every step of Adam;
and says how well they count: whether each output is right, and the accuracy on random grids.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, cos, pi
from pathlib import Path
from typing import Any

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
from lib.checks import above_zero, between, flag, takes
from lib.files import read_checkpoint, write_checkpoint

SIDES = range(1, 7)  # of training grids: one side for all grids of a batch
BATCH_SIZE = 50
LARGEST_GRADIENT = 1.0  # a member's gradient is scaled down to this norm
REMEMBERED = 25  # the weights kept are those with the least mean loss over so many steps
CHECKPOINTED = 500  # steps between two states that are kept


@takes(counters=Counters, size=between(1), block=between(1))
def count_batches(
    counters: Counters, size: int = BATCH_SIZE, block: int = 500
) -> Iterator[GridBatch]:
    """Training grids without end, fresh at every step: by colour where that is exact, else by cell.

    Grids are drawn on the CPU, for each seed from a generator of its own, so that members of one
    seed see the same; the sequence of sides is the same for all.
    """
    side_draw = np.random.default_rng(0)
    draws = {seed: np.random.default_rng([seed, 1]) for seed in counters.seeds}
    of_members = [list(draws).index(seed) for seed in counters.seeds]

    def counted(sides: np.ndarray) -> Iterator[GridBatch]:
        shape = (block, size)
        counts = [random_counts(sides[:, None], shape, draw) for draw in draws.values()]
        yield from map(by_colour, np.stack(counts, axis=1)[:, of_members])

    def drawn(sides: np.ndarray) -> Iterator[GridBatch]:
        for side in sides:
            cells = [random_grids(int(side), size, draw) for draw in draws.values()]
            yield by_cell(np.stack(cells)[of_members])

    batches_of = counted if counters.ablation.has_quotient else drawn
    while True:
        for batch in batches_of(side_draw.integers(SIDES.start, SIDES.stop, size=block)):
            yield batch.to(counters.device, counters.dtype)


def loss(counters: Counters, batch: GridBatch, training: bool = False) -> Tensor:
    """The mean squared error of each member, over cells and all outputs: (members,)."""
    outputs = counters(batch.x, batch.weight, training)
    squares = mse_loss(outputs, batch.target, reduction="none").sum(-1)
    numbers = batch.weight.sum((1, 2)) * counters.ablation.width
    return (squares * batch.weight).sum((1, 2)) / numbers


@takes(
    counters=Counters,
    batches=Iterator,
    steps=between(1),
    cosine=between(1),
    keeps_best=flag,
    checkpoint=Path,
)
def fit(
    counters: Counters,
    batches: Iterator[GridBatch],
    steps: int,
    rate: float | Sequence[float] = 2e-4,
    cosine: int | None = None,
    keeps_best: bool = True,
    checkpoint: Path | None = None,
) -> Tensor:
    """Trains every member for `steps` steps of Adam; the losses before each step, (steps, members).

    `rate` is one for all or one for each member. Each member's gradient is clipped to norm 1.
    `cosine` lowers the rate to 0 along half a cosine of so many steps. `keeps_best` leaves each
    member with the weights after the step at which its mean loss over 25 steps was least, as the
    authors' code does.

    With `checkpoint` it keeps its state in that file every 500 steps, and goes on from there where
    the file exists, given the same `batches` from their first: the result is, bit for bit, that of
    an undisturbed run. `CheckpointError` for one that is broken or of another run.
    """
    rates = _rates(rate, counters)
    run = _Run(counters, steps)
    identity = ""
    if checkpoint is not None:
        identity = _identity(counters, steps, rates, cosine, keeps_best)
        if checkpoint.exists():
            run.resume(read_checkpoint(checkpoint, identity))
            batches = islice(batches, run.done, None)  # what was seen is drawn again, and passed
    for number in range(run.done, steps):
        share = 1.0
        if cosine is not None:
            share = (1 + cos(pi * min(1.0, number / cosine))) / 2
        run.step(next(batches), share * rates, keeps_best)
        if checkpoint is not None and run.done % CHECKPOINTED == 0:
            write_checkpoint(checkpoint, {"identity": identity, **run.state()})
    if keeps_best and steps >= REMEMBERED:
        with torch.no_grad():
            counters.flat.copy_(run.best.weights)
    return run.losses


class _Run:
    """A training of `steps` steps of which so many are `done`: Adam's state, the losses before each
    step, and the best weights.
    """

    def __init__(self, counters: Counters, steps: int):
        flat = counters.flat
        self.counters = counters
        self.adam = torch.optim.Adam([flat], lr=1.0, fused=True)
        self.best = _Best(flat)
        # at once: small tensors would split the heap
        self.losses = flat.new_empty((steps, len(flat)))
        self.done = 0

    def step(self, batch: GridBatch, rates: Tensor, keeps_best: bool) -> None:
        """One step of Adam at these rates (members, 1)."""
        flat = self.counters.flat
        before = loss(self.counters, batch, training=True)
        [gradient] = torch.autograd.grad(before.sum(), flat)
        flat.grad = _clipped(gradient)
        start = flat.detach().clone()
        self.adam.step()
        with torch.no_grad():
            flat.copy_(torch.lerp(start, flat, rates))
        self.losses[self.done] = before.detach()
        if keeps_best:
            self.best.remember(flat.detach(), self.losses[self.done], self.done)
        self.done += 1

    def state(self) -> dict:
        """What a checkpoint keeps, apart from whose it is."""
        return {
            "flat": self.counters.flat.detach(),
            "masks": self.counters.masks.get_state(),
            "adam": self.adam.state_dict(),
            "losses": self.losses[: self.done].clone(),
            "best": vars(self.best),
        }

    def resume(self, state: dict) -> None:
        """Goes on from the state of a checkpoint."""
        with torch.no_grad():
            self.counters.flat.copy_(state["flat"])
        self.counters.masks.set_state(state["masks"])
        self.adam.load_state_dict(state["adam"])
        self.done = len(state["losses"])
        self.losses[: self.done] = state["losses"]
        vars(self.best).update(state["best"])


def _identity(
    counters: Counters, steps: int, rates: Tensor, cosine: int | None, keeps_best: bool
) -> str:
    """A hash of all that a checkpoint must have in common with the run that goes on from it."""
    settings = (counters.ablation, counters.seeds, steps, cosine, keeps_best)
    found = hashlib.sha256(repr(settings).encode())
    for numbers in (counters.flat.detach(), rates):
        found.update(numbers.cpu().numpy().tobytes())
    return found.hexdigest()


def _rates(rate: float | Sequence[float], counters: Counters) -> Tensor:
    """The learning rate of each member, (members, 1)."""
    members = len(counters.seeds)
    every: Any = rate if isinstance(rate, (list, tuple)) else [rate]
    checked = [above_zero(one, "a learning rate") for one in every]
    rates = torch.tensor(checked, dtype=counters.dtype, device=counters.device)[:, None]
    if len(rates) not in (1, members):
        raise ValueError(f"one learning rate or {members} are expected, not {len(rates)}")
    return rates


def _clipped(gradient: Tensor) -> Tensor:
    """Each member's gradient, scaled down to norm 1 where it is larger, as torch's
    `clip_grad_norm_` does.
    """
    norm = gradient.norm(dim=1, keepdim=True)
    return gradient * (LARGEST_GRADIENT / (norm + 1e-6)).clamp(max=1.0)


class _Best:
    """The weights of each member, (members, parameters), after the step at which its mean loss over
    `REMEMBERED` steps was least.
    """

    def __init__(self, flat: Tensor):
        self.weights = flat.detach().clone()
        self._least = flat.new_full((len(flat),), float("inf"))
        self._recent = flat.new_full((REMEMBERED, len(flat)), float("inf"))

    def remember(self, flat: Tensor, losses: Tensor, number: int) -> None:
        """The weights after step `number`, the first of which is 0, and the losses (members,)
        before it.
        """
        self._recent[number % REMEMBERED] = losses
        mean = self._recent.mean(0)  # infinite until so many steps are done
        self.weights = torch.where((mean < self._least)[:, None], flat, self.weights)
        self._least = torch.minimum(mean, self._least)


GRIDS_AT_ONCE = 100  # that are tested together


@dataclass(frozen=True)
class Accuracies:
    """How members do on grids of one size: accuracy per cell and per grid, each (members,)."""

    cells: np.ndarray
    grids: np.ndarray


@torch.no_grad()
def right(counters: Counters, batch: GridBatch) -> Tensor:
    """Whether all ten outputs of a token, rounded to the nearest whole number, are its target:
    (members, B, T).
    """
    batch = batch.to(counters.device, counters.dtype)
    outputs = counters(batch.x, batch.weight)
    return (outputs.round() == batch.target).all(-1)


def drawn_for_tests(side: int, grids: int = 1000, capped: bool = True, seed: int = 0) -> np.ndarray:
    """The colour counts of the grids that encoders are tested on, (grids, 10)."""
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
    counts = drawn_for_tests(side, grids, capped, seed)[None]
    parts = np.array_split(counts, ceil(grids / GRIDS_AT_ONCE), axis=1)
    batches = [by_colour(part) for part in parts]
    if counters.ablation.width != COLOURS:
        batches = [started(batch) for batch in batches]
    is_right = torch.cat([right(counters, batch) for batch in batches], dim=1).cpu()
    is_right = is_right[..., :COLOURS]
    weight = torch.from_numpy(counts).double()
    cells = (is_right * weight).sum((1, 2)) / weight.sum()
    whole_grids = (is_right | (weight == 0)).all(-1).double().mean(-1)
    return Accuracies(cells.numpy(), whole_grids.numpy())
