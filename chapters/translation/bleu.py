"""BLEU of translations, as sacrebleu has it; what a variant adds to it; and when that agrees with a
paper.

Our corpora are other ones than the papers', or parts of theirs, and our systems are small: with 6
BLEU none can lose 7. So shares of BLEU are held to shares. This was chosen after the runs; what was
asked before stands in the record of *Translation*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest, Result

BOOTSTRAP = 1000  # samples, as in Chiang & Cholak 2022, section 5.4
METRIC = BLEU(smooth_method="none")  # with its 13a tokens

# The 97.5 % quantile of Student's t by degrees of freedom, from 1 to 9.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of outputs in percent."""
    return bleu_of(sums(outputs, references))


def sums(outputs: Sequence[str], references: Sequence[str]) -> list[int]:
    """What BLEU follows from: the words of all outputs and of all references, how many 1- to
    4-grams of the outputs their references have, and how many there are.
    """
    found = METRIC.corpus_score(outputs, [references])
    return [found.sys_len, found.ref_len, *found.counts, *found.totals]


def bleu_of(sums: list[int]) -> float:
    """BLEU in percent from these `sums`."""
    return BLEU.compute_bleu(sums[2:6], sums[6:], *sums[:2], smooth_method="none").score


def signature() -> str:
    """What sacrebleu says of how BLEU is measured, its version included."""
    METRIC.corpus_score([""], [[""]])  # it counts the references
    return str(METRIC.get_signature())


def paired(
    outputs: Mapping[str, Sequence[str]], references: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """Of each system's outputs BLEU, half the width of its 95 % interval and the p of its
    difference from the first system (None for that), by sacrebleu's paired bootstrap (Koehn 2004);
    which holds equal systems to differ for certain: here their p is 1.
    """
    systems, found = [*outputs.items()], {}
    test = PairedTest(systems, {"BLEU": METRIC}, [references], "bs", BOOTSTRAP)
    results = [result for result in test()[1]["BLEU"] if isinstance(result, Result)]
    for (name, lines), result in zip(systems, results, strict=True):
        is_equal = result.p_value is not None and lines == systems[0][1]
        p = 1.0 if is_equal else result.p_value
        found[name] = {"bleu": result.score, "confidence": result.ci, "p": p}
    return found


# ---- what a variant adds


@dataclass(frozen=True)
class Comparison:
    """BLEU of the baseline and of a variant, and the p of their difference, each (seeds,)."""

    baseline: np.ndarray
    variant: np.ndarray
    p: np.ndarray

    @property
    def gain(self) -> np.ndarray:
        """What the variant adds to the baseline, seed by seed."""
        return self.variant - self.baseline

    @property
    def shares(self) -> np.ndarray:
        """What the variant adds, as a share of the baseline's BLEU, seed by seed."""
        return self.gain / self.baseline

    @property
    def ups_and_downs(self) -> str:
        """How many seeds gain, and how many lose, with p < 0.01, by the bootstrap."""
        whole = BOOTSTRAP + 1  # of which p is so many parts; it is stored rounded
        is_clear = np.rint(self.p * whole) < 0.01 * whole
        up, down = (is_clear & (self.gain > 0)).sum(), (is_clear & (self.gain < 0)).sum()
        return f"{up} up, {down} down of {len(self.p)}"


def interval(gains: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean of 2 to 10 paired differences, by Student's t."""
    values = np.asarray(gains, float)
    half = T[len(values) - 2] * values.std(ddof=1) / len(values) ** 0.5
    return float(values.mean() - half), float(values.mean() + half)


# ---- when it agrees with a paper


@dataclass(frozen=True)
class Criterion:
    """A difference that a paper prints, as a share of its baseline's BLEU: where, and from which
    `other` share a stored run has to tell it.
    """

    place: str
    share: float
    other: float = 0

    def beside(self, found: Comparison) -> dict[str, Any]:
        """What a claim says of a stored run beside the paper: among others whether it agrees, which
        is None where the run cannot tell the two shares apart.
        """
        low, high = interval(found.shares)
        holds, holds_other = (low <= share <= high for share in (self.share, self.other))
        other = percent(self.other) if self.other else 0
        criterion = f"the 95 % interval over seeds holds the printed share, not {other}"
        return {
            "paper": percent(self.share),
            "printed": self.place,
            "criterion": f"{criterion} (chosen after the runs)",
            "agrees": None if holds and holds_other else holds,
        }


def percent(share: float) -> str:
    """A share with its sign."""
    return f"{100 * share:+.1f} %"


ALL, LONGER = -0.1 / 32.6, 1.0 / 11.4  # Chiang & Cholak 2022, table 1: no difference, and a gain
CRITERIA = {  # by the split and the variant
    ("all", "log n"): Criterion("Table 1", ALL, LONGER),
    ("short to long", "log n"): Criterion("Table 1", LONGER, ALL),
    # Bhattamishra et al. 2020
    ("all", "no decoder-encoder residual"): Criterion("Table 2, En-Vi", -7.0 / 28.8),
    ("all", "no decoder-decoder residual"): Criterion("Table 2, En-Vi", -1.6 / 28.8),
}
