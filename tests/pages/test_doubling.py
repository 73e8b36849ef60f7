"""The transducer beside automata-lib's machines, and the transformer beside the transducer."""

from dataclasses import replace
from itertools import chain, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.pages.turing_completeness.doubling import (
    FILLER,
    START,
    Alphabet,
    Cell,
    Input,
    configuration,
    doubling,
    letters,
    reachable,
    rewrite,
    rows,
    shows,
)
from lib.turing.architecture import index, one
from lib.turing.machines import ABC, BUSY_BEAVER_4, INCREMENT, PALINDROMES, Configuration, Machine
from tests.turing.machinery import first, inputs, machines, oracle

SMALL = Machine.parse("""
    a 1 -> _ R b
    b 1 -> 1 L c
    c _ -> 1 R c
    c 1 -> _ N accept
""")
TWO = Machine.parse("a 0 -> 1 R b\nb 1 -> 0 N accept")
ENDLESS = Machine.parse("a 1 -> 1 R b\nb 1 -> 1 L a")


def expected(machine: Machine, w: str, count: int) -> list[Configuration]:
    """The machine's configurations by automata-lib, the last of them repeated."""
    run = first(count, oracle(machine, w))
    return run + [run[-1]] * (count - len(run))


@pytest.mark.parametrize(
    "machine, w",
    [(INCREMENT, "1011"), (PALINDROMES, "0110"), (ABC, "aabbcc"), (BUSY_BEAVER_4, "")],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_row_is_a_step_of_the_machine(machine, w):
    found = [configuration(machine, row) for row in islice(rows(machine, w), 2, 13)]
    assert all(map(shows, found, expected(machine, w, 11)))


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


def test_a_row_is_twice_as_long_and_ends_with_the_next_two_symbols():
    found = first(6, rows(PALINDROMES, "01011"))
    assert [len(row) for row in found] == [1, 2, 4, 8, 16, 32]
    assert [row[-1] for row in found[1:]] == [Input(a) for a in ("01", "01", "1_", "__", "__")]
    assert found[1] == [FILLER, Input("01")]
    assert found[2][2:] == [Cell("01", ("first", 0), is_last=True), Input("01")]


@pytest.mark.parametrize("machine", [SMALL, INCREMENT, BUSY_BEAVER_4], ids=["small", "+1", "bb4"])
def test_different_pairs_have_different_numbers(machine):
    alphabet = Alphabet(machine)
    numbers = [alphabet.offset[s] + alphabet.column[a] for s, a in alphabet.pairs]
    assert len({*numbers, *alphabet.second.values()}) == len(numbers) + len(alphabet.second)
    assert min(numbers) >= 1 and max(alphabet.tokens) == alphabet.size


@pytest.mark.parametrize("extra", [0, 1, 7])
def test_the_outputs_are_the_rows(extra):
    alphabet = Alphabet(SMALL)
    w = "1" * (2 * alphabet.size - 2 + extra)
    assert first(2**7 - 1, letters(alphabet, w)) == [*chain(*first(7, rows(SMALL, w)))]


def test_two_symbols_are_fetched_in_their_order():
    """TWO reads 0 and 1; the pairs that the first rows fetch are 01, 10, 10, 00, 11."""
    alphabet = Alphabet(TWO)
    w = ("0110100011" * alphabet.size)[: 2 * alphabet.size - 2]
    assert first(2**6 - 1, letters(alphabet, w)) == [*chain(*first(6, rows(TWO, w)))]


def test_on_a_short_input_it_fails():
    """SMALL accepts 1111 in 4 steps; the decoder does not say so."""
    assert list(oracle(SMALL, "1111"))[-1].state == "accept"
    assert len(first(300, doubling(SMALL).outputs("1111"))) == 300


def test_it_halts_where_the_machine_accepts_and_not_where_it_goes_on():
    took = {}
    for machine in (SMALL, ENDLESS):
        w = "1" * (2 * Alphabet(machine).size - 2)
        took[machine] = len(first(2**8, doubling(machine).outputs(w)))
    assert len(list(oracle(SMALL, "111"))) - 1 == 4  # so it is in row 6
    assert 2**6 <= took[SMALL] < 2**7 and took[ENDLESS] == 2**8


def test_only_the_named_parts_are_there():
    model = doubling(SMALL)
    [(own, across, feed)] = model.decoder
    assert own.residual and not across.residual and feed.map is None and model.F is None
    assert [encoding for encoding, _ in model.position] == [index, one]
    assert all(form.terms == () for token, form in model.embedding if token in "#$")


def test_each_output_attends_to_half_its_position():
    """With another parent the rows are not those of the transducer."""
    alphabet = Alphabet(SMALL)
    model, w = replace(doubling(SMALL), halts=()), "1" * (2 * alphabet.size - 2)
    own, across, feed = model.decoder[0]
    unit, i = model.space["1"], model.space["i"]
    off = replace(own, map=replace(own.map, q=[i - unit / 2, unit]))
    wrong = replace(model, decoder=[(off, across, feed)])
    place = model.space.names.index("read")
    right, other = ([int(y[place]) for y in islice(m.outputs(w), 40)] for m in (model, wrong))
    assert right != other


def test_bad_input_is_refused():
    alphabet = Alphabet(SMALL)
    shortest = 2 * alphabet.size - 2
    with pytest.raises(ValueError, match=f"at least {shortest} symbols is expected, not of 3"):
        letters(alphabet, "111")
    with pytest.raises(ValueError, match="symbol '0' at position 1"):
        letters(alphabet, "0")
    with pytest.raises(TypeError, match="a letter of a row is expected, not 7"):
        configuration(SMALL, [7])
    with pytest.raises(ValueError, match="a row with one head is expected, not with 0"):
        configuration(SMALL, [FILLER])
