"""Turing machines, against automata-lib's, and the recurrent networks that they are compiled to."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import ABC, INCREMENT, MULTIPLY, PALINDROMES, Configuration
from chapters.turing_completeness.variants import first_difference
from lib.languages import Language
from tests import OFTEN
from tests.turing.machinery import first, inputs, machines, oracle


def test_the_machines_do_what_their_names_say():
    for n in range(70):
        *_, last = INCREMENT.run(f"{n:b}")
        assert (
            last == Configuration("accept", "", f"{n + 1:b}")
            or last.left + last.right == f"{n + 1:b}"
        )
    for m in range(4):
        for n in range(4):
            *_, last = MULTIPLY.run("1" * m + "*" + "1" * n + "=")
            assert (last.state, last.right.rstrip("_"), last.left) == ("accept", "1" * (m * n), "")
    palindrome = Language("palindromes", lambda w: w == w[::-1])
    counted = Language(
        "aⁿbⁿcⁿ", lambda w: w == "".join(a * (len(w) // 3) for a in "abc"), ("a", "b", "c")
    )
    for machine, language, longest in ((PALINDROMES, palindrome, 8), (ABC, counted, 7)):
        for length in range(longest + 1):
            for w in language.all_strings(length):
                *_, last = machine.run(w)
                assert (last.state in machine.accept) == (w in language), w


@given(st.data())
@settings(max_examples=60 * OFTEN)
def test_random_machines_run_as_automata_lib_s(data):
    machine = data.draw(machines())
    w = data.draw(inputs(machine))
    assert first(60, machine.run(w)) == first(60, oracle(machine, w))


@given(st.data(), st.sampled_from([("float16", 11), ("float32", 24), ("float64", 53)]))
@settings(max_examples=60 * OFTEN)
def test_floats_are_exact_while_no_stack_is_deeper_than_p_over_log_b(data, kind):
    """The guarantee of chapter 6: D log2 B <= p, for the input as for both stacks."""
    (name, p), machine = kind, data.draw(machines())
    w = data.draw(inputs(machine, longest=8))
    rnn, run = stack_rnn(machine), first(12, machine.run(w))
    depths = [max(len(w), len(now.left), len(now.right)) for now in run]
    allowed = next(
        (k for k, depth in enumerate(depths) if depth * (machine.base.bit_length() - 1) > p),
        len(run),
    )
    states = first(len(w) + 3 + 4 * (allowed - 1) + 1 if allowed else 0, rnn.states(w))
    assert first_difference(rnn.states(w, lambda x: getattr(np, name)(float(x))), states) is None
