"""Decoders that think in steps run any automaton."""

from automata.fa.dfa import DFA
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.the_map.decoders import Steps, automaton

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
