"""Chapter 9's laboratory again, on hard strings: FIRST behind a mask under every factor, tested on
the strings whose other symbols are all alike, which random tests hardly ever draw.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lib.learning.ensemble import Ensemble
from lib.learning.strings import tokens
from lib.learning.train import train
from record.experiment import Experiment, is_same_mean, todays
from record.experiments import which_log_n as laboratory
from record.experiments.which_log_n import (
    REPLAYED_SEEDS,
    REPLAYED_STEPS,
    SAMPLES,
    STEPS,
    TRAINED,
    first_steps,
    learners,
    reaches,
    solved,
)

# Written before the run, after a trial of the same cells: of 20 runs more are right to the last
# length, random strings and extreme ones, under each multiple of the logarithm than under each of
# the others.
CRITERION = "more under each multiple of log than each other factor (after a trial of the runs)"
LOGARITHMS = ("log n", "log i", "log i / log L", "learned log i")
OTHERS = ("plain", "floor-log", "log of the training n")


def extreme(length: int) -> list[str]:
    """The strings of that length whose symbols after the first are equal: 10*, 01*, 0* and 1*."""
    return [first + rest * (length - 1) for first, rest in ("10", "01", "00", "11")]


def extremes_right(ensemble: Ensemble, length: int) -> np.ndarray:
    """Whether each run decides FIRST rightly on each extreme string: (runs, 4)."""
    strings = extreme(length)
    accepts = (ensemble(tokens(strings))[0] > 0).cpu().numpy()
    return accepts == np.array([w[0] == "1" for w in strings])


def hard_reaches(result: dict) -> np.ndarray:
    """The longest length to which each run is right on random and on extreme strings, 0 for none:
    at every shorter tested length too.
    """
    reach = reaches(result["tests"])
    alive = np.full(len(reach), True)
    hard = np.zeros_like(reach)
    for test in result["extremes"]:
        alive &= np.array(test["right"]).all(1) & (reach >= test["length"])
        hard[alive] = test["length"]
    return hard


def _measure(device: str, epochs: int, strings: int, rate: float, **cell) -> dict:
    """Trains the runs of a cell as the laboratory does, and tests them on both kinds of strings."""
    ensemble = learners(**cell, device=device)
    curves = train(ensemble, "FIRST", [epochs], TRAINED, STEPS, strings, rate)
    right = [
        {"length": n, "right": extremes_right(ensemble, n).astype(int).tolist()} for n in SAMPLES
    ]
    first = curves.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS]
    return {"tests": solved(ensemble, "FIRST"), "extremes": right, "first_bits": first.tolist()}


def _replay(configuration: dict, result: dict) -> bool:
    """Whether the first steps are those stored, in float32.

    Of one cell, another each time (`todays`), whether runs that come out as stored on random
    strings do so on hard ones; where another processor sends them apart, whether as many reach each
    length, to two standard errors.
    """
    few = configuration | {"seeds": min(REPLAYED_SEEDS, configuration["seeds"])}
    first, stored = first_steps(**few), np.array(result["first_bits"])
    is_same = stored.shape == first.shape and np.allclose(first, stored, rtol=1e-4, atol=1e-6)
    if not is_same or configuration != todays("extremes", CELLS):
        return is_same
    now = _measure("cpu", **configuration)
    if now["tests"] == result["tests"]:
        return now["extremes"] == result["extremes"]
    here, was = hard_reaches(now), hard_reaches(result)
    return all(is_same_mean((here >= n).tolist(), (was >= n).tolist()) for n in SAMPLES)


CELLS = [
    configuration
    for name in ("length_laboratory", "length_factors")
    for configuration in laboratory.EXPERIMENTS[name].configurations
    if (configuration["language"], configuration["positions"], configuration["mask"])
    == ("FIRST", "FIRST", "future")
]

EXPERIMENTS: Mapping[str, Experiment] = {
    "length_extremes": Experiment(CELLS, [CELLS[0] | {"seeds": 3, "epochs": 1}], _measure, _replay),
}
