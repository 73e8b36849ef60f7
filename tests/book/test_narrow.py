"""Figures on narrow screens: every panel is kept, one under another."""

import re

import matplotlib.pyplot as plt
import pytest

from chapters._ext.page import NARROW, lighter_page
from lib.notebook import WIDTH, narrow, narrow_file, unpack, with_narrow


@pytest.fixture
def figure():
    made, axes = plt.subplots(
        2, 2, figsize=(7, 4), sharex="col", sharey="row", layout="constrained"
    )
    for number, panel in enumerate(axes.flat):
        panel.plot([0, 1], [0, number + 1], label=f"line {number}")
    axes[0, 0].set_title("left column", loc="left")
    axes[0, 1].set_title("right column", loc="left")
    axes[0, 0].set_ylabel("upper")
    axes[1, 0].set_ylabel("lower")
    made.legend(*axes[0, 0].get_legend_handles_labels(), title="Lines", ncols=5)
    yield made
    plt.close(made)


def test_panels_come_one_under_another_with_what_they_shared(figure):
    narrow(figure)
    figure.draw_without_rendering()
    boxes = [panel.get_position() for panel in figure.axes]
    assert all(above.y0 > below.y1 for above, below in zip(boxes, boxes[1:], strict=False))
    assert [panel.get_ylabel() for panel in figure.axes] == ["upper", "upper", "lower", "lower"]
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert titles == ["left column", "right column"] * 2
    assert figure.get_size_inches().tolist() == [WIDTH, 8]
    for panel in figure.axes:
        assert any(tick.label1.get_visible() for tick in panel.yaxis.get_major_ticks())
        assert any(tick.label1.get_visible() for tick in panel.xaxis.get_major_ticks())
    [legend] = figure.legends
    assert legend.get_title().get_text() == "Lines" and len(legend.get_texts()) == 1


def test_a_single_panel_keeps_its_height():
    figure, _ = plt.subplots(figsize=(6.4, 3))
    narrow(figure)
    assert figure.get_size_inches().tolist() == [WIDTH, 3]
    plt.close(figure)


def test_the_narrow_figure_travels_in_the_wide_one(figure, tmp_path):
    file = tmp_path / "a.svg"
    file.write_text(with_narrow(figure), encoding="utf-8")
    unpack(file)
    wide, small = file.read_text(encoding="utf-8"), narrow_file(file).read_text(encoding="utf-8")
    sizes = [float(re.search(r'width="([\d.]+)pt"', text)[1]) for text in (wide, small)]
    assert sizes[1] <= 72 * (WIDTH + 0.2) < sizes[0] and "<!--narrow" not in wide + small
    page = lighter_page('<img class="dark-light" src="a.svg"/>', tmp_path, searches=True)
    assert re.fullmatch(
        rf'<picture><source media="{re.escape(NARROW)}" srcset="a-narrow.svg" width="\d+" '
        r'height="\d+" /><img loading="lazy" width="\d+" height="\d+" class="dark-light" '
        r'src="a.svg"/></picture>',
        page,
    )
    assert lighter_page(page, tmp_path, searches=True) == page


def test_a_figure_without_a_narrow_one_stays_as_it_is(tmp_path):
    file = tmp_path / "a.svg"
    file.write_text("<svg></svg>", encoding="utf-8")
    unpack(file)
    assert list(tmp_path.iterdir()) == [file]


def test_captions_name_panels_by_what_they_show(pages):
    """What is left and right on a wide screen is above and below on a narrow one."""
    places = re.compile(r"\b(Left|Right)\b|\((left|right)\)|on the (left|right)")
    said = [caption.get_text() for soup in pages.values() for caption in soup.select("figcaption")]
    assert len(said) >= 30
    assert [caption for caption in said if places.search(caption)] == []
