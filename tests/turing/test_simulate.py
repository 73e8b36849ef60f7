"""The two transformers, step by step beside the RNN and the machine that they simulate."""

from fractions import Fraction
from itertools import islice

from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.turing.architecture import Transformer, directional, vanilla
from chapters.common.turing.compilation import configurations, stack_rnn
from chapters.common.turing.recurrent import RNN, Arithmetic, exact
from tests import OFTEN
from tests.turing.machinery import first, inputs, machines, oracle, recurrent_networks


def hidden_states(transformer: Transformer, rnn: RNN, w: str, number: Arithmetic = exact):
    """The first d_h coordinates of y_0, y_1, ..."""
    return (y[: len(rnn.hidden)] for y in transformer.outputs(w, number))


@given(st.data())
@settings(max_examples=25 * OFTEN)
def test_random_machines_step_by_step(data):
    machine = data.draw(machines())
    w, one_step = data.draw(inputs(machine)), data.draw(st.booleans())
    rnn, limit = stack_rnn(machine, one_step), len(w) + (2 + 15 if one_step else 3 + 4 * 15)
    states = first(limit, rnn.states(w))
    assert (
        states
        == first(limit, hidden_states(vanilla(rnn), rnn, w))
        == first(limit, hidden_states(directional(rnn), rnn, w))
    )
    assert list(configurations(machine, rnn, w, states)) == first(15, oracle(machine, w))


@given(recurrent_networks(), st.text("ab", max_size=5))
@settings(max_examples=30 * OFTEN)
def test_y_t_is_what_the_paper_writes(rnn, w):
    """[h_t, 0; 0, t + 1, 1] and [h_t, 0, 0, 0, 1/2^t, 0, 0, ω_(t-1)] with ω counted here."""
    tokens = ["#", *w, "$"]
    dim, inputs_, m = len(rnn.hidden), len(rnn.within_unit_inputs().inputs), len(rnn.alphabet) + 2
    runs = (rnn.states(w), vanilla(rnn).outputs(w), directional(rnn).outputs(w))
    for t, (h, y, y_d) in enumerate(islice(zip(*runs, strict=True), 10)):
        assert y == [*h, *[0] * inputs_, *[0] * dim, t + 1, 1]
        seen = tokens[:t]
        ω = [Fraction(seen.count(a), len(seen)) if seen else 0 for a in ("#", *rnn.alphabet, "$")]
        ω = [fmpq(x.numerator, x.denominator) for x in map(Fraction, ω)]
        assert y_d == [
            *h,
            *[0] * dim,
            *[0] * inputs_,
            *[0] * m,
            fmpq(1, 2**t),
            *[0] * m,
            *[0] * m,
            *ω,
        ]
