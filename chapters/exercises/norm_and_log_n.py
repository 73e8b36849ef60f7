"""The exercises of chapters 3, 4 and 9: layer normalization, where attention is diluted too far,
what log n repairs, and how far a factor on the logits carries a head.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import exp, log1p, log2, sqrt
from numbers import Rational, Real
from typing import cast

from chapters.exercises.judge import counterexample, numbered_exercise, spelled, verdict
from chapters.pages.which_log_n import is_right, turning
from lib.constructions import first, flawed_first, parity
from lib.constructions.normalization import mirror, mirrored, sharpen
from lib.languages import FIRST, PARITY
from lib.transformer import Construction, Encoder, Exact, Space, cross_entropy_bits

WIDTH = 50
TO_FIVE_DECIMALS = 5.001e-6
LENGTHS = (*range(1, 31), 40, 50, 60, 100, 200, 1000)  # of strings that exercise 3.2 runs
LONGEST, MOST_BITS = 60, 512  # of a string of exercise 3.3's, and of what decides it
FIRST_ERROR = 50  # positions at which exercise 4.2's transformer is to err first
GAIN = Fraction(47, 5)  # exercise 9.1's
FAR = 10**12  # positions that exercise 9.2's transformer is to decide rightly
FAR_ENOUGH = Fraction(99, 10)  # a gain with which it does; larger ones err later
Number = Real | Decimal


def bits(reader: Encoder, strings: list[str]) -> list[float]:
    """The cross-entropy on each of the strings, of one length, in FIRST or outside it."""
    return cross_entropy_bits(reader(strings), [w in FIRST for w in strings]).tolist()


@numbered_exercise("3.1", Real, Decimal)
def cross_entropy(answer: Real | Decimal) -> str | None:
    """The cross-entropy of a sharpened transformer with 50 coordinates, an output weight of 1."""
    names = first().space.names
    spare = (f"spare {j}" for j in range(WIDTH // 2 - len(names)))
    wide = replace(first(), space=Space(*names, *spare))
    sharpened = sharpen(mirror(wide), eta=log1p(exp(-sqrt(WIDTH / 2))))
    given, [found] = float(answer), bits(Encoder(sharpened, eps=0), ["1"])
    if abs(given - found) <= TO_FIVE_DECIMALS:
        return None
    return f"{given:g} is too {'little' if given < found else 'much'}"


@numbered_exercise("3.2", Construction)
def wide_first(answer: Construction) -> str | None:
    """FIRST in 50 mirrored coordinates, sharpened with an output weight of 1."""
    names = answer.space.names
    if len(names) != WIDTH:
        return f"the number of its coordinates is {len(names)}, not {WIDTH}"
    negatives = {mirrored(name) for name in names}
    if alone := [name for name in names if mirrored(name) not in names and name not in negatives]:
        return f"its coordinate {alone[0]!r} has no negative"
    reader = Encoder(answer, eps=0)
    if wrong := counterexample(FIRST, reader.accepts, range(1, 7)):
        return wrong
    closed = log2(1 + exp(-sqrt(WIDTH / 2)))
    for length in LENGTHS:
        strings = [first_symbol + other * (length - 1) for first_symbol in "01" for other in "01"]
        for w, found in zip(strings, bits(reader, strings), strict=True):
            if not abs(found - closed) <= 1e-9:
                return f"its cross-entropy on {spelled(w)} is {found:.5f} bits, not {closed:.5f}"
    return None


@numbered_exercise("3.3", tuple)
def every_string(answer: tuple) -> str | None:
    """Whether mirrored, tie-free PARITY is right on every string, whatever c > 0 and eps >= 0."""
    if len(answer) != 3:
        return f"a case has 3 parts, w, c and eps, not {len(answer)}"
    w, c, eps = answer
    if not c > 0:
        return f"c is {c}, not above 0"
    if len(w) > LONGEST:
        return f"a string of {len(w)} symbols takes long: give one of at most {LONGEST}"
    decision = Exact(mirror(parity(c, tie_free=True)), eps=eps).decide(w, max_bits=MOST_BITS)
    if decision.accepts is None:
        return f"{MOST_BITS} bits leave its sign undecided, which refutes nothing"
    decided = "accepted" if decision.accepts else "rejected"
    if decision.accepts == (w in PARITY):
        return f"{w or 'the empty string'} is {decided} there, rightly"
    return None


def exactly(number: Number) -> Fraction | None:
    """The number as the rational that it stores; None for NaN and the infinities."""
    if isinstance(number, Rational):
        return Fraction(number)
    try:
        return Fraction(*cast(float, number).as_integer_ratio())
    except (ValueError, OverflowError):
        return None


@numbered_exercise("4.1", Number)
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


@numbered_exercise("4.2", Construction)
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


def shares(c: Fraction) -> str:
    """What position 1 gets of CLS's attention, read off runs, as the beginning of a sentence."""
    reader, read = Encoder(flawed_first(c), log_n=True), []
    for n in (10, 100, 1000):
        trace = reader.trace("1" + "0" * (n - 2), weights=True)
        share = (trace.attention or {})[1, 1][0, 0, 1]
        read.append(f"{float(share):.3f}")
    return f"with c = {float(c):g} the share is {', '.join(read)} at n = 10, 100, 1000"


@numbered_exercise("4.3", Number, proved=lambda: f"{shares(Fraction(1, 2))}, and vanishes")
def share_vanishes(answer: Number) -> str | None:
    """Whether the share n^c / (n^c + n - 1) of position 1 vanishes for some c > 0: it does for c <
    1, where (1 - share) / share = (n - 1) / n^c grows without bound, and for no other.
    """
    if not cast(float, answer) > 0:
        return f"{answer} is not above 0"
    if (c := exactly(answer)) is None:
        return f"{answer} is not finite"
    return None if c < 1 else f"{shares(c)}, and does not vanish"


@numbered_exercise("9.1", Number)
def first_error(answer: Number) -> str | None:
    """The least n at which the flawed FIRST of gain 9.4 errs under Llama 4's factor."""
    number = exactly(answer)
    if number is None or number.denominator != 1:
        return f"{answer} is not a whole number"
    n = int(number)
    if not 2 <= n <= FAR:
        return f"n is between 2 and 10^12, not {n}"
    if is_right(n, GAIN, "floor-log"):
        return f"at n = {n:,} it is still right"
    return f"it errs before n = {n:,}" if n > (turning(GAIN, "floor-log") or n) else None


@numbered_exercise("9.2", Number)
def goes_far(answer: Number) -> str | None:
    """A gain below 10 whose first error under Llama 4's factor comes after 10^12 tokens."""
    c = exactly(answer)
    if c is None or not 0 < c < 10:
        return f"{answer} is not between 0 and 10"
    n = turning(min(c, FAR_ENOUGH), "floor-log")
    assert n is not None
    return None if n > FAR else f"it errs first at n = {n:,}"


@numbered_exercise("9.3", Number)
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
