"""BLEU of translations, and its paired bootstrap, by sacrebleu.

What BLEU is computed from, sentence by sentence: kept with a stored run, so that its scores can
be computed again where the sentences are not at hand.

Papineni et al. (2002) define BLEU by sums over the sentences: of the words of outputs and of
references, and of the n-grams of an output, n = 1 to 4, that its reference has too.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest, Result

from lib.checks import many, mapping, shown, takes, text, whole_numbers

BOOTSTRAP = 1000  # samples, as in Chiang & Cholak 2022, section 5.4


@takes(outputs=many(text), references=many(text))
def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of outputs in percent: sacrebleu's, with its 13a tokens and no smoothing."""
    return metric({"": outputs}, references).corpus_score(list(outputs), None).score


@dataclass(frozen=True)
class BleuScore:
    """BLEU, half the width of its 95% confidence interval, and the p-value of its difference from
    the first system (None for that).
    """

    bleu: float
    confidence: float
    p: float | None


@takes(systems=mapping(many(text)), references=many(text))
def scores(systems: Mapping[str, Sequence[str]], references: Sequence[str]) -> dict[str, BleuScore]:
    """The `bleu` of each system's outputs, bootstrapped, each paired with the first system."""
    by_bleu = metric(systems, references)
    outputs: list[tuple[str, Sequence[str]]] = [(name, list(systems[name])) for name in systems]
    _, table = PairedTest(outputs, {"BLEU": by_bleu}, None, "bs", BOOTSTRAP)()
    results = [result for result in table["BLEU"] if isinstance(result, Result)]
    return {name: _score(result, results[0]) for name, result in zip(systems, results, strict=True)}


def _score(result: Result, first: Result) -> BleuScore:
    """A system's score beside the first one's. Of two equal systems sacrebleu says that they differ
    for certain.
    """
    assert result.ci is not None  # every bootstrap has its interval
    p = 1.0 if result.p_value and result.score == first.score else result.p_value
    return BleuScore(result.score, result.ci, p)


def signature() -> str:
    """What sacrebleu says of how BLEU is measured, its version included."""
    return str(BLEU(smooth_method="none", references=[[""]]).get_signature())


@takes(systems=mapping(many(text)), references=many(text))
def metric(systems: Mapping[str, Sequence[str]], references: Sequence[str]) -> BLEU:
    """sacrebleu's BLEU against these references, of which each system has an output for each."""
    has_all = all(len(outputs) == len(references) for outputs in systems.values())
    if not systems or not len(references) or not has_all:
        raise ValueError(
            "at least one system with an output for each of "
            f"{len(references)} references is expected"
        )
    return BLEU(smooth_method="none", references=[list(references)])


N_GRAMS = (1, 2, 3, 4)
COLUMNS = 2 + len(N_GRAMS)
SEED = 12345  # sacrebleu's own, of its bootstrap


def counts(value: np.ndarray, what: str) -> np.ndarray:
    """`value` if it is whole numbers (sentences, 6) of at least one sentence, none below 0, with no
    more matches than the output has n-grams; otherwise ValueError.
    """
    found = whole_numbers(value, what)
    if found.ndim != 2 or found.shape[1] != COLUMNS or not len(found) or (found < 0).any():
        raise ValueError(f"{what} must be counts (sentences, {COLUMNS}), not {shown(value)}")
    if (found[:, 2:] > _n_grams(found)).any():
        raise ValueError(f"{what} must have no more matches than n-grams, not {shown(value)}")
    return found


def _n_grams(found: np.ndarray) -> np.ndarray:
    """How many 1- to 4-grams each output has: (sentences, 4)."""
    return np.maximum(0, found[:, :1] - np.array(N_GRAMS) + 1)


@takes(outputs=many(text), references=many(text))
def matches(outputs: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """For each sentence the words of the output, those of the reference, and how many 1- to 4-grams
    of the output the reference has: (sentences, 6).
    """
    bleu = metric({"": outputs}, references)
    rows = []
    for output, reference in zip(outputs, references, strict=True):
        score = bleu.corpus_score([output], [[reference]])
        rows.append([score.sys_len, score.ref_len, *score.counts])
    return np.array(rows, np.int64)


@takes(found=counts)
def packed(found: np.ndarray) -> str:
    """Counts as text: two bytes each, little-endian, column by column, compressed, in base 64."""
    return b64encode(zlib.compress(found.T.astype("<u2").tobytes(), 9)).decode()


@takes(written=text)
def unpacked(written: str) -> np.ndarray:
    """The counts that `packed` made a text of; ValueError for another text."""
    try:
        flat = np.frombuffer(zlib.decompress(b64decode(written, validate=True)), "<u2")
        return flat.reshape(COLUMNS, -1).T.astype(np.int64)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"packed counts are expected, not {written[:40]!r}: {error}") from error


def _bleu(sums: np.ndarray) -> np.ndarray:
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


@takes(systems=mapping(counts))
def scores_of(systems: Mapping[str, np.ndarray]) -> dict[str, BleuScore]:
    """The BLEU of each system, half the width of its 95 % interval, and the p-value of its
    difference from the first: `record.experiments.translation.bleu.scores`, from counts alone.
    """
    stacked = {name: np.hstack([found, _n_grams(found)]) for name, found in systems.items()}
    sizes = {len(found) for found in stacked.values()}
    if len(sizes) != 1:
        raise ValueError(f"systems with counts of the same sentences are expected, not {sizes}")
    sentences = sizes.pop()
    drawn = np.random.default_rng(SEED).choice(sentences, size=(BOOTSTRAP, sentences))
    times = np.stack([np.bincount(row, minlength=sentences) for row in drawn])
    bleu = {name: float(_bleu(found.sum(0))) for name, found in stacked.items()}
    samples = {name: _bleu(times @ found) for name, found in stacked.items()}
    first = next(iter(stacked))
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
    """The share of samples whose difference is farther from the mean one than the measured one is
    from zero (Koehn 2004); 1 where nothing differs.
    """
    if difference == 0:
        return 1.0
    sizes = np.abs(differences)
    farther = (sizes - sizes.mean() > abs(difference)).sum()
    return float(farther + 1) / (len(sizes) + 1)
