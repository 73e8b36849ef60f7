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
    """A kind of transformer: its `attention`, its `mask`, its `positions` (encodings, or "none"),
    its `precision`, its `steps` of thought and its `padding` ("none", or how many tokens).
    """

    attention: str
    mask: str = "none"
    positions: str = "none"
    precision: str = EXACT
    steps: str = "none"
    padding: str = "none"

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

    @property
    def tile(self) -> Tile:
        """Where it stands on the map."""
        return self.settings[0].tile

    @property
    def cell(self) -> str:
        """The name of that place."""
        attention, masked, column = self.tile
        return f"{attention}{', masked' * masked}, {column}"

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
# Of PARITY, in boxes without a frame: what is said, and the entry that says it.
ELSEWHERE: dict[Tile, tuple[str, str]] = {tuple(row[:3]): row[3:] for row in SAID["parity"]}
AUTHORS = {  # whose theorem or machine it is that the lesson begins with
    **dict.fromkeys(product(ATTENTIONS[:1], (False, True), COLUMNS[:2]), "Hahn"),
    ("soft", False, "positions"): "Chiang, Cholak",
}
STRIPES = "rgba(230, 159, 0, 0.42) 0 4px, rgba(230, 159, 0, 0.06) 4px 9px"
TINTS = {  # behind each answer about PARITY; see-through, so that they do in the dark as well
    "decided": "rgba(0, 114, 178, 0.38)",
    "impossible": "rgba(230, 159, 0, 0.42)",
    "impossible in one case": f"repeating-linear-gradient(135deg, {STRIPES})",
    "open": "rgba(128, 128, 128, 0.22)",
}
PICTURE, CELL, ROW, BOX = SAID["styles"]  # without a style sheet of their own
FRAME = (
    f"display: inline-block; border: 2px solid {COLOURS['PARITY']}; border-radius: 4px; "
    "padding: 0 0.25rem"
)


def sort_of(entry: Entry) -> str:
    """Which of `MARKS` an entry has."""
    return HOLLOW if entry.label == PROVED and entry.example is None else entry.label


def mark(sort: str, colour: str = "") -> str:
    """A mark, in its own colour or another; it says its name to who does not see it."""
    character, own = MARKS[sort]
    return f'<span role="img" aria-label="{sort}" style="color: {colour or own}">{character}</span>'


def map_page() -> Markdown:
    """The map: what the signs are called, then six rows of four cells, in each its entries, which
    lead to the record; rows are folds, of which the lesson's is open. A frame: for PARITY.
    """
    signs = ", ".join(f"{mark(sort)} {sort}" for sort in MARKS)
    parts = [f"{signs}; {_framed('in a frame')}: a machine made for PARITY, which runs here."]
    for attention, masked in ROWS:
        row = f"{attention.capitalize()} attention, {'masked' if masked else 'no mask'}"
        shown = " open" * (attention == "unique hard" and masked)
        parts += [f'<details class="lines"{shown}><summary>{row}</summary>', f'<div style="{ROW}">']
        for column in COLUMNS:
            links = map(_link, on((attention, masked, column)))
            parts += [f'<div style="{BOX}">', "<br>\n".join([f"*{column}*", *links]), "</div>"]
        parts += ["</div>", "</details>"]
    return Markdown("\n\n".join(parts))


def _link(entry: Entry) -> str:
    """An entry's mark and its name, which leads to it; in a frame if PARITY is what it decides."""
    said = f"{mark(sort_of(entry))} [{entry.name}](#{entry.anchor})"
    return _framed(f"**{said}**") if _decides_parity(entry) else said


def _framed(said: str) -> str:
    return f'<span style="{FRAME}">{said}</span>'


def _decides_parity(entry: Entry) -> bool:
    return entry.example is not None and entry.example.language.name == PARITY.name


def parity_picture() -> Markdown:
    """A cell for each place of the map, in a tint for what it says of PARITY, which leads to the
    entry that says so.
    """
    heads = "attention", *(f"*{column}*" for column in COLUMNS)
    rows = [[_cell(said, role="columnheader") for said in heads]]
    for attention, masked in ROWS:
        name = f"{attention}, masked" if masked else attention
        cells = [_of_parity((attention, masked, column)) for column in COLUMNS]
        rows.append([_cell(name, role="rowheader"), *cells])
    shown = [f'<div role="table" aria-label="Is PARITY decided?" style="{PICTURE}">']
    for row in rows:
        shown += ['<div role="row" style="display: contents">', *row, "</div>"]
    return Markdown("\n\n".join([*shown, "</div>"]))


