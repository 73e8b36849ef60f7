"""To what length PALINDROME is right in a type of p bits: searched over halves of strings for the
published network, and read off the attention of the pairwise one. And the limit of 37: the strings
of Nowak et al.'s figure 2 in exact arithmetic.

What a head of the published network outputs depends on its own half alone, so the 2^h outputs of
all half-strings decide about all 2^2h strings.

The network computes s = sum over pairs i of (w_i - w_ī) b^i / Z with Z = sum_(j < n) b^j and
n = |w| + 2, and accepts w if |s| <= THRESHOLD. As printed, b is 2; in the authors' code a head of
width 6 and a plain 1 in W^Q make it e^(1/√6).
"""

from bisect import bisect_left
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations
from math import isqrt
from operator import sub

import numpy as np
import torch
from flint import arb, ctx
from torch import Tensor

from chapters.common.palindrome_precision import GAINS, TESTS, Evaluation, threshold
from chapters.palindrome_precision.runs import SEEDS, PublishedStrings
from lib.transformer.encoder import Encoder

# All half-strings up to that length; beyond it so many, and their neighbours.
ALL_HALVES, SOME_HALVES = 12, 200
LONGEST = 299  # of the strings that are tried
STRINGS = 500  # of figure 2, at each length
THRESHOLD = threshold("1e-7", n=2)  # the largest |s| that the authors' code accepts, at every n
BITS = 128


@cache
def some_halves(size: int) -> Tensor:
    """Half-strings (B, size), 0/1, outermost symbol first: all of them up to `ALL_HALVES` symbols,
    beyond that hard ones.

    As a number, whose lowest bit is the outermost symbol, each of those is a random number or a
    multiple of an eighth of 2^size with at most two powers of two added or taken away, or of a
    thirty-second with one: long carries, such as 2^50 - 1 - 2^2 beside 2^50.
    """
    numbers = {*range(2**size)} if size <= ALL_HALVES else _hard(size)
    digits = "".join(f"{x:0{size}b}"[::-1] for x in sorted(numbers))
    bits = np.frombuffer(digits.encode(), np.int8).reshape(-1, size) - np.int8(ord("0"))
    return torch.from_numpy(bits)


