"""PALINDROME pair by pair: against its closed form, and over all short strings."""

from flint import fmpq

from lib.constructions import pairwise_palindrome
from lib.languages import PALINDROME
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
