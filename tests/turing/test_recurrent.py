"""RNNs of section 3.1 and their affine maps."""

from fractions import Fraction

from hypothesis import given, settings

from chapters.common.turing.recurrent import coordinate, exact
from lib.transformer.space import Form
from tests.turing.machinery import first, recurrent_networks

a, h = map(coordinate, "ah")


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
