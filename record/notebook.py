"""What the pages show: one style, one colour for each language, tables, and values in the prose.

matplotlib is loaded where a figure is drawn, not with this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

from IPython.display import Markdown

from lib.checks import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which readers with any common colour blindness can tell apart.
COLOURS = {"PARITY": "#0072B2", "FIRST": "#D55E00", "ONE": "#009E73", "PALINDROME": "#CC79A7"}
REFERENCE = {"color": "#777777", "linestyle": "--", "linewidth": 1}
RECORD = "BOOK_RECORD"  # set where the book is built or tested; unset, for a person
STYLE = Path(__file__).with_suffix(".mplstyle")


def is_strict() -> bool:
    """Whether the book is being built or tested, so that what goes otherwise is an error."""
    return os.environ.get(RECORD) in ("check", "write")


def use_style() -> None:
    """The book's matplotlib style: vector figures on no background, sized for a column of text."""
    import matplotlib as mpl
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
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
