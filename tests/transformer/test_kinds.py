"""Heads with a kind of attention of their own: by hand, as the reader of that kind, and refused."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.proofs import regular
from lib.proofs.constructions import proved_by_kinds, proved_regular
from lib.transformer import Construction, Encoder, Exact, Head, Layer, Space, to_torch
from lib.transformer.construction import from_json, to_json
from lib.transformer.sublayers import ATTENTIONS
from tests.strategies import constructions

STRINGS = ["".join(w) for n in range(5) for w in product("01", repeat=n)]


def with_kinds(construction: Construction, *kinds: str | None) -> Construction:
    """The construction, its heads of these kinds, one after the other."""
    layers = [
        replace(
            layer,
            heads=[
                replace(head, attention=kinds[(number + h) % len(kinds)])
                for h, head in enumerate(layer.heads)
            ],
        )
        for number, layer in enumerate(construction.layers)
    ]
    return replace(construction, layers=layers)


def mixed(first: str | None, second: str | None) -> Construction:
    """Shares of 1s so far, a 1 weighing 2 and others 1, then what stands at the largest."""
    S = Space("0", "1", "CLS", "share", "found")
    zero, one, cls, share, found = S
    count = Head({"share": one}, q=[cls + zero + one], k=[one], base=2, attention=first)
    look = Head({"found": one - zero - cls / 2}, q=[cls], k=[share], attention=second)
    words = {"0": zero, "1": one, "CLS": cls}
    count = replace(count, mask="future")
    return Construction(S, words, {}, [Layer(count), Layer(look)], found, "mixed")


def by_hand(w: str, first: str, second: str) -> Fraction:
    """The logit at CLS, with lists of fractions."""
    value = [Fraction(-1, 2), *(Fraction(1) if a == "1" else Fraction(-1) for a in w)]
    shares = []
    for i in range(len(value)):
        ones, others = w[:i].count("1"), 1 + w[:i].count("0")
        soft = Fraction(2 * ones, 2 * ones + others)
        shares.append(soft if first == "softmax" else Fraction(ones > 0))
    tied = [v for v, s in zip(value, shares, strict=True) if s == max(shares)]
    means = {"hardmax": sum(tied) / len(tied), "leftmost": tied[0], "rightmost": tied[-1]}
    return means[second]


@pytest.mark.parametrize("first", ["softmax", "hardmax"])
@pytest.mark.parametrize("second", ["hardmax", "leftmost", "rightmost"])
def test_a_soft_and_a_hard_head_are_what_fractions_by_hand_say(first, second):
    own = Exact(mixed(first, second))
    told = Exact(mixed(first, None), second)
    for w in STRINGS:
        expected = by_hand(w, first, second)
        assert Fraction(str(own.logit(w))) == Fraction(str(told.logit(w))) == expected, w
    signs = [by_hand(w, first, second) > 0 for w in STRINGS]
    assert own.accepts(STRINGS) == signs and True in signs and False in signs
    if second == "hardmax":
        floats = Encoder(mixed(first, second))
        assert [floats.logit(w) for w in STRINGS] == pytest.approx(
            [float(by_hand(w, first, second)) for w in STRINGS]
        )


@settings(max_examples=25)
@given(constructions(), st.sampled_from(ATTENTIONS))
def test_heads_of_one_kind_are_read_as_the_reader_of_that_kind_reads(construction, kind):
    own = Exact(with_kinds(construction, kind))
    assert own.accepts(STRINGS) == Exact(construction, kind).accepts(STRINGS)
    assert from_json(to_json(own.construction)) == own.construction


@settings(max_examples=25)
@given(constructions(), st.permutations(ATTENTIONS))
def test_bounds_decide_mixed_heads_as_rationals_and_balls_do(construction, kinds):
    reader = Exact(with_kinds(construction, *kinds))
    assert reader.accepts(STRINGS) == [reader.decide(w).accepts for w in STRINGS]


def test_a_tie_of_balls_is_undecided_and_what_is_clear_is_decided():
    S = Space("0", "1", "CLS", "x", "y", "s")
    zero, one, cls, x, y, s = S
    everyone = zero + one + cls
    soft = [Head({name: one}, q=[everyone], k=[one]) for name in ("x", "y")]
    tie = Head({"s": one - zero}, q=[cls], k=[x], attention="hardmax")  # all hold the same ball
    clear = Head({"s": one - zero}, q=[cls], k=[x + 2 * one], attention="hardmax")
    words = {"0": zero, "1": one, "CLS": cls}
    found = [
        Exact(Construction(S, words, {}, [Layer(soft), Layer(last)], s)) for last in (tie, clear)
    ]
    assert found[0].accepts("01") is None and found[0].accepts(["01"]) == [None]
    assert found[1].accepts("01") is True and found[1].accepts(["01"]) == [True]
    assert found[1].logit("01") == 1


def test_kinds_that_cannot_be_read_are_refused_with_the_reason():
    hard, last = mixed("softmax", "hardmax"), mixed(None, "rightmost")
    with pytest.raises(ValueError, match="must be one of None, softmax, hardmax, .* not 'gelu'"):
        Head({}, attention="gelu")
    with pytest.raises(ValueError, match="hardmax under layer normalization cannot be read"):
        Exact(hard, eps=0)
    with pytest.raises(ValueError, match="softmax or hardmax are expected in floats, not right"):
        Encoder(last)
    with pytest.raises(ValueError, match="PyTorch's heads are softmax, and mixed has hardmax"):
        to_torch(hard)
    with pytest.raises(ValueError, match="heads of softmax alone are expected, not hardmax"):
        proved_by_kinds(hard, 'once(Q("1"))')
    S = Space("x")
    words = Construction(S, {"if": S["x"], "a": S["x"], "CLS": S["x"]}, {}, [], S["x"])
    with pytest.raises(ValueError, match="longer ones, such as 'if', Exact.vector reads a list"):
        Exact(words).logit("ifa")
    assert Exact(words).vector(["CLS", "if", "a"]) == {"x": 1} and Exact(words).logit("a") == 1
    with pytest.raises(ValueError, match="head 1.1 is softmax, not rightmost"):
        proved_regular(hard, regular("1*", "01"), "rightmost")
