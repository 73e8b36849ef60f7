"""The exercises of chapters 4 and 9: where attention is diluted too far, what log n repairs, and
how far a factor on the logits carries a head.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import cast

from chapters.exercises.judge import exercise, verdict
from chapters.pages.which_log_n import is_right, turning
from lib.constructions import first, flawed_first
from lib.constructions.normalization import mirror
from lib.languages import FIRST
from lib.transformer import Construction, Encoder, Exact

FIRST_ERROR = 50  # positions at which exercise 4.2's transformer is to err first
LENGTHS = (10, 100, 1000)  # at which exercise 4.3's share is read
GAIN = Fraction(19, 2)  # exercise 9.1's
FAR = 10**12  # positions that exercise 9.2's transformer is to decide rightly
FAR_ENOUGH = Fraction(99, 10)  # a gain with which it does; larger ones err later
Number = Real | Decimal


def exactly(number: Number) -> Fraction | None:
    """The number as the rational that it stores; None for NaN and the infinities."""
    if isinstance(number, Rational):
        return Fraction(number)
    try:
        return Fraction(*cast(float, number).as_integer_ratio())
    except (ValueError, OverflowError):
        return None


@exercise("4.1", "an epsilon, to three decimals", Number)
def least_eps(answer: Number) -> str | None:
    """The eps above which g0 g1 < 1, read off the normalized transformer, if w1 = 1 (for a 0 it is
    a larger one).
    """

    def product(eps: float) -> float:
        trace = Encoder(mirror(first()), eps=eps).trace("10")
        cls, start = trace.a[1]["CLS"], trace.a[1]["[i=1]"]
        return float(cls[0, 0] * start[0, 1])

    given = float(answer)
    found = product(given)
    if product(max(given - 0.0005, 0)) > 1 > product(given + 0.0005):
        return None
    return f"at eps = {given:g} g0 g1 is {found:.4f}, {'above' if found > 1 else 'below'} 1"


@exercise("4.2", "a Construction", Construction)
def errs_first_at_50(answer: Construction) -> str | None:
    """The flawed transformer with a gain that fails under log n from n = 50 on, run in exact
    arithmetic on the two hardest strings of each length.
    """
    heads = [head for layer in answer.layers for head in layer.heads]
    plain = [flawed_first(head.gain, head.base) for head in heads]
    if not any(replace(answer, name=flawed.name) == flawed for flawed in plain):
        return "it differs from flawed_first in more than its gain"
    reader = Exact(answer, log_n=True)
    for n in range(2, FIRST_ERROR + 1):
        for w in ("1" + "0" * (n - 2), "0" + "1" * (n - 2)):
            accepted = reader.accepts(w)
            if accepted is None:
                return (
                    f"on {w}, at n = {n}, its s is so near to 0 that the sign is undecided, which "
                    "is no error: take a gain a little further away"
                )
            if accepted != (w in FIRST):
                return None if n == FIRST_ERROR else f"{verdict(w, accepted)} already, at n = {n}"
    return f"at n = {FIRST_ERROR} it still decides 1{'0' * (FIRST_ERROR - 2)} rightly"


def share(c: Fraction, n: int) -> float:
    """What position 1 gets of CLS's attention among n positions, read off the run."""
    trace = Encoder(flawed_first(c), log_n=True).trace("1" + "0" * (n - 2), weights=True)
    assert trace.attention is not None
    return float(trace.attention[1, 1][0, 0, 1])


def shares(c: Fraction) -> str:
    """How the share develops with c, as the beginning of a sentence."""
    read = ", ".join(f"{share(c, n):.3f}" for n in LENGTHS)
    return f"with c = {float(c):g} the share is {read} at n = 10, 100, 1000"


@exercise(
    "4.3",
    '"proved", or a c > 0 whose share vanishes',
    Number,
    refuted="then show it: give a c > 0 whose share vanishes",
    proved=lambda: f"{shares(Fraction(1, 2))}, and vanishes",
)
def share_vanishes(answer: Number) -> str | None:
    """Whether the share n^c / (n^c + n - 1) of position 1 vanishes for some c > 0: it does for c <
    1, where (1 - share) / share = (n - 1) / n^c grows without bound, and for no other.
    """
    if not cast(float, answer) > 0:
        return f"{answer} is not above 0"
    if (c := exactly(answer)) is None:
        return f"{answer} is not finite"
    return None if c < 1 else f"{shares(c)}, and does not vanish"


@exercise("9.1", "a whole number n", Number)
def first_error(answer: Number) -> str | None:
    """The least n at which the flawed FIRST of gain 9.5 errs under Llama 4's factor."""
    number = exactly(answer)
    if number is None or number.denominator != 1:
        return f"{answer} is not a whole number"
    n = int(number)
    if not 2 <= n <= FAR:
        return f"n is between 2 and 10^12, not {n}"
    if is_right(n, GAIN, "floor-log"):
        return f"at n = {n:,} it is still right"
    return f"it errs before n = {n:,}" if n > (turning(GAIN, "floor-log") or n) else None


@exercise("9.2", "a gain below 10", Number)
def goes_far(answer: Number) -> str | None:
    """A gain below 10 whose first error under Llama 4's factor comes after 10^12 tokens."""
    c = exactly(answer)
    if c is None or not 0 < c < 10:
        return f"{answer} is not between 0 and 10"
    n = turning(min(c, FAR_ENOUGH), "floor-log")
    assert n is not None
    return None if n > FAR else f"it errs first at n = {n:,}"


@exercise(
    "9.3",
    '"proved", or a p > 0 for which no gain will do',
    Number,
    refuted="then show it: give a p > 0",
    proved="(log n)^(1/2) is behind log(n - 1) by a factor that grows without bound",
)
def power_of_log(answer: Number) -> str | None:
    """Whether (log n)^p keeps the flawed FIRST of some gain right at every length: c (log n)^p >
    log(n - 1) for every n if p >= 1 and c >= (log 2)^(1-p), and for no c if p < 1.
    """
    p = exactly(answer)
    if p is None or p <= 0:
        return f"{answer} is not a number above 0"
    if p < 1:
        return None
    return "for p of 1 or more the gain c = (log 2)^(1 - p) and all larger ones will do"
