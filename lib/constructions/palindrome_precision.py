"""PALINDROME in floating point: two heads read two halves as numbers, and a type with p bits can
tell few halves apart.

With the published network, n = |w| + 2, head 1 outputs y_1 = sum_i [w_i = 1] b^i / Z over the left
half and head 2 the same for the right half read backwards, y_2; both count the middle symbol of an
odd length. What a head outputs depends on its own half alone, so the 2^h outputs of all
half-strings decide about all 2^2h strings. Everything is rounded to the type after every operation,
in an order that is said: no library's order of summation comes in, and every machine finds the
same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import isqrt, log, sqrt

import numpy as np
import torch
from flint import arb, ctx
from torch import Tensor

from lib.checks import between, check_string, many, one_of, positive, real, takes, text, whole
from lib.constructions.precision import FLOATS
from lib.transformer.encoder import Encoder

SIGNIFICAND_BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
GAINS = {
    "2": log(2),
    "e^(1/√6)": 1 / sqrt(6),
}  # the paper's c, and that of its authors' code (head width 6, W^Q = 1)
NUMERATORS = ("powers of 2", "exponentials", "published")
DIVISIONS, ORDERS = ("first", "last"), ("left to right", "outside in")
ALL_HALVES, SOME_HALVES = (
    12,
    200,
)  # all half-strings up to that length, beyond it so many and their neighbours


@dataclass(frozen=True)
class Evaluation:
    """One way to evaluate the two heads in `dtype`.

    `numerators`: exact "powers of 2", "exponentials" of rounded multiples of the rounded ln 2, or
    the "published" e^(i/√6). `division` "first" rounds every weight before values are added, as
    softmax and a product do, "last" divides the sum. `order`: both heads sum "left to right", or
    both "outside in", the right half from its end. Numerators are relative to the largest, as in
    every softmax.
    """

    dtype: str
    numerators: str = "powers of 2"
    division: str = "last"
    order: str = "left to right"

    def __post_init__(self):
        for field, known in (
            ("dtype", FLOATS),
            ("numerators", NUMERATORS),
            ("division", DIVISIONS),
            ("order", ORDERS),
        ):
            one_of(known)(getattr(self, field), field)

    @takes(n=between(1, 10**6))
    def weights(self, n: int) -> Tensor:
        """The numerators of positions 0..n-1 over the largest, rounded to the type: (n,)."""
        dtype = FLOATS[self.dtype]
        if self.numerators == "powers of 2":
            return torch.tensor([2.0 ** (i - n + 1) for i in range(n)], dtype=torch.float64).to(
                dtype
            )
        gain = torch.tensor(
            GAINS["2" if self.numerators == "exponentials" else "e^(1/√6)"], dtype=torch.float64
        ).to(dtype)
        logits = torch.arange(n).to(dtype) * gain
        with ctx.workprec(128):  # an exponential that is rounded correctly, on every machine
            return torch.tensor(
                [float(arb(x).exp()) for x in (logits - logits[-1]).tolist()], dtype=torch.float64
            ).to(dtype)

    @takes(halves=Tensor, n=between(1, 10**6))
    def heads(self, halves: Tensor, n: int) -> tuple[Tensor, Tensor]:
        """y_1 and y_2 when each half is `halves`, 0/1 of shape (B, h), outermost symbol first: 1,
        .., h or ⌈(n-1)/2⌉, .., n-2 backwards.
        """
        if halves.ndim != 2 or halves.shape[1] >= n:
            raise ValueError(
                f"halves of shape (B, h), h below n = {n!r}, are expected, not of shape "
                f"{tuple(halves.shape)}"
            )
        weights = self.weights(n)
        inward, outward = range(1, halves.shape[1] + 1), range(halves.shape[1], 0, -1)
        every = range(n)
        return (
            self._sum(weights, halves, inward, every),
            self._sum(
                weights,
                halves,
                *((inward, every) if self.order == "outside in" else (outward, every[::-1])),
            ),
        )

    @takes(test=text)
    def accepts(self, w: str, test: str) -> bool:
        """Whether |y_1 - y_2| on the string w passes that test; ValueError for another character
        than 0 and 1.
        """
        check_string(w, ("0", "1"))
        n, half = len(w) + 2, (len(w) + 1) // 2
        left, right = (torch.tensor([list(map(int, side[:half]))]) for side in (w, w[::-1]))
        y_1, y_2 = self.heads(left, n)[0], self.heads(right, n)[1]
        return abs((y_1 - y_2).item()) <= threshold(test, n)

    def _sum(self, weights: Tensor, halves: Tensor, order: range, every: range) -> Tensor:
        norm = weights.new_zeros(())
        for i in every:
            norm = norm + weights[i]
        if self.division == "first":
            weights = weights / norm
        total, symbols = weights.new_zeros(len(halves)), halves.T.to(weights.dtype).contiguous()
        for i in order:
            total = total + weights[i] * symbols[i - 1]
        return total / norm if self.division == "last" else total


@takes(test=text, n=between(2, 10**6))
def threshold(test: str, n: int) -> float:
    """The largest |s| that a test accepts: "s = 0", "1e-7", or "half the least", half of 2/(2^n -
    1), the least |s| of a non-palindrome.
    """
    if test not in TESTS:
        raise ValueError(f"test must be one of {', '.join(TESTS)}, not {test!r}")
    return {"s = 0": 0.0, "1e-7": 1e-7, "half the least": float(Fraction(1, 2**n - 1))}[test]


TESTS = ("s = 0", "1e-7", "half the least")


@takes(size=between(0, 10**4), seed=between(0))
@cache
def some_halves(size: int, seed: int = 0) -> Tensor:
    """Half-strings (B, size), 0/1, outermost symbol first: all of them up to `ALL_HALVES` symbols,
    beyond that hard ones.

    As a number, whose lowest bit is the outermost symbol, each of those is a random number or a
    multiple of an eighth of 2^size with at most two powers of two added or taken away, or of a
    thirty-second with one: long carries, such as 2^50 - 1 - 2^2 beside 2^50.
    """
    if size <= ALL_HALVES:
        return ((torch.arange(2**size)[:, None] >> torch.arange(size)) & 1).to(torch.int8)
    draw = np.random.default_rng(seed)
    drawn = [int("".join(map(str, bits)), 2) for bits in draw.integers(2, size=(SOME_HALVES, size))]
    eighths, thirty_seconds = (range(0, 2**size + 1, 2**size // parts) for parts in (8, 32))
    steps = [0, *(sign << place for place in range(size) for sign in (1, -1))]
    numbers = {x + step for x in (*drawn, *thirty_seconds) for step in steps}
    numbers |= {x + s + t for x in eighths for s, t in combinations(steps, 2)}
    return _digits(sorted(x for x in numbers if 0 <= x < 2**size), size)


def _digits(numbers: list[int], size: int) -> Tensor:
    """The lowest `size` bits of each number, lowest first: (B, size)."""
    width = (size + 7) // 8
    packed = np.frombuffer(b"".join(x.to_bytes(width, "little") for x in numbers), dtype=np.uint8)
    bits = np.unpackbits(packed.reshape(-1, width), axis=1, count=size, bitorder="little")
    return torch.from_numpy(bits.astype(np.int8))


@takes(evaluation=Evaluation, length=between(1, 10**4), tests=many(text), halves=Tensor)
def confusions(
    evaluation: Evaluation,
    length: int,
    tests: tuple[str, ...] = TESTS,
    halves: Tensor | None = None,
) -> dict[str, str | None]:
    """For each test a string of `length` that it decides wrongly, or None: tried are all pairs of
    `halves` (by default `some_halves`).
    """
    n, half = (
        positive(length, "a length") + 2,
        (length + 1) // 2,
    )  # both halves hold the middle symbol of an odd length
    halves = some_halves(half) if halves is None else halves
    wrong: dict[str, str | None] = dict.fromkeys(tests)
    for middle in (0, 1) if length % 2 else (None,):
        some = halves if middle is None else halves[halves[:, -1] == middle]
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

    def differ(some: Tensor, others: Tensor) -> np.ndarray:
        return (some - others).double().abs().numpy()

    if (rejected := differ(left, right) > most).any():
        return int(rejected.argmax()), int(rejected.argmax())
    order = np.argsort(right.double().numpy(), kind="stable")
    place = np.searchsorted(right.double().numpy()[order], left.double().numpy())
    for step in (-2, -1, 0, 1):
        v = order[np.clip(place + step, 0, len(order) - 1)]
        accepted = (differ(left, right[torch.from_numpy(v)]) <= most) & (v != np.arange(len(v)))
        if accepted.any():
            u = int(accepted.argmax())
            return u, int(v[u])
    return None


@takes(evaluation=Evaluation, tests=many(text), stop=between(1, 10**4))
def longest_perfect(
    evaluation: Evaluation, tests: tuple[str, ...] = TESTS, stop: int = 300
) -> dict[str, dict]:
    """For each test the longest length to which no string is found that is decided wrongly, and the
    first that is, one symbol longer.

    Up to 2 `ALL_HALVES` symbols all strings are tried; beyond, the length is an upper bound.
    """
    found: dict[str, dict] = {}
    for length in range(1, stop):
        left = tuple(test for test in tests if test not in found)
        found |= {
            test: {"length": length - 1, "wrong": w}
            for test, w in confusions(evaluation, length, left).items()
            if w is not None
        }
        if len(found) == len(tests):
            return found
    return found | {
        test: {"length": stop - 1, "wrong": None} for test in tests if test not in found
    }


@takes(bits=between(1, 16))
def most_floats(bits: int) -> int:
    """The most floats with `bits` bits that an interval [a, 3a) holds, a > 0, range unlimited."""
    floats = [m << e for e in range(3) for m in range(1 << (bits - 1), 1 << bits)]
    return max(bisect_left(floats, 3 * a) - j for j, a in enumerate(floats[: 1 << (bits - 1)]))


@takes(length=between(1, 10**6), gain=real, most=real)
def published_accuracy(length: int, gain: float = GAINS["e^(1/√6)"], most: float = 1e-7) -> float:
    """The accuracy that exact arithmetic gives the published network on the paper's strings,
    acceptance being |s| <= `most`.

    Half of the strings are palindromes, s = 0; the others have one flip, uniform over ⌊|w|/2⌋
    pairs, and |s| = b^i/Z there. The paper's figure 2 has `length` even: its generator drops the
    middle symbol.
    """
    n, pairs, seen = positive(length, "a length") + 2, length // 2, 0
    with ctx.workprec(128):
        b = arb(gain).exp()
        Z = sum((b**j for j in range(n)), arb(0))
        for i in range(1, pairs + 1):
            below, above = b**i / Z <= arb(most), b**i / Z > arb(most)
            if not (below or above):
                raise ArithmeticError(
                    f"128 bits do not decide whether |s| is above {most} for the flip at {i} of "
                    f"{length}"
                )
            seen += above
    return 0.5 + seen / (2 * pairs) if pairs else 1.0


@takes(bits=between(1))
def rounded(x: int, bits: int) -> int:
    """The whole number of at most `bits` significant bits that is nearest to x >= 0, of two the
    one whose last bit is 0.
    """
    excess = whole(x, "a number").bit_length() - positive(bits, "a number of bits")
    step = 2 ** max(0, excess)
    return round(Fraction(x, step)) * step


@takes(numbers=many(between(0, 2**4096)), bits=between(1))
def running_sums(numbers: Iterable[int], bits: int) -> list[int]:
    """The partial sums of whole numbers, rounded to `bits` bits after every addition."""
    sums = [0]
    for x in numbers:
        sums.append(rounded(sums[-1] + x, bits))
    return sums[1:]


@takes(reader=Encoder, length=between(1, 10**5))
def mirror_shares(reader: Encoder, length: int) -> tuple[float, float]:
    """The least weight that a position of pairwise PALINDROME gives to its mirror image, and the
    most it gives to all others together, at that |w|.

    If they are at least 9/10 and at most 1/10, every string of that length is decided rightly.
    """
    attention = reader.trace("0" * positive(length, "a length"), weights=True).attention or {}
    mirrored = attention[1, 1][0].flip(0).double()
    images = mirrored.diagonal()
    return images.min().item(), (mirrored.sum(1) - images).max().item()


@takes(bits=between(1, 10**4))
def pairwise_lengths(bits: int) -> tuple[int, int]:
    """Two lengths of pairwise PALINDROME in a type of `bits` bits, keys j² being rounded to it: to
    the first all attention logits are exact, and at the second a palindrome is rejected.

    Logits are exact while (|w| + 1)² <= 2^bits. The least odd o with o² > 2^bits is the first key
    that is rounded, to o² - 1; positions whose mirror images are o + 1 and o + 3 then attend to
    three positions alike, and the palindrome 1010...0101 of o + 3 symbols has a negative logit.
    """
    root = isqrt(2 ** positive(bits, "a number of bits"))
    first_rounded = root + 1 + root % 2
    return root - 1, first_rounded + 3
