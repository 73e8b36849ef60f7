"""PALINDROME in floats: evaluations against the exact reader and rounded rationals, and the 2p
boundary over all half-strings.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.palindrome_precision import DIVISIONS, GAINS, NUMERATORS, ORDERS, Evaluation
from chapters.palindrome_precision.lengths import (
    THRESHOLD,
    confusions,
    longest_perfect,
    published_accuracy,
    running_sums,
    some_halves,
)
from chapters.palindrome_precision.records import agreeing, exact_records
from lib.constructions import palindrome
from lib.constructions.precision import FLOATS, SIGNIFICAND
from lib.languages import PALINDROME
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact

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


@pytest.mark.parametrize("dtype, p", [("bfloat16", 8), ("float16", 11)])
@pytest.mark.parametrize("order", ORDERS)
def test_2p_is_exact_and_2p_plus_1_is_not_over_all_half_strings(dtype, p, order):
    evaluation = Evaluation(dtype, order=order)
    for length in range(1, 2 * p + 2):
        half = (length + 1) // 2
        every = some_halves(half)
        assert len(every) == 2**half  # all pairs of halves, so all strings
        found = confusions(evaluation, length, ("s = 0",))["s = 0"]
        if length <= 2 * p:
            assert found is None
            for middle in (0, 1) if length % 2 else (None,):
                some = every if middle is None else every[every[:, -1] == middle]
                left, right = evaluation.heads(some, length + 2)
                assert torch.equal(left, right) and len(left.unique()) == len(some)
        else:
            assert found is not None and found not in PALINDROME and len(found) == length


@pytest.mark.parametrize("dtype, p", SIGNIFICAND.items())
def test_2p_and_2p_plus_1_adversarially(dtype, p):
    assert longest_perfect(Evaluation(dtype), ("s = 0",))["s = 0"]["length"] == 2 * p
    evaluation, n = Evaluation(dtype), 2 * p + 3
    left, right = torch.tensor([[1] + [0] * (p - 1) + [1]]), torch.tensor([[0] * p + [1]])
    assert evaluation.heads(left, n)[0].item() == evaluation.heads(right, n)[1].item()
    shorter = n - 1  # 2p symbols: the two most alike halves, and carries through all bits
    for u, v in (
        ([1] + [0] * (p - 1), [0] * p),
        ([1] * p, [0] + [1] * (p - 1)),
        ([1] * (p - 1) + [0], [0] * (p - 1) + [1]),
    ):
        outputs = [evaluation.heads(torch.tensor([half]), shorter) for half in (u, v)]
        assert (
            outputs[0][0].item() == outputs[0][1].item()
            and outputs[0][0].item() != outputs[1][1].item()
        )


def test_a_float32_half_of_24_symbols_is_exact_and_increasing_in_long_runs():
    """Consecutive numbers of 24 bits, from three places of the range: equal halves agree and no two
    outputs meet.
    """
    for start in (0, 2**23 - 2**15, 2**24 - 2**16):
        numbers = torch.arange(start, start + 2**16)
        halves = (numbers[:, None] >> torch.arange(24)) & 1
        left, right = Evaluation("float32").heads(halves, 50)
        assert torch.equal(left, right) and (left.diff() > 0).all()


IN, ACROSS = ("exponentials", "first", "outside in"), ("exponentials", "last", "left to right")
ACCEPTED = [  # non-palindromes that pass: runs of 1s whose sum carries into one 1 of the other half
    ("float64", IN, "s = 0", "0" * 50 + "1011" + "1" * 45 + "011"),
    ("float32", IN, "s = 0", "0" * 21 + "110" + "1" * 19 + "01"),
    ("float32", ACROSS, "half the least", "0" * 18 + "10100" + "1" * 18),
]


@pytest.mark.parametrize("dtype, way, test, w", ACCEPTED)
def test_long_carries_are_accepted_and_found(dtype, way, test, w):
    """A witness bounds the longest perfect length from above, and the search does as well."""
    evaluation = Evaluation(dtype, *way)
    assert w not in PALINDROME and evaluation.accepts(w, test)
    found = longest_perfect(evaluation, (test,))[test]
    assert found["length"] < len(w)
    assert evaluation.accepts(found["wrong"], test) != (found["wrong"] in PALINDROME)
    assert len(found["wrong"]) == found["length"] + 1


@pytest.mark.parametrize("division", DIVISIONS)
@pytest.mark.parametrize("order, length", [("left to right", 40), ("outside in", 42)])
def test_all_float32_halves_confirm_the_length_that_chosen_ones_give(division, order, length):
    """At that length no string of all is wrong; one symbol longer a chosen one is."""
    evaluation, half = Evaluation("float32", "exponentials", division, order), length // 2
    every = ((torch.arange(2**half)[:, None] >> torch.arange(half)) & 1).to(torch.int8)
    test = "half the least"
    assert confusions(evaluation, length, (test,), every)[test] is None
    assert longest_perfect(evaluation, (test,))[test]["length"] == length


@given(w=st.text(alphabet="01", min_size=1, max_size=14))
def test_a_string_is_accepted_where_exact_arithmetic_accepts_it(w):
    for test in ("s = 0", "half the least"):
        assert Evaluation("float64").accepts(w, test) == (Exact(palindrome()).logit(w) == 0)


@pytest.mark.parametrize("gain, base", [(1 / sqrt(6), None), (1, 2)])
def test_the_published_accuracy_is_that_of_all_single_flips(gain, base):
    reader = Encoder(palindrome(gain, base))
    for length in (2, 10, 22, 24, 36, 38, 50):
        broken = ["0" * i + "1" + "0" * (length - 1 - i) for i in range(length // 2)]
        seen = (reader(broken).abs() > 1e-7).double().mean().item()
        assert published_accuracy(length, gain * log(base or np.e)) == 0.5 + seen / 2


def test_the_recorded_accuracies_are_those_of_the_codes_base_and_threshold_alone():
    assert THRESHOLD == 1e-7 and list(exact_records()) == list(range(2, 200))
    assert agreeing(GAINS["e^(1/√6)"], THRESHOLD) == 198
    assert max(agreeing(GAINS["2"], THRESHOLD), agreeing(GAINS["e^(1/√6)"], 0.0)) < 198


def nearest(x: Fraction, bits: int) -> Fraction:
    """x >= 0 as a float of `bits` bits and any range: to nearest, ties to even."""
    if x == 0:
        return x
    exponent = x.numerator.bit_length() - x.denominator.bit_length() - bits
    while x >= Fraction(2) ** (exponent + bits):
        exponent += 1
    while x < Fraction(2) ** (exponent + bits - 1):
        exponent -= 1
    unit = Fraction(2) ** exponent
    return round(x / unit) * unit


def summed(exponents: Iterable[int], bits: int) -> Fraction:
    total = Fraction(0)
    for i in exponents:
        total = nearest(total + Fraction(2) ** i, bits)
    return total


def first_wrong(bits: int, order: Callable[[int], list[int]], middle: bool) -> int | None:
    """The least |w| at which some pair of halves is decided wrongly, both holding the `middle`
    symbol of an odd length or neither; `order` lists positions as the norms are summed.
    """
    for length in range(1, 2 * bits + 4):
        n, half = length + 2, (length + middle) // 2
        norms = summed(order(n), bits), summed([n - 1 - i for i in order(n)], bits)
        seen: dict[tuple, tuple] = {}
        for digits in product((0, 1), repeat=half):
            ones = [i for i, digit in enumerate(digits, start=1) if digit]
            left, right = (
                nearest(summed(places, bits) / norm, bits)
                for places, norm in zip((ones, ones[::-1]), norms)
            )
            shared = digits[-1:] if length % 2 and middle else ()
            if left != right or seen.setdefault((left, shared), digits) != digits:
                return length
    return None


def upward(n: int) -> list[int]:
    return list(range(n))


def downward(n: int) -> list[int]:
    return list(range(n))[::-1]


def odd_first(n: int) -> list[int]:
    return [*range(1, n, 2), *range(0, n, 2)]


@pytest.mark.parametrize("bits", range(2, 8))
def test_two_numbers_compare_2p_symbols_in_every_small_type_and_one_more_without_the_middle(bits):
    for order in (upward, downward):
        assert first_wrong(bits, order, middle=True) == 2 * bits + 1
        assert first_wrong(bits, order, middle=False) == 2 * bits + 2
    assert first_wrong(bits, odd_first, middle=True) < 2 * bits
    for order in (upward, downward, odd_first):
        assert running_sums([2**i for i in order(20)], bits)[-1] == summed(order(20), bits)
