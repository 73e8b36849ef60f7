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
from lib.proofs import regular
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
