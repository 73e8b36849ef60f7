"""Figures a second time, for narrow screens: panels one under another, the type as large as in the
wide figure. The book's build shows the one or the other.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from io import StringIO
from itertools import groupby
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend

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
