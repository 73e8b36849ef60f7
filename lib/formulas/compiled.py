"""Compiling: a formula and a kind of attention to a construction that decides the formula."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from lib.checks import Number, between, one_of, rational, takes, text, whole
from lib.formulas.interpreter import language
from lib.formulas.parts import depth, symbols
from lib.formulas.syntax import Formula, FormulaError, checked
from lib.formulas.text import checked_alphabet
from lib.formulas.text import formula as read
from lib.formulas.thresholds import Hardmax, Normalized, Softmax
from lib.languages import Language
from lib.transformer.construction import Construction

ATTENTIONS = ("hardmax", "softmax", "layer norm")
BASE, SLOPE = 16, 2  # of a softmax comparison: mean positions 3/10 off the middle, clipped at 1/4


@dataclass(frozen=True)
class Compiled:
    """A formula over an alphabet, and a transformer for it: `construction`, which recognises the
    formula's language when it is read with `options` (`Encoder(construction, **options)`).
    """

    formula: Formula
    alphabet: tuple[str, ...]
    attention: str
    base: Fraction
    slope: Fraction
    construction: Construction

    @property
    def options(self) -> dict[str, Any]:
        """How a reader must read it: hardmax, softmax, or softmax under layer normalization."""
        return {
            "hardmax": {"attention": "hardmax"},
            "softmax": {"attention": "softmax"},
            "layer norm": {"attention": "softmax", "eps": 0},
        }[self.attention]

    @property
    def language(self) -> Language:
        """The strings at whose last position the formula holds, by the interpreter."""
        return language(self.formula, self.alphabet)

    @property
    def is_exact(self) -> bool:
        """Whether the theorems of chapter 8 prove it for every length, in exact arithmetic: they
        speak of what the compiler makes and, for softmax, need a clip within the mean's least
        distance from the middle, slope (√base - 1)/(√base + 1) >= 1.
        """
        made = compiled(self.formula, self.alphabet, self.attention, self.base, self.slope)
        if replace(made.construction, name=self.construction.name) != self.construction:
            return False
        if self.attention != "softmax":
            return True
        return self.slope > 1 and self.base >= ((self.slope + 1) / (self.slope - 1)) ** 2


@takes(attention=one_of(ATTENTIONS), most=between(0), name=text)
def compiled(
    formula: Formula | str,
    alphabet: Iterable[str],
    attention: str = "hardmax",
    base: Number = BASE,
    slope: Number = SLOPE,
    most: int | None = None,
    name: str | None = None,
) -> Compiled:
    """A transformer that recognises the strings over `alphabet` at whose last position `formula`,
    a formula or its text, holds.

    `attention` is "hardmax" (the averaging kind), "softmax" (without layer normalization) or "layer
    norm" (softmax under layer normalization with eps = 0); `base` and `slope` are those of the
    softmax comparison. `most` limits the depth of counts in counts. FormulaError for what is no
    formula over the alphabet, lies deeper or takes too many parts, ValueError for another option.
    """
    symbols_known = checked_alphabet(alphabet)
    known = read(formula, symbols_known) if isinstance(formula, str) else checked(formula)
    if strange := sorted(symbols(known) - set(symbols_known)):
        raise FormulaError(
            f"unknown symbol {strange[0]!r} in {known} (the alphabet is {', '.join(symbols_known)})"
        )
    if most is not None and depth(known) > whole(most, "a depth"):
        raise FormulaError(
            f"the formula {known} has depth {depth(known)}, and at most {most} was asked for"
        )
    b, s = rational(base, "a base"), rational(slope, "a slope")
    if b <= 1 or s <= 0:
        raise ValueError(
            f"a base above 1 and a slope above 0 are expected, not {base!r}, {slope!r}"
        )
    compiler = {
        "hardmax": lambda: Hardmax(symbols_known),
        "softmax": lambda: Softmax(symbols_known, b, s),
        "layer norm": lambda: Normalized(symbols_known),
    }[attention]()
    construction = compiler.construction(known, name or str(known))
    return Compiled(known, symbols_known, attention, b, s, construction)
