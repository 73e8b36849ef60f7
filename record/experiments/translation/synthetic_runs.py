"""What every stored run of sentences has in common: how a configuration is parted, and which of its
tests are shown.

Copying and counting as stored runs: how each configuration is run, and how it is checked.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Any

import numpy as np

from lib.translation import data as synthetic
from lib.translation.data import Corpus, Pairs, Words
from lib.translation.train import Learned, Training, learn
from record.experiments.translation.bleu import bleu
from record.experiments.translation.configurations import Settings

FIRST_STEPS = 3  # whose losses are stored, and which are run again when a stored run is checked
QUOTED, NUMBERED = 3, 10  # tests of which the outputs are stored, with their sentences or without
OF_TRAINING = ("epochs", "tokens", "rate", "warmup", "smoothing", "patience", "bucket")


def parted(seed: int, configuration: Settings) -> tuple[Training, Settings]:
    """What a configuration says of the training, and what it says of the shape."""
    of_training = {name: configuration[name] for name in OF_TRAINING if name in configuration}
    shape = {name: value for name, value in configuration.items() if name not in OF_TRAINING}
    return Training(seed=seed, **of_training), shape


def samples_of(
    pairs: Pairs, outputs: dict[str, list[str]], are_quoted: bool = True
) -> list[dict[str, Any]]:
    """A few of the tests, the same whoever was trained, with what was made of them; the number of
    the test in place of its sentences unless they `are_quoted`.
    """
    most = (QUOTED if are_quoted else NUMBERED) - 1
    chosen = [i * (len(pairs) - 1) // most for i in range(most + 1)]
    return [
        _named(pairs, i, are_quoted) | {name: lines[i] for name, lines in outputs.items()}
        for i in chosen
    ]


def _named(pairs: Pairs, i: int, are_quoted: bool) -> dict[str, Any]:
    if are_quoted:
        return {"source": pairs.sources[i], "reference": pairs.targets[i]}
    return {"sentence": i}


@cache
def _synthetic(task: str, **sizes: Any) -> tuple[Corpus, Words]:
    """The sentences of a task, and their words; copying has `sizes`, of its vocabulary and of what
    is drawn.
    """
    corpus = synthetic.counting() if task == "counting" else synthetic.copy(**sizes)
    return corpus, Words(corpus.train)


def _learned(
    device: str,
    seed: int,
    task: str,
    words: int | None,
    train: int | None,
    test: int | None,
    stop_after: int | None = None,
    **rest,
) -> tuple[Corpus, Learned]:
    corpus, vocabulary = _synthetic(task, words=words, train=train, test=test)
    training, shape = parted(seed, rest)
    return corpus, learn(corpus, vocabulary, training, device, stop_after=stop_after, **shape)


def measure_synthetic(device: str, seeds: int, **configuration) -> dict:
    """Copies or counts with each seed, 0 and up.

    Gives, for every set of tests and every seed, BLEU, how many outputs are exactly right, the most
    words in an output and the most different ones in one. Counting's outputs are cut after the five
    numbers that are its target.
    """
    tests: dict[str, dict] = {}
    samples: dict[str, list[dict]] = {}
    first = []
    for seed in range(seeds):
        losses, outputs_of = _tested(device, seed, **configuration)
        first.append(losses[:FIRST_STEPS])
        for name, (pairs, outputs) in outputs_of.items():
            test = tests.setdefault(name, {"of": len(pairs)})
            for quantity, value in _quantities(outputs, pairs.targets).items():
                test.setdefault(quantity, []).append(value)
            samples.setdefault(name, samples_of(pairs, {"output": outputs}))
    return {"tests": tests, "samples": samples, "first_losses": first}


def _tested(
    device: str, seed: int, **configuration
) -> tuple[list[float], dict[str, tuple[Pairs, list[str]]]]:
    """The losses of one seed, and its outputs on each set of tests."""
    longest = synthetic.COUNTED if configuration["task"] == "counting" else None
    corpus, learned = _learned(device, seed, **configuration)
    outputs = {
        name: (pairs, learned(pairs.sources, longest=longest))
        for name, pairs in corpus.tests.items()
    }
    return learned.losses, outputs


def _quantities(outputs: list[str], targets: tuple[str, ...]) -> dict[str, float]:
    """What is stored of one model's outputs on one set of tests."""
    words = [output.split() for output in outputs]
    return {
        "bleu": round(bleu(outputs, targets), 2),
        "words": max(len(line) for line in words),
        "exact": sum(a == b for a, b in zip(outputs, targets, strict=True)),
        "different": max(len(set(line)) for line in words),
    }


def replay_synthetic(configuration: dict, result: dict) -> bool:
    """Whether today's code gives what is stored.

    The first seed's first steps are compared; they are float32, which another machine rounds
    otherwise. Counting then trains one seed to its end, which rotates with the date, and compares
    its scores. Copying takes too long for that: its scores are not checked here.
    """
    settings = {name: value for name, value in configuration.items() if name != "seeds"}
    _, learned = _learned("cpu", 0, **settings, stop_after=FIRST_STEPS)
    if not np.allclose(learned.losses, result["first_losses"][0], rtol=1e-4, atol=1e-6):
        return False
    if configuration["task"] != "counting":
        return True
    return _scores_again(settings, result, date.today().toordinal() % configuration["seeds"])


def _scores_again(settings: dict, result: dict, seed: int) -> bool:
    """Whether that seed, trained to its end, has the stored scores: BLEU to 2 points, as rounding
    differs between machines, and as many different words in an answer.
    """
    _, outputs_of = _tested("cpu", seed, **settings)
    for name, (pairs, outputs) in outputs_of.items():
        again, test = _quantities(outputs, pairs.targets), result["tests"][name]
        if abs(again["bleu"] - test["bleu"][seed]) > 2:
            return False
        if again["different"] != test["different"][seed]:
            return False
    return True
