"""Chapter 3's sliders: bits expected over all strings of a length, and where a logit is lost."""

from math import exp, log2, sqrt

import matplotlib.pyplot as plt
import pytest

from chapters.pages import layer_norm
from chapters.pages.layer_norm import (
    EPSILONS,
    FAMILIES,
    LENGTHS,
    expected_bits,
    lost_near,
    shifted_hat_figure,
    slider_charts,
    step_figure,
    with_weight_one,
)
from lib import constructions
from lib.languages import FIRST, PARITY
from lib.transformer import Encoder, cross_entropy_bits

TRANSFORMERS = [(constructions.parity(), PARITY), (constructions.first(), FIRST)]


@pytest.mark.parametrize("eps", [0, 1e-2])
@pytest.mark.parametrize("construction, language", TRANSFORMERS, ids=["PARITY", "FIRST"])
def test_expected_bits_are_the_mean_over_all_strings(construction, language, eps):
    reader = Encoder(with_weight_one(construction), eps=eps)
    strings = list(language.all_strings(7))
    bits = cross_entropy_bits(reader(strings), [w in language for w in strings])
    assert expected_bits(reader, language, 7) == pytest.approx(bits.mean().item())


@pytest.mark.parametrize("construction, language", TRANSFORMERS, ids=["PARITY", "FIRST"])
def test_an_output_weight_of_one_costs_the_closed_form(construction, language):
    d = 2 * len(construction.space)
    found = expected_bits(Encoder(with_weight_one(construction), eps=0), language, 20)
    assert found == pytest.approx(log2(1 + exp(-sqrt(d / 2))))


def test_firsts_logit_is_lost_later_and_a_smaller_epsilon_loses_later():
    (parity, _), (first, _) = TRANSFORMERS
    cases = [(first if "FIRST" in name else parity, FAMILIES[name]) for name in FAMILIES]
    at = {eps: [lost_near(*case, eps) for case in cases] for eps in (1e-4, 1e-5)}
    assert at[1e-5] == sorted(at[1e-5])  # PARITY, FIRST's strings with 1 first, those with 0
    assert all(early < late for early, late in zip(at[1e-4], at[1e-5], strict=True))


def test_each_chart_has_a_slider_whose_ends_differ():
    bits = {
        (name, eps, n): eps * n for name in ("PARITY", "FIRST") for eps in EPSILONS for n in LENGTHS
    }
    for chart, steps in zip(slider_charts(bits), (EPSILONS, LENGTHS), strict=True):
        [slider] = chart.layout.sliders
        assert len(slider.steps) == len(steps) and len(chart.data) == 2
        first, last = (slider.steps[k].args[0]["y"] for k in (0, -1))
        assert first != last
        assert list(chart.data[0].y) == slider.steps[slider.active].args[0]["y"][0]


def test_all_bits_hold_each_slider_step(monkeypatch):
    monkeypatch.setattr(layer_norm, "LENGTHS", (2, 3))
    monkeypatch.setattr(layer_norm, "EPSILONS", (1.0, 0.0))
    found = layer_norm.all_bits()
    assert found.keys() == {
        (name, eps, n) for name in ("PARITY", "FIRST") for eps in (1.0, 0.0) for n in (2, 3)
    }
    assert all(found[name, 0.0, 2] < found[name, 1.0, 2] for name in ("PARITY", "FIRST"))


def test_the_step_has_a_curve_for_each_epsilon():
    figure = step_figure()
    assert len(figure.axes[0].lines) == len(figure.axes[0].texts) == 3
    plt.close(figure)


def test_after_the_shift_the_hat_marks_many_positions():
    figure = shifted_hat_figure()
    before, after = (axis.lines for axis in figure.axes)
    even, odd = (list(line.get_xdata()) for line in after)
    assert list(before[1].get_xdata()) == [21] and len(before[0].get_xdata()) == 0
    assert even == [*range(10, 35, 2)] and odd == [19, 21, 23, 25]
    plt.close(figure)


def test_the_slider_of_epsilon_rises_as_the_axis_does_and_says_powers_of_ten():
    bits = {
        (name, eps, n): 0.0 for name in ("PARITY", "FIRST") for eps in EPSILONS for n in LENGTHS
    }
    by_length, _ = slider_charts(bits)
    labels = [step.label for step in by_length.layout.sliders[0].steps]
    assert labels[:2] == ["0", "10<sup>−16</sup>"] and labels[-2:] == ["10<sup>−1</sup>", "1"]
    assert labels[by_length.layout.sliders[0].active] == "10<sup>−5</sup>"
    lines = [note.text for note in by_length.layout.annotations]
    assert lines == ["PARITY at its turn", "FIRST at its turn"]
