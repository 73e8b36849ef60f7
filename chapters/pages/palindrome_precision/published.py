"""The limit of 37: PALINDROME on the strings of Nowak et al.'s figure 2, in exact arithmetic.

Their network computes s = sum over pairs i of (w_i - w_ī) b^i / Z with Z = sum_(j < n) b^j and
n = |w| + 2, and accepts w if |s| <= 1e-7. As printed, b is 2; in their code a head of width 6 and a
plain 1 in W^Q make it e^(1/√6).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from operator import sub

from flint import arb, ctx

from lib.checks import positive
from lib.constructions.palindrome_precision import GAINS
from record.experiments.nowak import SEEDS, PublishedStrings

STRINGS = 500  # at each length
BITS = 128


@cache
def is_accepted(differences: tuple[int, ...], gain: float, most: float) -> bool:
    """Whether |s| <= `most`, proved in balls, for w_i - w_ī = `differences` of the pairs i = 1, 2,
    .. and b = e^`gain`.

    ArithmeticError where 128 bits do not decide.
    """
    if not any(differences):
        return True
    with ctx.workprec(BITS):
        b = arb(gain).exp()
        norm = sum((b**j for j in range(2 * len(differences) + 2)), arb(0))
        terms = (d * b**i for i, d in enumerate(differences, start=1) if d)
        s = abs(sum(terms, arb(0)) / norm)
        if s <= most:
            return True
        if s > most:
            return False
    raise ArithmeticError(f"{BITS} bits do not decide whether |s| = {s} is above {most}")


def exact_accuracy(length: int, gain: float = GAINS["e^(1/√6)"], most: float = 1e-7) -> Fraction:
    """The share of the published strings of that length that are decided rightly without rounding,
    acceptance being |s| <= `most`.

    An odd length has the strings of the even one below it: the generator drops the middle symbol.
    """
    right = 0
    for differences, count in _published(positive(length, "a length") // 2).items():
        is_palindrome = not any(differences)
        right += count * (is_accepted(differences, gain, most) == is_palindrome)
    return Fraction(right, STRINGS)


@cache
def _published(pairs: int) -> Counter[tuple[int, ...]]:
    """How many of the published strings of so many pairs have which differences w_i - w_ī."""
    strings = PublishedStrings("PALINDROME", SEEDS[0])
    drawn = (strings.string(2 * pairs)[:-1] for _ in range(STRINGS))
    return Counter(tuple(map(sub, w[:pairs], reversed(w[pairs:]))) for w in drawn)


def published_accuracy(length: int, gain: float = GAINS["e^(1/√6)"], most: float = 1e-7) -> float:
    """The accuracy that exact arithmetic gives the published network on the paper's strings,
    acceptance being |s| <= `most`.

    Half of the strings are palindromes, s = 0; the others have one flip, uniform over ⌊|w|/2⌋
    pairs, and |s| = b^i/Z there. The paper's figure 2 has `length` even: its generator drops the
    middle symbol.
    """
    n, pairs, seen = length + 2, length // 2, 0
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
