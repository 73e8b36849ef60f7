"""BLEU of translations, and its paired bootstrap, by sacrebleu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest, Result

from lib.checks import many, mapping, takes, text

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
