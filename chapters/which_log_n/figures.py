"""Chapter 9 and its record: at which length the flawed FIRST turns under each factor on its logits,
and what the laboratory found beside what was expected.

A head of gain c under a factor f gives position 1 the weight e^(c f(n)) among n - 1 others of
weight 1, so that it is right on all strings of n - 1 symbols if and only if c f(n) > log(n - 1):
chapter 4's theorem with c f(n) for c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from flint import arb, ctx
from matplotlib.figure import Figure

from chapters.common.learners.network import LOGIT_SCALES
from chapters.which_log_n.runs import (
    LABORATORY,
    LOGARITHMS,
    OUTCOMES,
    TRAINED,
    hard_reaches,
    outcome,
    reaches,
)
from chapters.which_log_n.runs import cells as cells_of
from lib.checks import Number, between, one_of, rational, takes
from lib.transformer.construction import Construction
from record.notebook import COLOURS
from record.runs import Stored, read_yaml, stored

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

    margin: Callable[[int, Fraction, int], arb]
    holds_on: Callable[[Fraction, int], bool] = lambda c, L: False
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
    "none": Factor(lambda n, c, L: _real(c) - arb(n - 1).log()),
    "log L": Factor(_log_L),
    # never 0: no power of n is one of n - 1
    "log n": Factor(
        lambda n, c, L: _real(c) * arb(n).log() - arb(n - 1).log(), lambda c, L: c >= 1
    ),
    # positions counted from 0, for CLS: the last one is n - 1, and at n = 2 its logarithm is 0
    "log (n - 1)": Factor(lambda n, c, L: (_real(c) - 1) * arb(n - 1).log()),
    "log n / log L": Factor(
        lambda n, c, L: _real(c) * arb(n).log() / arb(L).log() - arb(n - 1).log(),
        lambda c, L: bool(_real(c) >= arb(L).log()),
    ),
    "floor-log": Factor(_floor_log, lambda c, L: c >= 10, STEP),
}


@takes(n=between(2, 10**1010), factor=one_of(FACTORS), trained=between(2))
def is_right(n: int, c: Number, factor: str, trained: int = 2) -> bool:
    """Whether the flawed FIRST of gain c > 0 under the factor is right on all strings of n - 1
    symbols; L is `trained`.

    ArithmeticError where 2^14 bits do not decide it.
    """
    gain = rational(c, "a gain")
    if not 0 < gain <= 1000:
        raise ValueError(f"a gain above 0, and at most 1000, is expected, not {c!r}")
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

    def errs(n: int) -> bool:
        return not is_right(n, c, factor, trained)

    rule = FACTORS[factor]
    if errs(2):
        return 2
    if rule.holds_on(rational(c), trained):
        return None
    last = 1  # the number of a step at whose end the transformer errs
    while not errs(max(2, last * rule.step - 1)):
        if last * rule.step > 10**1000:
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


def scaled(construction: Construction, factor: Number) -> Construction:
    """The construction with the gains of all its heads multiplied by a factor > 0."""
    times = rational(factor)
    layers = [
        replace(layer, heads=[replace(head, gain=head.gain * times) for head in layer.heads])
        for layer in construction.layers
    ]
    return replace(construction, layers=layers)


key = itemgetter("language", "positions", "mask", "factor")  # what names a cell


@dataclass(frozen=True)
class Laboratory:
    """The cells of the laboratory by language, positions, mask and factor: what was expected of
    each, and what its runs came to.
    """

    runs: list[Stored]
    expected: dict[tuple, dict]
    found: dict[tuple, dict]

    @classmethod
    def read(cls) -> Laboratory:
        """The laboratory's stored runs."""
        runs = [stored(name) for name in LABORATORY]
        expected = {key(cell): cell for run in runs for cell in cells_of(run.name)}
        found = {key(row["configuration"]): row["result"] for run in runs for row in run.results}
        return cls(runs, expected, found)

    @property
    def unseen(self) -> list[dict]:
        """The cells of which no trial was known when the expectation was written."""
        return [
            cell
            for cell in self.expected.values()
            if "seen" not in cell and "trial" not in cell["reason"]
        ]

    @property
    def bold(self) -> list[dict]:
        """Those of them that were expected to learn their training length."""
        return [cell for cell in self.unseen if cell["expected"] != "no"]

    def outcome(self, cell: dict) -> str:
        """What a cell came to."""
        return outcome(self.found[key(cell)]["tests"])

    def hits(self, some: Sequence[dict] | None = None) -> int:
        """How many of some cells, or of the unseen ones, came to what was expected."""
        return sum(
            self.outcome(x) == x["expected"] for x in (self.unseen if some is None else some)
        )

    def right_to(self, length: int, *cell: str) -> int:
        """How many runs of a cell are right on random strings to a length."""
        return int((reaches(self.found[cell]["tests"]) >= length).sum())

    def learned_one(self) -> list[tuple[str, str, int]]:
        """Each factor, its value at the last token of the longest training strings, and how many
        runs of ONE behind a mask, without positions, are right at that length; most first.
        """
        n = torch.tensor(float(TRAINED + 1))
        lines = []
        for factor, said in NAMED.items():
            scale = factor.removeprefix("learned ")
            value = f"{float(LOGIT_SCALES[scale](n, n, n)):.2g}{' s' * (scale != factor)}"
            lines.append((said, value, self.right_to(TRAINED, "ONE", "none", "future", factor)))
        return sorted(lines, key=itemgetter(2), reverse=True)

    @property
    def hard(self) -> dict[str, int]:
        """How many runs of FIRST are right to the last length on hard strings too, by factor."""
        return {factor: int((reach >= 1000).sum()) for factor, reach in hard_first().items()}

    def first(self, length: int) -> dict[str, int]:
        """How many runs of FIRST behind a mask, with [i=1], reach a length, by factor."""
        return {f: self.right_to(length, "FIRST", "FIRST", "future", f) for f in MASKED}


