"""The decoder whose positions wire a circuit, beside automata-lib's machines."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest

from chapters.common.turing.machines import INCREMENT, Machine
from chapters.turing_completeness.circuits import SpaceTime, wired
from tests.formulas.oracles import strings

EVEN = Machine.parse("""
    even 0 -> 0 R even
    even 1 -> 1 R odd
    odd 0 -> 0 R odd
    odd 1 -> 1 R even
    even _ -> _ N accept
""")


def values(machine: Machine, w: str, wires: int) -> list[int]:
    """What the outputs of the decoder hold, by position; position 0 is none."""
    endless = replace(wired(machine), halts=())
    return [0, *(int(y[0]) for y in islice(endless.outputs(w), wires))]


def by_the_equations(machine: Machine, w: str, wires: int) -> list[Fraction]:
    """The values by the two scores of the text alone, written anew: positions 1, 2, ..."""
    diagram, M = SpaceTime(machine), len(machine.symbols) + 1
    tokens = ["#", *w, "$"]
    number = {"#": 0, "$": 1} | {a: n for n, a in enumerate(machine.alphabet, start=2)}
    values = [Fraction(0)]
    while len(values) < wires:
        gate = diagram.gate(len(values))
        (a, b), i = gate.wires, len(values)
        assert a <= i and b <= i
        mean = hardmax([-abs((j - a) * (j - b)) for j in range(1, i + 1)], values)
        d = gate.sign * (mean - gate.threshold)
        scores = [-abs(M - d) if s == "$" else -abs(M + d) if s == "#" else -2 * M for s in tokens]
        if gate.token:
            scores = [-abs(j - gate.token) for j in range(1, len(tokens) + 1)]
        values.append(hardmax(scores, [Fraction(number[s]) for s in tokens]))
    return values


def hardmax(scores: list, values: list[Fraction]) -> Fraction:
    """The mean of the values whose scores are largest."""
    best = max(scores)
    chosen = [v for s, v in zip(scores, values, strict=True) if s == best]
    return sum(chosen, Fraction(0)) / len(chosen)


@pytest.mark.parametrize("machine", [EVEN, INCREMENT], ids=["even", "+1"])
def test_the_values_are_those_of_the_equations(machine):
    for w in strings("01", 3):
        assert by_the_equations(machine, w, 120) == values(machine, w, 120)[1:], w
