"""The languages, against independent automata."""

from itertools import product

import pytest
from automata.fa.dfa import DFA
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.languages import FIRST, PARITY

AUTOMATA = {
    PARITY: DFA(states={"even", "odd"}, input_symbols={"0", "1"}, initial_state="even", final_states={"odd"},
                transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}}),
    FIRST: DFA(states={"start", "yes", "no"}, input_symbols={"0", "1"}, initial_state="start", final_states={"yes"},
               transitions={"start": {"0": "no", "1": "yes"}, "yes": {"0": "yes", "1": "yes"}, "no": {"0": "no", "1": "no"}}),
}
each = pytest.mark.parametrize("language", AUTOMATA, ids=str)


@each
@settings(deadline=None)
@given(w=st.text(alphabet="01", max_size=40))
def test_membership_is_that_of_an_automaton(language, w):
    assert language.contains(w) == (w in language) == AUTOMATA[language].accepts_input(w)


@each
def test_all_strings_are_all_strings(language):
    assert list(language.all_strings(0)) == [""]
    assert sorted(language.all_strings(5)) == sorted("".join(w) for w in product("01", repeat=5))


@each
def test_samples_are_seeded_uniform_and_of_the_length_asked(language):
    w = language.sample(length=3, size=4000, seed=7)
    assert w == language.sample(length=3, size=4000, seed=7) != language.sample(length=3, size=4000, seed=8)
    counts = [w.count(one) for one in language.all_strings(3)]
    assert sum(counts) == 4000 and min(counts) > 400            # 500 expected; 400 is five standard deviations off
    assert language.sample(length=0, size=2, seed=0) == ["", ""]


def test_errors_are_the_strings_decided_wrongly():
    assert PARITY.errors(["0", "1", "11"], [False, True, False]) == []
    assert PARITY.errors(["0", "1", "11"], [True, None, False]) == ["0", "1"]
    with pytest.raises(ValueError):
        PARITY.errors(["0", "1"], [True])


@pytest.mark.parametrize("w, error, message", [("01a", ValueError, "'a' at position 3"), (None, TypeError, "a string over {0, 1} is expected, not None")])
def test_strings_outside_the_alphabet_are_refused(w, error, message):
    with pytest.raises(error, match=message):
        PARITY.contains(w)


@pytest.mark.parametrize("bad", [-1, 2.5, "3", True])
def test_lengths_sizes_and_seeds_must_be_whole(bad):
    with pytest.raises(ValueError, match="a length must be an integer that is at least 0"):
        list(PARITY.all_strings(bad))
    with pytest.raises(ValueError, match="a length must be"):
        PARITY.sample(bad, size=1, seed=0)
    with pytest.raises(ValueError, match="a number of strings must be"):
        PARITY.sample(1, size=bad, seed=0)
    with pytest.raises(ValueError, match="a seed must be"):
        PARITY.sample(1, size=1, seed=bad)
