"""The stored runs on Ouellette et al. 2023: every published configuration, and one factor at a time
at several rates.

A run keeps trained parameters, and what it reports is computed from what it keeps, so that a check
can compute it again.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from math import ceil
from pathlib import Path

import numpy as np
import torch

from chapters.counting_ablations.grids import GridBatch
from chapters.counting_ablations.layer import PUBLISHED, Ablation, Counters
from chapters.counting_ablations.train import accuracies, count_batches, fit, loss
from record.experiment import Experiment, experiments, is_same_start, packed, significant, unpacked
from record.runs import read_yaml

_WRITTEN = read_yaml(Path(__file__).with_suffix(".yaml"))
FACTORS = {name: Ablation(**changed) for name, changed in _WRITTEN["factors"].items()}
RATES: list[float] = _WRITTEN["rates"]
ABLATIONS: dict[str, Ablation] = PUBLISHED | FACTORS
SIZES = (6, 7, 8, 9, 10, 12, 15, 20, 100)  # table I, and the largest grids that the text names
FIRST_LOSSES = 5  # of a stored run, which are run again when it is checked
BLOCKS = 20  # in which its losses are averaged


def kept_members(configuration: dict) -> list[int]:
    """The members that are stored: all of a small encoder, else the first seed at each rate."""
    seeds = configuration["seeds"]
    members = seeds * np.size(configuration["rate"])
    parameters = Counters(ABLATIONS[configuration["name"]], [0]).flat.shape[1]
    return list(range(0, members, 1 if parameters <= 1000 else seeds))


def kept(row: dict) -> Counters:
    """The encoders that a row of a stored run keeps."""
    configuration = row["configuration"]
    numbers = torch.from_numpy(unpacked(row["result"]["parameters"])).double()
    parameters = numbers.reshape(len(kept_members(configuration)), -1)
    return Counters.of(ABLATIONS[configuration["name"]], parameters)


def percent(row: dict, kind: str = "cells") -> np.ndarray:
    """Accuracy per cell, or per grid, of a row of a stored run, in %: (sizes, members)."""
    return 100 * np.array(row["result"][kind])


def by_rate(row: dict, side: int) -> np.ndarray:
    """The mean accuracy per cell over the seeds at each rate, in %."""
    return percent(row)[SIZES.index(side)].reshape(len(RATES), -1).mean(1)


def verdict(row: dict) -> str:
    """Whether a factor is "fatal" to training: no rate gives more than 80 % at 6x6; or "harmless":
    one rate gives 99.9 % at every side to 10x10; or neither: "in distribution".
    """
    sides = np.array([by_rate(row, side) for side in SIZES if side <= 10])
    if sides[0].max() <= 80:
        return "fatal"
    return "harmless" if sides.min(0).max() >= 99.9 else "in distribution"


def _fitted(configuration: dict, steps: int, device: str = "cpu") -> tuple[Counters, np.ndarray]:
    """The encoders of a configuration after its first `steps` steps, and the losses before each,
    (steps, members). A schedule that is a list has as many stages, at so many times the rate; each
    goes on from the best weights of the one before, with a new Adam.
    """
    seeds = configuration["seeds"]
    rates = np.repeat(configuration["rate"], seeds)  # every seed at the first, then at the second
    own, dtype = np.arange(len(rates)) % seeds, getattr(torch, configuration["dtype"])
    counters = Counters(ABLATIONS[configuration["name"]], own.tolist(), dtype, device)
    is_identity = counters.ablation.attention == "none"
    batches = identity_batches(counters) if is_identity else count_batches(counters)
    schedule = configuration["schedule"]
    cosine = configuration["steps"] if schedule == "cosine" else None
    stages = schedule if isinstance(schedule, list) else [1]
    length = configuration["steps"] // len(stages)
    losses = [
        fit(counters, batches, min(steps, length), stage * rates, cosine, cosine is None)
        for stage in stages[: ceil(steps / length)]
    ]
    return counters, torch.cat(losses).double().cpu().numpy()


def identity_batches(
    counters: Counters, reach: float = 0.5, stream: int = 2
) -> Iterator[GridBatch]:
    """Fresh vectors in [-reach, reach]^width, their own targets, without end (section III-C)."""
    draws = [np.random.default_rng([seed, stream]) for seed in counters.seeds]
    shape = (200, 1, counters.ablation.width)
    while True:
        vectors = np.stack([draw.uniform(-reach, reach, shape) for draw in draws])
        x = torch.from_numpy(vectors)
        weight = torch.ones(x.shape[:-1], dtype=x.dtype)
        yield GridBatch(x, weight, x).like(counters.flat)


@torch.no_grad()
def figures(counters: Counters) -> dict[str, list]:
    """What a run reports of its encoders: of those that learn the identity the mean squared error
    on fresh vectors uniform in [-1, 1]^width, (members,); of others accuracy per cell and per grid,
    each (sizes, members).
    """
    if counters.ablation.attention == "none":
        tests = islice(identity_batches(counters, reach=1.0, stream=3), 250)
        losses = torch.stack([loss(counters, batch) for batch in tests])
        return {"test_loss": significant(losses.mean(0).double().cpu().numpy())}
    tested = [vars(accuracies(counters, side)) for side in SIZES]
    return {name: significant([at_size[name] for at_size in tested]) for name in tested[0]}


def measure(device: str, **configuration) -> dict:
    """Trains every seed of one configuration at every rate, and tests it, its parameters rounded to
    float32; the first of its losses are those of the CPU, whose dropout a check can draw again.
    """
    counters, losses = _fitted(configuration, configuration["steps"], device)
    first = losses if device == "cpu" else _fitted(configuration, FIRST_LOSSES)[1]
    rounded = counters.flat.detach().cpu().float().double()
    return {
        "first_losses": first[:FIRST_LOSSES].tolist(),
        "losses": significant([block.mean(0) for block in np.array_split(losses, BLOCKS)]),
        **figures(Counters.of(ABLATIONS[configuration["name"]], rounded)),
        "parameters": packed(rounded[kept_members(configuration)].numpy()),
    }


def replay(configuration: dict, result: dict) -> bool:
    """Whether today's code gives the first losses that are stored, and whether the encoders that
    are kept (`kept_members` names them) give every figure that is stored of them. The losses in
    between are not run again.
    """
    _, again = _fitted(configuration, FIRST_LOSSES)
    tolerance = 1e-4 if configuration["dtype"] == "float32" else 1e-7
    if not is_same_start(again, result["first_losses"], tolerance, atol=1e-8):
        return False
    encoders = kept({"configuration": configuration, "result": result})
    members = kept_members(configuration)
    # losses agree to 1 %; shares to 2 in 1000, as another machine may round one half otherwise
    tolerances = {"test_loss": (1e-2, 0), "cells": (0, 2e-3), "grids": (0, 2e-3)}
    return all(
        np.allclose(values, np.array(result[name])[..., members], *tolerances[name])
        for name, values in figures(encoders).items()
    )


EXPERIMENTS = experiments(
    __file__, counting=partial(Experiment, measure=measure, replay=replay, on_gpu=True)
)
