"""The laboratory of chapter 9: which languages are learned to which lengths, under which positions,
masks and factors on the attention logits, each beside what was expected of it beforehand.

The cells and what was expected stand in `record/results/expected/length_laboratory.json`, written
before any of them was run; "seen" there is what a trial of a few runs had shown of a cell.
`length_extremes` runs some cells again, on hard strings: FIRST behind a mask under every factor,
tested on the strings whose other symbols are all alike, which random tests hardly ever draw.
"""

import hashlib
import json
from functools import partial

import numpy as np
import torch

from chapters.common.learning import (
    REPLAYED_SEEDS,
    REPLAYED_STEPS,
    are_shares,
    first_losses,
)
from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.strings import tokens
from lib.learning.train import score, train
from record.experiment import (
    Experiment,
    experiments,
    is_same_mean,
    is_same_start,
    packed,
    significant,
    unpacked,
)
from record.runs import RESULTS

EXPECTED = RESULTS / "expected" / "length_laboratory.json"
EXPECTED_HASH = "012dcd7a8a3a77b3fbedd94ba305fcb4a2b7fa2f2285a513b5433575e6b0c790"
TRAINED = 16  # the longest training strings; the shortest have two symbols
SAMPLES = {16: 200, 32: 200, 64: 200, 128: 100, 256: 100, 1000: 50}  # test strings by length
FURTHER = (10**4, 10**5, 10**6)  # lengths that are tested too where a network has a quotient
SOLVED = 0.99  # the accuracy with which a run has solved a length
STEPS = 50  # an epoch
CELL = ("language", "positions", "mask", "factor")  # what a configuration says of its cell
AGAIN = 256  # the longest strings on which kept weights are tested again, unless in full
LABORATORY = ("length_laboratory", "length_factors", "length_factors_more")

# Written before `length_extremes` was run, after a trial of the same cells: of 20 runs more are
# right to the last length, random strings and extreme ones, under each multiple of the logarithm
# than under each of the others.
CRITERION = "more under each multiple of log than each other factor (after a trial of the runs)"
LOGARITHMS = ("log n", "log i", "log i / log L", "learned log i")
OTHERS = ("plain", "floor-log", "log of the training n")
OUTCOMES = ("no", "own", "further", "far")  # of a cell, from the worst to the best


def cells(experiment: str) -> list[dict]:
    """The cells of an experiment, with what was expected of each, and why; ValueError where that
    was changed after the runs.
    """
    text = EXPECTED.read_text(encoding="utf-8")
    if hashlib.sha256(text.encode()).hexdigest() != EXPECTED_HASH:
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


def samples_for(ensemble: Ensemble) -> dict[int, int]:
    """How many strings of each length it is tested on."""
    further = FURTHER if ensemble.network.has_quotient else ()
    return SAMPLES | dict.fromkeys(further, 1)  # a sum over counts, not a sample


def solved(ensemble: Ensemble, language: str, longest: int = max(FURTHER)) -> list[dict]:
    """The accuracy of each run at one length after another to `longest`; None from the length on
    that follows one that it did not solve.
    """
    alive, found = list(range(len(ensemble.members))), []
    for length, sampled in samples_for(ensemble).items():
        if length > longest:
            break
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
    """What a cell's runs came to: "no" where fewer than half of them solve the training length,
    "own" where half do, and fewer than half all lengths to four times it, "further" where half do
    that, and fewer than half all lengths that were tested, "far" where half solve all.
    """
    reach, longest = reaches(tests), tests[-1]["length"]
    half = len(reach) / 2
    if (reach >= TRAINED).sum() < half:
        return "no"
    if (reach >= 4 * TRAINED).sum() < half:
        return "own"
    return "far" if (reach >= longest).sum() >= half else "further"


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


def _trained(
    device: str, epochs: int, strings: int, rate: float, **cell
) -> tuple[Ensemble, np.ndarray]:
    """The runs of a cell, trained, and the losses before each step, (epochs, steps, members), in
    bits.
    """
    ensemble = learners(**cell, device=device)
    curves = train(ensemble, cell["language"], [epochs], TRAINED, STEPS, strings, rate)
    return ensemble, curves.losses_bits.reshape(epochs, STEPS, -1)


