"""Whether a regular language has a counting formula: the formula that is spelled is right, and
where there is none, formulas fail as the proof says.
"""

import random
from itertools import product

import pytest
from automata.fa.dfa import DFA
from networkx import DiGraph, strongly_connected_components

from chapters.common.definable import definable
from chapters.common.enumeration import Enumeration
from lib.formulas.syntax import truth
from lib.proofs import proved_equal, regular
from lib.verdicts import PROVED
from tests.history import seed
from tests.proofs import attack

SHORT = [w for n in range(9) for w in map("".join, product("ab", repeat=n))]


@pytest.mark.parametrize("number", range(40))
@pytest.mark.parametrize("sees_last", [True, False])
def test_a_spelled_formula_says_what_the_automaton_says(number, sees_last):
    dfa = attack.automaton(random.Random(f"{seed()}:{number}"))
    found = definable(dfa, "ab", sees_last)
    if found.formula is not None:
        wrong = [w for w in SHORT if truth(found.formula, w)[-1] != dfa.accepts_input(w)]
        assert wrong == [], str(found)


def agree_on(x: str, y: str, z: str, u: str) -> list[bool]:
    """Of every formula that the search for small ones builds, up to size 6, whether it says the
    same of u after x and y six times as after these and z.
    """
    built = Enumeration(("0", "1"), 8, [])
    formulas = [formula for size in range(1, 7) for formula, _ in built.formulas_of(size)]
    left, right = x + y * 6 + u, x + y * 6 + z + u
    return [truth(formula, left)[-1] == truth(formula, right)[-1] for formula in formulas]


@pytest.mark.parametrize("expression", ["(11)*", "(0|1)*11(0|1)*", "(01|0011)*", "(1|001)*"])
def test_no_formula_tells_the_twins_apart(expression):
    """With a long walk between x and z, as the proof has it."""
    dfa = regular(expression, "01")
    x, z, u = definable(dfa, "01").twins
    assert dfa.accepts_input(x + u) != dfa.accepts_input(x + z + u)
    y = closed_walk(dfa, x, random.Random(1))
    assert all(agree_on(x, y, z, u))


@pytest.mark.parametrize(
    ("expression", "x", "z", "u"), [("(01)*", "", "0", "1"), ("(0011)*", "", "00", "0011")]
)
def test_states_that_counts_tell_apart_are_no_twins(expression, x, z, u):
    y = closed_walk(regular(expression, "01"), x, random.Random(1))
    assert not all(agree_on(x, y, z, u))


def closed_walk(dfa: DFA, x: str, draw: random.Random) -> str:
    """A hundred steps from the state after x, through its component, and back to it."""
    moves = [(q, to) for q, row in dfa.transitions.items() for to in row.values()]
    *_, start = dfa.read_input_stepwise(x, ignore_rejection=True)
    [component] = [part for part in strongly_connected_components(DiGraph(moves)) if start in part]
    state, walk = start, ""
    while len(walk) < 100 or state != start:
        symbol = draw.choice("001")
        if dfa.transitions[state][symbol] in component:
            state, walk = dfa.transitions[state][symbol], walk + symbol
    return walk


def test_the_published_table_is_found(note):
    assert len(note.proofs) == 28
    assert all(kind == PROVED for kind in note.proofs.values())
    assert note.differing == {True: ["((b)*ac)*", "(a+b+)+", "(a|b)*b"], False: []}


@pytest.mark.parametrize("expression", ["(ab|bbaa)*", "(a|b)*a(a|b)*b(a|b)*", "((ab)+)a"])
def test_a_spelled_formula_is_proved(expression):
    dfa = regular(expression, "ab")
    assert proved_equal(definable(dfa, "ab").formula, dfa, "ab").kind == PROVED


@pytest.mark.parametrize("expression", ["(abbbaa|baab)*", "a" * 40])
def test_a_formula_exists_that_takes_three_rounds_or_is_too_deep_to_print(expression):
    assert definable(regular(expression, "ab"), "ab").exists


def test_most_drawn_formulas_are_spelled():
    found = [definable(attack.automaton(random.Random(number)), "ab") for number in range(40)]
    assert sum(one.exists for one in found) >= 10
    assert all(one.formula is not None for one in found if one.exists)


@pytest.mark.parametrize("language", ["(ab)*", None])
def test_a_dfa_is_expected(language):
    with pytest.raises(ValueError, match="a DFA is expected, as regular"):
        definable(language, "ab")
