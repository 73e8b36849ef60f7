"""The decoder whose positions wire a circuit, beside automata-lib's machines."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.turing.machines import BUSY_BEAVER_4, INCREMENT, MOVES, PALINDROMES, Machine
from chapters.turing_completeness.circuits import SpaceTime, halts, wired
from tests.turing.machinery import first, inputs, machines, oracle

EVEN = Machine.parse("""
    even 0 -> 0 R even
    even 1 -> 1 R odd
    odd 0 -> 0 R odd
    odd 1 -> 1 R even
    even _ -> _ N accept
""")


def strings(longest: int) -> list[str]:
    return ["".join(w) for n in range(longest + 1) for w in product("01", repeat=n)]


def values(machine: Machine, w: str, wires: int) -> list[int]:
    """What the outputs of the decoder hold, by position; position 0 is none."""
    endless = replace(wired(machine), halts=())
    return [0, *(int(y[0]) for y in islice(endless.outputs(w), wires))]


def cells(machine: Machine, w: str, time: int):
    """(cell, symbol, state or None) of the machine at every time to `time`, by automata-lib."""
    head = 0
    for step, now in enumerate(first(time + 1, oracle(machine, w))):
        tape = dict(enumerate(now.left + now.right, start=head - len(now.left)))
        for x in range(-step, step + 1):
            yield step, x, tape.get(x, machine.blank), now.state if x == head else None
        if rule := machine.rule(now):
            head += MOVES[rule.move]


@pytest.mark.parametrize(
    "machine, w, time", [(INCREMENT, "1011", 8), (PALINDROMES, "01", 7), (BUSY_BEAVER_4, "", 12)]
)
def test_every_wire_of_the_diagram_carries_what_the_machine_says(machine, w, time):
    diagram = SpaceTime(machine)
    rows = first(time + 1, diagram.rows)
    found = values(machine, w, len(diagram.gates) + 1)
    for step, x, symbol, state in cells(machine, w, time):
        cell = rows[step][x]
        assert [a for a, wire in cell.symbols.items() if found[wire]] == [symbol]
        here = [] if state is None else [state]
        assert [q for q, wire in cell.states.items() if found[wire]] == here


@pytest.mark.parametrize(
    "machine, words, is_in",
    [
        (EVEN, strings(4), lambda w: w.count("1") % 2 == 0),
        (PALINDROMES, [*strings(2), "010", "011"], lambda w: w == w[::-1]),
    ],
    ids=["even", "palindromes"],
)
def test_it_halts_on_the_language_and_on_nothing_else(machine, words, is_in):
    for w in words:
        assert halts(machine, w) == is_in(w), w


@given(st.data())
@settings(max_examples=25)
def test_random_machines(data):
    machine = data.draw(machines())
    w = data.draw(inputs(machine, longest=3))
    run = first(5, oracle(machine, w))
    diagram = SpaceTime(machine)
    first(len(run), diagram.rows)
    outputs = first(len(diagram.gates) + 2, wired(machine).outputs(w))
    accepts = run[-1].state in machine.accept
    assert (outputs[-1][1] == 1) == accepts and (accepts or len(outputs) == len(diagram.gates) + 2)


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
    for w in strings(4):
        assert by_the_equations(machine, w, 120) == values(machine, w, 120)[1:], w
