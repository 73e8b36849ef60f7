"""The map of chapter 10 as a picture and as tables, made of its cells and of what ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

import matplotlib.pyplot as plt
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from chapters.pages.the_map.cells import (
    CITED,
    COLUMNS,
    EXACT,
    LABELS,
    OPEN,
    PROVED,
    RUN,
    Cell,
    Tile,
    on,
    tiles,
)
from lib.formulas import Verdict
from lib.notebook import COLOURS, markdown_table

LOOKS = {  # marker and colour of a label: shapes tell them apart where colours do not
    PROVED: ("o", COLOURS["ONE"]),
    RUN: ("^", COLOURS["PARITY"]),
    CITED: ("s", COLOURS["FIRST"]),
    OPEN: ("x", "#777777"),
}
IN_A_ROW = 6  # marks of a tile


def map_figure(cells: Iterable[Cell]) -> Figure:
    """A mark for each cell at each of its places, in the shape and the colour of its label; it is
    hollow for what is proved here and does not run.
    """
    cells = list(cells)
    rows = list(dict.fromkeys((attention, masked) for attention, masked, _ in tiles()))
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    for attention, masked, column in tiles():
        x, y = COLUMNS.index(column), rows.index((attention, masked))
        axes.add_patch(Rectangle((x - 0.48, y - 0.45), 0.96, 0.9, fc="#8882", ec="#777777", lw=0.5))
        _marks(axes, x, y, on((attention, masked, column), cells))
    names = [f"{attention},\n{'masked' if masked else 'no mask'}" for attention, masked in rows]
    axes.set(xlim=(-0.55, len(COLUMNS) - 0.45), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks(range(len(COLUMNS)), [column.replace(" ", "\n") for column in COLUMNS])
    axes.set_yticks(range(len(rows)), names)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, label=label)
        for label, (marker, colour) in LOOKS.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _marks(axes: Axes, x: float, y: float, cells: list[Cell]) -> None:
    """The marks of one place, label by label, row under row."""
    ordered = sorted(cells, key=lambda cell: LABELS.index(cell.label))
    lines = -(-len(ordered) // IN_A_ROW)
    for number, cell in enumerate(ordered):
        line, place = divmod(number, IN_A_ROW)
        marker, colour = LOOKS[cell.label]
        is_hollow = cell.label == PROVED and cell.example is None
        axes.plot(
            x - 0.375 + 0.15 * place,
            y + 0.26 * (line - (lines - 1) / 2),
            marker,
            color=colour,
            markersize=5.5,
            fillstyle="none" if is_hollow else "full",
        )


def map_tables(cells: Iterable[Cell], verdicts: Mapping[str, Verdict]) -> Markdown:
    """The cells, a fold for each kind of attention with its mask and in it a table for each column;
    `verdicts` holds what ran by the name and the reader of a cell's example.
    """
    cells, parts = list(cells), []
    for (attention, masked), places in groupby(tiles(), key=lambda tile: tile[:2]):
        found = list(places)
        number = len({id(cell) for tile in found for cell in on(tile, cells)})
        summary = f"{attention}, {'masked' if masked else 'no mask'}: {number} cells"
        parts += [f'<details class="lines"><summary>{summary}</summary>']
        parts += [_table(tile, on(tile, cells), verdicts) for tile in found]
        parts += ["</details>"]
    return Markdown("\n\n".join(parts))


def _table(tile: Tile, cells: list[Cell], verdicts: Mapping[str, Verdict]) -> str:
    """The cells of one place, as a table of the class "mapped", which narrow screens show as
    blocks.
    """
    head = ("Cell", "Setting", "Statement", "Hypotheses", "Label")
    table = markdown_table(head, [_line(tile, cell, verdicts) for cell in cells])
    return f'**{tile[2].capitalize()}**\n\n<div class="mapped">\n\n{table.data}\n\n</div>'


def _line(tile: Tile, cell: Cell, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    name = f"[{cell.name}](#{cell.place.partition('#')[2]})" if cell.place else cell.name
    return name, _setting(tile, cell), cell.statement, cell.hypotheses, _label(cell, verdicts)


def _setting(tile: Tile, cell: Cell) -> str:
    """What a cell's settings at one place say beyond the place, several joined by "or"."""
    here = [setting for setting in cell.settings if setting.tile == tile]
    said = {
        part: {getattr(setting, part) for setting in here}
        for part in ("mask", "positions", "precision", "steps", "padding")
    }
    listed = [
        f"{part}: {' or '.join(sorted(values))}"
        for part, values in said.items()
        if values not in ({"none"}, {EXACT})
    ]
    return "; ".join(listed) or "no more"


def _label(cell: Cell, verdicts: Mapping[str, Verdict]) -> str:
    """A cell's label, what ran and whom it cites."""
    said = [f"**{cell.label}**"]
    if cell.example:
        ran = verdicts[key(cell)]
        said.append(
            f"all {ran.strings:,} strings to length {ran.longest} right ({cell.example.reader})"
            if ran.counterexample is None
            else f"runs and is {ran}"
        )
    if cell.cites:
        said.append(f"{{cite}}`{','.join(cell.cites)}`")
    return "; ".join(said)


def key(cell: Cell) -> str:
    """What tells a cell from all others: its name and the attention of its first setting."""
    return f"{cell.name}; {cell.settings[0].attention}"
