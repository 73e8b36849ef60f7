"""What a cell of the map is (settings, a statement with its hypotheses, what it rests on and, where
something runs, the run), how the map is read from its file, and how it is drawn and listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from chapters.pages.the_map.examples import Example
from lib.checks import hold, many, one_of, optional, shown, text
from lib.formulas import Verdict
from lib.notebook import COLOURS, markdown_table
from record.runs import read_yaml

RUN, PROVED, CITED, OPEN = "run", "proved here", "cited", "open"
LABELS = (PROVED, RUN, CITED, OPEN)

ATTENTIONS = ("unique hard", "averaging hard", "soft")
MASKED = ("future", "strict future")
MASKS = ("none", *MASKED, "as in the paper")  # the last where an abstract names none
COLUMNS = ("no positions", "positions", "padding", "steps")
EXACT = "exact"  # numbers are rationals or reals, of any size
FOUR_PAPERS = {"chiang2022", "ouellette2023", "bhattamishra2020", "nowak2022"}
LOOKS = {  # marker and colour of a label: shapes tell them apart where colours do not
    PROVED: ("o", COLOURS["ONE"]),
    RUN: ("^", COLOURS["PARITY"]),
    CITED: ("s", COLOURS["FIRST"]),
    OPEN: ("x", "#777777"),
}
IN_A_ROW = 6  # marks of a tile

Tile = tuple[str, bool, str]  # attention, whether it is masked, and one of COLUMNS


@dataclass(frozen=True)
class Setting:
    """A kind of transformer: its `attention`, its `mask`, its `positions` (encodings, "none" or
    "any"), its `precision`, its `steps` of thought and its `padding` ("none", or how many tokens).
    """

    attention: str
    mask: str = "none"
    positions: str = "none"
    precision: str = EXACT
    steps: str = "none"
    padding: str = "none"

    def __post_init__(self):
        hold(self, attention=one_of(ATTENTIONS), mask=one_of(MASKS))
        hold(self, positions=text, precision=text, steps=text, padding=text)

    @property
    def tile(self) -> Tile:
        """Where the setting stands on the map. Steps come before padding, and both before
        positions; a mask that is not named counts as none.
        """
        column = "no positions" if self.positions == "none" else "positions"
        if self.padding != "none":
            column = "padding"
        if self.steps != "none":
            column = "steps"
        return self.attention, self.mask in MASKED, column


@dataclass(frozen=True)
class Cell:
    """One entry of the map. `settings` are the kinds of transformers of which the `statement` is
    made, under its `hypotheses`; `label` is one of `LABELS`; `example` is what runs; `place` is
    where it stands in the book, as "page#label"; `cites` are keys of the bibliography.
    """

    name: str
    settings: tuple[Setting, ...]
    statement: str
    hypotheses: str
    label: str
    example: Example | None = None
    place: str = ""
    cites: tuple[str, ...] = ()

    def __post_init__(self):
        hold(self, name=text, statement=text, hypotheses=text, label=one_of(LABELS), place=text)
        hold(self, settings=many(Setting), example=optional(Example), cites=many(text))
        if self.label == RUN and self.example is None:
            raise ValueError(f"{self.name!r} is said to run: an example is expected, not None")
        if self.label in (RUN, PROVED) and not self.place:
            raise ValueError(f"{self.name!r} must name its place in the book")
        if self.label == CITED and (self.example or not self.cites):
            raise ValueError(f"{self.name!r} is cited: it needs a citation, and runs nothing")
        if self.label == OPEN and (self.example or self.place):
            raise ValueError(f"{self.name!r} is open: it has no run and no place")

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """Where it stands on the map."""
        return tuple(dict.fromkeys(setting.tile for setting in self.settings))

    @property
    def beyond(self) -> bool:
        """Whether it owes nothing to the four papers of the book: it cites none of them."""
        return not FOUR_PAPERS & set(self.cites)


def read_cells(path: Path, examples: Mapping[str, Example]) -> tuple[Cell, ...]:
    """The cells of a file that is written as `map.yaml` says, whose examples are named as in
    `examples`. ValueError that names the cell which is none, and what is wrong with it.
    """
    return tuple(_cell(parts, examples) for parts in read_yaml(path)["cells"])


def _cell(parts: Any, examples: Mapping[str, Example]) -> Cell:
    # What tells a reader of the file which cell is meant: its name, or all that is there.
    name = shown(parts.get("name", parts) if isinstance(parts, dict) else parts)
    try:
        read = {**parts}
        read["settings"] = tuple(Setting(**setting) for setting in _listed(parts["settings"]))
        read["hypotheses"] = " ".join(_listed(parts["hypotheses"]))
        read["cites"] = tuple(_listed(parts.get("cites", [])))
        if "example" in parts:
            read["example"] = examples[one_of(examples)(parts["example"], "example")]
        return Cell(**read)
    except KeyError as missing:
        raise ValueError(f"the cell {name} has no {missing.args[0]}") from missing
    except (TypeError, ValueError) as error:
        raise ValueError(f"the cell {name}: {error}") from error


def _listed(written: Any) -> list:
    """What may be written as one thing, or as a list of several, as a list."""
    return written if isinstance(written, list) else [written]


def tiles() -> list[Tile]:
    """Every place of the map, row by row."""
    return list(product(ATTENTIONS, (False, True), COLUMNS))


def on(tile: Tile, cells: Iterable[Cell]) -> list[Cell]:
    """The cells that stand at a place of the map."""
    return [cell for cell in cells if tile in cell.tiles]


def executed(cells: Iterable[Cell]) -> list[Cell]:
    """The cells of which something runs."""
    return [cell for cell in cells if cell.example is not None]


def labelled(label: str, cells: Iterable[Cell]) -> list[Cell]:
    """The cells with that label."""
    return [cell for cell in cells if cell.label == label]


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
    `verdicts` holds what ran, by the `key` of its cell.
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
