"""BLEU of translations, from counts that a stored run keeps; what a variant adds to it; and when
that agrees with a paper.

Papineni et al. (2002) define BLEU by sums over the sentences: of the words of outputs and of
references, and of the n-grams of an output, n = 1 to 4, that its reference has too. From these
counts, sentence by sentence, follow BLEU and its paired bootstrap (Koehn 2004), which are
sacrebleu's, where the sentences are not at hand.

The criteria were chosen before any run on talks was made. After the first, `significant_seeds` was
mended: a p is stored rounded. Our corpora are other ones than the papers', or parts of theirs, and
our systems are small: a run settles a row only on the paper's own pair of languages.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics.bleu import BLEU

from chapters.translation.settings import MEAN

BOOTSTRAP = 1000  # samples, as in Chiang & Cholak 2022, section 5.4
SEED = 12345  # sacrebleu's own, of its bootstrap
N_GRAMS = (1, 2, 3, 4)
COLUMNS = 2 + len(N_GRAMS)

# The 97.5 % quantile of Student's t by degrees of freedom, from 1 to 9.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


# ---- BLEU


def metric(references: Sequence[str]) -> BLEU:
    """sacrebleu's BLEU against these references, with its 13a tokens and no smoothing."""
    return BLEU(smooth_method="none", references=[list(references)])


