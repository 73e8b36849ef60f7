"""Turing machines for the tests: automata-lib's as the oracle, and random ones."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from automata.base.exceptions import RejectionException
from automata.tm.dtm import DTM
from hypothesis import strategies as st

from chapters.common.turing.machines import MOVES, Configuration, Machine, Rule
from chapters.common.turing.recurrent import RNN
from lib.transformer.space import Form, Space


def dtm_of(machine: Machine) -> DTM:
    """The machine as one of automata-lib."""
    transitions = {state: {} for state in machine.states if state not in machine.accept}
    for rule in machine.rules:
        transitions[rule.state][rule.read] = (rule.to, rule.write, rule.move)
    return DTM(
        states=set(machine.states),
        input_symbols=set(machine.alphabet),
        tape_symbols={*machine.symbols, "☐"},
        transitions=transitions,
        initial_state=machine.start,
        blank_symbol=machine.blank,
        final_states=set(machine.accept),
    )


def oracle(machine: Machine, w: str) -> Iterator[Configuration]:
    """Every configuration that automata-lib finds."""
    try:
        for now in dtm_of(machine).read_input_stepwise(w):
            tape, head = "".join(now.tape.tape), now.tape.current_position
            yield Configuration(
                now.state, tape[:head].lstrip(machine.blank), tape[head:].rstrip(machine.blank)
            )
    except RejectionException:
        return


@st.composite
def machines(draw) -> Machine:
    """A random machine with up to four states and four symbols, some of whose rules are missing."""
    states, symbols = "ABCD"[: draw(st.integers(1, 4))], "_01x"[: draw(st.integers(2, 4))]
    rules = []
    for state in states:
        for read in symbols:
            if draw(st.integers(0, 5)):
                rules.append(
                    Rule(
                        state,
                        read,
                        draw(st.sampled_from(symbols)),
                        draw(st.sampled_from([*MOVES])),
                        draw(st.sampled_from([*states, *states, "accept"])),
                    )
                )
    rules = rules or [Rule("A", "_", "0", "R", "A")]
    silent = tuple(state for state in states if state not in {rule.state for rule in rules})
    return Machine(
        tuple(rules), start="A", accept=("accept",), alphabet=tuple(symbols[1:3]), reject=silent
    )


def inputs(machine: Machine, longest: int = 5) -> st.SearchStrategy[str]:
    """Strings over the machine's input alphabet."""
    return st.text(st.sampled_from(machine.alphabet), max_size=longest)


def rationals(largest: int = 2) -> st.SearchStrategy[Fraction]:
    return st.fractions(-largest, largest, max_denominator=4)


@st.composite
def recurrent_networks(draw) -> RNN:
    """A random RNN of section 3.1 with one to three layers, any rational embedding, and a g(b) that
    need not be 0.
    """
    hidden, inputs = (
        [f"h{i}" for i in range(draw(st.integers(1, 3)))],
        [f"x{i}" for i in range(draw(st.integers(1, 2)))],
    )

    def form(names, constant=True):
        return Form(
            tuple((name, draw(rationals())) for name in names),
            draw(rationals()) if constant else Fraction(0),
        )

    layers, names = [], [*hidden, *inputs]
    for depth in range(draw(st.integers(0, 2))):
        layers.append({f"u{depth}{i}": form(names) for i in range(draw(st.integers(1, 3)))})
        names = [*layers[-1]]
    layers.append({name: form(names) for name in hidden})
    return RNN(Space(*inputs), {a: form(inputs, constant=False) for a in "ab"}, layers)


def first(n: int, things) -> list:
    """The first n of an iterator that may have no end."""
    return list(islice(things, n))
