"""The book's visual language: one style, one colour per language, and the pictures that several
chapters draw.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, SupportsFloat

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from IPython.core.getipython import get_ipython
from IPython.display import Markdown, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from plotly.graph_objects import Figure as PlotlyFigure
from torch import Tensor

from lib.book.claims import is_held_to_the_record
from lib.book.colours import COLOURS as COLOURS
from lib.book.narrow import with_narrow
from lib.book.results import markdown_table
from lib.checks import above_zero, anything, between, many, mapping, shown, takes, text
from lib.transformer.trace import Trace

CHART = (  # what chapters/_static/charts.js draws, in the room that it takes
    '<div class="chart" style="height: {height}px">'
    "<p>An interactive figure, which the book's page draws by JavaScript.</p>"
    '<script type="application/json">{figure}</script></div>'
)
REFERENCE = {"color": "#777777", "linestyle": "--", "linewidth": 1}


def use_style() -> None:
    """The book's matplotlib style: vector figures on no background, sized for a column of text, and
    in the book's build for a narrow one too.
    """
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
    if (shell := get_ipython()) and is_held_to_the_record():
        display_formatter: Any = shell.display_formatter
        display_formatter.formatters["image/svg+xml"].for_type(Figure, with_narrow)
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.2),
            "figure.facecolor": "none",
            "axes.facecolor": "none",
            "savefig.facecolor": "none",
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 10,
            "axes.titlelocation": "left",
            "lines.linewidth": 1.8,
            "legend.frameon": False,
            "image.cmap": "Blues",
            "svg.hashsalt": "self-attention",
        }
    )


def numbers(values: Sequence, what: str) -> Sequence:
    """`values` if it is a list of what can be written as a number; otherwise TypeError."""
    for value in values if isinstance(values, Tensor) else many(anything)(values, what):
        is_one = getattr(value, "shape", ()) == () and isinstance(value, SupportsFloat)
        if isinstance(value, (bool, str)) or not is_one:
            raise TypeError(f"{what} must be a list of numbers, not {shown(values)}")
    return values


@takes(stream=mapping(numbers), tokens=many(text))
def stream_table(stream: Mapping[str, Sequence], tokens: Sequence[str]) -> Markdown:
    """A residual stream as a table: a row for each coordinate, a column for each position, exact
    where it is rational.
    """
    head = ["coordinate", *(f"{token} ({i})" for i, token in enumerate(tokens))]
    rows = [[f"`{name}`", *map(_number, values)] for name, values in stream.items()]
    return markdown_table(head, rows)


def _number(value: SupportsFloat) -> str:
    try:
        return str(Fraction(str(value)))
    except ValueError:
        return f"{float(value):.4f}"


def _array(values: Tensor) -> np.ndarray:
    """A tensor of any float type, on any device, as float64."""
    return values.double().cpu().numpy()


@takes(tokens=many(text), stages=mapping(mapping(Tensor)))
def stream_figure(tokens: Sequence[str], stages: Mapping[str, Mapping[str, Tensor]]) -> Figure:
    """Heat maps of a string's residual stream (the first of a batch), one panel a stage, each
    coordinate on its own scale.

    A coordinate such as s, of order 1/n^2, would vanish beside CLS on a common scale: each row is
    divided by its largest absolute value, which stands at its right.
    """
    names = list(dict.fromkeys(name for stream in stages.values() for name in stream))
    if not names:
        raise ValueError(f"at least one coordinate of one stage is expected, not {shown(stages)}")
    for stream in stages.values():
        for values in stream.values():
            if values.ndim != 2 or values.shape[1] != len(tokens):
                raise ValueError(f"values (batch, {len(tokens)}) are expected, not {values.shape}")
    size = (2.5 * len(stages) + 0.9, 0.27 * len(names) + 0.9)
    figure, axes = plt.subplots(1, len(stages), figsize=size, sharey=True, squeeze=False)
    for axis, (title, stream) in zip(axes[0], stages.items(), strict=True):
        zeros = np.zeros(len(tokens))
        rows = [_array(stream[name])[0] if name in stream else zeros for name in names]
        _stream_panel(axis, np.array(rows))
        axis.set(title=title, xticks=range(len(tokens)), yticks=range(len(names)))
        axis.set_xticklabels(tokens, fontsize=8)
        axis.set_yticklabels(names, fontsize=8)
    return figure


def _stream_panel(axis: Axes, grid: np.ndarray) -> None:
    """A heat map of coordinates (rows) and positions, each row over its largest absolute value."""
    largest = np.abs(grid).max(axis=1, keepdims=True)
    scaled = grid / np.where(largest == 0, 1, largest)
    axis.imshow(scaled, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    right = grid.shape[1] - 0.4
    for row, scale in enumerate(largest[:, 0]):
        text = f" {scale:.2g}" if scale else ""
        axis.text(right, row, text, va="center", fontsize=7, clip_on=False)
    _bare(axis)


def _bare(axis: Axes) -> None:
    """Takes frame and ticks away from a heat map."""
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)


@takes(trace=Trace, layer=between(1), heads=many(between(1)), titles=many(text))
def attention_figure(
    trace: Trace, layer: int, heads: Sequence[int], titles: Sequence[str]
) -> Figure:
    """Attention weights of the first string: one panel a head, a row for each attending position,
    weights written in.
    """
    if trace.attention is None:
        raise ValueError(
            "this trace holds no attention weights: ask for them with trace(..., weights=True)"
        )
    if not len(heads) or len(heads) != len(titles):
        raise ValueError(f"a title for each head is expected, not {titles!r} for {heads!r}")
    for head in heads:
        if (layer, head) not in trace.attention:
            known = ", ".join(map(str, trace.attention))
            raise ValueError(f"a layer and head of {known} are expected, not {(layer, head)}")
    tokens = trace.tokens[0]
    size = (3.2 * len(heads), 2.9)
    figure, axes = plt.subplots(1, len(heads), figsize=size, sharey=True, squeeze=False)
    for axis, head, title in zip(axes[0], heads, titles, strict=True):
        _attention_panel(axis, _array(trace.attention[layer, head])[0])
        axis.set(title=title, xlabel="attends to")
        axis.set(xticks=range(len(tokens)), yticks=range(len(tokens)))
        axis.set_xticklabels(tokens)
        axis.set_yticklabels(tokens)
    axes[0, 0].set_ylabel("position")
    return figure


def _attention_panel(axis: Axes, weights: np.ndarray) -> None:
    """A heat map of attention weights, each written in."""
    axis.imshow(weights, vmin=0, vmax=max(0.5, weights.max()))
    for (i, j), weight in np.ndenumerate(weights):
        colour = "white" if weight > 0.6 * weights.max() else "black"
        axis.text(j, i, f"{weight:.2f}", ha="center", va="center", fontsize=7, color=colour)
    _bare(axis)


def show_plotly(*figures: PlotlyFigure) -> None:
    """Shows interactive figures, one under another: in the book by the script that draws them when
    they come near, under one caption; elsewhere by plotly's own means.
    """
    charts = []
    for figure in figures:
        figure.update_layout(
            paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)",
            font={"color": "#777777"},
            margin={"t": 20, "r": 10, "l": 50, "b": 10},
        )
        figure.update_xaxes(gridcolor="rgba(128,128,128,0.25)", zeroline=False)
        figure.update_yaxes(gridcolor="rgba(128,128,128,0.25)", zeroline=False)
        charts.append(json.loads(str(figure.to_json())))
    if "google.colab" in sys.modules:
        for figure in figures:
            figure.show(renderer="colab")
    elif is_held_to_the_record():
        display({"text/html": "".join(map(_chart, charts))}, raw=True)
    else:
        for chart in charts:
            display({"text/html": _chart(chart), "application/vnd.plotly.v1+json": chart}, raw=True)


def _chart(data: dict) -> str:
    """What `chapters/_static/charts.js` draws, in the room that it takes."""
    height = data["layout"].setdefault("height", 450)
    drawn = json.dumps(data | {"config": {"displayModeBar": False, "responsive": True}})
    return CHART.format(height=height, figure=drawn.replace("<", "\\u003c"))


def exponent(value: int, what: str) -> int:
    """`value` if it is a whole number of at most a hundred, or minus that; otherwise ValueError."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or abs(value) > 100:
        raise ValueError(f"{what} must be a whole number from -100 to 100, not {shown(value)}")
    return int(value)


@takes(axis=Axes, n=many(above_zero), at=above_zero, power=exponent, label=text)
def reference_slope(axis: Axes, n: Sequence[float], at: float, power: int, label: str) -> None:
    """A dashed line proportional to n^power through (n[0], at), labelled at its right end."""
    if not len(n):
        raise ValueError(f"at least one length is expected, not {n!r}")
    values = at * (np.asarray(n) / n[0]) ** power
    axis.plot(n, values, **REFERENCE)
    axis.annotate(
        label,
        (n[-1], values[-1]),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color="#777777",
    )
