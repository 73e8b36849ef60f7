"""The colours of the four languages, in figures and pages.

Figures a second time, for narrow screens: panels one under another, the type as large as in the
wide figure. The book's build shows the one or the other.

The book's visual language: one style, one colour per language, and the pictures that several
chapters draw.
"""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any, SupportsFloat

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from IPython.core.getipython import get_ipython
from IPython.display import Markdown, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from plotly.graph_objects import Figure as PlotlyFigure
from torch import Tensor

from lib.checks import above_zero, an, anything, between, many, mapping, run, shown, takes, text
from lib.transformer.reader import Trace

# Okabe and Ito's palette, which readers with any common colour blindness can tell apart.
COLOURS = {"PARITY": "#0072B2", "FIRST": "#D55E00", "ONE": "#009E73", "PALINDROME": "#CC79A7"}


WIDTH = 4.0  # inches: a phone's column of text
KEPT = re.compile(r"<!--narrow (\S+)-->\n")


def with_narrow(figure: Figure) -> str:
    """The figure as SVG, with the narrow one in a comment. It stays narrow."""
    wide = _svg(figure)
    narrow(figure)
    kept = b64encode(_svg(figure).encode()).decode()
    return wide.replace("</svg>", f"<!--narrow {kept}-->\n</svg>")


def unpack(file: Path) -> None:
    """Writes the narrow figure that an SVG file keeps beside it, as NAME-narrow.svg."""
    text = file.read_text(encoding="utf-8")
    if kept := KEPT.search(text):
        narrow_file(file).write_bytes(b64decode(kept[1]))
        file.write_text(text.replace(kept.group(), ""), encoding="utf-8")


def narrow_file(file: Path) -> Path:
    """Where the narrow figure of an SVG file stands."""
    return file.with_name(f"{file.stem}-narrow{file.suffix}")


def narrow(figure: Figure) -> None:
    """Makes a figure narrow: its panels one under another, each with its own labels."""
    width, height = figure.get_size_inches()
    panels = [axes for axes in figure.axes if _row(axes) is not None]
    rows = [list(row) for _, row in groupby(panels, key=_row)]
    if len(rows) < len(panels):
        height *= len(panels) / len(rows)
        _stack(figure, rows)
    figure.set_size_inches(min(width, WIDTH), height)
    for legend in list(figure.legends):
        _lay_anew(legend, figure)


def _lay_anew(legend: Legend, figure: Figure) -> None:
    """Puts a figure's legend above its panels, in two columns."""
    handles = [handle for handle in legend.legend_handles if handle]
    labels = [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text() or None
    legend.remove()
    place = "outside upper center"
    figure.legend(handles, labels, title=title, fontsize=8, loc=place, ncols=2)


def _row(axes: Axes) -> int | None:
    """The row of the figure that a panel stands in; None for what is no panel."""
    place = axes.get_subplotspec()
    return place.rowspan.start if place else None


def _stack(figure: Figure, rows: list[list[Axes]]) -> None:
    """Puts the panels of all rows one under another; each shows the ticks, the label and the title
    that it shared with its row or column.
    """
    places = iter(GridSpec(sum(map(len, rows)), 1, figure=figure))
    titles = [axes.get_title(loc="left") for axes in rows[0]]
    for row in rows:
        shared = next(filter(None, map(Axes.get_ylabel, row)), "")
        for axes, title in zip(row, titles, strict=True):
            axes.set_subplotspec(next(places))
            axes.tick_params(labelleft=True, labelbottom=True)
            axes.set_ylabel(axes.get_ylabel() or shared)
            axes.set_title(axes.get_title(loc="left") or title, loc="left")


def _svg(figure: Figure) -> str:
    text = StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")
    return text.getvalue()


CHART = (  # what chapters/_static/charts.js draws, in the room that it takes
    '<div class="chart" style="height: {height}px">'
    "<p>An interactive figure, which the book's page draws by JavaScript.</p>"
    '<script type="application/json">{figure}</script></div>'
)
RECORD = "BOOK_RECORD"  # "write" and "check" are for the commands; unset, for a person
REFERENCE = {"color": "#777777", "linestyle": "--", "linewidth": 1}


def is_strict() -> bool:
    """Whether what differs from the record is an error: in the book's build and its tests."""
    return os.environ.get(RECORD) in ("check", "write")


def use_style() -> None:
    """The book's matplotlib style: vector figures on no background, sized for a column of text, and
    in the book's build for a narrow one too.
    """
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
    if (shell := get_ipython()) and is_strict():
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
    elif is_strict():
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


@takes(head=many(text), body=run)
def markdown_table(head: Sequence[str], body: Iterable[Sequence[object]]) -> Markdown:
    """A Markdown table; bars inside cells are escaped, so that |w| can stand in one. ValueError for
    a row that has not a cell for each word of the head.
    """
    rows = list(body)
    for row in rows:
        if len(an(list, tuple)(row, "each row of body")) != len(head):
            raise ValueError(f"a row of {len(head)} cells is expected, not {shown(row)}")

    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"

    return Markdown("\n".join([line(head), line("---" for _ in head), *map(line, rows)]))


@takes(name=text)
def glue(name: str, value: object) -> None:
    """Names a value for the prose of the book; outside the book's build (in Colab, say) it does
    nothing.
    """
    try:
        from myst_nb import glue as insert
    except ImportError:
        return
    insert(name, value, display=False)
