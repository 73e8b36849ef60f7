"""The transformers of chapter 6 with a part taken away or as printed."""

import pytest
from flint import fmpq

from chapters.common.turing.architecture import Run, directional, vanilla
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import BUSY_BEAVER_4, INCREMENT, PALINDROMES
from chapters.common.turing.recurrent import exact
from chapters.turing_completeness.variants import (
    D2_MISPRINTS,
    NEEDED,
    UNSAID,
    components,
    every_subset,
    first_difference,
    printed_c4,
    printed_d2,
    relu_c4,
)
from tests.turing.machinery import first


@pytest.mark.parametrize(
    "machine, w", [(INCREMENT, "1011"), (INCREMENT, "0"), (PALINDROMES, "010")], ids=str
)
def test_what_can_be_replaced_and_what_breaks(machine, w):
    rnn = stack_rnn(machine)
    for component in components(rnn):
        wrong = first_difference(component.transformer.outputs(w), rnn.states(w))
        breaks = component.paper in (NEEDED, UNSAID)
        assert (wrong is not None) == breaks, component.part


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
