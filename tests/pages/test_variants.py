"""The comparisons of chapter 6, and its transformers with a part taken away or as printed."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq

from chapters.common.turing.architecture import (
    IDENTITY,
    Run,
    Sublayer,
    directional,
    reciprocal,
    vanilla,
)
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import BUSY_BEAVER_4, INCREMENT, PALINDROMES
from chapters.common.turing.recurrent import exact
from chapters.turing_completeness.variants import (
    D2_MISPRINTS,
    NEEDED,
    UNSAID,
    compare,
    components,
    every_subset,
    first_difference,
    idle,
    printed_c4,
    printed_d2,
    relu_c4,
)
from lib.transformer.sublayers import Head
from tests.turing.machinery import first


def test_the_first_difference_of_any_arithmetic():
    half, third = fmpq(1, 2), fmpq(1, 3)
    assert first_difference([[0.5], [0.5]], [[half], [half]]) is None
    assert first_difference([[0.5], [1 / 3]], [[half], [third]]) == 1
    assert first_difference([[np.float16(0.5), 7]], [[half]]) is None  # y holds more than h
    assert first_difference([[0.5]], [[half], [half]]) == 1  # it ended too early
    assert (
        first_difference([[float("inf")]], [[half]])
        == first_difference([[float("nan")]], [[half]])
        == 0
    )


def test_a_comparison():
    comparison = compare(PALINDROMES, "0110")
    assert comparison.holds == {
        "RNN": True,
        "vanilla": True,
        "directional": True,
    } and comparison.run == list(PALINDROMES.run("0110"))
    rnn = stack_rnn(PALINDROMES)
    assert comparison.sizes == {
        "RNN": len(rnn.hidden),
        "vanilla": len(vanilla(rnn).space),
        "directional": len(directional(rnn).space),
    }
    assert comparison.rnn_steps == 4 + 3 + 4 * (len(comparison.run) - 1)


def test_a_machine_that_stops_without_accepting_costs_the_rnn_four_more_steps():
    comparison = compare(PALINDROMES, "01")
    assert len(comparison.run) - 1 == 3 and comparison.rnn_steps == 21
    assert all(comparison.holds.values())


@pytest.mark.parametrize(
    "machine, w", [(INCREMENT, "1011"), (INCREMENT, "0"), (PALINDROMES, "010")], ids=str
)
def test_what_can_be_replaced_and_what_breaks(machine, w):
    rnn = stack_rnn(machine)
    for component in components(rnn):
        wrong = first_difference(component.transformer.outputs(w), rnn.states(w))
        breaks = component.paper in (NEEDED, UNSAID)
        assert (wrong is not None) == breaks, component.part


def test_what_is_idle():
    """Another sublayer in the place of an idle one is heard."""
    rnn = stack_rnn(INCREMENT)
    whole = vanilla(rnn)
    assert idle(whole) == ("encoder attention", "encoder FFN", "decoder-decoder attention")
    loud = Sublayer(Head(v={"x₁": whole.space["x₂"]}))
    heard = replace(whole, encoder=((loud, IDENTITY),))
    assert "encoder attention" not in idle(heard)
    assert first(9, heard.outputs("1011")) != first(9, whole.outputs("1011"))


def test_as_printed_each_misprint_breaks_the_run():
    for machine, w in ((INCREMENT, "1011"), (PALINDROMES, "0110")):
        rnn = stack_rnn(machine)
        truth = list(rnn.states(w))
        assert first_difference(printed_c4(rnn).outputs(w), truth) is not None
        assert [y[-2] for y in first(6, printed_c4(rnn).outputs(w))] == [1, 2, 4, 7, 11, 16]
        for misprint in D2_MISPRINTS:
            assert first_difference(printed_d2(rnn, misprint).outputs(w), truth) is not None
        assert printed_d2(rnn, "none of them") == directional(rnn)


@pytest.mark.parametrize("one_step", [False, True])
def test_the_printed_network_is_right_with_bounded_positions(one_step):
    for machine, w in ((INCREMENT, "1011"), (PALINDROMES, "0110"), (BUSY_BEAVER_4, "")):
        rnn = stack_rnn(machine, one_step)
        assert first_difference(printed_c4(rnn, reciprocal).outputs(w), rnn.states(w)) is None


@pytest.mark.parametrize("one_step", [False, True])
def test_with_relu_the_lemma_is_right_as_printed(one_step):
    """Every coordinate of y_t, with F the identity."""
    for machine, w in ((INCREMENT, "1011"), (PALINDROMES, "0110"), (BUSY_BEAVER_4, "")):
        rnn = stack_rnn(machine, one_step)
        assert relu_c4(rnn).F is None
        assert list(relu_c4(rnn).outputs(w)) == list(vanilla(rnn).outputs(w))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_a_decoder_without_the_residual_connection_may_attend_to_every_set(n):
    """Output t is the mean over the tokens at the binary digits 1 of t; then they come again."""
    outputs = [y[:n] for y in first(8 * 2**n, Run(every_subset(n), exact).outputs("a" * n))]
    for t, y in enumerate(outputs[1:], start=1):
        chosen = [t >> j & 1 for j in range(n)]
        chosen = chosen if any(chosen) else [1] * n
        assert y == [fmpq(bit, sum(chosen)) for bit in chosen]
    assert len({tuple(map(str, y)) for y in outputs[1 : 2**n]}) == 2**n - 1
    assert len({tuple(map(str, y)) for y in outputs[1:]}) == 2**n - 1
