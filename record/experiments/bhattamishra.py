"""Copying and counting as in Bhattamishra, Patel & Goyal (2020), tables 1, 3 and 4 and figure 3, as
stored runs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lib.translation.data import COUNTED, Corpus, Pairs, Words, counting
from lib.translation.model import POSITION_SCHEMES, RESIDUALS
from lib.translation.train import Learned, learn
from record.experiment import Experiment
from record.experiments.translation.bleu import bleu
from record.experiments.translation.runs import FIRST_STEPS, parted, samples_of

TRAINED_LENGTHS = (5, 12)
TESTED_LENGTHS = ((5, 12), (13, 15), (16, 20), (21, 25), (26, 30))  # figure 3
OF_SENTENCES = ("words", "train", "test")  # what a configuration says of those to be copied

_COUNTING = {"task": "counting", "words": None, "train": None, "test": None}
_COUNTING |= {"epochs": 400, "tokens": 800, "rate": 1e-2, "warmup": 50, "smoothing": 0.0}
_COUNTING |= {"layers": 1, "heads": 1, "width": 32, "hidden": 64}
_COPYING = {"task": "copy", "words": 200, "train": 40_000, "test": 1000}
_COPYING |= {"epochs": 3, "tokens": 1000, "rate": 4e-3, "warmup": 200, "smoothing": 0.0}
_COPYING |= {"layers": 1, "heads": 1, "width": 64, "hidden": 128}
_QUICK_COPYING = _COPYING | {"words": 50, "train": 2000, "test": 50, "epochs": 1, "seeds": 2}


def copying(seed: int = 0, words: int = 500, train: int = 40_000, test: int = 1000) -> Corpus:
    """Sentences to be copied: `train` of 5-12 words, and `test` of each length in `TESTED_LENGTHS`.

    Words are drawn by Zipf's law in Mandelbrot's form, the r-th of `words` with a probability
    proportional to 1/(r + 2.7), and lengths uniformly.
    """
    draw = np.random.default_rng(seed)
    weight = 1 / (np.arange(1, words + 1) + 2.7)
    names = np.array([f"w{rank}" for rank in range(1, words + 1)])

    def drawn(lengths: tuple[int, int], size: int) -> Pairs:
        ends = draw.integers(*lengths, size=size, endpoint=True).cumsum()
        chosen = names[draw.choice(words, size=ends[-1], p=weight / weight.sum())]
        sentences = tuple(" ".join(part) for part in np.split(chosen, ends[:-1]))
        return Pairs(sentences, sentences)

    trained, validation = drawn(TRAINED_LENGTHS, train), drawn(TRAINED_LENGTHS, test)
    tests = {f"{low}-{high}": drawn((low, high), test) for low, high in TESTED_LENGTHS}
    return Corpus(trained, validation, tests)


@cache  # seeds are trained on the same sentences, one after another
def _sentences(task: str, **sizes: int) -> tuple[Corpus, Words]:
    """The sentences of a task, and their words; copying has `sizes`."""
    corpus = counting() if task == "counting" else copying(**sizes)
    return corpus, Words(corpus.train)


def _learned(
    device: str, configuration: dict, seed: int, stop_after: int | None = None
) -> tuple[Corpus, Learned]:
    """What is learned with one seed, and from what."""
    settings = {name: value for name, value in configuration.items() if name != "seeds"}
    task = settings.pop("task")
    corpus, words = _sentences(task, **{name: settings.pop(name) for name in OF_SENTENCES})
    training, shape = parted(settings | {"seed": seed})
    return corpus, learn(corpus, words, training, device, stop_after=stop_after, **shape)


def _tested(
    device: str, configuration: dict, seed: int
) -> tuple[list[float], dict[str, tuple[Pairs, list[str]]]]:
    """The losses of one seed, and its outputs on each set of tests. Counting's outputs are cut
    after the five numbers that are its target.
    """
    longest = COUNTED if configuration["task"] == "counting" else None
    corpus, learned = _learned(device, configuration, seed)
    outputs = {
        name: (pairs, learned(pairs.sources, longest=longest))
        for name, pairs in corpus.tests.items()
    }
    return learned.losses, outputs


def measure(device: str, **configuration) -> dict:
    """Copies or counts with each seed, 0 and up.

    Gives, for every set of tests and every seed, BLEU, how many outputs are exactly right, the most
    words in an output and the most different ones in one.
    """
    tests: dict[str, dict] = {}
    samples: dict[str, list[dict[str, Any]]] = {}
    first = []
    for seed in range(configuration["seeds"]):
        losses, outputs_of = _tested(device, configuration, seed)
        first.append(losses[:FIRST_STEPS])
        for name, (pairs, outputs) in outputs_of.items():
            test = tests.setdefault(name, {"of": len(pairs)})
            for quantity, value in _quantities(outputs, pairs.targets).items():
                test.setdefault(quantity, []).append(value)
            samples.setdefault(name, samples_of(pairs, {"output": outputs}))
    return {"tests": tests, "samples": samples, "first_losses": first}


def _quantities(outputs: list[str], targets: tuple[str, ...]) -> dict[str, float]:
    """What is stored of one model's outputs on one set of tests."""
    words = [output.split() for output in outputs]
    return {
        "bleu": round(bleu(outputs, targets), 2),
        "words": max(len(line) for line in words),
        "exact": sum(a == b for a, b in zip(outputs, targets, strict=True)),
        "different": max(len(set(line)) for line in words),
    }


def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether today's code gives what is stored.

    The first seed's first steps are compared; they are float32, which another machine rounds
    otherwise. `in_full` counting trains every seed to its end and compares its scores. Copying
    takes too long for that, and ignores `in_full`: its scores are not checked here.
    """
    _, learned = _learned("cpu", configuration, 0, stop_after=FIRST_STEPS)
    if not np.allclose(learned.losses, result["first_losses"][0], rtol=1e-4, atol=1e-6):
        return False
    if not in_full or configuration["task"] != "counting":
        return True
    return all(_scores_again(configuration, result, seed) for seed in range(configuration["seeds"]))


def _scores_again(configuration: dict, result: dict, seed: int) -> bool:
    """Whether that seed, trained to its end, has the stored scores: BLEU to 2 points, as rounding
    differs between machines, and as many different words in an answer.
    """
    _, outputs_of = _tested("cpu", configuration, seed)
    for name, (pairs, outputs) in outputs_of.items():
        again, test = _quantities(outputs, pairs.targets), result["tests"][name]
        if abs(again["bleu"] - test["bleu"][seed]) > 2:
            return False
        if again["different"] != test["different"][seed]:
            return False
    return True


EXPERIMENTS = {
    "residuals_synthetic": Experiment(
        configurations=[
            task | {"without": without, "seeds": seeds}
            for task, seeds in ((_COUNTING, 10), (_COPYING, 3))
            for without in ([], *([name] for name in RESIDUALS))
        ],
        quick=[
            _COUNTING | {"epochs": 50, "without": [], "seeds": 2},
            _COUNTING | {"epochs": 50, "without": ["decoder-encoder"], "seeds": 2},
            _QUICK_COPYING | {"without": []},
        ],
        measure=measure,
        replay=replay,
    ),
    "copy_lengths": Experiment(
        configurations=[
            _COPYING | {"layers": layers, "positions": positions, "seeds": 5}
            for layers in (1, 2)
            for positions in POSITION_SCHEMES
        ],
        quick=[_QUICK_COPYING | {"positions": positions} for positions in POSITION_SCHEMES],
        measure=measure,
        replay=replay,
    ),
}