def _hard(size: int) -> set[int]:
    drawn = np.random.default_rng(0).integers(2, size=(SOME_HALVES, size))
    random = [int("".join(map(str, bits)), 2) for bits in drawn]
    eighths, thirty_seconds = (range(0, 2**size + 1, 2**size // parts) for parts in (8, 32))
    steps = [0, *(sign << place for place in range(size) for sign in (1, -1))]
    numbers = {x + step for x in (*random, *thirty_seconds) for step in steps}
    numbers |= {x + s + t for x in eighths for s, t in combinations(steps, 2)}
    return {x for x in numbers if 0 <= x < 2**size}


def confusions(
    evaluation: Evaluation, length: int, tests: tuple[str, ...] = TESTS
) -> dict[str, str | None]:
    """For each test a string that it decides incorrectly, made of `some_halves`, or None."""
    n, half = length + 2, (length + 1) // 2  # both halves hold the middle of an odd length
    halves = some_halves(half)
    wrong: dict[str, str | None] = dict.fromkeys(tests)
    by_middle = [halves[halves[:, -1] == middle] for middle in (0, 1)]
    for some in by_middle if length % 2 else [halves]:
        left, right = evaluation.heads(some, n)
        for test in tests:
            if wrong[test] is None and (pair := _wrong_pair(left, right, threshold(test, n))):
                u, v = (some[j].tolist() for j in pair)
                wrong[test] = "".join(map(str, u + v[: length // 2][::-1]))
    return wrong


def _wrong_pair(left: Tensor, right: Tensor, most: float) -> tuple[int, int] | None:
    """(u, v) with u = v whose |y_1(u) - y_2(v)| is above `most`, or u != v where it is not; only
    the closest v can be of the second kind.
    """

    def differ(others: Tensor) -> np.ndarray:
        return (left - others).double().abs().numpy()

    if (rejected := differ(right) > most).any():
        return int(rejected.argmax()), int(rejected.argmax())
    order = np.argsort(right.double().numpy(), kind="stable")
    place = np.searchsorted(right.double().numpy()[order], left.double().numpy())
    for step in (-2, -1, 0, 1):
        v = order[np.clip(place + step, 0, len(order) - 1)]
        accepted = (differ(right[torch.from_numpy(v)]) <= most) & (v != np.arange(len(v)))
        if accepted.any():
            u = int(accepted.argmax())
            return u, int(v[u])
    return None


def longest_perfect(evaluation: Evaluation, tests: tuple[str, ...] = TESTS) -> dict[str, dict]:
    """For each test the longest length to which no string is found that is decided incorrectly, and
    the first that is, one symbol longer. Up to 2 `ALL_HALVES` symbols all strings are tried;
    beyond, the length is an upper bound.
    """
    found = {test: {"length": LONGEST, "wrong": None} for test in tests}
    for length in range(1, LONGEST + 1):
        left = tuple(test for test in tests if found[test]["wrong"] is None)
        for test, wrong in confusions(evaluation, length, left).items() if left else ():
            if wrong is not None:
                found[test] = {"length": length - 1, "wrong": wrong}
    return found


def most_floats(bits: int) -> int:
    """The most floats with `bits` bits that an interval [a, 3a) holds, a > 0, range unlimited."""
    floats = [m << e for e in range(3) for m in range(1 << (bits - 1), 1 << bits)]
    return max(bisect_left(floats, 3 * a) - j for j, a in enumerate(floats[: 1 << (bits - 1)]))


def rounded(x: int, bits: int) -> int:
    """The nearest whole number of at most `bits` significant bits to x >= 0, ties to even."""
    step = 2 ** max(0, x.bit_length() - bits)
    return round(Fraction(x, step)) * step


def running_sums(numbers: Iterable[int], bits: int) -> list[int]:
    """The partial sums of whole numbers, rounded to `bits` bits after every addition."""
    return list(accumulate((0, *numbers), lambda last, x: rounded(last + x, bits)))[1:]


def mirror_shares(reader: Encoder, length: int) -> tuple[float, float]:
    """The least weight that a position of pairwise PALINDROME gives to its mirror image, and the
    most it gives to all others together, at that |w|: if they are at least 9/10 and at most 1/10,
    every string of that length is decided correctly.
    """
    attention = reader.trace("0" * length, weights=True).attention or {}
    mirrored = attention[1, 1][0].flip(0).double()
    images = mirrored.diagonal()
    return images.min().item(), (mirrored.sum(1) - images).max().item()


def pairwise_lengths(bits: int) -> tuple[int, int]:
    """Two lengths of pairwise PALINDROME in a type of `bits` bits, keys j² being rounded to it: to
    the first all attention logits are exact, and at the second a palindrome is rejected.

    Logits are exact while (|w| + 1)² <= 2^bits. The least odd o with o² > 2^bits is the first key
    that is rounded, to o² - 1; positions whose mirror images are o + 1 and o + 3 then attend to
    three positions alike, and the palindrome 1010...0101 of o + 3 symbols has a negative logit.
    """
    root = isqrt(2**bits)
    first_rounded = root + 1 + root % 2
    return root - 1, first_rounded + 3


# ---- the published strings in exact arithmetic


@cache
def is_accepted(differences: tuple[int, ...], gain: float, most: float) -> bool:
    """Whether |s| <= `most`, proved in balls, for w_i - w_ī = `differences` of the pairs i = 1, 2,
    .. and b = e^`gain`; the length is even. ArithmeticError where 128 bits do not decide.
    """
    if not any(differences):
        return True
    with ctx.workprec(BITS):
        b = arb(gain).exp()
        norm = sum((b**j for j in range(2 * len(differences) + 2)), arb(0))
        terms = (d * b**i for i, d in enumerate(differences, start=1) if d)
        s = abs(sum(terms, arb(0)) / norm)
        if s <= most or s > most:
            return bool(s <= most)
    raise ArithmeticError(f"{BITS} bits do not decide whether |s| = {s} is above {most}")


def exact_accuracy(
    length: int, gain: float = GAINS["e^(1/√6)"], most: float = THRESHOLD
) -> Fraction:
    """The share of the published strings of that length that are decided correctly without
    rounding, acceptance being |s| <= `most`. An odd length has the strings of the even one below
    it: when the records were made, the generator dropped the middle symbol.
    """
    strings = _published(length // 2)
    right = sum(is_accepted(w, gain, most) == (not any(w)) for w in strings)
    return Fraction(right, len(strings))


@cache
def _published(pairs: int) -> list[tuple[int, ...]]:
    """The differences w_i - w_ī of each of the published strings of so many pairs."""
    strings = PublishedStrings("PALINDROME", SEEDS[0])
    drawn = (strings.string(2 * pairs)[:-1] for _ in range(STRINGS))
    return [tuple(map(sub, w[:pairs], reversed(w[pairs:]))) for w in drawn]


def published_accuracy(length: int, gain: float = GAINS["e^(1/√6)"]) -> float:
    """The accuracy that exact arithmetic gives the published network, with its threshold, on the
    strings of figure 2, all of an even length: half are palindromes, s = 0; the others have one
    flip, uniform over the pairs, and |s| = b^i/Z there.
    """
    pairs = length // 2
    flips = (tuple(int(j == i) for j in range(pairs)) for i in range(pairs))
    seen = sum(not is_accepted(flip, gain, THRESHOLD) for flip in flips)
    return 0.5 + seen / (2 * pairs)
