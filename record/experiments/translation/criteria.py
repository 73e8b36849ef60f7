"""What the papers print of a variant's BLEU less the baseline's, and when a stored run on talks
agrees: chosen before any such run was made. After the first, `significant_seeds` was mended: a p
is stored rounded.

C is Chiang & Cholak 2022, B is Bhattamishra et al. 2020. Our corpora are other ones, or parts of
theirs, and our systems are small: a run settles a row only on the paper's own pair of languages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lib.checks import many, number, takes
from record.experiments.translation.bleu import BOOTSTRAP
from record.experiments.translation.configurations import MEAN
from record.experiments.translation.runs import Comparison

# The 97.5 % quantile of Student's t by degrees of freedom, from 1 to 9.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@takes(gains=many(number))
def interval(gains: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean of paired differences, by Student's t, from one a
    seed; ValueError unless there are 2 to 10.
    """
    if not 2 <= len(gains) <= len(T) + 1:
        raise ValueError(f"2 to {len(T) + 1} differences are expected, not {len(gains)}")
    values = np.asarray(gains, float)
    half = T[len(values) - 2] * values.std(ddof=1) / len(values) ** 0.5
    return float(values.mean() - half), float(values.mean() + half)


def significant_seeds(found: Comparison) -> int:
    """How many seeds differ from their baseline, either way, with p < 0.01, by the bootstrap."""
    whole = BOOTSTRAP + 1  # of which p is so many parts; it is stored rounded
    return int((np.rint(found.p * whole) < 0.01 * whole).sum())


@dataclass(frozen=True)
class Criterion:
    """A difference that a paper prints (None: it prints none), where, and a rule in words and as a
    function of what a stored run gave.
    """

    row: str
    place: str
    split: str
    variant: str
    printed: float | None
    rule: str
    agrees: Callable[[Comparison], bool]


def _does_nothing(found: Comparison) -> bool:
    is_close = abs(found.gain.mean() + 0.1) <= 0.5
    return bool(is_close and 2 * significant_seeds(found) < len(found.p))


def _helps(found: Comparison) -> bool:
    return bool(found.gain.mean() > 0 and 2 * significant_seeds(found) > len(found.p))


def _loses(printed: float) -> Callable[[Comparison], bool]:
    return lambda found: bool(found.gain.min() <= printed <= found.gain.max())


NO_EFFECT = "the mean over seeds within half a point of -0.1, and p < 0.01 for less than half"
HELPS = "a gain in the mean over seeds, and p < 0.01 for more than half"
LOSES = "the printed loss lies between the worst and the best seed's"
CRITERIA = [
    Criterion("C Table 1", "Table 1", "all", "log n", -0.1, NO_EFFECT, _does_nothing),
    Criterion("C Table 1", "Table 1", "short to long", "log n", 1.0, HELPS, _helps),
    Criterion("C Table 1", "", "all", MEAN, None, NO_EFFECT, _does_nothing),
    Criterion("C Table 1", "", "short to long", MEAN, None, HELPS, _helps),
    *(
        Criterion("B Table 2", f"Table 2, {pair}", "all", f"no {name} residual", lost, LOSES, rule)
        for name, pair, lost in (
            ("decoder-encoder", "En-Vi", -7.0),
            ("decoder-decoder", "En-Vi", -1.6),
            ("decoder-encoder", "De-En", -8.8),
            ("decoder-decoder", "De-En", -2.3),
        )
        for rule in [_loses(lost)]
    ),
]


@takes(before=Comparison, after=Comparison)
def norm_changes(before: Comparison, after: Comparison) -> tuple[float, float]:
    """The 95 % interval, over seeds, of what a variant gains with layer normalization before the
    sublayers less what it gains with it after: the norm changes what the variant does if 0 lies
    outside. ValueError for other numbers of seeds.
    """
    if len(before.gain) != len(after.gain):
        raise ValueError(
            f"as many seeds of both are expected, not {len(before.gain)} and {len(after.gain)}"
        )
    return interval([*(before.gain - after.gain)])