def hard_first() -> dict[str, np.ndarray]:
    """How far the same runs go if they must be right on hard strings too, by factor."""
    found = stored("length_extremes").by("factor")
    return {factor: hard_reaches(result) for factor, result in found.items()}


def lines_figure() -> Figure:
    """By how much a head's logit clears the bar, c f(n) - log(n - 1): for no factor, for f = log n
    and for Llama 4's.
    """
    n = np.unique(np.geomspace(2, 1e10, 4000).round())
    stairs = 1 + 0.1 * np.log(1 + np.floor(n / STEP))
    panels = {
        "no factor": {f"c = {c}": np.full_like(n, c) for c in (9.5, 5, 2)},
        "the factor log n": {f"c = {c}": c * np.log(n) for c in (1.1, 1, 0.9)},
        "Llama 4's factor": {
            **{f"c = {c}": c * stairs for c in (10, 9.5)},
            "c = 9.5, no factor": np.full_like(n, 9.5),
        },
    }
    figure, axes = plt.subplots(1, 3, figsize=(7.4, 3))
    for axis, (title, lines), top in zip(axes, panels.items(), (10, 3, 3), strict=True):
        axis.axhspan(-3, 0, color="#777777", alpha=0.15, linewidth=0)
        axis.axhline(0, color="#777777", linewidth=1)
        for (label, logits), colour in zip(lines.items(), COLOURS.values()):
            axis.plot(n, logits - np.log(n - 1), color=colour, label=label)
        axis.set(xscale="log", ylim=(-3, top), xlabel="$n$, tokens", title=title)
        axis.legend(fontsize=8)
    axes[0].set_ylabel(r"$c\,f(n) - \log(n-1)$")
    return figure


def hard_figure(laboratory: Laboratory) -> Figure:
    """FIRST behind a mask under each factor: how many runs of twenty are right to the last length,
    on random strings and, dark, on hard ones too; multiples of a logarithm first.
    """
    random, hard = laboratory.first(1000), laboratory.hard
    factors = sorted(MASKED, key=lambda f: (f in LOGARITHMS, hard[f]))
    figure, axis = plt.subplots(figsize=(6.4, 3))
    names = [NAMED[f] for f in factors]
    colours = [COLOURS["ONE" if f in LOGARITHMS else "FIRST"] for f in factors]
    for counts, alpha, ink in ((random, 0.3, "black"), (hard, 1.0, "white")):
        bars = axis.barh(names, [counts[f] for f in factors], color=colours, alpha=alpha)
        axis.bar_label(bars, padding=-16, color=ink, fontsize=9)
    axis.set(xlabel="networks right to 1000 symbols", xlim=(0, 20.5), xticks=range(0, 21, 5))
    return figure


def scores(cells: Sequence[dict], found: Mapping[tuple, dict]) -> dict[tuple[str, str], int]:
    """How many cells of each expected outcome came to each outcome."""
    pairs = [(cell["expected"], outcome(found[key(cell)]["tests"])) for cell in cells]
    return {(e, o): pairs.count((e, o)) for e in OUTCOMES for o in OUTCOMES}
