"""The exercises of chapter 3: layer normalization."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log1p, log2, sqrt

from chapters.common.judge import Number, compared, counterexample, exercise, spelled
from chapters.common.sharpening import sharpen
from lib.constructions import first, parity
from lib.constructions.normalization import mirror, mirrored
from lib.languages import FIRST, PARITY
from lib.transformer import Construction, Encoder, Exact, Space, cross_entropy_bits

WIDTH = 50
TO_FIVE_DECIMALS = 5.001e-6
LENGTHS = (*range(1, 31), 40, 50, 60, 100, 200, 1000)  # of strings that exercise 3.2 runs
LONGEST, MOST_BITS = 60, 512  # of a string of exercise 3.3's, and of what decides it


def bits(reader: Encoder, strings: list[str]) -> list[float]:
    """The cross-entropy on each of the strings, of one length, in FIRST or outside it."""
    return cross_entropy_bits(reader(strings), [w in FIRST for w in strings]).tolist()


@exercise("3.1", Number)
def cross_entropy(answer: Fraction) -> str | None:
    """The cross-entropy of a sharpened transformer with 50 coordinates, an output weight of 1."""
    names = first().space.names
    spare = (f"spare {j}" for j in range(WIDTH // 2 - len(names)))
    wide = replace(first(), space=Space(*names, *spare))
    sharpened = sharpen(mirror(wide), eta=log1p(exp(-sqrt(WIDTH / 2))))
    [found] = bits(Encoder(sharpened, eps=0), ["1"])
    return compared(float(answer), found, "little", "much", within=TO_FIVE_DECIMALS)


@exercise("3.2", Construction)
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


@exercise("3.3", tuple[str, Number, Number])
def every_string(w: str, c: Fraction, eps: Fraction) -> str | None:
    """Whether mirrored, tie-free PARITY is right on every string, whatever c > 0 and eps >= 0."""
    if c <= 0:
        return f"c is {c}, not above 0"
    if len(w) > LONGEST:
        return f"a string of {len(w)} symbols takes long: give one of at most {LONGEST}"
    decision = Exact(mirror(parity(c, tie_free=True)), eps=eps).decide(w, max_bits=MOST_BITS)
    if decision.accepts is None:
        return f"{MOST_BITS} bits leave its sign undecided, which refutes nothing"
    decided = "accepted" if decision.accepts else "rejected"
    if decision.accepts == (w in PARITY):
        return f"{w or 'the empty string'} is {decided} there, correctly"
    return None
