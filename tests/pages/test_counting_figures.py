"""The picture of counting shows a grid and what is asked for."""

from matplotlib.colors import to_hex

from chapters.pages.counting_ablations.answers import FILLS, counting_figure


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
