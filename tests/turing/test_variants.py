"""The comparisons of chapter 6, and its transformers with a part taken away, as printed, at random
and counting.
"""

from itertools import islice

import numpy as np
import pytest
from flint import fmpq

from lib.turing.architecture import Run, reciprocal
from lib.turing.compilation import stack_rnn
from lib.turing.programs import BUSY_BEAVER_4, INCREMENT, PALINDROMES
from lib.turing.recurrent import exact
from lib.turing.simulate import directional, vanilla
from lib.turing.variants import (
    D2_MISPRINTS,
    NEEDED,
    above,
    bit_of,
    compare,
    components,
    denominator_bits,
    first_difference,
    lowest,
    printed_c4,
    printed_d2,
    random_decoder,
)
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


def test_denominators_in_bits():
    assert [
        denominator_bits([fmpq(3), x]) for x in (fmpq(1), fmpq(1, 2), fmpq(5, 1024), fmpq(1, 3))
    ] == [0, 1, 10, 1]


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


@pytest.mark.parametrize(
    "machine, w", [(INCREMENT, "1011"), (INCREMENT, "0"), (PALINDROMES, "010")], ids=str
)
def test_what_can_be_replaced_and_what_breaks(machine, w):
    rnn = stack_rnn(machine)
    for component in components(rnn):
        wrong = first_difference(component.transformer.outputs(w), rnn.states(w))
        breaks = component.paper == NEEDED or component.instead.endswith(
            "pos(i) = i"
        )  # sigma clips the position i
        assert (wrong is not None) == breaks, component.part


def test_what_is_taken_away_is_away():
    whole = vanilla(stack_rnn(INCREMENT))
    parts = {(c.part, c.instead): c.transformer for c in components(stack_rnn(INCREMENT))}
    assert parts["encoder attention", "its residual"] == whole and whole.encoder[0][0].map is None
    for part, layer, place in (
        ("residual around encoder attention", "encoder", 0),
        ("residual around decoder-decoder attention", "decoder", 0),
    ):
        sublayer = getattr(parts[part, "attention to itself"], layer)[0][place]
        assert not sublayer.residual and sublayer.map is not None
    assert not parts["residual around decoder-encoder attention", "nothing"].decoder[0][1].residual
    assert parts["decoder-encoder attention", "nothing"].decoder[0][1].map is None
    assert parts["decoder FFN", "nothing"].decoder[0][2].map is None


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


@pytest.mark.parametrize("tokens", ["a", "ab", "abc", "abca"])
def test_without_the_residual_connection_a_decoder_has_few_outputs(tokens):
    for seed in range(12):
        for layers in (1, 2):
            outputs = islice(
                Run(random_decoder(seed, residual=False, layers=layers), exact).outputs(tokens),
                1,
                20,
            )
            assert len({tuple(map(str, y[:4])) for y in outputs}) <= 2 ** len(tokens) - 1


def test_with_it_a_decoder_may_have_more():
    outputs = islice(Run(random_decoder(0, residual=True), exact).outputs("a"), 1, 20)
    assert len({tuple(map(str, y[:4])) for y in outputs}) == 19


def test_random_decoders_are_seeded():
    assert random_decoder(3, True) == random_decoder(3, True) != random_decoder(4, True)


def test_the_counting_decoder_s_positions():
    """After i outputs and the seed, i = 1, 2, ...: number 1 has one bit, number 2 two, and above is
    where the same bit stood.
    """
    cells = [(k, j) for k in range(1, 8) for j in range(k)]
    assert [bit_of(i) for i in range(1, len(cells) + 1)] == cells
    for i, (k, j) in enumerate(cells, start=1):
        before = (
            cells.index((k - 1, j)) + 2 if (k - 1, j) in cells else 1
        )  # cell number c is output c + 1, at position c + 2
        assert above(i) == before and lowest(i) == (j == 0)


@pytest.mark.parametrize(
    "machine, w", [(INCREMENT, "1011"), (PALINDROMES, "01100110"), (BUSY_BEAVER_4, "")], ids=str
)
@pytest.mark.parametrize(
    "number",
    [float, np.float32, lambda x: np.float16(float(x))],
    ids=["float64", "float32", "float16"],
)
def test_the_vanilla_transformer_leaves_the_exact_run_where_the_rnn_does(machine, w, number):
    rnn = stack_rnn(machine)
    truth = list(rnn.states(w))
    with np.errstate(all="ignore"):
        assert first_difference(vanilla(rnn).outputs(w, number), truth) == first_difference(
            rnn.states(w, number), truth
        )
