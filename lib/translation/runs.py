"""The sequence-to-sequence experiments: how each configuration is run, what is kept of it, and how
a stored run is checked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece

from lib.experiment import Experiment
from lib.translation import grammar, synthetic
from lib.translation.configurations import (
    DEEPER,
    LENGTH_RUNS,
    QUICK,
    QUICK_LENGTH_RUNS,
    QUICK_RESIDUAL_RUNS,
    RESIDUAL_RUNS,
    SHORT_TO_LONG_SCALES,
    SMALL,
    TRANSLATIONS,
    VARIANTS,
    Settings,
    further_runs,
    translation_runs,
)
from lib.translation.corpora import Corpus, Pairs, fingerprint, short_to_long
from lib.translation.evaluation import bleu, scores, signature
from lib.translation.folders import SOURCES, from_folder
from lib.translation.train import Learned, Training, learn
from lib.translation.vocabulary import Subwords, Words

FIRST_STEPS = 3  # whose losses are stored, and which are run again when a stored run is checked
SAMPLES = (0, 1, 2)  # tests of which the outputs are stored
SPLITS = {"all": lambda corpus: corpus, "short to long": short_to_long}


def parted(configuration: Settings) -> tuple[Settings, Settings]:
    """What a configuration says of the training, and what it says of the shape."""
    names = ("epochs", "tokens", "rate", "warmup", "smoothing")
    training = {name: configuration[name] for name in names}
    shape = {name: value for name, value in configuration.items() if name not in names}
    return training, shape


@cache
def _synthetic_corpus(task: str, **sizes: Any) -> Corpus:
    """The sentences of a task; copying has `sizes`, of its vocabulary and of what is drawn."""
    return synthetic.counting() if task == "counting" else synthetic.copy(**sizes)


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
    corpus = _synthetic_corpus(task, words=words, train=train, test=test)
    settings, shape = parted(rest)
    vocabulary = Words(corpus.train)
    training = Training(seed=seed, **settings)
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
            samples.setdefault(name, _samples(pairs, {"output": outputs}))
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


def _samples(pairs: Pairs, outputs: dict[str, list[str]]) -> list[dict]:
    """A few of the tests, the same whoever was trained, with what was made of them."""
    chosen = [i * (len(pairs) - 1) // max(SAMPLES) for i in SAMPLES]
    return [
        {
            "source": pairs.sources[i],
            "reference": pairs.targets[i],
            **{name: lines[i] for name, lines in outputs.items()},
        }
        for i in chosen
    ]


@cache
def _translations(
    pair: str, data: Path | None, split: str, train: int | None, test: int | None, size: int
) -> tuple[Corpus, Subwords]:
    """The corpus, cut to `train` and `test` pairs and split, and `size` subwords of what is left to
    train on.
    """
    if pair == "generated":
        corpus = grammar.generated()
    elif data is None:
        raise ValueError(f"the pair {pair!r} is read from a folder, and none is given")
    else:
        corpus = from_folder(pair, data)
    corpus = Corpus(corpus.train[:train], corpus.validation, {"test": corpus.tests["test"][:test]})
    corpus = SPLITS[split](corpus)
    return corpus, Subwords(corpus.train, size)


def translation(
    device: str,
    pair: str,
    split: str,
    variants: list[str],
    seed: int,
    size: int,
    train: int | None,
    test: int | None,
    beam: int,
    data: Path | None = None,
    checkpoints: Path | None = None,
    **rest,
) -> dict:
    """Trains each variant on the same data, in the same order and from the same seed, and lets it
    translate the test sentences.

    Each variant's BLEU is paired with the first one's. `data` is the folder of a pair that is not
    generated, of which only a hash is kept; `checkpoints` a folder from which a run that was
    stopped goes on.
    """
    corpus, vocabulary = _translations(pair, data, split, train, test, size)
    settings, shape = parted(rest)
    training = Training(seed=seed, **settings)
    tested = corpus.tests["test"]
    outputs, systems = {}, {}
    for variant in variants:
        name = f"{split}, {variant}, {seed}.pt".replace(" ", "_")
        path = None if checkpoints is None else checkpoints / name
        begun = time.perf_counter()
        learned = learn(corpus, vocabulary, training, device, path, **shape, **VARIANTS[variant])
        trained = time.perf_counter()
        outputs[variant] = learned(tested.sources, beam)
        translated = time.perf_counter()
        steps = len(learned.losses)
        last_epoch = learned.losses[-(steps // training.epochs) :]
        systems[variant] = {
            "steps": steps,
            "last_loss": round(float(np.mean(last_epoch)), 4),
            "seconds": round(trained - begun, 1),
            "translating_seconds": round(translated - trained, 1),
        }
    for variant, score in scores(outputs, tested.targets).items():
        systems[variant] |= {
            "bleu": round(score.bleu, 2),
            "confidence": round(score.confidence, 2),
            "p": None if score.p is None else round(score.p, 4),
        }
    return {
        "data": fingerprint(corpus),
        "pairs": {"train": len(corpus.train), "test": len(tested)},
        "symbols": {
            "train": _symbols(vocabulary, corpus.train),
            "test": _symbols(vocabulary, tested),
        },
        "bleu": signature(),
        "subwords": f"sentencepiece {sentencepiece.__version__}",
        "systems": systems,
        "samples": _samples(tested, outputs),
        "first_losses": [first_losses(split, variant, seed, size, **rest) for variant in variants],
    }


def _symbols(vocabulary: Subwords, pairs: Pairs) -> list[int]:
    """How many symbols the sources have, and the targets."""
    sides = (pairs.sources, pairs.targets)
    return [sum(len(symbols) for symbols in vocabulary.encode(side)) for side in sides]


@dataclass(frozen=True)
class Comparison:
    """BLEU of the baseline and of a variant, and the p-value of their difference: arrays with one
    number a seed.

    `confidence` is half the width of the widest 95 % interval of these BLEUs, by bootstrap.
    """

    baseline: np.ndarray
    variant: np.ndarray
    p: np.ndarray
    confidence: float

    @property
    def gain(self) -> np.ndarray:
        return self.variant - self.baseline


def compared(results: list[dict], split: str, variant: str) -> Comparison:
    """What a stored run of `translation` says of a variant; ValueError, with those that it holds,
    for another split or variant.
    """
    systems = [
        row["result"]["systems"] for row in results if row["configuration"]["split"] == split
    ]
    if not systems or variant not in systems[0]:
        held = {
            (row["configuration"]["split"], name)
            for row in results
            for name in row["configuration"]["variants"]
        }
        raise ValueError(
            f"{(split, variant)} was not run: there are {', '.join(map(str, sorted(held)))}"
        )
    baselines = [row["baseline"] for row in systems]
    variants = [row[variant] for row in systems]
    return Comparison(
        baseline=np.array([score["bleu"] for score in baselines]),
        variant=np.array([score["bleu"] for score in variants]),
        p=np.array([score["p"] for score in variants], float),
        confidence=max(score["confidence"] for score in (*baselines, *variants)),
    )


def first_losses(split: str, variant: str, seed: int, size: int, **rest) -> list[float]:
    """The losses of a variant's first steps on the generated pair, which is at hand wherever a
    stored run is checked.
    """
    corpus, vocabulary = _translations("generated", None, split, None, None, size)
    settings, shape = parted(rest)
    training = Training(seed=seed, **settings)
    shape |= VARIANTS[variant]
    return learn(corpus, vocabulary, training, stop_after=FIRST_STEPS, **shape).losses


def replay_translation(configuration: dict, result: dict) -> bool:
    """Whether today's code, set up as in the stored run, takes the stored first steps on the
    generated pair.

    For a pair from a folder this checks model, batches and training; its data and what came of them
    it cannot check.
    """
    left_out = ("pair", "variants", "train", "test", "beam")
    settings = {name: value for name, value in configuration.items() if name not in left_out}
    again = [first_losses(variant=variant, **settings) for variant in configuration["variants"]]
    return np.allclose(again, result["first_losses"], rtol=1e-4, atol=1e-6)


FURTHER: list[tuple[str, int, list[Settings], Settings]] = [
    ("scales", 3, SHORT_TO_LONG_SCALES, {"epochs": 10}),
    ("deeper", 2, DEEPER, {"layers": 3}),
]
EXPERIMENTS: Mapping[str, Experiment] = {
    "residuals_synthetic": Experiment(
        RESIDUAL_RUNS, QUICK_RESIDUAL_RUNS, measure_synthetic, replay_synthetic
    ),
    "copy_lengths": Experiment(LENGTH_RUNS, QUICK_LENGTH_RUNS, measure_synthetic, replay_synthetic),
    **{
        f"translation_{name}": Experiment(
            translation_runs(pair, seeds=3, **settings),
            translation_runs(pair, seeds=1, **settings | QUICK),
            translation,
            replay_translation,
            pair=pair if pair in SOURCES else None,
        )
        for name, (pair, settings) in TRANSLATIONS.items()
    },
    **{
        f"translation_{name}": Experiment(
            further_runs("multi30k", seeds, splits, **SMALL | settings),
            further_runs("multi30k", 1, splits, **SMALL | QUICK),
            translation,
            replay_translation,
            pair="multi30k",
        )
        for name, seeds, splits, settings in FURTHER
    },
}
