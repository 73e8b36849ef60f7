"""PALINDROME pair by pair: against its closed form, over all short strings, and its weights in each
float type.
"""

import pytest
from flint import fmpq

from chapters.common.floats import FLOATS, SIGNIFICAND
from chapters.palindrome_precision.lengths import mirror_shares, pairwise_lengths
from lib.constructions import pairwise_palindrome
from lib.languages import PALINDROME
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from tests.formulas.oracles import strings


def closed_form(w: str, base: int) -> fmpq:
    """(1/4 - sum of marks)/n, every reading being a mean with weights base^-(j - mirror)²."""
    n, ones = len(w) + 2, [0, *map(int, w), 0]
    marks = fmpq(0)
    for i in range(n):
        weights = [fmpq(1, base ** (j - (n - 1 - i)) ** 2) for j in range(n)]
        reading = sum((a * one for a, one in zip(weights, ones)), fmpq(0)) / sum(weights, fmpq(0))
        marks += max(fmpq(0), abs(ones[i] - reading) - fmpq(1, 2))
    return (fmpq(1, 4) - marks) / n


def test_the_logit_is_the_closed_form_in_rationals():
    for base in (4, 16):
        reader = Exact(pairwise_palindrome(gain=1, base=base))
        for w in strings("01", 6):
            assert reader.logit(w) == closed_form(w, base)


def test_every_string_to_length_9_is_decided_correctly_with_proof_and_by_a_margin():
    reader, tried = Exact(pairwise_palindrome()), strings("01", 9)
    decisions = [reader.decide(w) for w in tried]
    assert PALINDROME.errors(tried, [decision.accepts for decision in decisions]) == []
    for w, decision in zip(tried, decisions):
        n = len(w) + 2
        assert decision.s == fmpq(1, 4 * n) if w in PALINDROME else decision.s < fmpq(-1, 2 * n)


def lengths_to_the_edge(dtype: str) -> list[int]:
    """Every length to the edge in 16 bits, the last ones in float32."""
    right, _ = pairwise_lengths(SIGNIFICAND[dtype])
    return [*range(1, right + 1)] if right < 100 else [1000, right - 1, right]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_mirror_images_weigh_nine_tenths_to_each_types_edge(dtype):
    """Layer 1's weights are the same for all strings of a length, so that those of the mirror
    images show that all strings are decided correctly.
    """
    reader = Encoder(pairwise_palindrome(), FLOATS[dtype])
    for length in lengths_to_the_edge(dtype):
        image, others = mirror_shares(reader, length)
        assert 0.9 <= image <= 1 and 0 <= others <= 0.1
