"""The exercises of chapter 13: networks judged at every length."""

from fractions import Fraction
from functools import cache

import numpy as np

from chapters.common.judge import Number, exercise
from chapters.how_long.figures import by_hand
from chapters.how_long.runs import LANGUAGES
from lib.formulas.text import formula
from lib.trained.counts import EveryLength, every_length
from lib.verdicts import WRONG

BIAS, REACH, LONG = -1 / 250, 500, 4_000
AT_LEAST = 'count(Q("1")) >= count(Q("0"))'


@cache
def asked(bias: float, language: str, longest: int) -> EveryLength:
    """The network by hand with a bias, at every length."""
    return every_length(by_hand(bias), formula(language, "01"), longest)


@exercise("13.1", int, np.integer)
def always_from(answer: int) -> str | None:
    """The least length from which by_hand(-1/250) errs on a string of each length."""
    least = asked(BIAS, LANGUAGES["MAJORITY"], 1 << 10).always
    if answer == least:
        return None
    if least is not None and answer > least:
        before = f"it errs on some string of {answer - 1:,} symbols too"
        return f"{before}, and of each length after that"
    return f"there is a length from {answer:,} on at which it decides every string correctly"


@exercise("13.2", Number)
def right_with_ties(answer: Fraction) -> str | None:
    """A bias with which "at least as many 1s as 0s" is decided correctly up to 500 symbols."""
    return _short_of(REACH, answer, AT_LEAST, 1 << 10)


def _short_of(reach: int, bias: Fraction, language: str, longest: int) -> str | None:
    """Why the network with that bias is not right up to `reach` symbols."""
    if not -1 <= bias <= 1:
        return f"a bias between -1 and 1 is expected, not {bias}"
    found = asked(float(bias), language, longest)
    if found.reach >= reach:
        return None
    if found.kind == WRONG and len(found.counterexample or "") == found.reach + 1:
        return f"it errs on a string of {found.reach + 1:,} symbols already"
    return f"a string of {found.reach + 1:,} symbols has the score 0, or nearly so"


@exercise("13.3", Number)
def right_so_far(answer: Fraction) -> str | None:
    """A bias that is right on every string up to 4,000 symbols, and wrong on a later one."""
    if amiss := _short_of(LONG, answer, LANGUAGES["MAJORITY"], 1 << 14):
        return amiss
    found = asked(float(answer), LANGUAGES["MAJORITY"], 1 << 14)
    return None if found.kind == WRONG else f"no error was found up to {found.reach:,} symbols"
