"""The sequence-to-sequence experiments: what each configuration trains, and what is kept of it.

Copying and counting are Bhattamishra et al. 2020, tables 1, 3 and 4 and figure 3; translation is
their table 2 and Chiang & Cholak 2022, table 1.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import sentencepiece

from lib.experiment import Experiment
from lib.translation import corpora
from lib.translation.corpora import SOURCES, Corpus, Pairs
from lib.translation.model import LOGIT_SCALES, POSITIONS, RESIDUALS
from lib.translation.train import Learned, Training, bleu, learn, scores, signature
from lib.translation.vocabulary import Subwords, Words

FIRST_STEPS = 3  # whose losses are stored, and which are run again when a stored run is checked
SAMPLES = (0, 1, 2)  # tests of which the outputs are stored
TABLES: dict[str, dict] = {
    "baseline": {},
    "log n": {"scale": "log n"},
    **{f"no {name} residual": {"without": (name,)} for name in RESIDUALS},
}
SCALES: dict[str, dict] = {
    name: {"scale": name} for name in LOGIT_SCALES if name not in ("plain", "log n")
}
VARIANTS = (
    TABLES | SCALES
)  # the papers' tables, and what a scale does that is not, or not only, log n
SPLITS = {"all": lambda corpus: corpus, "short to long": corpora.short_to_long}

COUNTING = dict(
    task="counting",
    words=None,
    train=None,
    test=None,
    epochs=400,
    tokens=800,
    rate=1e-2,
    warmup=50,
    smoothing=0.0,
    layers=1,
    heads=1,
    width=32,
    hidden=64,
)
COPYING = dict(
    task="copy",
    words=200,
    train=40_000,
    test=1000,
    epochs=3,
    tokens=1000,
    rate=4e-3,
    warmup=200,
    smoothing=0.0,
    layers=1,
    heads=1,
    width=64,
    hidden=128,
)
QUICK_COPYING = COPYING | dict(words=50, train=2000, test=50, epochs=1, seeds=2)
RESIDUAL_RUNS = [
    dict(**task, without=without, seeds=seeds)
    for task, seeds in ((COUNTING, 10), (COPYING, 3))
    for without in ([], *([name] for name in RESIDUALS))
]
QUICK_RESIDUAL_RUNS = [
    *(
        COUNTING | dict(epochs=50, without=without, seeds=2)
        for without in ([], ["decoder-encoder"])
    ),
    QUICK_COPYING | dict(without=[]),
]
LENGTH_RUNS = [
    dict(**COPYING | dict(layers=layers), positions=positions, seeds=5)
    for layers in (1, 2)
    for positions in POSITIONS
]
QUICK_LENGTH_RUNS = [QUICK_COPYING | dict(positions=positions) for positions in POSITIONS]

SMALL = dict(
    size=2000,
    epochs=3,
    tokens=1000,
    rate=4e-3,
    warmup=300,
    smoothing=0.1,
    layers=1,
    heads=4,
    width=128,
    hidden=256,
    norm_first=True,
    beam=4,
)
LARGE = dict(
    size=10_000,
    epochs=40,
    tokens=4000,
    rate=7e-4,
    warmup=4000,
    smoothing=0.1,
    layers=6,
    heads=4,
    width=512,
    hidden=1024,
    dropout=0.3,
    norm_first=True,
    beam=5,
)  # fairseq's transformer_iwslt_de_en, for a GPU
TRANSLATIONS = {
    "generated": (
        "generated",
        SMALL | dict(size=300, epochs=8, rate=5e-3, warmup=200, width=64, hidden=128),
    ),
    "multi30k": ("multi30k", SMALL),
    "multi30k_large": ("multi30k", LARGE),
    "iwslt14": ("iwslt14", LARGE),
    "iwslt15": ("iwslt15", LARGE),
}
QUICK = dict(train=400, test=30, epochs=1, layers=1, width=32, hidden=64, size=300, beam=2)


def translation_runs(
    pair: str, seeds: int, train: int | None = None, test: int | None = None, **settings
) -> list[dict]:
    """Both papers' tables for a pair: every variant where lengths are alike, log n alone from short
    to long sentences.
    """
    return [
        dict(
            pair=pair, split=split, variants=variants, seed=seed, train=train, test=test, **settings
        )
        for seed in range(seeds)
        for split, variants in (("all", list(TABLES)), ("short to long", ["baseline", "log n"]))
    ]


SHORT_TO_LONG_SCALES = [
    dict(split="short to long", variants=["baseline", "log n", *SCALES])
]  # is it log n's growth, or its size?
DEEPER = [
    dict(split="all", variants=["baseline", *list(TABLES)[2:4]])
]  # residuals matter more in three layers


def further_runs(
    pair: str,
    seeds: int,
    splits: list[dict],
    train: int | None = None,
    test: int | None = None,
    **settings,
) -> list[dict]:
    """What the papers' tables leave open: other variants, seed by seed."""
    return [
        dict(pair=pair, **split, seed=seed, train=train, test=test, **settings)
        for seed in range(seeds)
        for split in splits
    ]


def parted(configuration: dict) -> tuple[dict, dict]:
    """What a configuration says of the training, and what it says of the shape."""
    training = {
        name: configuration[name] for name in ("epochs", "tokens", "rate", "warmup", "smoothing")
    }
    return training, {name: value for name, value in configuration.items() if name not in training}


@cache
def _task(name: str, words: int | None, train: int | None, test: int | None) -> Corpus:
    return (
        corpora.counting()
        if name == "counting"
        else corpora.copy(words=words, train=train, test=test)
    )


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
    corpus, (training, shape) = _task(task, words, train, test), parted(rest)
    return corpus, learn(
        corpus,
        Words(corpus.train),
        Training(seed=seed, **training),
        device,
        stop_after=stop_after,
        **shape,
    )


