"""The exercises of chapter 9: how far a factor on the logits carries a head."""

from fractions import Fraction

from chapters.common.judge import Number, exercise
from chapters.which_log_n.figures import is_right, turning

GAIN = Fraction(47, 5)  # exercise 9.1's
FAR = 10**12  # positions that exercise 9.2's transformer is to decide correctly
FAR_ENOUGH = Fraction(99, 10)  # a gain with which it does; larger ones err later


@exercise("9.1", Number)
def first_error(answer: Fraction) -> str | None:
    """The least n at which the flawed FIRST of gain 9.4 errs under Llama 4's factor."""
    n = int(answer)
    if n != answer:
        return f"{answer} is not a whole number"
    if not 2 <= n <= FAR:
        return f"n is between 2 and 10^12, not {n}"
    if is_right(n, GAIN, "floor-log"):
        return f"at n = {n:,} it is still right"
    return f"it errs before n = {n:,}" if n > (turning(GAIN, "floor-log") or n) else None


@exercise("9.2", Number)
def goes_far(c: Fraction) -> str | None:
    """A gain below 10 whose first error under Llama 4's factor comes after 10^12 tokens."""
    if not 0 < c < 10:
        return f"{c} is not between 0 and 10"
    n = turning(min(c, FAR_ENOUGH), "floor-log")
    assert n is not None
    return None if n > FAR else f"it errs first at n = {n:,}"


@exercise("9.3", Number)
def power_of_log(p: Fraction) -> str | None:
    """Whether (log n)^p keeps the flawed FIRST of some gain right at every length: c (log n)^p >
    log(n - 1) for every n if p >= 1 and c >= (log 2)^(1-p), and for no c if p < 1.
    """
    if p <= 0:
        return f"{p} is not above 0"
    if p < 1:
        return None
    return "for p of 1 or more the gain c = (log 2)^(1 - p) and all larger ones will do"
