"""What chapter 6 records of stored runs follows from them: a forged score changes the verdict."""

import numpy as np
import pytest

from chapters.pages.translation import residuals as record
from record.claims import OTHER_CONDITIONS, PROVED, Claims
from record.experiments.bhattamishra import SEEN, TESTED_LENGTHS
from record.experiments.translation.bleu import packed
from record.runs import Stored, stored


@pytest.fixture
def claims() -> Claims:
    return Claims("06_turing_completeness")


def test_counting_agrees(claims):
    record.synthetic(claims, stored("residuals_synthetic"))
    verdicts = {claim.quantity: claim.verdict for claim in claims.claims}
    counting = {q: v for q, v in verdicts.items() if "counting" in q}
    assert {q.split(", ")[1]: v for q, v in counting.items()} == {
        "every residual": "agrees",
        "no decoder-encoder residual": "agrees",
        "no decoder-decoder residual": "agrees",
        "no decoder feed-forward residual": "differs",
    }
    proved = {claim.here for claim in claims.claims if claim.truth == PROVED}
    assert proved == {"0.0 (0.0 to 0.0)", "1"}  # those with one key
    run = stored("residuals_synthetic")
    run.results[0]["result"]["tests"]["all"] |= {"bleu": [12.0] * 10, "exact": [12] * 10}
    with pytest.raises(ValueError, match="BLEU of counting.*differs"):
        record.synthetic(Claims("06_turing_completeness"), Stored(run.name, run.results, run.made))


LEFT_OUT = [[], ["decoder-encoder"], ["decoder-decoder"], ["decoder feed-forward"]]


def copies(seen: float, longer: int) -> Stored:
    """A made-up run: copies of sentences trained on have the BLEU `seen`, others 90, with
    masking 95, and with sinusoids so many outputs are above 12 words.
    """
    configurations = [
        *({"positions": "sinusoidal", "without": left_out, "layers": 1} for left_out in LEFT_OUT),
        {"positions": "masking", "without": [], "layers": 1},
    ]
    results = []
    for configuration in configurations:
        bleu = 95.0 if configuration["positions"] == "masking" else 90.0
        test = {"bleu": [bleu, bleu], "written": [80.0, 81.0], "of": 10, "longer": [0, longer]}
        test["sums"] = [[50, *[0] * 9]] * 2
        tests = dict.fromkeys(TESTED_LENGTHS, test) | {SEEN: test | {"bleu": [seen, seen]}}
        results.append({"configuration": configuration, "result": {"tests": tests}})
    return Stored("copies_of_sentences", results, {"date": "2026-11-26", "device": "CPU"})


def test_copies_are_held_to_what_they_were_asked(claims):
    record.copies(claims, copies(seen=99.8, longer=3))
    first, *_, longer, above = claims.claims
    assert {claim.verdict for claim in claims.claims} == {OTHER_CONDITIONS}
    assert first.note.endswith(", differs; 99.8 on sentences trained on")
    assert (first.paper, first.here) == ("100.0", "90.0 (90.0 to 90.0)")
    assert longer.here == "+5.0, +5.0, +5.0, +5.0"
    assert longer.note.endswith(", agrees; masking has 95.0 at the lengths trained on")
    assert above.here == "0 to 15" and above.note.endswith(", differs")
    assert "of 50," in above.quantity
    again = Claims("06_turing_completeness")
    record.copies(again, copies(seen=99.8, longer=0))
    assert again.claims[-1].note.endswith(", agrees")


def test_copies_with_a_row_for_each_seed_are_held_in_their_best_epoch(claims):
    run = copies(seen=99.8, longer=0)
    rows = []
    for row in run.results:
        for best in (99.9, 99.7):
            tests = {
                name: {
                    quantity: of if quantity == "of" else [of[0]] for quantity, of in test.items()
                }
                | {"epochs": [[best - 9, best, test["written"][0]]]}
                for name, test in row["result"]["tests"].items()
            }
            rows.append({"configuration": row["configuration"], "result": {"tests": tests}})
    record.copies(claims, Stored("copies_of_beginnings", rows, run.made))
    [first, *others, longer, above] = claims.claims
    assert first.here == "99.8 (99.7 to 99.9)" and "2 seeds" in first.quantity
    assert all(claim.note.split(", ")[-1].startswith("agrees") for claim in (first, *others))
    assert above.here == "0 to 0" and len(others) == 3
    assert longer.here == "+0.0, +0.0, +0.0, +0.0" and "differs" in longer.note