def _of_parity(tile: Tile) -> str:
    """What the map says of PARITY in a cell: by its first frame, or else by another entry, of this
    cell if it has one of that name.
    """
    here = on(tile)
    if framed := [entry for entry in here if _decides_parity(entry)]:
        said, entry = "decided", framed[0]
    elif tile in ELSEWHERE:
        said, name = ELSEWHERE[tile]
        entry = next(entry for entry in (*here, *MAP) if entry.name == name)
    else:
        return _cell(f"{mark(OPEN, 'inherit')} open", "open", "no statement of the map answers")
    answer, short = (said, said) if said in TINTS else ("impossible in one case", "impossible if …")
    shown = f"{mark(sort_of(entry), 'inherit')} [{short}](#{entry.anchor})"
    by = f"<br>\n*{AUTHORS[tile]}*" if tile in AUTHORS else ""
    return _cell(shown + by, answer, said)


def _cell(shown: str, answer: str = "", title: str = "", role: str = "cell") -> str:
    """A cell of the picture in the tint of its answer; the title says it in full."""
    style = CELL.format(TINTS.get(answer, "none"))
    attributes = f'role="{role}" class="tinted" style="{style}" title="{title}"'
    return f"<div {attributes}>\n\n{shown}\n\n</div>"


def legend() -> Markdown:
    """What each mark promises, and how many entries have it."""
    sorts = [sort_of(entry) for entry in MAP]
    rows = [(f"{mark(sort)} {sort}", SAID["promises"][sort], sorts.count(sort)) for sort in MARKS]
    return markdown_table(("sign", "promise", "entries"), [*rows, ("", "in all", len(MAP))])


def row_in_full(attention: str, masked: bool, verdicts: Mapping[str, Verdict]) -> Markdown:
    """The entries of a row of the map, cell by cell, each a fold; `verdicts` holds what ran, by the
    `key` of its entry. Of a statement about several cells, only what its settings say here.
    """
    several = {entry for group in _of_several_cells() for entry in group}
    shown = []
    for column in COLUMNS:
        shown.append(f"**{column.capitalize()}**")
        for entry in on((attention, masked, column)):
            shown.append(_in_short(entry) if entry in several else _in_full(entry, verdicts))
    return Markdown("\n\n".join(shown))


def several_in_full(verdicts: Mapping[str, Verdict]) -> Markdown:
    """The statements about several cells, each once, with links to its entries in the rows."""
    shown = []
    for first, *others in _of_several_cells():
        cells = ", ".join(f"[{entry.cell}](#{entry.anchor})" for entry in (first, *others))
        inside = f"{first.hypotheses} {_rests_on(first, verdicts)} Its cells: {cells}."
        shown.append(_fold(first, f"map-several-{slug(first.name)}", inside))
    return Markdown("\n\n".join(shown))


def _of_several_cells() -> list[list[Entry]]:
    """The entries of each statement about several cells, which differ in their settings alone."""
    found: dict[tuple[str, ...], list[Entry]] = {}
    for entry in MAP:
        found.setdefault((entry.name, entry.statement, entry.hypotheses), []).append(entry)
    return [entries for entries in found.values() if len(entries) > 1]


def _in_short(entry: Entry) -> str:
    """An entry's mark and its name, which leads to its statement, and what its settings say."""
    name = f"[{entry.name}](#map-several-{slug(entry.name)}), as above."
    shown = " ".join([f"{mark(sort_of(entry))} {name}", *_beside(entry.settings)])
    return f"({entry.anchor})=\n{shown}"


def _in_full(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    """An entry's mark, name and statement; in the fold, at its label, its conditions, what its
    settings say beyond its cell, and what it rests on.
    """
    inside = [entry.hypotheses, *_beside(entry.settings), _rests_on(entry, verdicts)]
    return _fold(entry, entry.anchor, " ".join(inside))


def _fold(entry: Entry, place: str, inside: str) -> str:
    shown = f"{mark(sort_of(entry))} <strong>{entry.name}</strong>. {entry.statement}"
    fold = f'<details class="entry"><summary>{shown}</summary>'
    return f"{fold}\n\n({place})=\n{inside}\n\n</details>"


def _rests_on(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    """What an entry rests on, what ran and whom it cites."""
    label = entry.label.capitalize()
    rests_on = [f"**[{label}](#{entry.place})**" if entry.place else f"**{label}**"]
    if entry.example:
        ran = verdicts[key(entry)]
        every = f"right on all {ran.strings:,} strings up to length {ran.longest}"
        found = every if ran.counterexample is None else ran.headline
        rests_on.append(f"the machine is {found} ({entry.example.reader})")
    if entry.cites:
        rests_on.append(f"{{cite}}`{','.join(entry.cites)}`")
    return f"{'; '.join(rests_on)}."


def _beside(settings: Iterable[Setting]) -> list[str]:
    """What settings say beyond their place, several joined by "or", and what is as in a paper whose
    abstract does not name it.
    """
    says = SAID["settings"]
    said = {part: {getattr(setting, part) for setting in settings} for part in says}
    unsaid = ", ".join(f"the {part}" for part, values in said.items() if values == {THEIRS})
    shown = [
        says[part].format(" or ".join(sorted(values)))
        for part, values in said.items()
        if not values <= {"none", EXACT, THEIRS, "future"}
    ]
    return shown + [f"Not named in the abstract: {unsaid}."] * bool(unsaid)


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
