"""What chapter 4 records of translations follows from the stored runs."""

import numpy as np
import pytest

from chapters.pages.translation import log_n as record
from record.claims import Claims
from record.experiments.translation.bleu import packed
from record.experiments.translation.settings import MEAN
from record.runs import Stored


def talks(p: float, pair: str = "iwslt15", name: str = "", **gains: float) -> Stored:
    """A run of two seeds on talks: what log n adds to a BLEU of 10, and MEAN a tenth more."""
    rows = [
        {
            "configuration": dict(
                pair=pair,
                split=split.replace("_", " "),
                seed=seed,
                layers=1,
                width=64,
                norm_first=True,
                epochs=3,
            ),
            "result": {
                "pairs": {"train": 9000 if split == "all" else 5000, "test": 2},
                "matches": {"baseline": packed(np.array([[3, 6, 2, 1, 0, 0]] * 2))},
                "systems": {
                    "baseline": dict(bleu=10.0, confidence=1.0, p=None, dev_losses=[3.0] * 3),
                    "log n": dict(bleu=10 + gain, confidence=1.0, p=p, dev_losses=[3.0] * 2),
                    MEAN: dict(bleu=10.1 + gain, confidence=1.0, p=p, dev_losses=[3.0] * 3),
                },
            },
        }
        for split, gain in gains.items()
        for seed in range(2)
    ]
    return Stored(f"translation_{name or pair}", rows, {"date": "", "device": ""})


@pytest.mark.parametrize(
    "p, same, longer, notes, found",
    [
        (0.5, 0.0, 1.0, ("agrees", "differs"), ("met", "not met")),
        (0.001, -0.1, 1.0, ("differs", "agrees"), ("not met", "met")),
        (0.5, -0.7, -1.0, ("differs", "differs"), ("met", "not met")),
    ],
)
def test_a_part_of_the_papers_data_is_held_to_its_criteria(p, same, longer, notes, found):
    claims = Claims("04_log_n_scaling")
    record.talks(claims, talks(p, all=same, short_to_long=longer), "pre")
    verdicts = {claim.verdict for claim in claims.claims[:2]}
    assert verdicts == {"part of the paper's data"}
    rest = "of 133,317 pairs, 1 layer of width 64, pre-norm, 3 epochs"
    assert [claim.note for claim in claims.claims[:2]] == [
        f"{pairs} {rest}, {note}" for pairs, note in zip(("9,000", "5,000"), notes, strict=True)
    ]
    assert [claim.here.split("; ")[-1] for claim in claims.claims[2:]] == [*found]
    assert {claim.paper for claim in claims.claims[2:]} == {"–"}
    assert {claim.settles for claim in claims.claims} == {""}


def test_how_far_behind_log_n_was_follows_from_the_losses(monkeypatch):
    named, run = {}, talks(0.5, all=0.2)
    monkeypatch.setattr(record, "glue", named.__setitem__)
    for row in run.results:
        systems, seed = row["result"]["systems"], row["configuration"]["seed"]
        systems["baseline"]["dev_losses"] = [3.0] * (20 + seed)
        systems["log n"]["dev_losses"] = [3.5] * 12 + [3.0 - 0.2 * seed] * 30
    record.slower(run, "pre")
    assert named == {
        "log_pre_scaled_epochs": "42 to 42",
        "log_pre_plain_epochs": "20 to 21",
        "log_pre_behind_few": "+0.500 (+0.500 to +0.500)",
        "log_pre_behind_stop": "-0.100 (-1.371 to +1.171)",
    }
