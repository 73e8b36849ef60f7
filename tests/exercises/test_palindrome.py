"""The judges of chapter 7's exercises find where wrong answers go wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq

from lib.constructions import pairwise_palindrome, palindrome, sigmoid_palindrome
from lib.exercises.judge import said
from lib.exercises.palindrome import confused
from lib.transformer import FFN, Layer


def test_7_1_compares_with_the_network():
    for right in (Fraction(2, 31), fmpq(2, 31)):
        assert said("7.1", right) == "Exercise 7.1: right."
    assert said("7.1", Fraction(1, 31)).endswith("not yet: 1/31 is too small.")
    assert said("7.1", Fraction(-2, 31)).endswith("not yet: -2/31 is too small.")
    assert said("7.1", fmpq(2, 15)).endswith("not yet: 2/15 is too large.")
    assert said("7.1", 2 / 31).startswith("Exercise 7.1 asks for a Fraction, not 0.0645")


def middle_free():
    """The published network whose layer 1 marks no symbol that stands in both halves."""
    published = palindrome()
    zero, _, cls, eos, _, _, left, right, *_ = published.space
    marks = FFN(
        hidden=[left - right - zero - cls - eos, right - left - zero - cls - eos],
        out={"1 on the left": [1, 0], "1 on the right": [0, 1]},
    )
    return replace(published, layers=[Layer(ffn=marks), published.layers[1]])


@pytest.mark.parametrize(
    "longest, says",
    [
        (16, "16 is too few: in bfloat16 all strings of 17 symbols are right."),
        (-1, "-1 is too few: in bfloat16 all strings of 0 symbols are right."),
        (18, "18 is too many: bfloat16 accepts 000000001100000001, of 18 symbols."),
        (10**9, "1000000000 is too many: bfloat16 accepts 000000001100000001, of 18 symbols."),
    ],
)
def test_7_2_finds_the_boundary(longest, says):
    assert said("7.2", (middle_free(), 17)) == "Exercise 7.2: right."
    assert said("7.2", (middle_free(), longest)).endswith(f"not yet: {says}")


def test_7_2_looks_at_each_head():
    assert said("7.2", (palindrome(), 17)).endswith(
        "not yet: on 010 head 1 adds 4/31, so it counts the middle symbol."
    )
    free = middle_free()
    first, second = free.layers[1].heads
    one_head = replace(free, layers=[free.layers[0], Layer([first])])
    assert said("7.2", (one_head, 17)).endswith("not yet: it accepts 01.")
    outer = replace(second, v={"s": -free.space["1"]})
    assert "it rejects 1" in said(
        "7.2", (replace(free, layers=[free.layers[0], Layer([first, outer])]), 17)
    )


def test_the_string_that_bfloat16_confuses_is_as_long_as_asked():
    assert [confused(length) for length in (0, 1, 16, 17)] == [None] * 4
    assert len(confused(18) or "") == 18 and len(confused(19) or "") == 19


def test_7_3_wants_a_witness():
    assert said("7.3", sigmoid_palindrome()) == "Exercise 7.3: right."
    assert said("7.3", "refuted").endswith("then show it: give a Construction that does.")
    assert said("7.3", "proved").endswith("there is one: look for a Construction that does.")
    assert said("7.3", pairwise_palindrome()).endswith("not yet: it has 2 layers.")
    right = sigmoid_palindrome()
    assert "its output is no sigmoid" in said("7.3", replace(right, activation="indicator"))
    [layer] = right.layers
    one_way = replace(right, layers=[Layer(layer.heads[:1], layer.ffn)])
    assert said("7.3", one_way).endswith("not yet: it rejects 1.")


def test_7_3_tries_long_strings_too():
    """A threshold of 2^-12 at every length, which is below the least |s| of short strings alone."""
    [layer] = sigmoid_palindrome().layers
    zero, one, cls, eos, *_ = sigmoid_palindrome().space
    first, second = layer.heads
    fixed = replace(first, v={**dict(first.v), "t": (zero + one + cls + eos) / 4096})
    short = replace(sigmoid_palindrome(), layers=[Layer([fixed, second], layer.ffn)])
    assert said("7.3", short).endswith("not yet: it accepts 011010011011011110100110010110.")
