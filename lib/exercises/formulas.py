"""The exercises of chapter 8: from formulas to transformers."""

from __future__ import annotations

from flint import arb, ctx, fmpq

from lib.checks import Number, positive, rational
from lib.exercises.judge import counterexample, exercise
from lib.formulas import compiled
from lib.formulas.stated import DYCK_1
from lib.formulas.syntax import Formula
from lib.languages import Language
from lib.transformer import Encoder

BLOCKS = Language(
    "0^m 1^n, n > m >= 1",
    lambda w: 1 <= w.count("0") < w.count("1") and w == "".join(sorted(w)),
)
SAID = "a base below 9 and a position from which on every such comparison is exact, as a pair"


@exercise("8.1", "a whole number", int)
def heads_of_dyck(answer: int) -> str | None:
    """How many heads the compiler uses for Dyck-1 and hardmax."""
    heads = compiled(DYCK_1.text, DYCK_1.alphabet, "hardmax").construction.size["heads"]
    if answer == heads:
        return None
    return f"{answer} is too {'few' if answer < heads else 'many'}"


@exercise("8.2", "a formula or its text", Formula, str)
def two_blocks(answer: Formula | str) -> str | None:
    """A formula whose transformer accepts the strings 0^m 1^n with n > m >= 1."""
    machine = compiled(answer, "01", "softmax")
    return counterexample(BLOCKS, Encoder(machine.construction).accepts, range(11))


@exercise("8.3", f'"proved", "refuted", or {SAID}', tuple, str)
def leaks_for_ever(answer: tuple | str) -> str | None:
    """Whether a base below 9 makes a comparison of symbols inexact at infinitely many positions."""
    if answer == "refuted":
        return f"then show it: give {SAID}"
    if isinstance(answer, str):
        inexact = [i for i in range(1, 201) if twice_the_distance(8, i) < 0.5]
        return f"at base 8, of the positions 1 to 200 only {inexact} are inexact"
    if len(answer) != 2:
        return f"{len(answer)} things are not {SAID}"
    base, i = rational(answer[0], "a base"), positive(answer[1], "a position")
    if not 1 < base < 9:
        return f"the base {base} is not between 1 and 9"
    if (found := twice_the_distance(base, i)) >= 0.5:  # it grows with i: the theorem's proof
        return None
    return (
        f"at position {i}, for g = 0, the mean is {float(found) / 2:.3f} off the middle, "
        "and slope 2 asks for 0.25"
    )


def twice_the_distance(base: Number, i: int) -> arb:
    """2 |m - i/2| at position i for g = 0: the closed form in the theorem's proof."""
    exact = rational(base)
    with ctx.workprec(256):
        c, length = arb(fmpq(exact.numerator, exact.denominator)).log(), arb(i + 1)
        return length * (c / 2).coth() - (c / (2 * length)).coth()
