"""What chapter 6 records of stored runs follows from them: a forged score changes the verdict."""

import pytest

from chapters.pages.translation import residuals as record
from record.claims import OTHER_CONDITIONS, PROVED, Claims
from record.experiments.bhattamishra import SEEN, TESTED_LENGTHS
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
