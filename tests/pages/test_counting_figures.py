"""The pictures of counting show a grid and what is asked for, a grid beside its copy, and a line
that bends at the shares.
"""

from matplotlib.colors import to_hex

from chapters.pages.counting_ablations.pictures import (
    FILLS,
    bent_figure,
    copy_figure,
    counting_figure,
    flattened_figure,
)


def test_the_grid_stands_beside_its_counts():
    figure = counting_figure([[6, 6, 0], [3, 7, 8]])
    given, asked = figure.axes
    assert [text.get_text() for text in given.texts] == list("660378")
    assert [text.get_text() for text in asked.texts] == list("220111")
    for axis in (given, asked):
        fills = [patch.get_facecolor() for patch in axis.patches]
        assert fills[2][3] == 0  # colour 0 is empty
        assert [to_hex(fills[k]).upper() for k in (0, 1, 3, 4)] == [FILLS[k] for k in (6, 6, 3, 7)]
        assert [text.get_color() for text in axis.texts] == ["black"] * 5 + ["white"]


def test_a_grid_stands_beside_its_copy_with_one_share():
    small, large = copy_figure([[6, 6, 0], [3, 7, 8]], colour=6).axes
    assert [text.get_text() for text in small.texts] == list("220111")
    assert [text.get_text() for text in large.texts] == list("888800" * 2 + "444444" * 2)
    shares = [axis.get_xlabel().rpartition(": ")[2] for axis in (small, large)]
    assert shares == ["2 / 6 = 0.333", "8 / 24 = 0.333"]


def test_the_bent_line_passes_through_shares_and_counts():
    [axis] = bent_figure(3).axes
    [line] = axis.lines
    assert [tuple(point) for point in line.get_xydata()] == [
        (0, 0),
        (1 / 2, 1),
        (2 / 3, 2),
        (0.75, 3),
    ]
    assert [text.get_text() for text in axis.texts] == ["0", "1/2", "2/3", "3/4"]


def test_counts_are_flattened_the_later_the_smaller_delta_is():
    *curves, flat = flattened_figure([1e-3, 1e-4], eps=1e-5).axes[0].lines
    ends = [curve.get_ydata()[-1] for curve in curves]
    assert ends[0] < 11 < 37 < ends[1] < 38
    assert list(flat.get_ydata()) == [10 / 3] * 2
