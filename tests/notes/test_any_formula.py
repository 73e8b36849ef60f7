"""Whether a regular language has a counting formula: the formula that is spelled is right, and
where there is none, formulas fail as the proof says.
"""

import random
from itertools import product

import pytest
from automata.fa.dfa import DFA

from chapters import note_any_formula as note
from chapters.common.definable import definable
from lib.formulas.syntax import truth
from lib.formulas.text import formula
from lib.proofs import proved_equal, regular
from lib.verdicts import PROVED
from tests.history import seed
from tests.proofs import attack

SHORT = [w for n in range(9) for w in map("".join, product("ab", repeat=n))]


def without_more(drawn: str) -> bool:
    """Whether a drawn formula is a counting formula."""
    return not any(word in drawn for word in ("mod", "total", "previous"))


@pytest.mark.parametrize("number", range(40))
@pytest.mark.parametrize("sees_last", [True, False])
def test_a_spelled_formula_says_what_the_automaton_says(number, sees_last):
    dfa = attack.automaton(random.Random(f"{seed()}:{number}"))
    found = definable(dfa, "ab", sees_last)
    if found.formula is not None:
        wrong = [w for w in SHORT if truth(found.formula, w)[-1] != dfa.accepts_input(w)]
        assert wrong == [], str(found)


@pytest.mark.parametrize("expression", ["(11)*", "(0|1)*11(0|1)*", "(01|0011)*", "(1|001)*"])
def test_no_formula_tells_the_twins_apart(expression):
    """After x and after xz, with a long closed walk between them, a counting formula says the
    same of u, and just one of the two strings belongs.
    """
    dfa = regular(expression, "01")
    x, z, u = definable(dfa, "01").twins
    assert dfa.accepts_input(x + u) != dfa.accepts_input(x + z + u)
    draw = random.Random(str(seed()))
    walks = [closed_walk(dfa, x, draw) for _ in range(6)]
    texts = [t for t in (attack.formula(draw) for _ in range(300)) if without_more(t)]
    assert len(texts) >= 20
    for text in texts:
        said = formula(text.replace("'a'", "'0'").replace("'b'", "'1'"), "01")
        fooled = (
            truth(said, x + y * 6 + u)[-1] == truth(said, x + y * 6 + z + u)[-1] for y in walks
        )
        assert any(fooled), text


def closed_walk(dfa: DFA, x: str, draw: random.Random) -> str:
    """Some thirty steps from the state after x, through its component, and back to it."""
    start = state = after(dfa, dfa.initial_state, x)
    walk = ""
    while len(walk) < 30 or state != start:
        symbol = draw.choice("01")
        to = after(dfa, state, symbol)
        if reaches(dfa, to, start):
            state, walk = to, walk + symbol
    return walk


def after(dfa: DFA, state: object, w: str) -> object:
    for symbol in w:
        state = dfa.transitions[state][symbol]
    return state


def reaches(dfa: DFA, start: object, end: object) -> bool:
    met, waiting = {start}, [start]
    while waiting:
        for to in dfa.transitions[waiting.pop()].values():
            if to not in met:
                met.add(to)
                waiting.append(to)
    return end in met


def test_the_published_table_is_found():
    assert all(kind == PROVED for kind in note.proofs.values())
    assert note.differing == {True: ["((b)*ac)*", "(a+b+)+", "(a|b)*b"], False: []}


@pytest.mark.parametrize("expression", ["(ab|bbaa)*", "(a|b)*a(a|b)*b(a|b)*", "(ab)+a"])
def test_a_spelled_formula_is_proved(expression):
    dfa = regular(expression, "ab")
    assert proved_equal(definable(dfa, "ab").formula, dfa, "ab").kind == PROVED


@pytest.mark.parametrize("language", ["(ab)*", None])
def test_a_dfa_is_expected(language):
    with pytest.raises(ValueError, match="a DFA is expected, as regular"):
        definable(language, "ab")
