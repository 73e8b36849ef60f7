"""RNNs of section 3.1 and their affine maps."""

from fractions import Fraction

from flint import fmpq
from hypothesis import given, settings

from chapters.common.turing.recurrent import affine, coordinate, exact, layered
from lib.transformer.space import Form
from tests.turing.machinery import first, recurrent_networks

a, h = map(coordinate, "ah")


def test_affine_maps_and_sigma():
    rows = {"u": 2 * a - h + 1, "v": -a}
    half, third, names = fmpq(1, 2), fmpq(1, 3), ("a", "h")
    assert affine(rows, names, exact)({"a": half, "h": fmpq(3)}) == {"u": -1, "v": -half}
    assert layered([rows], names, exact)({"a": third, "h": fmpq(1)}) == {"u": 2 * third, "v": 0}
    assert layered([{"u": 3 * a}], "a", float)({"a": 0.5}) == {"u": 1.0}
    assert layered([{"u": 3 * a}], "a", float, is_clipped=False)({"a": 0.5}) == {"u": 1.5}


@given(recurrent_networks())
@settings(max_examples=60)
def test_unit_inputs_change_no_hidden_state(rnn):
    other = rnn.within_unit_inputs()
    assert all(0 <= c <= 1 for form in other.embedding.values() for _, c in form.terms)
    for w in ("", "ab", "bba"):
        assert first(8, other.states(w)) == first(8, rnn.states(w))


@given(recurrent_networks())
@settings(max_examples=60)
def test_the_states_are_those_of_the_recurrence(rnn):
    """Against a plain evaluation of the forms."""
    value = {name: Fraction(0) for name in rnn.hidden.names}
    embedding = dict(rnn.embedding)
    for t, state in enumerate(first(6, rnn.states("ab"))):
        assert state == [exact(value[name]) for name in rnn.hidden.names]
        symbol = "#ab$$$"[t]
        x_t = rnn.inputs.dense(embedding.get(symbol, Form()))
        value |= dict(zip(rnn.inputs.names, x_t, strict=True))
        for layer in rnn.layers:
            value = {u: min(max(f(value), Fraction(0)), Fraction(1)) for u, f in layer.items()}
