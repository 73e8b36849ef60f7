"""The judges of chapter 7's exercises find where wrong answers go wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from flint import fmpq

from chapters.common.judge import said
from chapters.common.palindrome_precision import Evaluation
from chapters.palindrome_precision.exercises import in_bfloat16
from chapters.palindrome_precision.lengths import some_halves
from lib.constructions import pairwise_palindrome, palindrome, sigmoid_palindrome
from lib.transformer import FFN, Exact, Layer, Space


def test_7_1_compares_with_the_network():
    for right in (Fraction(2, 31), fmpq(2, 31)):
        assert said("7.1", right) == "Exercise 7.1: right."
    assert said("7.1", Fraction(1, 31)).endswith("not yet: 1/31 is too small.")
    assert said("7.1", Fraction(-2, 31)).endswith("not yet: -2/31 is too small.")
    assert said("7.1", fmpq(2, 15)).endswith("not yet: 2/15 is too large.")
    assert said("7.1", 2 / 31).startswith("Exercise 7.1 asks for a Fraction, not 0.0645")


RIGHT = (
    "right in exact arithmetic on every string to length 8, "
    "and to length 31 on strings close to a palindrome."
)


def with_marks(one_mark=1, zero_mark=0):
    """The published network whose layer 1 marks 1s and 0s, and no symbol in both halves."""
    published = palindrome()
    zero, one, cls, eos, _, _, left, right, *_ = published.space
    halves, row = (left - right - cls - eos, right - left - cls - eos), [one_mark, zero_mark]
    marks = FFN(
        hidden=[half - other for half in halves for other in (zero, one)],
        out={"1 on the left": [*row, 0, 0], "1 on the right": [0, 0, *row]},
    )
    return replace(published, layers=[Layer(ffn=marks), published.layers[1]])


@pytest.mark.parametrize(
    "longest, says",
    [
        (16, "16 is too few: in bfloat16 all strings of 17 symbols are right."),
        (18, "18 is too many: bfloat16 accepts 000000001100000001, of 18 symbols."),
        (
            10**9,
            "1000000000 is too many: bfloat16 has 2^16 numbers, for 2^17 halves of 17 symbols.",
        ),
    ],
)
def test_7_2_finds_the_boundary(longest, says):
    assert said("7.2", (with_marks(), longest)).endswith(f"not yet: {says}")


def test_7_2_takes_marks_of_both_symbols_as_far_as_bfloat16_tells_them_apart():
    for right in ((with_marks(), 17), (with_marks(1, -1), 17)):
        assert said("7.2", right) == f"Exercise 7.2: {RIGHT}"
    # Three times a number of eight bits has up to ten.
    assert said("7.2", (with_marks(3), 15)) == f"Exercise 7.2: {RIGHT}"
    assert said("7.2", (with_marks(3), 17)).endswith(
        "not yet: 17 is too many: bfloat16 accepts 1011010110101110, of 16 symbols."
    )


def test_7_2_lets_layer_1_alone_change():
    free = with_marks()
    for base in (4, 16):  # in base 4 bfloat16 confuses the halves 00001 and 10001
        other = replace(free, layers=[free.layers[0], palindrome(base=base).layers[1]])
        assert said("7.2", (other, 17)).endswith(
            "not yet: only layer 1 may change, and layer 2 has changed."
        )
    doubled = {**dict(free.position), "i": 2 * free.space["i"]}
    assert "and the position encoding has changed" in said(
        "7.2", (replace(free, position=doubled), 17)
    )
    assert "and its activation has" in said("7.2", (replace(free, activation="sigmoid"), 17))
    assert "and layer 2 has changed" in said("7.2", (sigmoid_palindrome(), 17))


def test_7_2_looks_at_each_head():
    assert said("7.2", (palindrome(), 17)).endswith(
        "not yet: head 1 adds 0 on 000 and 4/31 on 010, so it counts the middle symbol."
    )


@pytest.mark.parametrize("longest, wrong", [(9, "00000001"), (20, "1110100110110010110")])
def test_7_2_tries_longer_strings(longest, wrong):
    """Marks at so many tokens at most: beyond, every string would be a palindrome."""
    published, short = palindrome(), f"[n≤{longest}]"
    S = Space(*published.space.names, short)
    zero, _, cls, eos, _, _, left, right, *_, few = S
    tags = zero + cls + eos + 1 - few
    marks = FFN(
        hidden=[left - right - tags, right - left - tags],
        out={"1 on the left": [1, 0], "1 on the right": [0, 1]},
    )
    cut = replace(
        published,
        space=S,
        position={**dict(published.position), short: few},
        layers=[Layer(ffn=marks), published.layers[1]],
    )
    assert f"not yet: it accepts {wrong}" in said("7.2", (cut, 17))


@pytest.mark.parametrize("length", [9, 16, 17, 18])
def test_bfloat16_is_run_as_the_chapter_runs_it(length):
    halves = some_halves(length // 2)
    ones = ["".join(map(str, half)) for half in halves.tolist()]
    strings = [u + "0" * (length % 2) + u[::-1] for u in ones]
    for ours, theirs in zip(
        in_bfloat16(with_marks(), strings), Evaluation("bfloat16").heads(halves, n=length + 2)
    ):
        assert torch.equal(ours, theirs)


def test_7_3_wants_a_witness():
    assert said("7.3", sigmoid_palindrome()) == f"Exercise 7.3: {RIGHT}"
    assert said("7.3", "refuted").endswith("then show it: give a Construction that does.")
    assert said("7.3", "proved").endswith("there is one: look for a Construction that does.")
    assert said("7.3", pairwise_palindrome()).endswith("not yet: it has 2 layers.")
    right = sigmoid_palindrome()
    assert "its output is no sigmoid" in said("7.3", replace(right, activation="indicator"))
    [layer] = right.layers
    one_way = replace(right, layers=[Layer(layer.heads[:1], layer.ffn)])
    assert said("7.3", one_way).endswith("not yet: it rejects 1.")


@pytest.mark.parametrize(
    "base, wrong",
    [
        (Fraction(8, 5), "01110001"),
        (Fraction(17, 10), "100001110"),
        (Fraction(199, 100), None),
    ],
)
def test_7_3_tries_an_outer_pair_against_all_inner_ones(base, wrong):
    """Below base 2 the inner pairs outweigh the outer one, from some length on."""
    [layer] = sigmoid_palindrome().layers
    heads = [replace(head, base=base) for head in layer.heads]
    near = replace(sigmoid_palindrome(), layers=[Layer(heads, layer.ffn)])
    told = said("7.3", near)
    w = told.removeprefix("Exercise 7.3, not yet: it accepts ").removesuffix(".")
    assert set(w) == {"0", "1"} and w != w[::-1] and Exact(near).accepts(w)
    assert wrong in (None, w)


def test_7_3_tries_long_strings_too():
    """A threshold of 2^-12 at every length, which is below the least |s| of short strings alone."""
    [layer] = sigmoid_palindrome().layers
    zero, one, cls, eos, *_ = sigmoid_palindrome().space
    first, second = layer.heads
    fixed = replace(first, v={**dict(first.v), "t": (zero + one + cls + eos) / 4096})
    short = replace(sigmoid_palindrome(), layers=[Layer([fixed, second], layer.ffn)])
    assert said("7.3", short).endswith("not yet: it accepts 0110100110100110010110.")
