"""The languages, against automata and the distributions that the papers name."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import languages
from lib.judging import judge
from lib.languages import FIRST, ONE, PALINDROME, PARITY, POISSON_RATE, Language
from tests.formulas.oracles import LANGUAGES

each = pytest.mark.parametrize("language", (PARITY, FIRST, ONE), ids=str)
uniform = pytest.mark.parametrize("language", [FIRST, PARITY], ids=str)


def test_palindromes_have_equal_symbols_at_equal_distances_from_the_ends():
    for length in range(9):
        for w in PALINDROME.all_strings(length):
            mirrored = all(w[i] == w[-1 - i] for i in range(length // 2))
            assert PALINDROME.contains(w) == mirrored


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
    assert language.contains(w) == (w in language) == LANGUAGES[language.name](w)


@pytest.mark.parametrize(
    "language", [x for x in vars(languages).values() if isinstance(x, Language)], ids=str
)
def test_a_definition_says_what_the_function_says(language):
    found = judge(lambda w: w in language, language, 9)
    assert (found.strings, found.counterexample) == (1023, None)
    other = replace(language, predicate=lambda w: (w in language) != (w == language.alphabet[0]))
    if language.definition:
        with pytest.raises(ValueError, match="its definition .* part on"):
            judge(lambda w: w in other, other, 9)


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


def test_errors_are_the_strings_decided_incorrectly():
    assert PARITY.errors(["0", "1", "11"], [False, True, False]) == []
    assert PARITY.errors(["0", "1", "11"], [True, None, False]) == ["0", "1"]
    with pytest.raises(ValueError):
        PARITY.errors(["0", "1"], [True])
    few = Language("few", lambda w: False, predicates=lambda words: [True])
    with pytest.raises(ValueError, match="few: one answer for each string .* not 1 for 2"):
        few.errors(["0", "1"], [True, True])
    with pytest.raises(TypeError, match="the answer of forgotten to '' must be True or False"):
        Language("forgotten", lambda w: None).contains("")
