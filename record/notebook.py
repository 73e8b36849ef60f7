"""What the pages show: one style, one colour for each language, tables, values in the prose, and
each figure a second time for narrow screens.

matplotlib is loaded where a figure is drawn, not with this module.
"""

from __future__ import annotations

import os
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

from IPython.core.getipython import get_ipython
from IPython.display import Markdown

from lib.checks import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which readers with any common colour blindness can tell apart.
COLOURS = {"PARITY": "#0072B2", "FIRST": "#D55E00", "ONE": "#009E73", "PALINDROME": "#CC79A7"}
REFERENCE = {"color": "#777777", "linestyle": "--", "linewidth": 1}
RECORD = "BOOK_RECORD"  # set where the book is built or tested; unset, for a person
STYLE = Path(__file__).with_suffix(".mplstyle")
WIDTH = 4.0  # inches: a phone's column of text
KEPT = re.compile(r"<!--narrow (\S+)-->\n")


def is_strict() -> bool:
    """Whether the book is being built or tested, so that what goes otherwise is an error."""
    return os.environ.get(RECORD) in ("check", "write")


def use_style() -> None:
    """The book's matplotlib style: vector figures on no background, sized for a column of text, and
    in the book's build for a narrow one too.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
    if (shell := get_ipython()) and is_strict():
        display_formatter: Any = shell.display_formatter
        display_formatter.formatters["image/svg+xml"].for_type(Figure, with_narrow)
    mpl.rcParams.update(mpl.rc_params_from_file(STYLE, use_default_template=False))


def markdown_table(head: Sequence[str], body: Iterable[Sequence[object]]) -> Markdown:
    """A Markdown table; bars inside cells are escaped, so that |w| can stand in one. ValueError for
    a row that has not a cell for each word of the head.
    """
    rows = list(body)
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"a row of {len(head)} cells is expected, not {shown(row)}")

    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"

    return Markdown("\n".join([line(head), line("---" for _ in head), *map(line, rows)]))


def stream_table(stream: Mapping[str, Sequence], tokens: Sequence[str]) -> Markdown:
    """A residual stream as a table: a row for each coordinate, a column for each position, exact
    where it is rational.
    """
    head = ["coordinate", *(f"{token} ({i})" for i, token in enumerate(tokens))]
    rows = [[f"`{name}`", *map(_number, values)] for name, values in stream.items()]
    return markdown_table(head, rows)


def note(axes: Axes, said: str, place: tuple, away: tuple, **look: Any) -> None:
    """Writes beside a point of a panel, so many typographic points away from it."""
    axes.annotate(said, place, away, textcoords="offset points", **look)


def _number(value: SupportsFloat) -> str:
    try:
        return str(Fraction(str(value)))
    except ValueError:
        return f"{float(value):.4f}"


def glue(name: str, value: object) -> None:
    """Names a value for the prose of the book; outside the book's build (in Colab, say) it does
    nothing.
    """
    try:
        from myst_nb import glue as insert
    except ImportError:
        return
    insert(name, value, display=False)


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
    """Makes a figure narrow: its panels one under another, each with the ticks, the label and the
    title that it shared with its row or column, under a legend in two columns.
    """
    from matplotlib.gridspec import GridSpec

    width, height = figure.get_size_inches()
    panels = [(place, axes) for axes in figure.axes if (place := axes.get_subplotspec())]
    labels: dict[int, str] = {}  # of the rows
    for place, axes in panels:
        labels[place.rowspan.start] = labels.get(place.rowspan.start) or axes.get_ylabel()
    if len(labels) < len(panels):
        height *= len(panels) / len(labels)
        titles = {
            place.colspan.start: axes.get_title(loc="left")
            for place, axes in panels
            if place.is_first_row()
        }
        for new, (place, axes) in zip(iter(GridSpec(len(panels), 1, figure=figure)), panels):
            axes.set_subplotspec(new)
            axes.tick_params(labelleft=True, labelbottom=True)
            axes.set_ylabel(axes.get_ylabel() or labels[place.rowspan.start])
            axes.set_title(axes.get_title(loc="left") or titles[place.colspan.start], loc="left")
    figure.set_size_inches(min(width, WIDTH), height)
    for legend in list(figure.legends):
        handles = [handle for handle in legend.legend_handles if handle]
        names = [text.get_text() for text in legend.get_texts()]
        title = legend.get_title().get_text() or None
        legend.remove()
        place = "outside upper center"
        figure.legend(handles, names, title=title, fontsize=8, loc=place, ncols=2)


def _svg(figure: Figure) -> str:
    text = StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")
    return text.getvalue()
