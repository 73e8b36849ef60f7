"""Chapter 9 and its record: at which length the flawed FIRST turns under each factor on its logits,
and what the laboratory found beside what was expected.

A head of gain c under a factor f gives position 1 the weight e^(c f(n)) among n - 1 others of
weight 1, so that it is right on all strings of n - 1 symbols if and only if c f(n) > log(n - 1):
chapter 4's theorem with c f(n) for c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path

import numpy as np
from flint import arb, ctx, fmpq

from chapters.which_log_n.runs import LABORATORY, cells, outcome, reaches
from lib.checks import Number, rational
from lib.transformer.construction import Construction
from lib.transformer.space import exactly
from record.runs import read_yaml, stored

SAID = read_yaml(Path(__file__).with_suffix(".yaml"))
POSITIONS: dict[str, str] = SAID["positions"]
MASKED: dict[str, str] = SAID["masked"]
NAMED = MASKED | {"plain": "1 (no factor)"}  # what the lesson calls them
SHOWN: dict[str, str] = SAID["shown"]

STEP = 8192  # tokens for which Llama 4's factor stays the same
MOST_BITS = 1 << 14


@dataclass(frozen=True)
class Factor:
    """What logits are multiplied by: `margin(n, c, L)` has the sign of c f(n) - log(n - 1) and is
    exact where that may be 0.

    `holds_on(c, L)` says whether the margin is positive for every n, and `step` for how many
    lengths f stays the same. Where it does not hold on, the last lengths of the steps are decided
    correctly up to one and incorrectly from there on, and so are the lengths within a step.
    """

    margin: Callable[[int, fmpq, int], arb]
    holds_on: Callable[[fmpq, int], bool] = lambda c, L: False
    step: int = 1


def _log_L(n: int, c: fmpq, L: int) -> arb:
    """c log L - log(n - 1), or L^p - (n - 1)^q for c = p / q where that may be 0: q does not exceed
    the number of bits of L there, for L is the q-th power of a whole number.
    """
    p, q = int(c.p), int(c.q)
    return arb(L**p - (n - 1) ** q) if q <= L.bit_length() else c * arb(L).log() - arb(n - 1).log()


FACTORS = {
    "none": Factor(lambda n, c, L: c - arb(n - 1).log()),
    "log L": Factor(_log_L),
    # never 0: no power of n is one of n - 1
    "log n": Factor(lambda n, c, L: c * arb(n).log() - arb(n - 1).log(), lambda c, L: c >= 1),
    # positions counted from 0, for CLS: the last one is n - 1, and at n = 2 its logarithm is 0
    "log (n - 1)": Factor(lambda n, c, L: (c - 1) * arb(n - 1).log()),
    "log n / log L": Factor(
        lambda n, c, L: c * arb(n).log() / arb(L).log() - arb(n - 1).log(),
        lambda c, L: bool(c >= arb(L).log()),
    ),
    # Llama 4's temperature, 1 + 0.1 log(1 + ⌊n / 8192⌋) for a query that sees n tokens: attn_scale
    # and floor_scale in Hugging Face's transformers, models/llama4/modeling_llama4.py
    "floor-log": Factor(
        lambda n, c, L: c * (1 + arb(1 + n // STEP).log() / 10) - arb(n - 1).log(),
        lambda c, L: c >= 10,
        STEP,
    ),
}


def is_right(n: int, c: Number, factor: str, trained: int = 2) -> bool:
    """Whether the flawed FIRST of gain c > 0 under the factor is right on all strings of n - 1
    symbols; L is `trained`.

    ArithmeticError where 2^14 bits do not decide it.
    """
    gain, bits = exactly(rational(c, "a gain")), 64
    while bits <= MOST_BITS:
        with ctx.workprec(bits + 4 * n.bit_length()):
            margin = FACTORS[factor].margin(n, gain, trained)
            if margin > 0 or margin <= 0:
                return bool(margin > 0)
        bits *= 4
    raise ArithmeticError(f"at n = {n} {MOST_BITS} bits do not tell c f(n) from log(n - 1)")


def turning(c: Number, factor: str, trained: int = 2) -> int | None:
    """The least n >= 2 at which the flawed FIRST of gain c > 0 errs under the factor on a string of
    n - 1 symbols, exactly; None if there is none.

    ArithmeticError where it comes after 10^1000 tokens, as with a gain just below the least that is
    right at every length.
    """

    def errs(n: int) -> bool:
        return not is_right(n, c, factor, trained)

    rule = FACTORS[factor]
    if errs(2):
        return 2
    if rule.holds_on(exactly(c), trained):
        return None
    last = 1  # the number of a step at whose end the transformer errs
    while not errs(max(2, last * rule.step - 1)):
        if last * rule.step > 10**1000:
            raise ArithmeticError(f"gain {c} under {factor} first errs after 10^1000 tokens")
        last *= 2
    step = _least(lambda m: errs(max(2, m * rule.step - 1)), max(1, last // 2), last)
    return _least(errs, max(2, (step - 1) * rule.step), max(2, step * rule.step - 1))


def _least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from `low` to `high` from which on a condition holds, as at `high`."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def scaled(construction: Construction, factor: Number) -> Construction:
    """The construction with the gains of all its heads multiplied by a factor > 0."""
    times = rational(factor)
    layers = [
        replace(layer, heads=[replace(head, gain=head.gain * times) for head in layer.heads])
        for layer in construction.layers
    ]
    return replace(construction, layers=layers)


key = itemgetter("language", "positions", "mask", "factor")  # what names a cell


class Laboratory:
    """The cells of the laboratory by language, positions, mask and factor: what was expected of
    each, and what its runs came to.
    """

    def __init__(self):
        self.runs = [stored(name) for name in LABORATORY]
        self.expected = {key(cell): cell for run in self.runs for cell in cells(run.name)}
        rows = [row for run in self.runs for row in run.results]
        self.found = {key(row["configuration"]): row["result"] for row in rows}

    @property
    def unseen(self) -> list[dict]:
        """The cells of which no trial was known when the expectation was written."""
        every = self.expected.values()
        return [cell for cell in every if "seen" not in cell and "trial" not in cell["reason"]]

    def outcome(self, cell: dict) -> str:
        """What a cell came to."""
        return outcome(self.found[key(cell)]["tests"])

    def hits(self, some: Sequence[dict]) -> int:
        """How many of some cells came to what was expected."""
        return sum(self.outcome(cell) == cell["expected"] for cell in some)

    def right_to(self, length: int, *cell: str) -> int:
        """How many runs of a cell are right on random strings to a length."""
        return int((reaches(self.found[cell]["tests"]) >= length).sum())


def hard_first() -> dict[str, np.ndarray]:
    """How far the same runs go if they must be right on hard strings too, by factor."""
    found = stored("length_extremes").by("factor")
    return {
        factor: reaches(result["tests"], result["extremes"]) for factor, result in found.items()
    }