def measure(device: str, **configuration) -> dict:
    """Trains the runs of a cell and tests how far they go."""
    ensemble, losses = _trained(device, **configuration)
    thrice = [0, len(losses) // 2, len(losses) - 1]
    return {
        "losses_bits": significant(losses[thrice].mean(1)),
        "tests": solved(ensemble, configuration["language"]),
        "first_bits": losses[0, :REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
        "weights": _weights(ensemble),
    }


def _weights(ensemble: Ensemble) -> str:
    """The weights of the first runs, which are kept."""
    few = min(REPLAYED_SEEDS, len(ensemble.members))
    return packed(ensemble.chosen(range(few)).flat.cpu().numpy())


def measure_extremes(device: str, **configuration) -> dict:
    """Trains the runs of a cell as the laboratory does, and tests them on both kinds of strings."""
    ensemble, losses = _trained(device, **configuration)
    right = [
        {"length": n, "right": extremes_right(ensemble, n).astype(int).tolist()} for n in SAMPLES
    ]
    return {
        "tests": solved(ensemble, "FIRST"),
        "extremes": right,
        "first_bits": losses[0, :REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
        "weights": _weights(ensemble),
    }


def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the first steps are those stored, in float32, the tests fit together, and the weights
    that are kept give them; `in_full`, whether the runs reach as far as those stored.
    """
    is_same = starts_as(configuration, result) and tests_agree(configuration, result)
    if not is_same or not in_full:
        return is_same
    return reach_as_far(measure("cpu", **configuration), result)


def replay_extremes(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the first steps are those stored, in float32, the tests fit together, and the weights
    that are kept give them; `in_full`, whether runs that come out as stored on random strings do so
    on hard ones; where another processor sends them apart, whether as many reach each length.
    """
    is_same = starts_as(configuration, result) and tests_agree(configuration, result)
    if not is_same or not in_full:
        return is_same
    now = measure_extremes("cpu", **configuration)
    if now["tests"] == result["tests"]:
        return now["extremes"] == result["extremes"]
    return as_many_reach(hard_reaches(now), hard_reaches(result), [*SAMPLES])


def starts_as(configuration: dict, result: dict) -> bool:
    """Whether the first steps of a cell's runs have the losses that are stored."""
    few = min(REPLAYED_SEEDS, configuration["seeds"])
    cell = {key: configuration[key] for key in CELL}
    first = first_losses(learners(**cell, seeds=few), configuration, STEPS)
    return is_same_start(first, result["first_bits"])


def tests_agree(configuration: dict, result: dict) -> bool:
    """Whether each run was tested at one length after another, as long as it solved them, each time
    on so many strings; and whether the weights that are kept give the same.
    """
    cell = {key: configuration[key] for key in CELL}
    few = min(REPLAYED_SEEDS, configuration["seeds"])
    ensemble, language, tests = learners(**cell, seeds=few), cell["language"], result["tests"]
    samples = samples_for(ensemble)
    if [test["length"] for test in tests] != [*samples]:
        return False
    alive = [True] * configuration["seeds"]
    for test in tests:
        accuracy = test["accuracy"]
        if [share is not None for share in accuracy] != alive:
            return False
        tested = [share for share in accuracy if share is not None]
        of = None if ensemble.network.has_quotient else samples[test["length"]]
        if not are_shares(tested, of):
            return False
        alive = [share is not None and share >= SOLVED for share in accuracy]
    hard = result.get("extremes", [])
    if [test["length"] for test in hard] != [*SAMPLES][: len(hard)]:
        return False
    if "weights" not in result:
        return True
    ensemble.flat.copy_(torch.from_numpy(unpacked(result["weights"])))
    now = solved(ensemble, language, AGAIN)
    return all(
        was["accuracy"][:few] == here["accuracy"] for was, here in zip(tests, now, strict=False)
    ) and all(
        was["right"][:few] == extremes_right(ensemble, was["length"]).tolist()
        for was in hard
        if was["length"] <= AGAIN
    )


def as_many_reach(here: np.ndarray, stored: np.ndarray, lengths: list[int]) -> bool:
    """Whether as many runs reach each length as did, to two standard errors."""
    return all(
        is_same_mean((here >= length).tolist(), (stored >= length).tolist()) for length in lengths
    )


def reach_as_far(now: dict, was: dict) -> bool:
    """Whether each run whose losses are those stored solves what it solved, and as many runs solve
    each length.

    Another processor rounds otherwise and sends runs apart, under the same version of torch too.
    """
    here, stored = reaches(now["tests"]), reaches(was["tests"])
    is_same_run = (np.array(now["losses_bits"]) == np.array(was["losses_bits"])).all(0)
    lengths = [test["length"] for test in was["tests"]]
    is_same = np.array_equal(here[is_same_run], stored[is_same_run])
    return is_same and as_many_reach(here, stored, lengths)


def _configuration(cell: dict, seeds: int = 20, epochs: int = 30) -> dict:
    """How a cell is run: 1,500 steps of Adam on eight strings each."""
    named = {key: cell[key] for key in ("language", "positions", "mask", "factor")}
    return named | {"seeds": seeds, "epochs": epochs, "strings": 8, "rate": 3e-3}


def _of_laboratory(name: str) -> Experiment:
    configurations = [_configuration(cell) for cell in cells(name)]
    quick = [_configuration(cell, seeds=3, epochs=1) for cell in cells(name)[::12]]
    return Experiment(configurations, quick, measure, replay)


_EXTREMES = partial(Experiment, measure=measure_extremes, replay=replay_extremes)
EXPERIMENTS = {name: _of_laboratory(name) for name in LABORATORY}
EXPERIMENTS |= experiments(__file__, extremes=_EXTREMES)
