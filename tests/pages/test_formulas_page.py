"""Chapter 8's page: the numbers worked out by hand, and the library's languages in plain Python."""

from fractions import Fraction

import pytest
from matplotlib import pyplot as plt

from chapters.pages.formulas_to_transformers import (
    PLAIN,
    TILTS,
    distance,
    distance_figure,
    leak_figure,
    leaked,
    least_distance,
    mean_position,
    one_size_figure,
    sure_figure,
    tilt_figure,
)
from lib.formulas import LIBRARY


@pytest.mark.parametrize(
    "i, g, mean", [(3, 0, Fraction(34, 15)), (3, -2, Fraction(83, 585)), (1, 0, Fraction(4, 5))]
)
def test_the_means_worked_out_by_hand(i, g, mean):
    assert mean_position(i, g) == pytest.approx(float(mean), abs=1e-15)
    assert float(distance(i, 16, g)) == pytest.approx(float(mean - Fraction(i, 2)), abs=1e-15)


def test_the_bound_is_met_at_the_first_position_alone():
    assert float(least_distance(9)) == pytest.approx(0.25)
    for b in (1.5, 4, 9, 16, 100):
        assert distance(1, b).overlaps(least_distance(b))
        for i in range(2, 12):
            for g in range(-3, 4):
                off = distance(i, b, g)
                assert abs(off) > least_distance(b) and (off > 0) == (g >= 0)


def test_each_language_of_the_library_has_a_plain_definition():
    assert list(PLAIN) == [stated.name for stated in LIBRARY]
    for stated in LIBRARY:
        for length in range(6):
            for w in stated.language.all_strings(length):
                assert PLAIN[stated.name](w) == stated.language.contains(w)


def test_the_figures_have_a_panel_for_each_case():
    figures = [
        tilt_figure(),
        distance_figure(),
        one_size_figure("0110"),
        sure_figure((1, 2), {"one": (0.5, 1.0), "two": (0.1, 0.1), "three": (0.2, 0.2)}),
    ]
    assert [len(figure.axes) for figure in figures] == [len(TILTS), 1, 2, 1]
    plt.close("all")


@pytest.mark.parametrize(
    ("base", "count", "turns"),
    [(Fraction(3, 2), 0.739, True), (Fraction(2), 0.217, False), (Fraction(3), 0.022, False)],
)
def test_what_leaks_turns_the_comparison_for_a_small_base_alone(base, count, turns):
    counts = leaked(base, 16)
    assert counts[-1] == pytest.approx(count, abs=1e-3) and (counts[-1] > 0.5) == turns
    assert counts[0] == 0 and counts == pytest.approx(sorted(counts))


def test_the_leak_is_drawn_beside_the_line_at_which_the_comparison_turns():
    [axis] = leak_figure().axes
    assert [line.get_ydata()[-1] for line in axis.lines][-1] == 0.5
    assert [text.get_text() for text in axis.texts][:3] == ["b = 3/2", "b = 2", "b = 3"]
