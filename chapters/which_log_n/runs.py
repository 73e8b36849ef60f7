"""The laboratory of chapter 9: which languages are learned to which lengths, under which positions,
masks and factors on the attention logits, each beside what was expected of it beforehand.

The cells and what was expected stand in `record/results/expected/length_laboratory.json`, written
before any of them was run; "seen" there is what a trial of a few runs had shown of a cell.
`length_extremes` runs some cells again, on hard strings: FIRST behind a mask under every factor,
tested on the strings whose other symbols are all alike, which random tests hardly ever draw.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import partial

import numpy as np

from chapters.common import learning
from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.strings import tokens
from chapters.common.learners.train import score, train
from chapters.common.learning import REPLAYED_SEEDS, REPLAYED_STEPS, first_losses
from record.experiment import Experiment, experiments, is_same_start, significant
from record.runs import RESULTS

EXPECTED = RESULTS / "expected" / "length_laboratory.json"
EXPECTED_HASH = "012dcd7a8a3a77b3fbedd94ba305fcb4a2b7fa2f2285a513b5433575e6b0c790"
TRAINED = 16  # the longest training strings; the shortest have two symbols
SAMPLES = {16: 200, 32: 200, 64: 200, 128: 100, 256: 100, 1000: 50}  # test strings by length
FURTHER = (10**4, 10**5, 10**6)  # lengths that are tested too where a network has a quotient
SOLVED = 0.99  # the accuracy with which a run has solved a length
STEPS = 50  # an epoch
CELL = ("language", "positions", "mask", "factor")  # what a configuration says of its cell
LABORATORY = ("length_laboratory", "length_factors", "length_factors_more")

# Written before `length_extremes` was run, after a trial of the same cells: of 20 runs more are
# right to the last length, random strings and extreme ones, under each multiple of the logarithm
# than under each of the others.
CRITERION = "more under each multiple of log than each other factor (after a trial of the runs)"
LOGARITHMS = ("log n", "log i", "log i / log L", "learned log i")
OTHERS = ("plain", "floor-log", "log of the training n")
OUTCOMES = ("no", "own", "further", "far")  # of a cell, from the worst to the best


def cells(experiment: str) -> list[dict]:
    """An experiment's cells, and what was expected; ValueError if that changed after the runs."""
    text = EXPECTED.read_text(encoding="utf-8")
    if hashlib.sha256(text.encode()).hexdigest() != EXPECTED_HASH:
        raise ValueError(f"{EXPECTED.name} was changed after the cells that it foretells were run")
    return json.loads(text)[experiment]


def learners(language: str, positions: str, mask: str, factor: str, seeds: int) -> Ensemble:
    """The networks of a cell: two layers, one head, width 16."""
    shape = {"positions": positions, "mask": mask, "hidden": 32}
    shape["read_at"] = "last" if mask == "future" else "CLS"
    shape["symbols"] = 3 if language == "copying" else 2
    return learning.learners(shape | {"scale": factor, "length": TRAINED, "shortest": 2}, seeds)


def solved(ensemble: Ensemble, language: str) -> list[dict]:
    """The accuracy of each run at each length; None behind one that it did not solve."""
    further = FURTHER if ensemble.network.has_quotient else ()
    samples = SAMPLES | dict.fromkeys(further, 1)  # a sum over counts, not a sample
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


def reaches(tests: list[dict], extremes: Sequence[dict] = ()) -> np.ndarray:
    """The longest length of each run to which it solved all that were tested, 0 for none; where
    there are `extremes`, and was right on these strings too.
    """
    is_solved = np.array([[(share or 0) >= SOLVED for share in test["accuracy"]] for test in tests])
    for place, test in enumerate(extremes):
        is_solved[place] &= np.array(test["right"]).all(1)
    lengths = np.array([0, *(test["length"] for test in tests)])
    return lengths[np.logical_and.accumulate(is_solved).sum(0)]


def outcome(tests: list[dict]) -> str:
    """What a cell's runs came to: "no" where fewer than half of them solve the training length,
    "own" where half do, and fewer than half all lengths to four times it, "further" where half do
    that, and fewer than half all lengths that were tested, "far" where half solve all.
    """
    reach = reaches(tests)
    for came_to, length in zip(OUTCOMES, (TRAINED, 4 * TRAINED, tests[-1]["length"])):
        if (reach >= length).mean() < 1 / 2:
            return came_to
    return "far"


def extremes_right(ensemble: Ensemble) -> list[dict]:
    """Whether each run decides FIRST correctly on the 10*, 01*, 0* and 1* of each length."""
    found = []
    for length in SAMPLES:
        strings = [first + rest * (length - 1) for first, rest in ("10", "01", "00", "11")]
        accepts = (ensemble(tokens(strings))[0] > 0).numpy()
        right = accepts == np.array([w[0] == "1" for w in strings])
        found.append({"length": length, "right": right.astype(int).tolist()})
    return found


def measure(device: str, hard: bool = False, **configuration) -> dict:
    """Trains the runs of a cell and tests how far they go, `hard`: on extreme strings too."""
    cell = {name: configuration[name] for name in CELL}
    ensemble = learners(**cell, seeds=configuration["seeds"])
    epochs, strings, rate = (configuration[name] for name in ("epochs", "strings", "rate"))
    curves = train(ensemble, cell["language"], [epochs], TRAINED, STEPS, strings, rate)
    result = {
        "tests": solved(ensemble, cell["language"]),
        "first_bits": curves.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }
    return result | ({"extremes": extremes_right(ensemble)} if hard else {})


def replay(configuration: dict, result: dict) -> bool:
    """Whether the first steps are those stored, in float32."""
    cell = {name: configuration[name] for name in CELL}
    begun = learners(**cell, seeds=min(REPLAYED_SEEDS, configuration["seeds"]))
    return is_same_start(first_losses(begun, configuration, STEPS), result["first_bits"])


# Every cell is run with 1,500 steps of Adam on eight strings each.
PLAN = {"seeds": 20, "epochs": 30, "strings": 8, "rate": 3e-3}
EXPERIMENTS = experiments(
    __file__, extremes=partial(Experiment, measure=partial(measure, hard=True), replay=replay)
)
for name in LABORATORY:
    configurations = [{part: cell[part] for part in CELL} | PLAN for cell in cells(name)]
    EXPERIMENTS[name] = Experiment(configurations, measure, replay)
