"""Verdicts at every length: what is proved of a compiled transformer and a specification."""

from unittest.mock import Mock

import pytest

from lib.formulas import compiled
from lib.formulas.compilation import ATTENTIONS
from lib.formulas.stated import ALTERNATING, MAJORITY
from lib.formulas.verdict import EACH_STRING, EVERY_LENGTH, THEOREM, WRONG, Verdict
from lib.proofs import certificate as second
from lib.proofs import equal, regular, verdict
from lib.proofs.limits import OutOfTime
from lib.transformer import Encoder

AB = regular("(ab)*", "ab")
CLOSED = "a search closed at 3 states, checked by cvc5"
TWICE = '2*count(Q("1")) > position'


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_formula_that_is_proved_equal_is_right_at_every_length(attention):
    found = verdict(compiled(ALTERNATING.text, "ab", attention), AB, 5, name="(ab)*")
    assert (found.kind, found.rests_on) == (EVERY_LENGTH, (THEOREM, CLOSED))
    assert str(found) == (
        "proved for every length: equal to (ab)* (a search closed at 3 states, checked by cvc5); "
        "all 63 strings to length 5 are decided rightly"
    )


def test_what_is_not_checked_is_not_called_proved():
    found = verdict(compiled(MAJORITY.text, "01"), TWICE, 3, check=False)
    assert (found.kind, found.rests_on) == (EACH_STRING, ())
    assert "found, not checked: linear invariants at 1 controls, found by z3" in str(found)


def test_a_formula_that_is_wrong_beyond_all_strings_that_were_tried():
    fifteen = compiled('count(Q("1")) <= 15', "01")
    found = verdict(fifteen, 'count(Q("1")) <= 14', 4)
    tried = "all strings up to length 14 were tried"
    assert found == Verdict(WRONG, 4, 31, "1" * 15, (THEOREM, tried), accepted=True)
    assert str(found).startswith(f"wrong: {'1' * 15!r} is accepted wrongly with the logit ")
    logit = Encoder(fifteen).logit("1" * 15)
    assert float(found.logit) == pytest.approx(logit, abs=1e-12) and logit > 0


def test_a_short_counterexample_is_found_in_exact_arithmetic():
    found = verdict(compiled('count(Q("a")) == count(Q("b"))', "ab"), AB)
    assert found == Verdict(WRONG, 2, 6, "ba", accepted=True) and found.logit > 0


@pytest.mark.parametrize(
    "made",
    [
        compiled(MAJORITY.text, "01", "softmax", base=8),
        compiled(MAJORITY.text, "01").construction,
    ],
)
def test_what_the_theorem_does_not_cover_is_proved_for_each_string(made):
    found = verdict(made, TWICE, 4)
    assert (found.kind, found.longest, found.strings) == (EACH_STRING, 4, 31)
    assert found.rests_on == ()


def test_without_solvers_it_is_said_what_is_missing(monkeypatch):
    monkeypatch.setattr(equal, "find_spec", lambda name: None)
    searched = verdict(compiled(ALTERNATING.text, "ab"), AB, 3)
    assert (searched.kind, searched.rests_on) == (EACH_STRING, ())
    assert str(searched).endswith("a search closed at 3 states; cvc5 is not installed here")
    unknown = verdict(compiled(MAJORITY.text, "01"), TWICE, 3)
    assert (unknown.kind, unknown.rests_on) == (EACH_STRING, ())
    assert str(unknown).startswith(
        "proved for each string to length 3: all 15 strings to length 3 are decided rightly; not "
        "proved equal to 2*count"
    )
    assert str(unknown).endswith("invariants need z3, which is not installed here")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda *_: iter(["a start lies in no room"]), "cvc5 refuses what was found: a start lies"),
        (
            Mock(side_effect=second.Undecided),
            "found, not checked: a search closed at 3 states; cvc5",
        ),
        (Mock(side_effect=OutOfTime), "closed at 3 states; the seconds are over"),
    ],
)
def test_a_proof_that_cvc5_does_not_take_is_none(monkeypatch, answer, said):
    monkeypatch.setattr(second, "gaps", answer)
    found = verdict(compiled(ALTERNATING.text, "ab"), AB, 3, name="(ab)*")
    assert found.kind == EACH_STRING and said in found.about
