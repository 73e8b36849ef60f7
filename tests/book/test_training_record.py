"""What chapter 6 records of stored runs follows from them: a forged score changes the verdict."""

import numpy as np
import pytest

from lib.book import training_record as record
from lib.book.claims import Claims
from lib.book.results import Stored, stored


@pytest.fixture
def claims() -> Claims:
    return Claims("09_test")


def test_counting_agrees_and_copies_are_other_data(claims):
    record.synthetic(claims, stored("residuals_synthetic"))
    by_task = {claim.quantity: claim.verdict for claim in claims.claims}
    counting = {v for q, v in by_task.items() if "counting" in q}
    assert counting == {"agrees", "not reported"}
    assert {v for q, v in by_task.items() if "copy" in q} == {"other data", "not reported"}
    run = stored("residuals_synthetic")
    run.results[0]["result"]["tests"]["all"]["bleu"] = [12.0] * 10
    with pytest.raises(ValueError, match="BLEU of counting.*differs"):
        record.synthetic(Claims("09_test"), Stored(run.name, run.results, run.made))


def test_outputs_above_12_words_are_said(claims):
    run = stored("copy_lengths")
    lengths = ["5-12", "13-15"]
    bleu = {
        (layers, positions): np.array([[1.0, 1.0], [value, value]])
        for layers in (1, 2)
        for positions, value in (("masking", 3.0), ("sinusoidal", 2.0))
    }
    record.copying(claims, run, bleu, lengths)
    last = claims.claims[-1]
    assert last.settles == "12 words" and "differs" in last.note and last.here == "42 to 42"


def test_an_untrained_system_is_no_evidence(claims):
    record.translation(claims, stored("translation_multi30k"), 1)
    record.translation(claims, stored("translation_deeper"), 3)
    lines = {claim.quantity: claim for claim in claims.claims}
    untrained = [q for q, claim in lines.items() if "untrained" in claim.note]
    assert untrained == ["BLEU, no decoder-encoder residual, 3 layer(s), less baseline, by seed"]
    assert {claim.verdict for claim in claims.claims} == {"other data"}


def test_the_paired_t():
    """By hand: mean 2, standard deviation 1, three seeds."""
    assert record.paired_t(np.array([1.0, 2.0, 3.0])) == pytest.approx(2 * 3**0.5)