def signature() -> str:
    """What sacrebleu says of how BLEU is measured, its version included."""
    return str(metric([""]).get_signature())


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of outputs in percent."""
    return metric(references).corpus_score(list(outputs), None).score


def matches(outputs: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """For each sentence the words of the output, those of the reference, and how many 1- to 4-grams
    of the output the reference has: (sentences, 6).
    """
    measure = metric(references)
    rows = []
    for output, reference in zip(outputs, references, strict=True):
        score = measure.corpus_score([output], [[reference]])
        rows.append([score.sys_len, score.ref_len, *score.counts])
    return np.array(rows, np.int64)


def packed(found: np.ndarray) -> str:
    """Counts as text: two bytes each, little-endian, column by column, compressed, in base 64."""
    return b64encode(zlib.compress(found.T.astype("<u2").tobytes(), 9)).decode()


def unpacked(written: str) -> np.ndarray:
    """The counts that `packed` made a text of; ValueError for another text, or for more matches
    than an output has n-grams.
    """
    try:
        flat = np.frombuffer(zlib.decompress(b64decode(written, validate=True)), "<u2")
        found = flat.reshape(COLUMNS, -1).T.astype(np.int64)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"packed counts are expected, not {written[:40]!r}: {error}") from error
    if (found[:, 2:] > _n_grams(found)).any():
        raise ValueError(f"no more matches than n-grams are expected, not {written[:40]!r}")
    return found


def _n_grams(found: np.ndarray) -> np.ndarray:
    """How many 1- to 4-grams each output has: (sentences, 4)."""
    return np.maximum(0, found[:, :1] - np.array(N_GRAMS) + 1)


def sums(found: np.ndarray) -> np.ndarray:
    """The `matches` of all sentences and the 1- to 4-grams of all outputs, summed: (10,)."""
    return np.hstack([found, _n_grams(found)]).sum(0)


def bleu_of(sums: np.ndarray) -> np.ndarray:
    """BLEU in percent, not smoothed, from sums (..., 10): words, words of references, matches and
    n-grams.
    """
    words, reference_words = sums[..., 0], sums[..., 1]
    matched, n_grams = sums[..., 2:6], sums[..., 6:]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(matched / n_grams).mean(-1)
        brevity = np.minimum(0, 1 - reference_words / words)
        bleu = 100 * np.exp(brevity + precision)
    return np.where(matched.min(-1) > 0, bleu, 0.0)


@dataclass(frozen=True)
class BleuScore:
    """BLEU, half the width of its 95% confidence interval, and the p-value of its difference from
    the first system (None for that).
    """

    bleu: float
    confidence: float
    p: float | None


def scores_of(systems: Mapping[str, np.ndarray]) -> dict[str, BleuScore]:
    """The BLEU of each system, bootstrapped, and paired with the first one's, from the `matches` of
    the same sentences.
    """
    stacked = {name: np.hstack([found, _n_grams(found)]) for name, found in systems.items()}
    first = next(iter(stacked))
    sentences = len(stacked[first])
    drawn = np.random.default_rng(SEED).choice(sentences, size=(BOOTSTRAP, sentences))
    times = np.stack([np.bincount(row, minlength=sentences) for row in drawn])
    bleu = {name: float(bleu_of(found.sum(0))) for name, found in stacked.items()}
    samples = {name: bleu_of(times @ found) for name, found in stacked.items()}
    return {
        name: BleuScore(
            bleu[name],
            _half_width(samples[name]),
            None if name == first else _p(samples[name] - samples[first], bleu[name] - bleu[first]),
        )
        for name in stacked
    }


def _half_width(samples: np.ndarray) -> float:
    """Half of what lies between the 25th lowest and the 25th highest of a thousand samples."""
    ordered, outside = np.sort(samples), len(samples) // 40
    return float(ordered[-outside - 1] - ordered[outside]) / 2


def _p(differences: np.ndarray, difference: float) -> float:
    """The share of samples whose difference exceeds the mean size of all by more than the measured
    one, sizes without signs, as sacrebleu has it; 1 where nothing differs, where sacrebleu says
    that it does for certain.
    """
    if difference == 0:
        return 1.0
    sizes = np.abs(differences)
    farther = (sizes - sizes.mean() > abs(difference)).sum()
    return float(farther + 1) / (len(sizes) + 1)


# ---- what a variant adds


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
        """What the variant adds to the baseline, seed by seed."""
        return self.variant - self.baseline


def compared(results: list[dict], split: str, variant: str) -> Comparison:
    """What a stored run of translations says of a variant in a split that it holds."""
    systems = [
        row["result"]["systems"] for row in results if row["configuration"]["split"] == split
    ]
    baselines = [row["baseline"] for row in systems]
    variants = [row[variant] for row in systems]
    return Comparison(
        baseline=np.array([score["bleu"] for score in baselines]),
        variant=np.array([score["bleu"] for score in variants]),
        p=np.array([score["p"] for score in variants], float),
        confidence=max(score["confidence"] for score in (*baselines, *variants)),
    )


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


# ---- when it agrees with a paper

NO_EFFECT = "the mean over seeds within half a point of -0.1, and p < 0.01 for less than half"
HELPS = "a gain in the mean over seeds, and p < 0.01 for more than half"
LOSES = "the printed loss lies between the worst and the best seed's"


@dataclass(frozen=True)
class Criterion:
    """A difference of BLEU that a paper prints (None: it prints none), where, and by which rule a
    stored run agrees. C is Chiang & Cholak 2022, B is Bhattamishra et al. 2020.
    """

    row: str
    place: str
    split: str
    variant: str
    printed: float | None
    rule: str

    def agrees(self, found: Comparison) -> bool:
        """Whether what a stored run gave is what the rule asks for."""
        if self.rule == LOSES:
            return self.printed is not None and bool(
                found.gain.min() <= self.printed <= found.gain.max()
            )
        twice, seeds = 2 * significant_seeds(found), len(found.p)
        if self.rule == HELPS:
            return bool(found.gain.mean() > 0 and twice > seeds)
        return bool(abs(found.gain.mean() + 0.1) <= 0.5 and twice < seeds)


CRITERIA = [
    Criterion("C Table 1", "Table 1", "all", "log n", -0.1, NO_EFFECT),
    Criterion("C Table 1", "Table 1", "short to long", "log n", 1.0, HELPS),
    Criterion("C Table 1", "", "all", MEAN, None, NO_EFFECT),
    Criterion("C Table 1", "", "short to long", MEAN, None, HELPS),
    *(
        Criterion("B Table 2", f"Table 2, {pair}", "all", f"no {name} residual", lost, LOSES)
        for name, pair, lost in (
            ("decoder-encoder", "En-Vi", -7.0),
            ("decoder-decoder", "En-Vi", -1.6),
            ("decoder-encoder", "De-En", -8.8),
            ("decoder-decoder", "De-En", -2.3),
        )
    ),
]
