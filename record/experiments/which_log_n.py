"""The laboratory of chapter 9: which languages are learned to which lengths, under which positions,
masks and factors on the attention logits, each beside what was expected of it beforehand.

The cells and what was expected stand in `record/results/expected/length_laboratory.json`, written
before any of them was run; "seen" there is what a trial of a few runs had shown of a cell.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.train import score, train
from record.experiment import Experiment, is_same_mean, significant, todays

RESULTS = Path(__file__).resolve().parents[1] / "results"
EXPECTED = RESULTS / "expected" / "length_laboratory.json"
SEAL = "012dcd7a8a3a77b3fbedd94ba305fcb4a2b7fa2f2285a513b5433575e6b0c790"  # of what was expected
TRAINED = 16  # the longest training strings; the shortest have two symbols
SAMPLES = {16: 200, 32: 200, 64: 200, 128: 100, 256: 100, 1000: 50}  # test strings by length
FURTHER = (10**4, 10**5, 10**6)  # lengths that are tested too where a network has a quotient
SOLVED = 0.99  # the accuracy with which a run has solved a length
STEPS = 50  # an epoch
REPLAYED_STEPS, REPLAYED_SEEDS = 5, 3

# What a cell comes to, by how many of its runs solve which lengths, from the worst to the best.
OUTCOMES = {
    "no": "fewer than half of the runs solve the training length",
    "own": "half do, and fewer than half all lengths to four times it",
    "further": "half do that, and fewer than half all lengths that were tested",
    "far": "half solve all",
}


def cells(experiment: str) -> list[dict]:
    """The cells of an experiment, with what was expected of each, and why; ValueError where that
    was changed after the runs.
    """
    text = EXPECTED.read_text(encoding="utf-8")
    if hashlib.sha256(text.encode()).hexdigest() != SEAL:
        raise ValueError(f"{EXPECTED.name} was changed after the cells that it foretells were run")
    return json.loads(text)[experiment]


def learners(
    language: str, positions: str, mask: str, factor: str, seeds: int, device: str = "cpu"
) -> Ensemble:
    """The networks of a cell: two layers, one head, width 16, read at the last token behind a mask
    and at CLS without one. A factor "learned f" is f times a number that each layer learns.
    """
    scale = factor.removeprefix("learned ")
    network = Network(
        positions,
        hidden=32,
        mask=mask,
        read_at="last" if mask == "future" else "CLS",
        symbols=3 if language == "copying" else 2,
        learns_scale=factor != scale,
    )
    members = [Member(seed, TRAINED, scale, shortest=2) for seed in range(seeds)]
    return Ensemble(network, members, device=device)


def solved(ensemble: Ensemble, language: str) -> list[dict]:
    """The accuracy of each run at one length after another; None from the length on that follows
    one that it did not solve.
    """
    samples = dict(SAMPLES)
    if ensemble.network.has_quotient:
        samples |= dict.fromkeys(FURTHER, 1)  # a sum over counts, not a sample
    alive, found = list(range(len(ensemble.members))), []
    for length, sampled in samples.items():
        accuracy: list[float | None] = [None] * len(ensemble.members)
        if alive:
            last = score(ensemble.chosen(alive), language, length, sampled=sampled).accuracy
            for row, share in zip(alive, significant(last), strict=True):
                accuracy[row] = share
        found.append({"length": length, "accuracy": accuracy})
        alive = [row for row in alive if (accuracy[row] or 0) >= SOLVED]
    return found


def reaches(tests: list[dict]) -> np.ndarray:
    """The longest length of each run to which it solved all that were tested, 0 for none."""
    reach = np.zeros(len(tests[0]["accuracy"]), dtype=int)
    for test in tests:
        for row, share in enumerate(test["accuracy"]):
            if share is not None and share >= SOLVED:
                reach[row] = test["length"]
    return reach


def outcome(tests: list[dict]) -> str:
    """Which of `OUTCOMES` the runs of a cell came to."""
    reach, longest = reaches(tests), tests[-1]["length"]
    half = len(reach) / 2
    if (reach >= TRAINED).sum() < half:
        return "no"
    if (reach >= 4 * TRAINED).sum() < half:
        return "own"
    return "far" if (reach >= longest).sum() >= half else "further"


def _measure(device: str, epochs: int, strings: int, rate: float, **cell) -> dict:
    """Trains the runs of a cell and tests how far they go."""
    language, ensemble = cell["language"], learners(**cell, device=device)
    curves = train(ensemble, language, [epochs], TRAINED, STEPS, strings, rate)
    losses = curves.losses_bits.reshape(epochs, STEPS, -1)
    return {
        "losses_bits": significant(losses[[0, epochs // 2, epochs - 1]].mean(1)),
        "tests": solved(ensemble, language),
        "first_bits": losses[0, :REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def _replay(configuration: dict, result: dict) -> bool:
    """Whether the first steps are those stored, in float32; of one cell of all experiments, another
    each time (`todays`), whether the runs reach as far as those stored.
    """
    few = min(REPLAYED_SEEDS, configuration["seeds"])
    first = first_steps(**configuration | {"seeds": few})
    stored = np.array(result["first_bits"])
    is_same = stored.shape == first.shape and np.allclose(first, stored, rtol=1e-4, atol=1e-6)
    everything = [c for experiment in EXPERIMENTS.values() for c in experiment.configurations]
    if not is_same or configuration != todays("laboratory", everything):
        return is_same
    now = _measure("cpu", **configuration)
    return reach_as_far(now, result)


def reach_as_far(now: dict, was: dict) -> bool:
    """Whether each run whose losses are those stored solves what it solved, and as many runs solve
    each length, to two standard errors.

    Another processor rounds otherwise and sends runs apart, under the same version of torch too.
    """
    here, stored = reaches(now["tests"]), reaches(was["tests"])
    is_same_run = (np.array(now["losses_bits"]) == np.array(was["losses_bits"])).all(0)
    lengths = [test["length"] for test in was["tests"]]
    return np.array_equal(here[is_same_run], stored[is_same_run]) and all(
        is_same_mean((here >= length).tolist(), (stored >= length).tolist()) for length in lengths
    )


def first_steps(epochs: int, strings: int, rate: float, **cell) -> np.ndarray:
    """The losses of the first steps, (steps, members), in bits."""
    curves = train(learners(**cell), cell["language"], [1], 2, STEPS, strings, rate)
    return curves.losses_bits[:REPLAYED_STEPS]


def _configuration(cell: dict, seeds: int = 20, epochs: int = 30) -> dict:
    """How a cell is run: 1,500 steps of Adam on eight strings each."""
    named = {key: cell[key] for key in ("language", "positions", "mask", "factor")}
    return named | {"seeds": seeds, "epochs": epochs, "strings": 8, "rate": 3e-3}


def _experiment(name: str) -> Experiment:
    configurations = [_configuration(cell) for cell in cells(name)]
    quick = [_configuration(cell, seeds=3, epochs=1) for cell in cells(name)[::12]]
    return Experiment(configurations, quick, _measure, _replay)


EXPERIMENTS: Mapping[str, Experiment] = {
    name: _experiment(name)
    for name in ("length_laboratory", "length_factors", "length_factors_more")
}
