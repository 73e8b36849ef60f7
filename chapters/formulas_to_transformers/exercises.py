"""The exercises of chapter 8: from formulas to transformers."""

from fractions import Fraction
from numbers import Integral

from flint import arb, ctx, fmpq

from chapters.common import judge
from lib.checks import Number, rational, whole
from lib.formulas import compiled
from lib.formulas.stated import DYCK_1
from lib.formulas.syntax import Formula

BLOCKS = (  # 0^m 1^n with n > m >= 1
    'never(Q("0") and once(Q("1"))) and once(Q("0")) and count(Q("1")) > count(Q("0"))'
)
MOST_BITS = 10_000  # of a base and a position together


@judge.exercise("8.1", Integral)
def heads_of_dyck(answer: int) -> str | None:
    """How many heads the compiler uses for Dyck-1 and hardmax."""
    heads = compiled(DYCK_1.text, DYCK_1.alphabet, "hardmax").construction.size["heads"]
    return judge.compared(answer, heads)


@judge.exercise("8.2", Formula, str)
def two_blocks(answer: Formula | str) -> str | None:
    """A formula that says 0^m 1^n with n > m >= 1, and compiles."""
    machine = compiled(answer, "01", "softmax")
    return judge.at_every_length(machine.formula, BLOCKS, "01")


def few_are_inexact() -> str:
    """What is said to "proved": at how few positions the largest whole base is inexact."""
    inexact = [i for i in range(1, 201) if twice_the_distance(8, i) < 0.5]
    return f"at base 8, of the positions 1 to 200 only {inexact} are inexact"


@judge.exercise("8.3", tuple[judge.Number, Integral], proved=few_are_inexact)
def leaks_for_ever(base: Fraction, i: int) -> str | None:
    """Whether a base below 9 makes a comparison of symbols inexact at infinitely many positions."""
    whole(i, "a position", 1)
    if bits(base, i) > MOST_BITS:
        return f"no more than {MOST_BITS:,} bits are read: give a shorter base, or position"
    if not 1 < base < 9:
        return f"the base {judge.shortened(str(base))} is not between 1 and 9"
    # It grows with i: the theorem's proof. A ball that holds 1/2 is 1/2, for all that is known.
    if not (found := twice_the_distance(base, i)) < 0.5:
        return None
    return (
        f"at position {i}, for g = 0, the mean is about {float(found) / 2:.3f} off the middle, "
        "which is less than the 1/4 that slope 2 asks for"
    )


def bits(base: Fraction, i: int) -> int:
    """How many bits it takes to write a base and a position."""
    return sum(int(x).bit_length() for x in (base.numerator, base.denominator, i))


def twice_the_distance(base: Number, i: int) -> arb:
    """2 |m - i/2| at position i for g = 0: the closed form in the theorem's proof.

    For a base p/q its logarithm is at least 1/(2q), and either term at most 4q (i + 1): the bits
    beyond 128 are more than those that the logarithm and the difference lose.
    """
    exact = rational(base)
    with ctx.workprec(128 + 4 * bits(exact, i)):
        c = arb(fmpq(int(exact.numerator), int(exact.denominator))).log()
        length = arb(i + 1)
        return length * (c / 2).coth() - (c / (2 * length)).coth()
