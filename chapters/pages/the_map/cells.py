"""What a cell of the map is (settings, a statement with its hypotheses, what it rests on and, where
something runs, the run), and how the map is read from its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from chapters.pages.the_map.decoders import Decoder
from lib.checks import between, function, hold, many, one_of, optional, shown, text
from lib.formulas import Verdict, held_against
from lib.languages import Language
from lib.transformer import Construction
from lib.turing import Transformer

RUN, PROVED, CITED, OPEN = "run", "proved here", "cited", "open"
LABELS = (PROVED, RUN, CITED, OPEN)

ATTENTIONS = ("unique hard", "averaging hard", "soft")
MASKED = ("future", "strict future")
MASKS = ("none", *MASKED, "as in the paper")  # the last where an abstract names none
COLUMNS = ("no positions", "positions", "padding", "steps")
EXACT = "exact"  # numbers are rationals or reals, of any size
FOUR_PAPERS = {"chiang2022", "ouellette2023", "bhattamishra2020", "nowak2022"}

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
class Example:
    """What runs: `accepts` answers strings of the `language` by the `network`, read as `reader`
    says, and is held against the language on every string to `longest` symbols.
    """

    language: Language
    longest: int
    accepts: Callable[[list[str]], list[bool | None]]
    reader: str
    network: Callable[[], Construction | Decoder | Transformer]

    def __post_init__(self):
        hold(self, language=Language, longest=between(0, 40), accepts=function, reader=text)
        hold(self, network=function)

    def run(self, longest: int | None = None) -> Verdict:
        """The verdict on every string to `longest` symbols, by default the example's own."""
        return held_against(
            self.language, self.accepts, self.longest if longest is None else longest
        )


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
    with path.open(encoding="utf-8") as file:  # not its text: YAML's own errors name a file
        written = yaml.safe_load(file)["cells"]
    return tuple(_cell(parts, examples) for parts in written)


def _cell(parts: Any, examples: Mapping[str, Example]) -> Cell:
    try:
        read = {**parts}
        read["settings"] = tuple(Setting(**setting) for setting in _listed(parts["settings"]))
        read["hypotheses"] = " ".join(_listed(parts["hypotheses"]))
        read["cites"] = tuple(_listed(parts.get("cites", [])))
        if "example" in parts:
            read["example"] = examples[one_of(examples)(parts["example"], "example")]
        return Cell(**read)
    except KeyError as missing:
        raise ValueError(f"the cell {_name(parts)} has no {missing.args[0]}") from missing
    except (TypeError, ValueError) as error:
        raise ValueError(f"the cell {_name(parts)}: {error}") from error


def _listed(written: Any) -> list:
    """What may be written as one thing, or as a list of several, as a list."""
    return written if isinstance(written, list) else [written]


def _name(parts: Any) -> str:
    """What tells a reader of the file which cell is meant: its name, or all that is there."""
    return shown(parts["name"] if isinstance(parts, dict) and "name" in parts else parts)


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
