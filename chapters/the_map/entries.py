"""What an entry of the map is (kinds of transformers, a statement with its hypotheses, what it
rests on and, where something runs, the run), and how the map is read from its file.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unicodedata import normalize

from chapters.the_map.examples import Example
from lib.checks import hold, one_of
from record.runs import read_yaml

RUN, PROVED, CITED, OPEN = "run", "proved here", "cited", "open"
LABELS = (PROVED, RUN, CITED, OPEN)

ATTENTIONS = ("unique hard", "averaging hard", "soft")
MASKED = ("future", "strict future")
THEIRS = "as in the paper"  # where an abstract names none
MASKS = ("none", *MASKED, THEIRS)
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
class Entry:
    """One entry of the map: a statement at one of its places. `settings` are the kinds of
    transformers there of which the `statement` is made, under its `hypotheses`; `label` is one of
    `LABELS`; `example` is what runs; `place` is a label of the book, where the statement is built
    or proved; `cites` are keys of the bibliography.
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
        hold(self, label=one_of(LABELS))

    @property
    def tile(self) -> Tile:
        """Where it stands on the map."""
        return self.settings[0].tile

    @property
    def anchor(self) -> str:
        """The label at which the record says what there is to say of it."""
        attention, masked, column = self.tile
        parts = (attention, "masked" if masked else "unmasked", column, self.name)
        return "-".join(("map-entry", *map(slug, parts)))

    @property
    def beyond(self) -> bool:
        """Whether it owes nothing to the four papers of the book: it cites none of them."""
        return not FOUR_PAPERS & set(self.cites)


def slug(name: str) -> str:
    """A name in the letters and digits of a label, its words joined by hyphens.

    >>> slug("aⁿbⁿcⁿ, normalized")
    'anbncn-normalized'
    """
    return "-".join(re.findall(r"[a-z0-9]+", normalize("NFKD", name).lower()))


def read_entries(path: Path, examples: Mapping[str, Example]) -> tuple[Entry, ...]:
    """The entries of a file that is written as `map.yaml` says, whose examples are named as in
    `examples`: one for each place of the map of which a statement speaks.
    """
    found = []
    for parts in read_yaml(path)["entries"]:
        settings = [Setting(**setting) for setting in _listed(parts["settings"])]
        read = parts | {
            "hypotheses": " ".join(_listed(parts["hypotheses"])),
            "cites": tuple(_listed(parts.get("cites", []))),
            "example": examples[parts["example"]] if "example" in parts else None,
        }
        for tile in dict.fromkeys(setting.tile for setting in settings):
            here = tuple(setting for setting in settings if setting.tile == tile)
            found.append(Entry(**read | {"settings": here}))
    return tuple(found)


def _listed(written: Any) -> list:
    """What may be written as one thing, or as a list of several, as a list."""
    return written if isinstance(written, list) else [written]


def tiles() -> list[Tile]:
    """Every place of the map, row by row."""
    return list(product(ATTENTIONS, (False, True), COLUMNS))


def on(tile: Tile, entries: Iterable[Entry]) -> list[Entry]:
    """The entries that stand at a place of the map, label by label."""
    found = [entry for entry in entries if entry.tile == tile]
    return sorted(found, key=lambda entry: LABELS.index(entry.label))


def executed(entries: Iterable[Entry]) -> list[Entry]:
    """The entries of which something runs."""
    return [entry for entry in entries if entry.example is not None]


def key(entry: Entry) -> str:
    """What tells an entry that runs from all others that do: its name and its attention."""
    return f"{entry.name}; {entry.tile[0]}"
