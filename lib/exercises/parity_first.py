"""The exercises of chapter 2: transformers for PARITY and FIRST."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lib.constructions import parity
from lib.exercises.judge import exercise
from lib.languages import PARITY, Language
from lib.transformer import Construction, Exact

TO_THREE_DECIMALS = 5.001e-4
SECOND = Language("SECOND", lambda w: w[1:2] == "1")


def misjudged(language: Language, reader: Exact, strings: Iterable[str]) -> str | None:
    """The first of the strings that a reader decides wrongly or not at all, as a sentence."""
    for w in strings:
        accepted = reader.accepts(w)
        if accepted is None or accepted != (w in language):
            verdict = {
                True: "it accepts",
                False: "it rejects",
                None: "the sign of s is undecided on",
            }
            return f"{verdict[accepted]} {w or 'the empty string'}"
    return None


def every(longest: int) -> Iterable[str]:
    """All strings to a length."""
    return (w for length in range(longest + 1) for w in PARITY.all_strings(length))


def counts(lengths: Iterable[int]) -> Iterable[str]:
    """1^k 0^(length-k), for every k."""
    return ("1" * k + "0" * (length - k) for length in lengths for k in range(length + 1))


@exercise("2.1", "three numbers (position, height, s)", tuple)
def by_hand(answer: tuple) -> str | None:
    """Where the mark stands on 10, how high it is, and s at c = 1 to three decimals."""
    if len(answer) != 3:
        return f"that is {len(answer)} instead of 3: (position, height, s)"
    trace = Exact(parity(1)).trace("10")
    marks = [float(mark) for mark in trace.a[1]["[i=k]/n"]]
    position, height, said_s = map(float, answer)
    if position not in range(3) or not marks[int(position)]:
        return f"there is no mark on position {answer[0]}"
    s = float(trace.a[2]["s"][0])
    for name, value, true in (("height", height, marks[int(position)]), ("s", said_s, s)):
        if not abs(value - true) <= TO_THREE_DECIMALS:
            return f"{value:g} for {name} is too {'low' if value < true else 'high'}"
    return None


@exercise("2.2", "a Construction", Construction)
def second(answer: Construction) -> str | None:
    """A transformer for the strings whose second symbol is 1."""
    return misjudged(SECOND, Exact(answer), every(7)) or misjudged(
        SECOND, Exact(answer), ("0" * 30, "01" * 15, "1" * 30, "10" * 15)
    )


@exercise("2.3", '"proved", or a Construction with one head in its second layer', str, Construction)
def one_head(answer: str | Construction) -> str | None:
    """Whether a second layer with a single head can decide PARITY."""
    if isinstance(answer, str):
        if answer == "refuted":
            return "then show it: give a Construction with one head in its second layer"
        strings = list(every(6))
        right = len(strings) - len(PARITY.errors(strings, Exact(witness()).accepts(strings)))
        return f"one with one head there is right on {right} of {len(strings)} strings to length 6"
    if len(answer.layers) != 2:
        return f"the number of its layers is {len(answer.layers)}, not 2"
    if (heads := len(answer.layers[1].heads)) != 1:
        return f"the number of heads in its second layer is {heads}, not 1"
    reader = Exact(answer)
    return misjudged(PARITY, reader, every(8)) or misjudged(PARITY, reader, counts((19, 30)))


def witness() -> Construction:
    """PARITY with one head in its second layer and a negative mark at position 0."""
    published = parity(1)
    i, k, unit = (published.space[name] for name in ("i/n", "k/n", "1/n"))
    mark, compare = published.layers
    assert mark.ffn is not None
    hidden = (*mark.ffn.hidden, unit - i)
    ffn = replace(mark.ffn, hidden=hidden, out={"[i=k]/n": [1, -2, 1, -2]})
    return replace(
        published, layers=[replace(mark, ffn=ffn), replace(compare, heads=compare.heads[:1])]
    )
