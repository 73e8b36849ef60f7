"""What the sequence-to-sequence experiments train: copying and counting as in Bhattamishra et al.
2020, tables 1, 3 and 4 and figure 3; translation as in their table 2 and in Chiang & Cholak 2022,
table 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lib.checks import between, one_of, optional, takes
from lib.translation.model import POSITION_SCHEMES, RESIDUALS
from record.experiments.translation.sentences import SOURCES

Settings = dict[str, Any]

# The papers' tables.
TABLES: dict[str, Settings] = {
    "baseline": {},
    "log n": {"scale": "log n"},
    **{f"no {name} residual": {"without": (name,)} for name in RESIDUALS},
}
# What a scale does that is not, or not only, log n.
SCALES: dict[str, Settings] = {name: {"scale": name} for name in ("log n over log 16", "log 16")}
# The logits are as large as without a factor where a sentence is as long as those trained on.
MEAN = "log n over log mean"
VARIANTS: dict[str, Settings] = TABLES | SCALES | {MEAN: {"scale": MEAN}}

COUNTING: Settings = dict(
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
COPYING: Settings = dict(
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
    for positions in POSITION_SCHEMES
]
QUICK_LENGTH_RUNS = [QUICK_COPYING | dict(positions=positions) for positions in POSITION_SCHEMES]

SMALL: Settings = dict(
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
# fairseq's transformer_iwslt_de_en, for a GPU
LARGE: Settings = dict(
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
)
TRANSLATIONS: dict[str, tuple[str, Settings]] = {
    "generated": (
        "generated",
        SMALL | dict(size=300, epochs=8, rate=5e-3, warmup=200, width=64, hidden=128),
    ),
    "multi30k": ("multi30k", SMALL),
    "multi30k_large": ("multi30k", LARGE),
    "iwslt14": ("iwslt14", LARGE),
    "iwslt15_large": ("iwslt15", LARGE),
}
QUICK: Settings = dict(
    train=400, test=30, epochs=1, layers=1, width=32, hidden=64, size=300, beam=2
)


@takes(
    pair=one_of(("generated", *SOURCES)),
    seeds=between(1),
    train=optional(between(1)),
    test=optional(between(1)),
)
def translation_runs(
    pair: str, seeds: int, train: int | None = None, test: int | None = None, **settings
) -> list[Settings]:
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


# Is it log n's growth, or its size?
SHORT_TO_LONG_SCALES = [dict(split="short to long", variants=["baseline", "log n", *SCALES])]
# Residuals matter more in three layers.
DEEPER = [dict(split="all", variants=["baseline", *list(TABLES)[2:4]])]


def further_runs(
    pair: str,
    seeds: int,
    splits: list[Settings],
    train: int | None = None,
    test: int | None = None,
    **settings,
) -> list[Settings]:
    """What the papers' tables leave open: other variants, seed by seed."""
    return [
        dict(pair=pair, **split, seed=seed, train=train, test=test, **settings)
        for seed in range(seeds)
        for split in splits
    ]


# ---- talks, and the toolkit's own setting

# Trained to a stop criterion: the loss on the validation pairs has not fallen for two epochs. The
# most epochs of each pair are what about an hour on one core allows; where they end a training, it
# was still learning, and the stored losses show it.
TALKS: Settings = dict(
    size=1000,
    patience=2,
    longest=200,
    tokens=1000,
    bucket=1.1,
    rate=6e-3,
    warmup=300,
    smoothing=0.1,
    layers=1,
    heads=4,
    width=64,
    hidden=256,
    dropout=0.1,
    beam=4,
)
# The defaults of Chiang & Cholak's toolkit for English to Vietnamese, by the same names: en2vi in
# https://github.com/tnq177/witwicky, nmt/configurations.py. Its rate does not warm up and is
# multiplied by 0.8 where the validation pairs' BLEU is the lowest of four; it takes all its epochs,
# and makes one word in ten unknown.
WITWICKY: Settings = dict(
    epochs=100,
    tokens=4096,
    rate=3e-4,
    warmup=0,
    smoothing=0.1,
    layers=6,
    heads=8,
    width=512,
    hidden=2048,
    dropout=0.3,
    norm_first=True,
    beam=4,
)
SHORT = {"iwslt15": 20, "ted": 20}  # words of a short source, as table 1 has tokens


@dataclass(frozen=True)
class Comparisons:
    """What is compared on a pair: variants for each split, with layer normalization before the
    sublayers or after, by so many seeds, each trained for at most `epochs` on the first `train`
    pairs, or all.
    """

    pair: str
    variants: Mapping[str, list[str]]
    norms_first: tuple[bool, ...]
    seeds: int
    epochs: int
    train: int | None = None

    def runs(self, **changed) -> list[Settings]:
        """The configurations, in each of which `changed` settings take the place of `TALKS`."""
        return [
            dict(pair=self.pair, split=split, variants=variants, seed=seed)
            | ({"short": SHORT[self.pair]} if split != "all" and self.pair in SHORT else {})
            | dict(train=self.train, test=None, norm_first=norm_first)
            | TALKS
            | {"epochs": self.epochs}
            | changed
            for seed in range(self.seeds)
            for norm_first in self.norms_first
            for split, variants in self.variants.items()
        ]

    def quick(self) -> list[Settings]:
        """The same path in under a minute: one seed, few pairs, two epochs."""
        return replace(self, seeds=1).runs(**QUICK | {"epochs": 2})


FACTORS = {split: ["baseline", "log n", MEAN] for split in ("all", "short to long")}
ABLATIONS = {"all": ["baseline", *list(TABLES)[2:4]]}
COMPARISONS: dict[str, Comparisons] = {
    "iwslt15": Comparisons("iwslt15", FACTORS, (True,), seeds=5, epochs=12),
    **{
        f"iwslt15_longer{name}": Comparisons(
            "iwslt15", {split: FACTORS[split]}, (True,), seeds=5, epochs=60
        )
        for name, split in (("", "all"), ("_short", "short to long"))
    },
    "iwslt15_post_norm": Comparisons("iwslt15", FACTORS, (False,), seeds=5, epochs=12),
    "iwslt15_residuals": Comparisons("iwslt15", ABLATIONS, (True,), seeds=5, epochs=12),
    "ted": Comparisons("ted", FACTORS, (True,), seeds=5, epochs=6, train=15_000),
    "ted_residuals": Comparisons("ted", ABLATIONS, (True,), seeds=5, epochs=6, train=15_000),
    "multi30k_norms": Comparisons("multi30k", FACTORS, (True, False), seeds=3, epochs=5),
}
