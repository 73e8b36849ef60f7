"""The two transformers, step by step beside the RNN and the machine that they simulate."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.turing.architecture import (
    IDENTITY,
    HardAttention,
    Run,
    SaturatedFFN,
    Sublayer,
    Transformer,
    directional,
    vanilla,
)
from chapters.common.turing.compilation import configurations, stack_rnn
from chapters.common.turing.machines import (
    ABC,
    BUSY_BEAVER_4,
    CHAMPION_5,
    INCREMENT,
    MULTIPLY,
    PALINDROMES,
)
from chapters.common.turing.recurrent import RNN, Arithmetic, coordinate, exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head
from tests.turing.machinery import first, inputs, machines, oracle, recurrent_networks

RUNS = [
    (INCREMENT, "1011"),
    (INCREMENT, "1" * 30),
    (ABC, "aaaabbbbcccc"),
    (ABC, "aabbc"),
    (PALINDROMES, "01100110"),
    (PALINDROMES, "011"),
    (MULTIPLY, "11*111="),
    (BUSY_BEAVER_4, ""),
    (CHAMPION_5, ""),
]


def hidden_states(transformer: Transformer, rnn: RNN, w: str, number: Arithmetic = exact):
    """The first d_h coordinates of y_0, y_1, ..."""
    return (y[: len(rnn.hidden)] for y in transformer.outputs(w, number))


@pytest.mark.parametrize("one_step", [False, True])
@pytest.mark.parametrize("machine, w", RUNS, ids=lambda value: getattr(value, "name", None))
def test_rnn_vanilla_and_directional_states_are_equal_at_every_step(machine, w, one_step):
    rnn = stack_rnn(machine, one_step)
    states = first(1600, rnn.states(w))
    for build in (vanilla, directional):
        assert first(1600, hidden_states(build(rnn), rnn, w)) == states
    assert first(300, configurations(machine, rnn, w, states)) == first(300, oracle(machine, w))


@given(st.data())
@settings(max_examples=200)
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
@settings(max_examples=200)
def test_any_rnn_is_simulated(rnn, w):
    states = first(10, rnn.states(w))
    assert (
        states
        == first(10, hidden_states(vanilla(rnn), rnn, w))
        == first(10, hidden_states(directional(rnn), rnn, w))
    )


@given(recurrent_networks(), st.text("ab", max_size=4))
@settings(max_examples=50)
def test_y_t_is_what_the_paper_writes(rnn, w):
    """[h_t, 0; 0, t + 1, 1] and [h_t, 0, 0, 0, 1/2^t, 0, 0, ω_(t-1)] with ω counted here."""
    tokens = ["#", *w, "$"]
    dim, inputs_, m = len(rnn.hidden), len(rnn.within_unit_inputs().inputs), len(rnn.alphabet) + 2
    runs = (rnn.states(w), vanilla(rnn).outputs(w), directional(rnn).outputs(w))
    for t, (h, y, y_d) in enumerate(islice(zip(*runs, strict=True), 9)):
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


def read_plainly(rnn: RNN, tokens: list[str], steps: int) -> list[list]:
    """The hidden states when the RNN reads these tokens, the last of them for ever."""
    embedding, value = dict(rnn.embedding), {name: Fraction(0) for name in rnn.hidden.names}
    states = [list(value.values())]
    for t in range(steps):
        symbol = tokens[min(t, len(tokens) - 1)]
        value |= dict(
            zip(rnn.inputs.names, rnn.inputs.dense(embedding.get(symbol, Form())), strict=True)
        )
        for layer in rnn.layers:
            value = {name: min(max(form(value), Fraction(0)), Fraction(1)) for name, form in layer}
        states.append(list(value.values()))
    return [[fmpq(x.numerator, x.denominator) for x in state] for state in states]


def test_masking_alone_needs_no_symbol_that_occurs_once():
    """Without # in front, and with # anywhere: where no share can rise, all tokens are the same."""
    x = Space("x")["x"]
    rnn = RNN(Space("x"), {"a": x, "b": 3 * x}, [{"h": coordinate("h") / 4 + x / 4}])
    for length in range(5):
        for w in product("ab#", repeat=length):
            outputs = Run(directional(rnn), exact).outputs([*w, "$"])
            found = [y[:1] for y in first(length + 4, outputs)]
            assert found == read_plainly(rnn, [*w, "$"], length + 3), w


