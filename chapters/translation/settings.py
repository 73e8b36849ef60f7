"""What systems that translate are trained with, as in table 2 of Bhattamishra et al. (2020) and in
table 1 of Chiang & Cholak (2022): `settings.yaml` lists it, and here it becomes configurations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chapters.translation.model import RESIDUALS
from record.runs import read_yaml

Settings = dict[str, Any]

# What a variant changes of the baseline. The papers' tables have these.
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

_WRITTEN = read_yaml(Path(__file__).with_suffix(".yaml"))
TALKS, QUICK, WITWICKY = (_WRITTEN[name] for name in ("talks", "quick", "witwicky"))


@dataclass(frozen=True)
class Runs:
    """What is compared on a pair: the variants of each split, with layer normalization before the
    sublayers or after, by so many seeds, each trained on the first `train` pairs, or all. The
    split "short to long" parts sources at `short` words, or at their median.
    """

    pair: str
    splits: dict[str, list[str]]
    settings: Settings
    seeds: int
    norms_first: Sequence[bool] = (True,)
    train: int | None = None
    short: int | None = None

    def configurations(self, **changed) -> list[Settings]:
        """One for each seed, norm and split; `changed` settings take the place of the run's."""
        return [
            {"pair": self.pair, "split": split, "variants": variants, "seed": seed}
            | {"train": self.train, "test": None, "norm_first": norm_first}
            | ({"short": self.short} if self.short is not None and split != "all" else {})
            | self.settings
            | changed
            for seed in range(self.seeds)
            for norm_first in self.norms_first
            for split, variants in self.splits.items()
        ]

    def quick(self) -> list[Settings]:
        """The same path in under a minute: one seed, few pairs, and one epoch, or two where a stop
        criterion is to see two.
        """
        epochs = 2 if "patience" in self.settings else 1
        return replace(self, seeds=1).configurations(**QUICK | {"epochs": epochs})


RUNS = {name: Runs(**run) for name, run in _WRITTEN["runs"].items()}
