"""The sequence-to-sequence experiments: how a translation is run, what is kept of it, and how it is
checked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import sentencepiece

from lib.checks import many, takes, text
from lib.translation.data import Corpus, Pairs, Subwords, fingerprint, short_to_long, without_longer
from lib.translation.train import learn
from record.experiment import Experiment, measured_row
from record.experiments.translation import sentences as grammar
from record.experiments.translation.bleu import scores, signature
from record.experiments.translation.configurations import (
    COMPARISONS,
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
from record.experiments.translation.evidence import counted, curves, data_hold, figures_hold, kept
from record.experiments.translation.sentences import SOURCES, from_folder
from record.experiments.translation.synthetic_runs import (
    FIRST_STEPS,
    measure_synthetic,
    parted,
    replay_synthetic,
    samples_of,
)

SPLITS = {"all": lambda corpus, short: corpus, "short to long": short_to_long}


@cache
def _translations(
    pair: str,
    data: Path | None,
    split: str,
    short: int | None,
    longest: int | None,
    train: int | None,
    test: int | None,
    size: int,
) -> tuple[Corpus, Subwords]:
    """The corpus, cut to `train` and `test` pairs and split, at `short` words where that is given,
    without pairs to train on of more than `longest` words; and `size` subwords of what is left to
    train on.
    """
    if pair == "generated":
        corpus = grammar.generated()
    elif data is None:
        raise ValueError(f"the pair {pair!r} is read from a folder, and none is given")
    else:
        corpus = from_folder(pair, data)
    corpus = Corpus(corpus.train[:train], corpus.validation, {"test": corpus.tests["test"][:test]})
    if longest is not None:
        corpus = without_longer(corpus, longest)
    corpus = SPLITS[split](corpus, short)
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
    short: int | None = None,
    longest: int | None = None,
    data: Path | None = None,
    checkpoints: Path | None = None,
    **rest,
) -> dict:
    """Trains each variant on the same data, in the same order and from the same seed, and lets it
    translate the test sentences.

    Each variant's BLEU is paired with the first one's. `data` is the folder of a pair that is not
    generated, of which only a hash is kept; `checkpoints` a folder from which a run that was
    stopped goes on. With a stop criterion the losses of each epoch are kept, the counts behind each
    BLEU and, of the first seed on all lengths, the parameters of the best system.
    """
    corpus, vocabulary = _translations(pair, data, split, short, longest, train, test, size)
    training, shape = parted(seed, rest)
    stops = training.patience is not None
    tested = corpus.tests["test"]
    outputs, systems, trained = {}, {}, {}
    for variant in variants:
        norm = "" if shape["norm_first"] else ", post-norm"
        name = f"{split}, {variant}, {seed}{norm}.pt".replace(" ", "_")
        path = None if checkpoints is None else checkpoints / name
        begun = time.perf_counter()
        learned = learn(corpus, vocabulary, training, device, path, **shape, **VARIANTS[variant])
        ended = time.perf_counter()
        outputs[variant] = learned(tested.sources, beam)
        translated = time.perf_counter()
        last_epoch = learned.losses[([0] + learned.ends)[-2] :]
        trained[variant] = learned
        systems[variant] = {
            "steps": len(learned.losses),
            "last_loss": round(float(np.mean(last_epoch)), 4),
            "seconds": round(ended - begun, 1),
            "translating_seconds": round(translated - ended, 1),
        } | (curves(learned) if stops else {})
    for variant, score in scores(outputs, tested.targets).items():
        systems[variant] |= {
            "bleu": round(score.bleu, 2),
            "confidence": round(score.confidence, 2),
            "p": None if score.p is None else round(score.p, 4),
        }
    is_quotable = pair == "generated" or SOURCES[pair].is_quotable
    result = {
        "data": fingerprint(corpus),
        "pairs": {"train": len(corpus.train), "test": len(tested)},
        "symbols": {
            "train": _symbols(vocabulary, corpus.train),
            "test": _symbols(vocabulary, tested),
        },
        "bleu": signature(),
        "subwords": f"sentencepiece {sentencepiece.__version__}",
        "systems": systems,
        "samples": samples_of(tested, outputs, is_quotable and not stops),
        "first_losses": [
            first_losses(split, variant, seed, size, short, **rest) for variant in variants
        ],
    }
    if stops:
        result["matches"] = counted(outputs, tested.targets)
    if stops and (split, seed) == ("all", 0):
        best = max(variants, key=lambda variant: systems[variant]["bleu"])
        result["kept"] = kept(trained[best], best)
    return result


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


@takes(results=many(measured_row), split=text, variant=text)
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


def first_losses(
    split: str, variant: str, seed: int, size: int, short: int | None = None, **rest
) -> list[float]:
    """The losses of a variant's first steps on the generated pair, which is at hand wherever a
    stored run is checked.
    """
    corpus, vocabulary = _translations("generated", None, split, short, None, None, None, size)
    training, shape = parted(seed, rest)
    shape |= VARIANTS[variant]
    return learn(corpus, vocabulary, training, stop_after=FIRST_STEPS, **shape).losses


def replay_translation(configuration: dict, result: dict, data: Path | None = None) -> bool:
    """Whether today's code, set up as in the stored run, takes the stored first steps on the
    generated pair.

    This checks model, batches and training. Where training stops by the validation pairs, the
    scores are computed again from the counts that are kept. `data` is the folder of the pair, where
    it is at hand: then the corpus must be the stored one, and for a run of that kind give what
    `record.experiments.translation.evidence` asks of it.
    """
    left_out = ("pair", "variants", "train", "test", "longest", "beam")
    settings = {name: value for name, value in configuration.items() if name not in left_out}
    again = [first_losses(variant=variant, **settings) for variant in configuration["variants"]]
    if not np.allclose(again, result["first_losses"], rtol=1e-4, atol=1e-6):
        return False
    stops = "patience" in configuration
    if stops and not figures_hold(configuration, result):
        return False
    if data is None:
        return True
    names = ("pair", "split", "train", "test", "size")
    chosen = {name: configuration[name] for name in names}
    chosen |= {name: configuration.get(name) for name in ("short", "longest")}
    corpus, words = _translations(data=data, **chosen)
    if stops:
        return data_hold(configuration, result, corpus, words)
    return fingerprint(corpus) == result["data"]


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
            comparisons.runs(),
            comparisons.quick(),
            translation,
            replay_translation,
            pair=comparisons.pair,
        )
        for name, comparisons in COMPARISONS.items()
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
