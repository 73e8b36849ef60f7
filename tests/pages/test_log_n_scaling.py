"""What chapter 4 tells of the stored runs of FIRST, and of Proposition 3, follows from them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chapters.pages.log_n_scaling import (
    LENGTHS,
    Learned,
    attention_bars,
    bound,
    by_weights,
    costs,
    far_figure,
    gains,
    networks_figure,
    share_figure,
    weight_for_most,
    weights_figure,
)
from lib.constructions import first, flawed_first
from lib.constructions.normalization import mirror
from lib.languages import FIRST
from lib.transformer import Encoder, Exact
from record.runs import stored


@pytest.fixture(scope="module")
def learned() -> Learned:
    return Learned.read()


@pytest.fixture(autouse=True)
def _no_figures():
    yield
    plt.close("all")


def test_runs_are_counted_where_they_are_right(learned):
    rows = stored("first_generalisation").results
    [row] = [
        row["result"]
        for row in rows
        if (row["configuration"]["length"], row["configuration"]["scale"]) == (30, "log n")
    ]
    [last] = [test["accuracy"] for test in row["final"] if test["length"] == 10**9]
    assert learned.reached(30, "log n", 10**9) == sum(x >= 0.99 for x in last)
    assert learned.failing(30, "plain", 1000) == 20 - learned.reached(30, "plain", 1000)


@pytest.mark.parametrize("scale", ["plain", "log n"])
def test_the_prediction_starts_from_the_share_at_the_training_length(learned, scale):
    for n in LENGTHS:
        here = learned.tested.index(n)
        median = np.median(learned.shares(n, scale), axis=1)
        assert learned.predicted(n, scale)[here] == pytest.approx(median[here])
    assert learned.slope() == pytest.approx(-1, abs=0.01)


def test_a_line_starts_at_its_training_length(learned):
    plain, scaled = far_figure(learned).axes
    for axis in (plain, scaled):
        assert [line.get_xdata()[0] for line in axis.lines] == [*LENGTHS]
    assert [line.get_ydata()[-1] for line in plain.lines] == [0, 0, 0, 0]


def test_shares_are_drawn_from_the_training_length_on(learned):
    for axis in share_figure(learned).axes:
        assert [line.get_xdata()[0] for line in axis.lines[:4]] == [*LENGTHS]
    ends = [line.get_ydata()[-1] for line in axis.lines[:4]]
    assert ends == [np.median(learned.shares(n, "log n")[-1]) for n in LENGTHS]


def test_the_bars_are_shares_that_add_up():
    [axis] = attention_bars([("6 tokens", 7.39, 5), ("9 tokens", 7.39, 8)]).axes
    widths = [patch.get_width() for patch in axis.patches]
    assert [len(widths[:6]), len(widths[6:])] == [6, 9]
    assert widths[0] == pytest.approx(7.39 / 12.39) and sum(widths) == pytest.approx(2)
    assert [text.get_text() for text in axis.texts] == [
        "7.39 of 12.39: 0.60",
        "7.39 of 15.39: 0.48",
    ]


def test_every_run_with_log_n_is_a_dot_above_the_line_if_it_is_right(learned):
    [axis] = networks_figure(learned).axes
    full, empty = (dots.get_offsets() for dots in axis.collections)
    right = sum(learned.reached(n, "log n", 10**9) for n in LENGTHS)
    assert [len(full), len(empty)] == [right, 80 - right]
    assert full[:, 1].min() == 1 and empty[:, 1].max() == -1
    assert len({tuple(dot) for dot in [*full, *empty]}) == 80  # none lies on another
    gone, gone_right = learned.gone()
    at_zero = [(dots[:, 0] == 0).sum() for dots in (full, empty)]
    assert at_zero == [gone_right, gone - gone_right]


def test_runs_whose_share_is_gone_may_be_right(learned):
    gone, right = learned.gone()
    assert 0 < right < gone < 80


def test_those_right_at_a_thousand_have_larger_shares_at_every_training_length(learned):
    count, right, wrong, least, most = learned.compared(1000)
    assert count == sum(learned.reached(n, "plain", 1000) for n in LENGTHS)
    assert least < wrong < right < most
    here = learned.tested.index(1000)
    for n in LENGTHS:
        is_right = learned.final(n, "plain", "accuracy")[here] >= 0.99
        shares = learned.shares(n, "plain")[here]
        assert np.median(shares[is_right]) > np.median(shares[~is_right])


def test_the_weight_for_most_strings_is_counted_on_all_of_them():
    strings = list(FIRST.all_strings(10))
    weight = weight_for_most(11)
    shares = [
        len(FIRST.errors(strings, Exact(flawed_first(base=b)).accepts(strings))) / len(strings)
        for b in (weight - 1, weight)
    ]
    assert shares[0] > 0.01 >= shares[1]


def test_every_run_from_every_start_is_a_circle():
    accuracy = by_weights()
    [axis] = weights_figure(accuracy).axes
    full = sum(len(line.get_xdata()) for line in axis.lines if line.get_alpha() == 1)
    assert full == (accuracy > 0.99).sum() and accuracy.shape == (20, 5)


@pytest.mark.parametrize("eps", [1e-5, 0.3, 0.7])
def test_gains_are_read_off_the_normalized_transformer(eps):
    for w in ("10", "00"):
        trace = Encoder(mirror(first()), eps=eps).trace(w)
        found = trace.a[1]["CLS"][0, 0] * trace.a[1]["[i=1]"][0, 1]
        assert float(found) == pytest.approx(np.prod(gains(eps, int(w[0]))), rel=1e-4)


def test_the_bound_holds_and_an_output_weight_follows_from_it():
    reader = Encoder(mirror(first(tie_free=True)), eps=1e-5, log_n=True)
    strings = [w for length in range(7) for w in FIRST.all_strings(length)]
    assert min(abs(reader(w).item()) for w in strings) >= bound(1e-5)
    assert max(costs(1, None)) <= 0.01 + 1e-9 < costs(1, None, tie_free=False)[0]
