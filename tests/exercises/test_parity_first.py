"""The judges of chapter 2's exercises find where wrong answers go wrong."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from chapters.common.judge import said
from chapters.transformer_parity_first.exercises import second_symbols, witness
from lib import constructions
from lib.transformer import FFN, Construction, Encoder, Head, Layer, Space

PUBLISHED = constructions.parity()
SECOND_RIGHT = (
    "Exercise 2.2: right on every string to length 7 and, in float64, on a few of 30, 100, 150, "
    "1000 and 4000 symbols."
)
ONE_HEAD_RIGHT = (
    "Exercise 2.3: right on every string to length 8, on one for each number of 1s at lengths 19, "
    "30 and 39 and, in float64, on a few of 40, 101, 200 and 301 symbols."
)


def nth(n: int) -> Construction:
    """FIRST for the n-th symbol."""
    zero, one, cls, start, hit, s = S = Space("0", "1", "CLS", "here", "hit", "s")
    mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"hit": [1]}))
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": hit - start / 2})])
    return Construction(
        S, {"0": zero, "1": one, "CLS": cls}, {f"[i={n}]": start}, [mark, look], output=s
    )


def with_one_head(c: float, hidden: int) -> Construction:
    """The published PARITY of gain c without its second head, or the witness of that gain."""
    marked = (witness() if hidden == 4 else PUBLISHED).layers[0]
    return replace(
        PUBLISHED,
        layers=[marked, Layer(constructions.parity(c).layers[1].heads[:1])],
    )


# By hand: Z1 = e + 2/e, Z2 = 2e + 1/e, and s = (e/Z1 - 1/(e Z2))/3 = 0.2412 at c = 1.
def test_2_1_by_hand():
    for answer in ((1, Fraction(1, 3), 0.241), [np.int64(1), Decimal("0.333"), 0.2412]):
        assert said("2.1", answer) == "Exercise 2.1: right."


@pytest.mark.parametrize(
    ("answer", "amiss"),
    [
        ((2, 1 / 3, 0.241), "there is no mark on position 2"),
        ((1, 1, 0.241), "1 for height is too high"),
        ((1, 1 / 3, 0.2405), "0.2405 for s is too low"),
        ((1, 1 / 3, 0.26), "0.26 for s is too high"),
        ((1, 1 / 3), "that is 2 instead of 3: (position, height, s)"),
    ],
)
def test_2_1_says_which_number_is_wrong(answer, amiss):
    assert said("2.1", answer) == f"Exercise 2.1, not yet: {amiss}."


def test_2_2_shows_a_string():
    assert said("2.2", nth(2)) == SECOND_RIGHT
    assert said("2.2", nth(1)) == "Exercise 2.2, not yet: it accepts 1."
    assert said("2.2", nth(3)) == "Exercise 2.2, not yet: it rejects 01."
    assert said("2.2", PUBLISHED) == "Exercise 2.2, not yet: it accepts 1."
    flat = replace(nth(2), output=nth(2).space["CLS"])
    assert said("2.2", flat) == "Exercise 2.2, not yet: it accepts the empty string."


def test_2_3_wants_a_witness_and_runs_it():
    assert said("2.3", witness()) == ONE_HEAD_RIGHT
    assert said("2.3", with_one_head(3, 4)) == ONE_HEAD_RIGHT
    assert said("2.3", "refuted").endswith(
        "then show it: give a Construction with one head in its second layer."
    )
    assert said("2.3", "proved").endswith(
        "one with one head there is right on 127 of 127 strings to length 6."
    )


# e^{2c} > 2 is needed: at c = 0.3 the mark of -2 at position 0 outweighs the mark of an odd count.
@pytest.mark.parametrize(
    ("answer", "amiss"),
    [
        (with_one_head(0.3, 4), "it rejects 1"),
        (with_one_head(1, 3), "it accepts the empty string"),
        (nth(1), "it rejects 01"),
        (PUBLISHED, "the number of heads in its second layer is 2, not 1"),
        (constructions.one(), "the number of its layers is 1, not 2"),
    ],
)
def test_2_3_shows_a_string(answer, amiss):
    assert said("2.3", answer) == f"Exercise 2.3, not yet: {amiss}."


def diluted(gain: float) -> Construction:
    """SECOND in one layer, in which every position has a value: right while others are few."""
    zero, one, cls, start, s = S = Space("0", "1", "CLS", "[i=2]", "s")
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": (one - zero - cls) / 2}, gain=gain)])
    return Construction(S, {"0": zero, "1": one, "CLS": cls}, {"[i=2]": start}, [look], output=s)


@pytest.mark.parametrize(
    ("gain", "amiss"),
    [
        (1, "it rejects 010"),
        (4, "it accepts 0^2 1^98"),
        (5, "it rejects 0 1 0^148"),
        (8, "it accepts 0^2 1^3998"),
    ],
)
def test_2_2_runs_strings_on_which_attention_is_diluted(gain, amiss):
    assert said("2.2", diluted(gain)) == f"Exercise 2.2, not yet: {amiss}."


def test_2_2_settles_exactly_what_float64_loses():
    """A mean that is 0 in rationals, and not in float64, beside a logit that is smaller still."""
    names = (*nth(2).space.names, "i/n", "half", "mean")
    space = Space(*names)
    i, half, mean, s = space["i/n"], space["half"], space["mean"], space["s"]
    mark, look = nth(2).layers
    noisy = replace(
        nth(2),
        space=space,
        position={"[i=2]": space["here"], "i/n": i, "(n-1)/n/2": half},
        layers=[mark, Layer([*look.heads, Head(v={"mean": i - half})])],
        output=s / 10**17 + mean,
    )
    lost = [w for w in second_symbols([1000]) if Encoder(noisy).accepts(w) != (w[1] == "1")]
    assert lost and said("2.2", noisy) == SECOND_RIGHT
    wrong = replace(noisy, output=mean - s / 10**17)
    assert "not yet" in said("2.2", wrong)


def test_2_3_runs_lengths_beyond_a_window_of_its_positions():
    """The marks of even and odd positions end at 31: 1 0^39 has none of them at half its places."""
    position = {"i/n": witness().space["i/n"], "cos iπ·[n<=31]": witness().space["cos iπ"]}
    assert said("2.3", replace(witness(), position=position)).endswith(
        f"not yet: it rejects 1{'0' * 38}."
    )
    position = {"i/n": witness().space["i/n"], "cos iπ·[n<=150]": witness().space["cos iπ"]}
    assert said("2.3", replace(witness(), position=position)).endswith(
        "not yet: it rejects 1 0^199."
    )