def test_dimensions():
    rnn = stack_rnn(INCREMENT)
    d_h, d_b, m = len(rnn.hidden), len(rnn.inputs), len(rnn.alphabet) + 2
    assert len(vanilla(rnn).space) == 2 * d_h + d_b + 2
    assert len(directional(rnn).space) == 2 * d_h + d_b + 4 * m + 1


def test_long_increment_in_both():
    w, rnn = "1" * 200, stack_rnn(INCREMENT)
    states = list(rnn.states(w))
    for build in (vanilla, directional):
        assert list(hidden_states(build(rnn), rnn, w)) == states
    assert (
        list(configurations(INCREMENT, rnn, w, states)) == list(oracle(INCREMENT, w))
        and len(states) - 1 == 203 + 4 * 402
    )


def test_hardmax_shares_among_ties_and_sees_no_further_than_it_may():
    x = coordinate("x")
    read = {}
    for dot in (True, False):
        attention = HardAttention(Head(q=[x], k=[x], v={"y": x}), ("x", "y"), float, dot)
        for value in (1.0, -3.0, 3.0):
            attention.see([value, 0.0])
        read[dot] = [attention([1.0, 0.0], sees)[1] for sees in (1, 2, None)]
    assert read == {True: [1.0, 1.0, 3.0], False: [1.0, 1.0, 1.0]}
    uniform = HardAttention(Head(v={"y": x}), ("x", "y"), float, True)
    for value in (1.0, 2.0, 6.0):
        uniform.see([value, 0.0])
    assert [uniform([5.0, 0.0], sees)[1] for sees in (1, 2, None, 9)] == [1.0, 1.5, 3.0, 3.0]


def test_the_printed_counter_runs_1_2_4_7_11():
    rnn = stack_rnn(INCREMENT)
    repaired = vanilla(rnn)
    S, ffn = repaired.space, repaired.decoder[0][2].map
    carried = {f"+{x}": S[x] for x in ("x₁", "x₂")}
    printed = SaturatedFFN(
        [ffn.hidden[0] + tuple(carried.items())],
        ffn.out + tuple((x[1:], -coordinate(x)) for x in carried),
    )
    broken = replace(
        repaired, F=None, decoder=((IDENTITY, repaired.decoder[0][1], Sublayer(printed)),)
    )
    assert [y[-2] for y in first(6, broken.outputs("1011"))] == [1, 2, 4, 7, 11, 16]
    assert [y[-2] for y in first(6, repaired.outputs("1011"))] == [1, 2, 3, 4, 5, 6]


def test_other_arithmetics():
    rnn = stack_rnn(INCREMENT)
    for number in (float, np.float32, lambda x: np.float16(float(x))):
        for build in (vanilla, directional):
            states = first(12, hidden_states(build(rnn), rnn, "11", number))
            expected = first(12, rnn.states("11"))
            assert {type(x) for h in states for x in h} == {type(number(Fraction(0)))}
            assert [[*map(float, h)] for h in states] == [
                [float(Fraction(int(x.p), int(x.q))) for x in h] for h in expected
            ]


def test_without_the_input_s_attention_every_word_runs_alike():
    rnn = stack_rnn(INCREMENT)
    inputless = replace(vanilla(rnn), decoder=((IDENTITY, IDENTITY, vanilla(rnn).decoder[0][2]),))
    assert first(30, inputless.outputs("1011")) == first(30, inputless.outputs("0"))


def test_an_encoder_attends_too():
    """An encoder whose attention is uniform: every position reads the mean, or with masking the
    mean so far.
    """
    S = Space("x", "mean")
    x = S["x"]
    attend = Sublayer(Head(v={"mean": x}))
    read = Sublayer(Head(v={"mean": S["mean"]}), residual=False)
    for masked, means in (
        (False, [fmpq(1, 2)] * 4),
        (True, [0, fmpq(1, 2), fmpq(2, 3), fmpq(1, 2)]),
    ):
        model = Transformer(
            S,
            {"#": Form(), "1": x, "$": Form()},
            (),
            ((attend, IDENTITY),),
            ((IDENTITY, read, IDENTITY),),
            masked=masked,
        )
        seen = [fmpq(0)]
        for t in range(4):
            seen.append(
                sum(means[: t + 1] if masked else means, fmpq(0)) / (t + 1 if masked else 4)
            )
        assert [y[1] for y in first(5, model.outputs("11"))] == seen
