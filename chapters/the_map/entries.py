"""The map: what an entry is (kinds of transformers, a statement with its hypotheses, what it rests
on and, where something runs, the run), the entries of `map.yaml`, and how the pages show them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unicodedata import normalize

from IPython.display import Markdown

from chapters.the_map.decoders import Decoder, Steps
from chapters.the_map.examples import EXAMPLES, Example
from lib.checks import hold, one_of
from lib.languages import PARITY
from lib.transformer import Exact
from lib.verdicts import Verdict
from record.notebook import COLOURS, markdown_table
from record.runs import read_yaml

SAID = read_yaml(Path(__file__).with_name("map.yaml"))
RUN, PROVED, CITED, OPEN = "run", "proved here", "cited", "open"
LABELS = (PROVED, RUN, CITED, OPEN)

ATTENTIONS = ("unique hard", "averaging hard", "soft")
MASKED = ("future", "strict future")
THEIRS = "as in the paper"  # where an abstract names none
COLUMNS = ("no positions", "positions", "padding", "steps")
ROWS = [*product(ATTENTIONS, (False, True))]  # an attention, and whether it is masked
EXACT = "exact"  # numbers are rationals or reals, of any size

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
        hold(self, attention=one_of(ATTENTIONS), mask=one_of(("none", *MASKED, THEIRS)))

    @property
    def tile(self) -> Tile:
        """Where the setting stands on the map. Steps come before padding, and both before
        positions; a mask that is not named counts as none.
        """
        named = ("steps", "padding", "positions")
        column = next((name for name in named if getattr(self, name) != "none"), "no positions")
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


def slug(name: str) -> str:
    """A name in the letters and digits of a label, its words joined by hyphens.

    >>> slug("aⁿbⁿcⁿ, normalized")
    'anbncn-normalized'
    """
    return "-".join(re.findall(r"[a-z0-9]+", normalize("NFKD", name).lower()))


def listed(written: Any) -> list:
    """What may be written as one thing, or as a list of several, as a list."""
    return written if isinstance(written, list) else [written]


def read_entries() -> tuple[Entry, ...]:
    """The entries of the map's file: one for each place of which a statement speaks."""
    found = []
    for parts in SAID["entries"]:
        settings = [Setting(**setting) for setting in listed(parts["settings"])]
        read = parts | {
            "hypotheses": " ".join(listed(parts["hypotheses"])),
            "cites": tuple(listed(parts.get("cites", []))),
            "example": EXAMPLES[parts["example"]] if "example" in parts else None,
        }
        for tile in dict.fromkeys(setting.tile for setting in settings):
            here = tuple(setting for setting in settings if setting.tile == tile)
            found.append(Entry(**read | {"settings": here}))
    return tuple(found)


MAP = read_entries()


def on(tile: Tile) -> list[Entry]:
    """The entries that stand at a place of the map, label by label."""
    found = [entry for entry in MAP if entry.tile == tile]
    return sorted(found, key=lambda entry: LABELS.index(entry.label))


def executed(entries: Iterable[Entry] = MAP) -> list[Entry]:
    """The entries of which something runs."""
    return [entry for entry in entries if entry.example is not None]


def key(entry: Entry) -> str:
    """What tells an entry that runs from all others that do: its name and its attention."""
    return f"{entry.name}; {entry.tile[0]}"


# ---- as the pages show it


HOLLOW = "proved here, nothing runs"
MARKS = {  # a character and a colour: shapes tell them apart where colours do not
    PROVED: ("●", COLOURS["ONE"]),
    HOLLOW: ("○", COLOURS["ONE"]),
    RUN: ("▲", COLOURS["PARITY"]),
    CITED: ("■", COLOURS["FIRST"]),
    OPEN: ("?", "#777777"),
}
MEANT = {  # what each mark promises
    PROVED: "it holds at every length, by a proof in this book, and the machine runs here as well",
    HOLLOW: "it holds at every length, by a proof in this book; no machine of it runs on this page",
    RUN: "the machine decides each string up to some length correctly; all beyond that is cited",
    CITED: "a paper states it, and its proof is not checked here; we read abstracts or summaries "
    "only, unless the entry says otherwise",
    OPEN: "a question: this book has no answer, though somebody else may have one",
}


