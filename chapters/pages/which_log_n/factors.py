"""Factors on the attention logits, and the exact length at which the flawed FIRST turns under each.

A head of gain c under a factor f gives position 1 the weight e^(c f(n)) among n - 1 others of
weight 1, so that it is right on all strings of n - 1 symbols if and only if c f(n) > log(n - 1):
chapter 4's theorem with c f(n) for c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from flint import arb, ctx
from lib.checks import between, Number, one_of, optional, rational, takes
from lib.transformer.construction import Construction


STEP = 8192  # tokens for which Llama 4's factor stays the same
MOST_BITS = 1 << 14
LONGEST = 10**15
LATEST = 10**1000  # how far a first error is looked for
LARGEST_GAIN = 1000


@dataclass(frozen=True)
class Factor:
    """What logits are multiplied by: `margin(n, c, L)` has the sign of c f(n) - log(n - 1) and is
    exact where that may be 0.

    `holds_on(c, L)` says whether the margin is positive for every n, and `step` for how many
    lengths f stays the same. Where it does not hold on, the last lengths of the steps are decided
    rightly up to one and wrongly from there on, and so are the lengths within a step.
    """

    margin: Callable[[int, Fraction, int], arb]
    holds_on: Callable[[Fraction, int], bool]
    step: int = 1


def _real(c: Fraction) -> arb:
    return arb(c.numerator) / c.denominator


def _log_L(n: int, c: Fraction, L: int) -> arb:
    """c log L - log(n - 1), or L^p - (n - 1)^q for c = p / q where that may be 0: q does not exceed
    the number of bits of L there, for L is the q-th power of a whole number.
    """
    if c.denominator <= L.bit_length():
        return arb(L**c.numerator - (n - 1) ** c.denominator)
    return _real(c) * arb(L).log() - arb(n - 1).log()


def _floor_log(n: int, c: Fraction, L: int) -> arb:
    """Llama 4's temperature, 1 + 0.1 log(1 + ⌊n / 8192⌋) for a query that sees n tokens: attn_scale
    and floor_scale in Hugging Face's transformers, models/llama4/modeling_llama4.py.
    """
    return _real(c) * (1 + arb(1 + n // STEP).log() / 10) - arb(n - 1).log()


FACTORS = {
    "none": Factor(lambda n, c, L: _real(c) - arb(n - 1).log(), lambda c, L: False),
    "log L": Factor(_log_L, lambda c, L: False),
    # never 0: no power of n is one of n - 1
    "log n": Factor(
        lambda n, c, L: _real(c) * arb(n).log() - arb(n - 1).log(), lambda c, L: c >= 1
    ),
    # positions counted from 0, for CLS: the last one is n - 1, and at n = 2 its logarithm is 0
    "log (n - 1)": Factor(lambda n, c, L: (_real(c) - 1) * arb(n - 1).log(), lambda c, L: False),
    "log n / log L": Factor(
        lambda n, c, L: _real(c) * arb(n).log() / arb(L).log() - arb(n - 1).log(),
        lambda c, L: bool(_real(c) >= arb(L).log()),
    ),
    "floor-log": Factor(_floor_log, lambda c, L: c >= 10, STEP),
}


@takes(n=between(2, LONGEST), factor=one_of(FACTORS), trained=between(2))
def is_right(n: int, c: Number, factor: str, trained: int = 2) -> bool:
    """Whether the flawed FIRST of gain c > 0 under the factor is right on all strings of n - 1
    symbols; L is `trained`.

    ArithmeticError where 2^14 bits do not decide it.
    """
    return _is_right(n, checked_gain(c), factor, trained)


def checked_gain(c: Number) -> Fraction:
    """A gain as the rational that it is; ValueError unless it is between 0 and 1000."""
    gain = rational(c, "a gain")
    if not 0 < gain <= LARGEST_GAIN:
        raise ValueError(f"a gain above 0, and at most {LARGEST_GAIN}, is expected, not {c!r}")
    return gain


def _is_right(n: int, gain: Fraction, factor: str, trained: int) -> bool:
    """The same for an n of any size."""
    bits = 64
    while bits <= MOST_BITS:
        with ctx.workprec(bits + 4 * n.bit_length()):
            margin = FACTORS[factor].margin(n, gain, trained)
            if margin > 0 or margin <= 0:
                return bool(margin > 0)
        bits *= 4
    raise ArithmeticError(f"at n = {n} {MOST_BITS} bits do not tell c f(n) from log(n - 1)")


@takes(factor=one_of(FACTORS), trained=between(2))
def turning(c: Number, factor: str, trained: int = 2) -> int | None:
    """The least n >= 2 at which the flawed FIRST of gain c > 0 errs under the factor on a string of
    n - 1 symbols, exactly; None if there is none.

    ArithmeticError where it comes after 10^1000 tokens, as with a gain just below the least that is
    right at every length.
    """
    gain, rule = checked_gain(c), FACTORS[factor]
    if rule.holds_on(gain, trained):
        return None

    def errs(n: int) -> bool:
        return not _is_right(n, gain, factor, trained)

    if errs(2):
        return 2
    last = 1  # the number of a step at whose end the transformer errs
    while not errs(max(2, last * rule.step - 1)):
        if last * rule.step > LATEST:
            raise ArithmeticError(f"gain {c} under {factor} first errs after 10^1000 tokens")
        last *= 2
    step = _least(lambda m: errs(max(2, m * rule.step - 1)), max(1, last // 2), last)
    return _least(errs, max(2, (step - 1) * rule.step), max(2, step * rule.step - 1))


def _least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from `low` to `high` at which a condition holds that then goes on to hold,
    and that holds at `high`.
    """
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


@takes(construction=Construction, base=optional(rational))
def scaled(construction: Construction, factor: Number, base: Number | None = None) -> Construction:
    """The construction with the gains of all its heads multiplied by a factor > 0, times ln `base`
    where there is one and the head has none.
    """
    times = rational(factor, "a factor")
    if times <= 0:
        raise ValueError(f"a factor above 0 is expected, not {factor!r}")
    layers = [
        replace(
            layer,
            heads=tuple(replace(h, gain=h.gain * times, base=h.base or base) for h in layer.heads),
        )
        for layer in construction.layers
    ]
    return replace(construction, layers=layers)