def test_the_means_of_copies_are_as_the_text_says(claims):
    far = {"repeated": ["every"], "begun": ["decoder-decoder"]}
    for name, kind in record.COPIES.items():
        record.copies(claims, run := stored(name))
        asked = record.read_yaml(record.BEFORE / f"{name}.yaml")
        gap = {
            left_out: abs(np.mean(record._scored(found[SEEN])) - asked["paper"][left_out])
            for left_out, found in record._copied(run, "sinusoidal").items()
        }
        assert [left_out for left_out in gap if gap[left_out] > asked["within"]] == far[kind]
    [agrees] = [claim for claim in claims.claims if ", agrees" in claim.note]
    assert agrees.quantity.startswith("BLEU in the best epoch of masking (three layers)")


def test_masking_is_ahead_at_greater_lengths_where_the_text_says():
    begun = stored("copies_of_beginnings")
    for layers, quantity, ahead in (
        (1, None, [False, False, False, False, True]),
        (1, "written", [False, False, True, True, True]),  # after the last epoch
        (3, None, [True] * 5),
        (3, "written", [True] * 5),
    ):
        masking = record.copied(begun, "masking", layers, quantity)
        gains = masking - record.copied(begun, "sinusoidal", 1, quantity)
        assert (gains.mean(1) > 0).tolist() == ahead
    repeated = stored("copies_of_sentences")
    gains = record.copied(repeated, "masking") - record.copied(repeated, "sinusoidal")
    assert (gains.mean(1) < 0).all()


def test_in_models_of_one_size_as_many_epochs_are_compared(monkeypatch):
    named = {}
    monkeypatch.setattr(record, "glue", named.__setitem__)
    begun, of_size = stored("copies_of_beginnings"), stored("copies_of_size")
    record.sizes(begun, of_size)
    assert named["tm_size_seeds"] == "2 of 2"
    for row in begun.results:  # what comes after the epochs that sinusoids had is not looked at
        for test in row["result"]["tests"].values():
            test["epochs"] = [each[:20] + [0.0] * 10 for each in test["epochs"]]
    was = dict(named)
    record.sizes(begun, of_size)
    assert named == was
    for row in of_size.results[:1]:
        row["result"]["tests"]["26-30"]["epochs"] = [[99.0] * 20]
    record.sizes(begun, of_size)
    assert named["tm_size_seeds"] == "1 of 2"


def test_an_untrained_system_is_no_evidence(claims):
    record.captions(claims, stored("translation_multi30k"))
    record.captions(claims, stored("translation_deeper"))
    lines = {claim.quantity: claim for claim in claims.claims}
    untrained = [q for q, claim in lines.items() if "times the baseline's" in claim.note]
    assert untrained == ["BLEU, no decoder-encoder residual, 3 layer(s), less baseline, by seed"]
    assert {claim.verdict for q, claim in lines.items() if "feed-forward" not in q} == {
        "other data"
    }
    assert {claim.paper for q, claim in lines.items() if "feed-forward" in q} == {"–"}


def test_a_part_of_the_papers_data_settles_nothing_and_is_held_to_its_criteria(claims, monkeypatch):
    run = stored("translation_iwslt15_residuals")
    record.talks(claims, run, "En-Vi")
    encoder, decoder = claims.claims
    assert (encoder.paper, decoder.paper) == ("-7.0", "-1.6")
    assert {claim.verdict for claim in claims.claims} == {"part of the paper's data"}
    assert all(claim.settles == "" and "differs" in claim.note for claim in claims.claims)
    assert ["could not agree" in claim.note for claim in claims.claims] == [True, False]
    for row in run.results:
        row["result"]["systems"]["no decoder-encoder residual"]["bleu"] = row["configuration"][
            "seed"
        ]
        row["result"]["systems"]["baseline"]["bleu"] = 9
    forged = Claims("06_turing_completeness")
    named = {}
    monkeypatch.setattr(record, "glue", named.__setitem__)
    record.talks(forged, run, "En-Vi")
    assert named["tm_iwslt15_ahead"] == "5 of 5"
    assert forged.claims[0].here.startswith("-9.00, -8.00, -7.00, -6.00, -5.00")
    assert forged.claims[0].note.endswith("agrees")
    for row in run.results:
        row["result"]["matches"]["no decoder-encoder residual"] = packed(
            np.array([[1, 2, 1, 0, 0, 0]])  # half as long as its reference: BLEU / exp(-1)
        )
        row["result"]["matches"]["no decoder-decoder residual"] = packed(
            np.array([[2, 2, 1, 0, 0, 0]])
        )
        row["result"]["systems"]["no decoder-decoder residual"]["bleu"] = 4.0
    record.talks(forged, run, "En-Vi")
    # 0, e, 2e, 3e and 4e are less than 4 twice, and the losses are stored
    assert named["tm_iwslt15_ahead_long"] == "2 of 5"
    for row in run.results:
        row["configuration"]["pair"] = "ted"
    other = Claims("06_turing_completeness")
    record.talks(other, run, "De-En")
    assert {claim.verdict for claim in other.claims} == {"other data"}
