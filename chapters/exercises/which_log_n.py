"""The exercises of chapter 9: how far a factor on the logits carries a head."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import cast
from chapters.pages.which_log_n.factors import is_right, turning
from chapters.exercises.judge import exercise


GAIN = Fraction(19, 2)  # exercise 1's
FAR = 10**12  # positions that exercise 2's transformer is to decide rightly
FAR_ENOUGH = Fraction(99, 10)  # a gain with which it does; larger ones err later
Number = Real | Decimal


@exercise("9.1", "a whole number n", Real, Decimal)
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


@exercise("9.2", "a gain below 10", Real, Decimal)
def goes_far(answer: Number) -> str | None:
    """A gain below 10 whose first error under Llama 4's factor comes after 10^12 tokens."""
    c = exactly(answer)
    if c is None or not 0 < c < 10:
        return f"{answer} is not between 0 and 10"
    n = turning(min(c, FAR_ENOUGH), "floor-log")
    assert n is not None
    return None if n > FAR else f"it errs first at n = {n:,}"


@exercise("9.3", '"proved", or a p > 0 for which no gain will do', str, Real, Decimal)
def power_of_log(answer: str | Number) -> str | None:
    """Whether (log n)^p keeps the flawed FIRST of some gain right at every length: c (log n)^p >
    log(n - 1) for every n if p >= 1 and c >= (log 2)^(1-p), and for no c if p < 1.
    """
    if answer == "refuted":
        return "then show it: give a p > 0"
    if isinstance(answer, str):
        return "(log n)^(1/2) is behind log(n - 1) by a factor that grows without bound"
    p = exactly(answer)
    if p is None or p <= 0:
        return f"{answer} is not a number above 0"
    if p < 1:
        return None
    return "for p of 1 or more the gain c = (log 2)^(1 - p) and all larger ones will do"


def exactly(number: Number) -> Fraction | None:
    """The number as the rational that it stores; None for NaN and the infinities."""
    if isinstance(number, Rational):
        return Fraction(number)
    try:
        return Fraction(*cast(float, number).as_integer_ratio())
    except (ValueError, OverflowError):
        return None
