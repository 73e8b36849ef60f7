"""The book's pictures: what they draw, on toy input."""

import json
import re

import numpy as np
import pytest
import torch

from chapters.transformer_parity_first.figures import (
    confidence,
    heads_figure,
    reference_slope,
    stream_figure,
)
from lib import constructions
from lib.languages import FIRST, PARITY
from lib.notebook import COLOURS, show_plotly, stream_table, use_style
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact


def test_stream_tables_show_fractions_where_the_trace_is_rational():
    trace = Exact(constructions.parity()).trace("110")
    lines = stream_table(trace.a[2], trace.tokens[0]).data.splitlines()
    assert lines[0] == "| coordinate | CLS (0) | 1 (1) | 1 (2) | 0 (3) |"
    assert "| `[i=k]/n` | 0 | 0 | 1/4 | 0 |" in lines and lines[-1].startswith("| `s` | -0.0952 |")


def test_stream_figures_scale_each_coordinate_by_its_largest_value():
    trace = Encoder(constructions.parity()).trace("0110")
    figure = stream_figure(trace.tokens[0], {"input": trace.a[0], "end": trace.a[2]})
    *panels, key = figure.axes
    assert [axis.get_title(loc="left") or axis.get_title() for axis in panels] == ["input", "end"]
    assert [text.get_text() for text in key.get_xticklabels()] == ["- largest", "0", "+ largest"]
    for axis in panels:
        grid = np.asarray(axis.images[0].get_array())
        assert grid.shape == (9, 5) and set(np.abs(grid).max(axis=1).round(12)) <= {0.0, 1.0}


def test_the_figure_of_the_heads_writes_every_weight_and_names_the_mark():
    trace = Encoder(constructions.parity()).trace("110", weights=True)
    for axis, head in zip(heads_figure(trace, mark=2).axes, (1, 2), strict=True):
        written = [text.get_text().split("\n") for text in axis.texts]
        assert [len(lines) for lines in written] == [1, 1, 2, 1]
        weights = [float(lines[-1]) for lines in written]
        assert np.allclose(weights, trace.attention[2, head][0, 0], atol=0.005)


def test_the_influence_of_a_symbol_is_that_of_the_closed_forms():
    n = 21  # with CLS: the heads' shares differ by one position
    found = confidence(constructions.first(), FIRST, n - 1)
    assert found.influence == pytest.approx(np.e / (np.e + n - 1)) and 0 < found.bits < 1
    found = confidence(constructions.parity(), PARITY, n)
    assert found.influence == pytest.approx(4 * np.tanh(1) / (n + 1) ** 2)


def test_traces_in_bfloat16_can_be_drawn():
    trace = Encoder(constructions.parity(), torch.bfloat16).trace("110", weights=True)
    figure = stream_figure(trace.tokens[0], {"end": trace.a[2]})
    assert len(figure.axes) == len(heads_figure(trace, mark=2).axes) == 2


def test_reference_slopes_have_the_slope_they_say():
    figure = stream_figure(["CLS"], {"x": {"a": torch.zeros(1, 1)}})
    reference_slope(figure.axes[0], [10, 1000], at=5.0, power=-2, label="slope")
    x, y = figure.axes[0].lines[-1].get_data()
    assert np.polyfit(np.log(x), np.log(y), 1)[0] == pytest.approx(-2)


def test_each_language_has_a_colour_and_no_two_share_one():
    assert {str(PARITY), str(FIRST)} <= set(COLOURS) and len(set(COLOURS.values())) == len(COLOURS)


def test_interactive_figures_are_data_for_the_books_own_script(monkeypatch):
    import plotly.graph_objects as go

    shown, chart = [], go.Figure([go.Scatter(y=[3, 4], name="</script>")])
    monkeypatch.setattr("lib.notebook.display", lambda bundle, raw: shown.append(bundle))
    monkeypatch.delenv("BOOK_RECORD", raising=False)
    show_plotly(chart.update_layout(height=99))
    html, data = shown[0]["text/html"], shown[0]["application/vnd.plotly.v1+json"]
    held = json.loads(re.search('<script type="application/json">(.*)</script>', html)[1])
    assert held["data"] == data["data"] and held["layout"] == data["layout"]
    assert html.count("</script>") == 1 and 'style="height: 99px"' in html and "src=" not in html
    assert data["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
    monkeypatch.setenv("BOOK_RECORD", "check")
    show_plotly(chart, chart)  # two of them under one caption
    assert shown[1] == {"text/html": html * 2} and len(shown) == 2
    show_plotly(chart, alt='a "line"')
    assert 'class="chart" role="group" aria-label="a &quot;line&quot;" style' in str(shown[2])


def test_figures_have_no_background():
    import matplotlib as mpl

    use_style()
    assert mpl.rcParams["figure.facecolor"] == mpl.rcParams["axes.facecolor"] == "none"
