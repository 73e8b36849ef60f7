"""The exercises of chapter 2: transformers for PARITY and FIRST."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import chain

import numpy as np

from chapters.common.judge import Number, counts, exercise, misjudged
from lib.constructions import parity
from lib.languages import PARITY, Language
from lib.transformer import Construction, Encoder, Exact

TO_THREE_DECIMALS = 5.001e-4
ROUNDED = 1e-6  # what floating point may make of a logit that is 0
SECOND = Language("SECOND", lambda w: w[1:2] == "1")


def misjudged_long(language: Language, answer: Construction, strings: Iterable[str]) -> str | None:
    """The first of the strings that is decided incorrectly, as a sentence: in float64 or, where
    that may have lost the sign, exactly.
    """
    quick, exact = Encoder(answer), Exact(answer)

    def accepts(w: str) -> bool | None:
        s = quick.logit(w)
        accepted = np.sign(s) == answer.accepting_sign
        return accepted if accepted == (w in language) or ROUNDED < abs(s) else exact.accepts(w)

    return misjudged(language, accepts, strings)


def every(longest: int) -> Iterable[str]:
    """All strings to a length."""
    return (w for length in range(longest + 1) for w in PARITY.all_strings(length))


def second_symbols(lengths: Iterable[int]) -> Iterable[str]:
    """The strings of which the first two symbols, and all others alike, are every choice of bits,
    so 010...0 and 101...1 among them.
    """
    bits = "01"
    return (a + b + c * (n - 2) for n in lengths for a in bits for b in bits for c in bits)


@exercise("2.1", tuple[Number, Number, Number])
def by_hand(position: Fraction, height: Fraction, said_s: Fraction) -> str | None:
    """Where the mark stands on 10, how high it is, and s at c = 1 to three decimals."""
    trace = Exact(parity(1)).trace("10")
    marks = [float(mark) for mark in trace.a[1]["[i=k]/n"]]
    if position not in range(3) or not marks[int(position)]:
        return f"there is no mark on position {position}"
    s = float(trace.a[2]["s"][0])
    for name, value, true in (("height", height, marks[int(position)]), ("s", said_s, s)):
        if not abs(value - true) <= TO_THREE_DECIMALS:
            return f"{float(value):g} for {name} is too {'low' if value < true else 'high'}"
    return None


@exercise("2.2", Construction)
def second(answer: Construction) -> str | None:
    """A transformer for the strings whose second symbol is 1."""
    some = ("0" * 30, "01" * 15, "1" * 30, "10" * 15)
    return misjudged(SECOND, Exact(answer).accepts, chain(every(7), some)) or misjudged_long(
        SECOND, answer, second_symbols((30, 100, 150, 1000, 4000))
    )


def witness_is_right() -> str:
    """What is said to "proved": how many strings PARITY decides correctly with one head in its
    second layer and a negative mark at position 0.
    """
    published = parity(1)
    i, unit = published.space["i/n"], published.space["1/n"]
    mark, compare = published.layers
    assert mark.ffn is not None
    hidden = (*mark.ffn.hidden, unit - i)
    ffn = replace(mark.ffn, hidden=hidden, out={"[i=k]/n": [1, -2, 1, -2]})
    layers = [replace(mark, ffn=ffn), replace(compare, heads=compare.heads[:1])]
    reader, strings = Exact(replace(published, layers=layers)), list(every(6))
    right = len(strings) - len(PARITY.errors(strings, reader.accepts(strings)))
    return f"one with one head there is right on {right} of {len(strings)} strings to length 6"


@exercise("2.3", Construction, proved=witness_is_right)
def one_head(answer: Construction) -> str | None:
    """Whether a second layer with a single head can decide PARITY."""
    if len(answer.layers) != 2:
        return f"the number of its layers is {len(answer.layers)}, not 2"
    if (heads := len(answer.layers[1].heads)) != 1:
        return f"the number of heads in its second layer is {heads}, not 1"
    short = chain(every(8), counts((19, 30, 39)))
    return misjudged(PARITY, Exact(answer).accepts, short) or misjudged_long(
        PARITY, answer, counts((40, 101, 200, 301), few=True)
    )
