"""Verdicts at every length: what is proved of a compiled transformer and a specification."""

from importlib import import_module

import pytest

from lib.formulas import FormulaError, compiled
from lib.formulas.compilation import ATTENTIONS
from lib.formulas.stated import ALTERNATING, MAJORITY
from lib.formulas.verdict import EACH_STRING, EVERY_LENGTH, THEOREM, WRONG, Verdict
from lib.proofs import certificate as second
from lib.proofs import equal, regular, verdict
from lib.proofs.verdict import CHECKED
from lib.transformer import Encoder

AB = regular("(ab)*", "ab")
CLOSED = "a search closed at 3 states"
TWICE = '2*count(Q("1")) > position'


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_formula_that_is_proved_equal_is_right_at_every_length(attention):
    found = verdict(compiled(ALTERNATING.text, "ab", attention), AB, 5, name="(ab)*")
    assert (found.kind, found.rests_on) == (EVERY_LENGTH, (THEOREM, CLOSED, CHECKED))
    assert str(found) == (
        "proved for every length: equal to (ab)* (a search closed at 3 states; checked again by "
        "cvc5); all 63 strings to length 5 are decided rightly"
    )


def test_invariants_are_named_and_the_check_may_be_left_out():
    found = verdict(compiled(MAJORITY.text, "01"), TWICE, 3, check=False)
    assert found.kind == EVERY_LENGTH and CHECKED not in found.rests_on
    assert "found by z3; not checked again)" in str(found) and "equal to 2*count" in str(found)


def test_a_formula_that_is_wrong_beyond_all_strings_that_were_tried():
    fifteen = compiled('count(Q("1")) <= 15', "01")
    found = verdict(fifteen, 'count(Q("1")) <= 14', 4)
    tried = "all strings to length 14 were tried"
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
    monkeypatch.setattr(import_module("lib.proofs.verdict"), "find_spec", lambda name: None)
    monkeypatch.setattr(equal, "find_spec", lambda name: None)
    searched = verdict(compiled(ALTERNATING.text, "ab"), AB, 3)
    assert searched.rests_on == (THEOREM, CLOSED)
    assert "not checked again: cvc5 is not installed here" in str(searched)
    unknown = verdict(compiled(MAJORITY.text, "01"), TWICE, 3)
    assert (unknown.kind, unknown.rests_on) == (EACH_STRING, ())
    assert str(unknown).startswith(
        "proved for each string to length 3: all 15 strings to length 3 are decided rightly; not "
        "proved equal to 2*count"
    )
    assert str(unknown).endswith("invariants need z3, which is not installed here")


def test_a_proof_that_cvc5_refuses_is_none(monkeypatch):
    monkeypatch.setattr(second, "is_proof", lambda said: False)
    found = verdict(compiled(ALTERNATING.text, "ab"), AB, 3, name="(ab)*")
    assert found.kind == EACH_STRING
    assert found.about == "cvc5 refuses the proof that it is equal to (ab)*"


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        (regular("0*", "01"), "a DFA over a, b is expected"),
        ('Q("0")', "unknown symbol '0'"),
        (3, "a specification is a formula"),
    ],
)
def test_bad_input_has_one_clear_error(specification, said):
    with pytest.raises((FormulaError, ValueError), match=said):
        verdict(compiled(ALTERNATING.text, "ab"), specification)
