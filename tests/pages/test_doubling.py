"""The transducer beside automata-lib's machines, and the transformer beside the transducer."""

from collections.abc import Iterator
from itertools import chain, count, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.turing.machines import Configuration, Machine
from chapters.turing_completeness.doubling import (
    SEED,
    START,
    Alphabet,
    Input,
    Letter,
    configuration,
    doubling,
    letters,
    reachable,
    rewrite,
    shows,
)
from tests.turing.machinery import first, inputs, machines, oracle

SMALL = Machine.parse("""
    a 1 -> _ R b
    b 1 -> 1 L c
    c _ -> 1 R c
    c 1 -> _ N accept
""")
ENDLESS = Machine.parse("a 1 -> 1 R b\nb 1 -> 1 L a")


def rows(machine: Machine, w: str) -> Iterator[list[Letter]]:
    """The rows: row 0 holds `SEED`, row 1 the first `Input`, row t + 2 the tape after t steps."""
    unread = (Input(w[k : k + 2].ljust(2, machine.blank)) for k in count(0, 2))
    row: list[Letter] = [SEED]
    while True:
        yield row
        state, new = START, []
        for letter in row:
            written = rewrite(machine, state, letter)
            second = next(unread) if written.second is None else written.second
            state, new = written.state, [*new, written.first, second]
        row = new


def expected(machine: Machine, w: str, size: int) -> list[Configuration]:
    """The machine's configurations by automata-lib, the last of them repeated."""
    run = first(size, oracle(machine, w))
    return run + [run[-1]] * (size - len(run))


@given(st.data())
@settings(max_examples=100)
def test_random_machines_row_by_row(data):
    machine = data.draw(machines())
    w = data.draw(inputs(machine, longest=8))
    found = [configuration(machine, row) for row in islice(rows(machine, w), 2, 8)]
    assert all(map(shows, found, expected(machine, w, 6)))


@given(st.data())
@settings(max_examples=30)
def test_every_pair_that_a_row_brings_together_is_reachable(data):
    machine = data.draw(machines())
    w = data.draw(inputs(machine, longest=8))
    pairs = reachable(machine)
    for row in islice(rows(machine, w), 7):
        state = START
        for letter in row:
            assert pairs[state, letter] == rewrite(machine, state, letter)
            state = pairs[state, letter].state


@pytest.mark.parametrize("extra", [0, 1, 7])
def test_the_outputs_are_the_rows(extra):
    alphabet = Alphabet(SMALL)
    w = "1" * (2 * alphabet.size - 2 + extra)
    assert first(2**7 - 1, letters(alphabet, w)) == [*chain(*first(7, rows(SMALL, w)))]


def test_it_halts_where_the_machine_accepts_and_not_where_it_goes_on():
    took = {}
    for machine in (SMALL, ENDLESS):
        w = "1" * (2 * Alphabet(machine).size - 2)
        took[machine] = len(first(2**8, doubling(machine).outputs(w)))
    assert len(list(oracle(SMALL, "111"))) - 1 == 4  # so it is in row 6
    assert 2**6 <= took[SMALL] < 2**7 and took[ENDLESS] == 2**8
