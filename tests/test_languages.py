"""The languages, against independent automata."""

from itertools import product
from math import exp

import numpy as np
import pytest
from automata.fa.dfa import DFA
from automata.pda.npda import NPDA
from hypothesis import given
from hypothesis import strategies as st

from lib.languages import FIRST, ONE, PALINDROME, PARITY, POISSON_RATE

AUTOMATA = {
    PARITY: DFA(
        states={"even", "odd"},
        input_symbols={"0", "1"},
        initial_state="even",
        final_states={"odd"},
        transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    ),
    FIRST: DFA(
        states={"start", "yes", "no"},
        input_symbols={"0", "1"},
        initial_state="start",
        final_states={"yes"},
        transitions={
            "start": {"0": "no", "1": "yes"},
            "yes": {"0": "yes", "1": "yes"},
            "no": {"0": "no", "1": "no"},
        },
    ),
    ONE: DFA(
        states={"none", "one", "more"},
        input_symbols={"0", "1"},
        initial_state="none",
        final_states={"one"},
        transitions={
            "none": {"0": "none", "1": "one"},
            "one": {"0": "one", "1": "more"},
            "more": {"0": "more", "1": "more"},
        },
    ),
}
each = pytest.mark.parametrize("language", AUTOMATA, ids=str)
uniform = pytest.mark.parametrize("language", [FIRST, PARITY], ids=str)

# Pushes symbols, guesses the middle, skips one symbol or none, and pops.
PUSHDOWN = NPDA(
    states={"push", "pop", "done"},
    input_symbols={"0", "1"},
    stack_symbols={"0", "1", "#"},
    initial_state="push",
    initial_stack_symbol="#",
    final_states={"done"},
    acceptance_mode="final_state",
    transitions={
        "push": {
            "": {top: {("pop", (top,))} for top in "01#"},
            **{a: {top: {("push", (a, top)), ("pop", (top,))} for top in "01#"} for a in "01"},
        },
        "pop": {"": {"#": {("done", ("#",))}}, **{a: {a: {("pop", "")}} for a in "01"}},
    },
)


def test_palindromes_are_those_of_a_pushdown_automaton():
    for length in range(9):
        for w in PALINDROME.all_strings(length):
            assert PALINDROME.contains(w) == PUSHDOWN.accepts_input(w)


def test_ones_samples_have_a_poisson_number_of_ones_at_uniform_places():
    w = ONE.sample(length=8, size=6000, seed=1)
    assert w == ONE.sample(length=8, size=6000, seed=1) and {len(one) for one in w} == {8}
    counts = np.bincount([one.count("1") for one in w], minlength=9) / 6000
    expected = exp(-POISSON_RATE) * np.array(
        [1, POISSON_RATE, POISSON_RATE**2 / 2, POISSON_RATE**3 / 6]
    )
    assert np.abs(counts[:4] - expected).max() < 0.025
    places = np.array([[symbol == "1" for symbol in one] for one in w]).mean(0)
    assert np.abs(places - POISSON_RATE / 8).max() < 0.03
    assert max(
        one.count("1") for one in ONE.sample(length=1, size=500, seed=0)
    ) == 1 and ONE.sample(0, size=2, seed=0) == ["", ""]


@pytest.mark.parametrize("length", [0, 1, 2, 7, 8])
def test_palindromes_samples_have_one_flip_or_none(length):
    w = PALINDROME.sample(length, size=4000, seed=3)
    pairs = [sum(one[i] != one[-1 - i] for i in range(length // 2)) for one in w]
    assert set(pairs) <= {0, 1} and {len(one) for one in w} == {length}
    if length < 2:
        assert all(one in PALINDROME for one in w)
        return
    assert abs(np.mean(pairs) - 0.5) < 0.04
    broken = [
        next(i for i in range(length // 2) if one[i] != one[-1 - i])
        for one in w
        if one not in PALINDROME
    ]
    assert (
        np.abs(np.bincount(broken, minlength=length // 2) / len(broken) - 1 / (length // 2)).max()
        < 0.05
    )
    assert len({one[: (length + 1) // 2] for one in w}) == 2 ** ((length + 1) // 2)


@each
@given(w=st.text(alphabet="01", max_size=40))
def test_membership_is_that_of_an_automaton(language, w):
    assert language.contains(w) == (w in language) == AUTOMATA[language].accepts_input(w)


@each
def test_all_strings_are_all_strings(language):
    assert list(language.all_strings(0)) == [""]
    assert sorted(language.all_strings(5)) == sorted("".join(w) for w in product("01", repeat=5))


@uniform
def test_samples_are_seeded_uniform_and_of_the_length_asked(language):
    w = language.sample(length=3, size=4000, seed=7)
    assert (
        w
        == language.sample(length=3, size=4000, seed=7)
        != language.sample(length=3, size=4000, seed=8)
    )
    counts = [w.count(one) for one in language.all_strings(3)]
    assert (
        sum(counts) == 4000 and min(counts) > 400
    )  # 500 expected; 400 is five standard deviations off
    assert language.sample(length=0, size=2, seed=0) == ["", ""]


def test_errors_are_the_strings_decided_wrongly():
    assert PARITY.errors(["0", "1", "11"], [False, True, False]) == []
    assert PARITY.errors(["0", "1", "11"], [True, None, False]) == ["0", "1"]
    with pytest.raises(ValueError):
        PARITY.errors(["0", "1"], [True])


@pytest.mark.parametrize(
    "w, error, message",
    [
        ("01a", ValueError, "'a' at position 3"),
        (None, TypeError, "a string over {0, 1} is expected, not None"),
    ],
)
def test_strings_outside_the_alphabet_are_refused(w, error, message):
    with pytest.raises(error, match=message):
        PARITY.contains(w)


@pytest.mark.parametrize("bad", [-1, 2.5, "3", True])
def test_lengths_sizes_and_seeds_must_be_whole(bad):
    with pytest.raises(ValueError, match="length must be an integer that is at least 0"):
        list(PARITY.all_strings(bad))
    with pytest.raises(ValueError, match="length must be"):
        PARITY.sample(bad, size=1, seed=0)
    with pytest.raises(ValueError, match="size must be"):
        PARITY.sample(1, size=bad, seed=0)
    with pytest.raises(ValueError, match="a seed must be"):
        PARITY.sample(1, size=1, seed=bad)
