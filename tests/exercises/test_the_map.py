"""The judges of chapter 10's exercises find where wrong answers go wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest

from chapters.common.judge import said
from chapters.the_map import encoders
from lib.transformer import FFN, Construction, Head, Layer, Space


def test_10_1_counts():
    assert said("10.1", 54) == "Exercise 10.1: right."
    assert said("10.1", 53).endswith("53 are too few: with them 000000111 is rejected.")
    assert said("10.1", 55).endswith("55 are more than needed.")


def apart(mask: str = "strict future", position=()) -> Construction:
    S = Space("0", "1", "CLS", "1 before", "11", "11 before", "i")
    zero, one, cls, before, mark, earlier, i = S
    layers = [
        Layer(Head({"1 before": one}, mask=mask), FFN([one + before - 1], {"11": [1]})),
        Layer(Head({"11 before": mark}, q=[zero + one], k=[mark], mask=mask)),
    ]
    word = {"0": zero, "1": one, "CLS": cls}
    output = Fraction(1, 2) - mark - earlier
    return Construction(S, word, dict.fromkeys(position, i), layers, output, readout="last")


def test_10_2_holds_an_answer_against_every_string():
    assert said("10.2", apart()) == (
        "Exercise 10.2: right with ties to the right, on every string to length 10."
    )
    assert said("10.2", encoders.contains_01()).endswith("not yet: it rejects the empty string.")
    padded = replace(apart(), word={**dict(apart().word), "_": apart().space["0"]})
    assert "right with ties to the right" in said("10.2", padded)  # a symbol that no string has
    last = replace(apart(), output=apart().output + 0 * apart().output)
    only_last = replace(last, output=Fraction(1, 2) - last.space["11"])
    assert said("10.2", only_last).endswith("not yet: it accepts 110.")


@pytest.mark.parametrize(
    "answer, amiss",
    [
        (apart(mask="future"), "every head must have the mask 'strict future'"),
        (apart(position=["i"]), "no position encoding is needed, and none is allowed"),
        (encoders.alternating(), "the symbols 0 and 1 are expected, not a, b"),
    ],
)
def test_10_2_keeps_to_its_setting(answer, amiss):
    assert said("10.2", answer).endswith(f"not yet: {amiss}.")


def test_10_3_wants_two_strings():
    for pair in (("001", "011"), ("011", "001"), ("1", "11"), ["100", "110"]):
        assert said("10.3", pair) == "Exercise 10.3: right."
    assert "then show it: give a pair" in said("10.3", "refuted")
    assert "both are the same to such a transformer" in said("10.3", "proved")


@pytest.mark.parametrize(
    "pair, amiss",
    [
        (("01", "10"), "symbols first occur in another order in 01 and 10"),
        (("", "1"), "symbols first occur in another order in the empty string and 1"),
        (("011", "0111"), "011 and 0111 are decided alike, and rightly so"),
        (("0", 1), "strings of 0 and 1 are expected, not 1"),
    ],
)
def test_10_3_says_what_is_amiss(pair, amiss):
    assert said("10.3", pair).endswith(f"{amiss}.")
