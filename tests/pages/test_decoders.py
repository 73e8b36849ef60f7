"""Decoders that think in steps: what they write, how long, and when they stop."""

import pytest
from automata.fa.dfa import DFA
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.the_map import decoders
from chapters.the_map.decoders import Steps, automaton
from tests.formulas.oracles import LANGUAGES, strings

SCRATCHPADS = {
    "tally, softmax": (decoders.tally, "softmax"),
    "tally, hardmax": (decoders.tally, "hardmax"),
    "running, rightmost": (decoders.running_parity, "rightmost"),
    "running, averaging": (lambda: decoders.running_parity(averaging=True), "hardmax"),
}


def wrong(name: str, longest: int) -> list[str]:
    """The strings to a length that a scratchpad decides otherwise than the oracle."""
    make, attention = SCRATCHPADS[name]
    reader, is_odd = Steps(make(), attention), LANGUAGES["PARITY"]
    return [w for w in strings("01", longest) if reader.decides(w) != is_odd(w)]


@pytest.mark.parametrize("name", SCRATCHPADS)
def test_a_scratchpad_decides_parity(name):
    assert wrong(name, 7) == []


machines = st.integers(1, 4).flatmap(
    lambda size: st.tuples(
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)),
            min_size=size,
            max_size=size,
        ),
        st.sets(st.integers(0, size - 1)),
    )
)


@settings(max_examples=40)
@given(machine=machines, w=st.text("ab", max_size=8), averaging=st.booleans())
def test_any_automaton_is_run(machine, w, averaging):
    rows, finals = machine
    step = {(f"q{q}", a): f"q{row['ab'.index(a)]}" for q, row in enumerate(rows) for a in "ab"}
    theirs = DFA(
        states={f"q{q}" for q in range(len(rows))},
        input_symbols=set("ab"),
        transitions={f"q{q}": {a: step[f"q{q}", a] for a in "ab"} for q in range(len(rows))},
        initial_state="q0",
        final_states={f"q{q}" for q in finals},
    )
    ours = automaton(step, "q0", lambda q: int(q[1:]) in finals, averaging)
    reader = Steps(ours, "hardmax" if averaging else "rightmost")
    assert reader.decides(w) == theirs.accepts_input(w)
    assert len(list(reader.run(w))) == len(w) + 1
