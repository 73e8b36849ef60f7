"""PALINDROME in floats: evaluations against the exact reader and rounded rationals."""

from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.floats import FLOATS
from chapters.common.palindrome_precision import DIVISIONS, NUMERATORS, ORDERS, Evaluation
from lib.constructions import palindrome
from lib.transformer.exact import Exact
from tests.record.test_significand import nearest

EVERY = [Evaluation("float64", *way) for way in product(NUMERATORS, DIVISIONS, ORDERS)]


def halves_of(w: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The left half of w and its right half backwards, both with the middle symbol of an odd
    length.
    """
    half = (len(w) + 1) // 2
    return tuple(torch.tensor([list(map(int, part))]) for part in (w[:half], w[::-1][:half]))


def exact_s(w: str, evaluation: Evaluation) -> float:
    base = {
        "powers of 2": palindrome(),
        "exponentials": palindrome(),
        "published": palindrome(1 / sqrt(6), None),
    }[evaluation.numerators]
    return float(Exact(base).logit(w, bits=128))


@pytest.mark.parametrize("evaluation", EVERY, ids=str)
@settings(max_examples=20)
@given(w=st.text(alphabet="01", min_size=1, max_size=20))
def test_the_heads_difference_is_the_published_s(evaluation, w):
    (left, right), n = halves_of(w), len(w) + 2
    s = (evaluation.heads(left, n)[0] - evaluation.heads(right, n)[1]).item()
    assert s == pytest.approx(exact_s(w, evaluation), rel=1e-9, abs=1e-14)
    assert evaluation.heads(left, n)[0].dtype == FLOATS[evaluation.dtype]


def test_rounding_is_that_of_the_type_after_every_operation():
    """Rationals rounded by hand, to nearest and ties to even, in the order that is said: bfloat16,
    one weight after another.
    """

    n, bits = 25, (1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1)
    numerators = [Fraction(1, 2 ** (n - 1 - i)) for i in range(n)]
    for division, order in product(DIVISIONS, ORDERS):
        inward = range(1, len(bits) + 1)
        for head, places, every in (
            (0, inward, range(n)),
            (
                1,
                inward if order == "outside in" else inward[::-1],
                range(n) if order == "outside in" else range(n)[::-1],
            ),
        ):
            norm = total = Fraction(0)
            for i in every:
                norm = nearest(norm + numerators[i], 8)
            weights = numerators
            if division == "first":
                weights = [nearest(numerator / norm, 8) for numerator in numerators]
            for i in places:
                total = nearest(total + weights[i] * bits[i - 1], 8)
            total = nearest(total / norm, 8) if division == "last" else total
            found = Evaluation("bfloat16", division=division, order=order).heads(
                torch.tensor([bits]), n
            )[head]
            assert Fraction(found.item()) == total
