"""PALINDROME pair by pair, over all short strings."""

from flint import fmpq

from lib.constructions import pairwise_palindrome
from lib.languages import PALINDROME
from lib.transformer.exact import Exact
from tests.formulas.oracles import strings


def test_every_string_to_length_9_is_decided_correctly_with_proof_and_by_a_margin():
    # Of four tokens that weigh 4^-d² at distances d from their mirror images.
    assert Exact(pairwise_palindrome(gain=1, base=4)).logit("10") == fmpq(-383, 6160)
    reader, tried = Exact(pairwise_palindrome()), strings("01", 9)
    decisions = [reader.decide(w) for w in tried]
    assert PALINDROME.errors(tried, [decision.accepts for decision in decisions]) == []
    for w, decision in zip(tried, decisions):
        n = len(w) + 2
        assert decision.s == fmpq(1, 4 * n) if w in PALINDROME else decision.s < fmpq(-1, 2 * n)
