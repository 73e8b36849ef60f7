"""What chapter 4 records of translations follows from the stored runs."""

import numpy as np
import pytest

from chapters.pages.translation import log_n as record
from record.claims import Claims
from record.experiments.translation.bleu import packed
from record.experiments.translation.settings import MEAN
from record.runs import Stored, stored


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


def test_other_talks_are_held_to_the_same_criteria_as_other_data():
    claims = Claims("04_log_n_scaling")
    record.talks(claims, talks(0.001, "ted", all=0.0, short_to_long=1.0), "ted")
    same, longer = claims.claims[:2]
    assert {same.verdict, longer.verdict} == {"other data"}
    assert same.note.startswith("En-Fr talks, 9,000 pairs") and same.note.endswith("differs")
    assert longer.note.endswith("agrees")


def test_a_run_has_names_of_its_own_and_the_splits_that_it_has(monkeypatch):
    claims, named = Claims("04_log_n_scaling"), {}
    monkeypatch.setattr(record, "glue", named.__setitem__)
    post = talks(0.001, name="iwslt15_post_norm", all=-0.7)
    for name, run in (("pre", talks(0.5, all=0.2)), ("post", post)):
        record.talks(claims, run, name)
    assert [claim.quantity.split("seeds ")[1] for claim in claims.claims] == [
        *["(En-Vi talks)"] * 2,
        *["(En-Vi talks, post-norm)"] * 2,
    ]
    assert named["log_pre_log_n_all"] == "+0.20 (+0.20 to +0.20)"
    assert named["log_post_log_n_all"] == "-0.70 (-0.70 to -0.70)"
    assert not any("short" in name for name in named)
    assert named["log_pre_log_n_all_sure"] == "0 up, 0 down of 2"
    assert named["log_post_log_n_all_sure"] == "0 up, 2 down of 2"
    record.talks(claims, talks(0.5, "ted", all=0.2, short_to_long=0.1), "ted")
    assert (named["log_ted_log_n_all_share"], named["log_ted_log_n_short_to_long_share"]) == (
        "100",
        "56",  # 5,000 of 9,000
    )


def test_every_training_on_talks_ended_by_its_criterion():
    for name in ("iwslt15", "iwslt15_post_norm", "iwslt15_residuals", "ted", "ted_residuals"):
        for row in stored(f"translation_{name}").results:
            for system in row["result"]["systems"].values():
                assert len(system["dev_losses"]) < row["configuration"]["epochs"]


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


def test_other_data_are_said_to_be_other_data_split_by_split():
    claims = Claims("04_log_n_scaling")
    record.others(claims, stored("translation_multi30k"), "captions", "Multi30k")
    record.others(claims, stored("translation_scales"), "captions, longer", "Multi30k")
    record.scales(claims, stored("translation_scales"))
    assert [claim.verdict for claim in claims.claims] == ["other data"] * 3 + ["not reported"] * 2
    longer = "+1.0, p < 0.01"
    assert [claim.paper for claim in claims.claims[:3]] == ["-0.1", longer, longer]
    assert all(claim.note.startswith("Multi30k, differs") for claim in claims.claims[:3])


@pytest.mark.parametrize(
    "after_gain, change, said",
    # gains of 2 and 3 before, so half the width of the interval is 12.706 * 0.5
    [
        (0.5, "+2.00 (-4.35 to +8.35)", "no change seen"),
        (-5.0, "+7.50 (+1.15 to +13.85)", "a change"),
    ],
)
def test_what_the_norm_changes_follows_from_one_run_or_two(monkeypatch, after_gain, change, said):
    found = {}
    monkeypatch.setattr(record, "glue", found.__setitem__)
    before, after = talks(0.5, all=2.0), talks(0.5, all=after_gain)
    for run, norm_first in ((before, True), (after, False)):
        for row in run.results:
            row["configuration"]["norm_first"] = norm_first
            row["result"]["systems"]["log n"]["bleu"] += row["configuration"]["seed"] * norm_first
    both = Stored("translation_both", before.results + after.results, before.made)
    for runs in ((before, after), (both,)):
        claims = Claims("04_log_n_scaling")
        record.norms(claims, "norms: talks", *runs)
        [claim] = claims.claims
        assert claim.here == f"{change}; {said}" and claim.conditions.startswith("9,000 of 133,317")
        assert found == {
            "log_iwslt15_pre_all": "+2.50 (-3.85 to +8.85)",
            "log_iwslt15_post_all": f"{after_gain:+.2f} ({after_gain:+.2f} to {after_gain:+.2f})",
        }
        found.clear()