def synthetic(device: str, seeds: int, **configuration) -> dict:
    """Copies or counts with each seed, 0 and up.

    Gives, for every set of tests and every seed, BLEU, how many outputs are exactly right, the most
    words in an output and the most different ones in one. Counting's outputs are cut after the five
    numbers that are asked for.
    """
    runs, samples, first = [], {}, []
    for seed in range(seeds):
        corpus, learned = _learned(device, seed, **configuration)
        first.append(learned.losses[:FIRST_STEPS])
        runs.append({})
        for name, pairs in corpus.tests.items():
            outputs = learned(
                pairs.sources,
                longest=corpora.COUNTED if configuration["task"] == "counting" else None,
            )
            words = [output.split() for output in outputs]
            runs[seed][name] = {
                "bleu": round(bleu(outputs, pairs.targets), 2),
                "words": max(map(len, words)),
                "exact": sum(a == b for a, b in zip(outputs, pairs.targets)),
                "different": max(len(set(line)) for line in words),
            }
            samples.setdefault(name, _samples(pairs, {"output": outputs}))
    return {
        "tests": {
            name: {key: [run[name][key] for run in runs] for key in runs[0][name]}
            | {"of": len(pairs)}
            for name, pairs in corpus.tests.items()
        },
        "samples": samples,
        "first_losses": first,
    }


def replay_synthetic(configuration: dict, result: dict) -> bool:
    """Whether the first seed's first steps are those stored; they are float32, which another
    machine rounds otherwise.
    """
    configuration = {name: value for name, value in configuration.items() if name != "seeds"}
    _, learned = _learned("cpu", 0, **configuration, stop_after=FIRST_STEPS)
    return np.allclose(learned.losses, result["first_losses"][0], rtol=1e-4, atol=1e-6)


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
    corpus = corpora.generated() if pair == "generated" else corpora.from_folder(pair, data)
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
    (corpus, vocabulary), (training, shape) = (
        _translations(pair, data, split, train, test, size),
        parted(rest),
    )
    tested, outputs, systems = corpus.tests["test"], {}, {}
    for variant in variants:
        begun, path = (
            time.perf_counter(),
            checkpoints and checkpoints / f"{split}, {variant}, {seed}.pt".replace(" ", "_"),
        )
        learned = learn(
            corpus,
            vocabulary,
            Training(seed=seed, **training),
            device,
            path,
            **shape,
            **VARIANTS[variant],
        )
        trained = time.perf_counter()
        outputs[variant] = learned(tested.sources, beam)
        last = learned.losses[-(len(learned.losses) // training["epochs"]) :]
        systems[variant] = {
            "steps": len(learned.losses),
            "last_loss": round(float(np.mean(last)), 4),
            "seconds": round(trained - begun, 1),
            "translating_seconds": round(time.perf_counter() - trained, 1),
        }
    for variant, score in scores(outputs, tested.targets).items():
        systems[variant] |= {
            "bleu": round(score.bleu, 2),
            "confidence": round(score.confidence, 2),
            "p": score.p and round(score.p, 4),
        }
    symbols = {
        part: [sum(map(len, vocabulary.encode(side))) for side in (pairs.sources, pairs.targets)]
        for part, pairs in (("train", corpus.train), ("test", tested))
    }
    return {
        "data": corpora.fingerprint(corpus),
        "pairs": {"train": len(corpus.train), "test": len(tested)},
        "symbols": symbols,
        "bleu": signature(),
        "subwords": f"sentencepiece {sentencepiece.__version__}",
        "systems": systems,
        "samples": _samples(tested, outputs),
        "first_losses": [first_losses(split, variant, seed, size, **rest) for variant in variants],
    }


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
    one, other = ([found[name] for found in systems] for name in ("baseline", variant))
    return Comparison(
        *(np.array([score["bleu"] for score in side]) for side in (one, other)),
        np.array([score["p"] for score in other], float),
        max(score["confidence"] for score in (*one, *other)),
    )


def first_losses(split: str, variant: str, seed: int, size: int, **rest) -> list[float]:
    """The losses of a variant's first steps on the generated pair, which is at hand wherever a
    stored run is checked.
    """
    (corpus, vocabulary), (training, shape) = (
        _translations("generated", None, split, None, None, size),
        parted(rest),
    )
    return learn(
        corpus,
        vocabulary,
        Training(seed=seed, **training),
        stop_after=FIRST_STEPS,
        **shape,
        **VARIANTS[variant],
    ).losses


def replay_translation(configuration: dict, result: dict) -> bool:
    """Whether today's code, set up as in the stored run, takes the stored first steps on the
    generated pair.

    For a pair from a folder this checks model, batches and training; its data and what came of them
    it cannot check.
    """
    asked = {
        name: value
        for name, value in configuration.items()
        if name not in ("pair", "variants", "train", "test", "beam")
    }
    again = [first_losses(variant=variant, **asked) for variant in configuration["variants"]]
    return np.allclose(again, result["first_losses"], rtol=1e-4, atol=1e-6)


EXPERIMENTS: Mapping[str, Experiment] = {
    "residuals_synthetic": Experiment(
        RESIDUAL_RUNS, QUICK_RESIDUAL_RUNS, synthetic, replay_synthetic
    ),
    "copy_lengths": Experiment(LENGTH_RUNS, QUICK_LENGTH_RUNS, synthetic, replay_synthetic),
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
        for name, seeds, splits, settings in (
            ("scales", 3, SHORT_TO_LONG_SCALES, {"epochs": 10}),
            ("deeper", 2, DEEPER, {"layers": 3}),
        )
    },
}