def sort_of(entry: Entry) -> str:
    """Which of `MARKS` an entry has."""
    return HOLLOW if entry.label == PROVED and entry.example is None else entry.label


def mark(sort: str, colour: str = "") -> str:
    """A mark, in its own colour or another; it says its name to who does not see it."""
    character, own = MARKS[sort]
    return f'<span role="img" aria-label="{sort}" style="color: {colour or own}">{character}</span>'


def decides_parity(entry: Entry) -> bool:
    """Whether it holds a machine that runs and decides PARITY."""
    return entry.example is not None and entry.example.language.name == PARITY.name


def legend() -> Markdown:
    """What each mark promises, and how many entries have it."""
    sorts = [sort_of(entry) for entry in MAP]
    rows = [(f"{mark(sort)} {sort}", said, sorts.count(sort)) for sort, said in MEANT.items()]
    return markdown_table(("sign", "promise", "entries"), [*rows, ("", "in all", len(MAP))])


def row_in_full(attention: str, masked: bool, verdicts: Mapping[str, Verdict]) -> Markdown:
    """The entries of a row of the map in full, cell by cell, each behind its label; `verdicts`
    holds what ran, by the `key` of its entry.
    """
    shown = []
    for column in COLUMNS:
        shown.append(f"**{column.capitalize()}**")
        here = on((attention, masked, column))
        shown += [f"({one.anchor})=\n{_in_full(one, verdicts)}" for one in here]
    return Markdown("\n\n".join(shown))


def _in_full(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    """An entry's mark, name, statement and hypotheses; its label, what ran and whom it cites."""
    name = entry.name.replace("*", r"\*")
    name = f"**[{name}](#{entry.place})**" if entry.place else f"**{name}**"
    said = [f"{mark(sort_of(entry))} {name}.", entry.statement, f"\\\n*Under:* {entry.hypotheses}"]
    if beside := _beside(entry.settings):
        said.append(f"*Setting:* {beside}.")
    rests_on = [f"**{entry.label}**"]
    if entry.example:
        ran = verdicts[key(entry)]
        every = (
            f"all {ran.strings:,} strings to length {ran.longest} right ({entry.example.reader})"
        )
        rests_on.append(every if ran.counterexample is None else f"runs and is {ran.headline}")
    if entry.cites:
        rests_on.append(f"{{cite}}`{','.join(entry.cites)}`")
    return " ".join([*said, f"*Rests on:* {'; '.join(rests_on)}."])


def _beside(settings: Iterable[Setting]) -> str:
    """What settings say beyond their place, several joined by "or"; of what an abstract leaves
    unsaid, that it is the paper's.
    """
    said = {
        part: {getattr(setting, part) for setting in settings}
        for part in ("mask", "positions", "precision", "steps", "padding")
    }
    shown, unsaid = [], [part for part, values in said.items() if values == {THEIRS}]
    if unsaid:
        shown.append("the paper's" if len(unsaid) == 3 else f"the paper's {' and '.join(unsaid)}")
    for part, values in said.items():
        if values not in ({"none"}, {EXACT}, {THEIRS}):
            shown.append(f"{part}: {' or '.join(sorted(values))}")
    return "; ".join(shown)


def steps_table(decoder: Decoder, w: str, attention: str, *coordinates: str) -> Markdown:
    """A decoder's steps on `w`: the last token, coordinates of its vector, the scores of all tokens
    and the one that is written.
    """
    steps = [*Steps(decoder, attention).run(w)]
    tokens = ["CLS", *w, *(token for token, _ in steps[:-1])]
    vectors = [*Exact(decoder.construction, attention).vectors(tokens)]
    rows = [
        (last, *(vector.get(name, 0) for name in coordinates), *scores.values(), token)
        for last, vector, (token, scores) in zip(
            tokens[len(w) :], vectors[len(w) :], steps, strict=True
        )
    ]
    head = ("last token", *coordinates, *(f"score of {token}" for token in steps[0][1]))
    return markdown_table((*head, "writes"), rows)
