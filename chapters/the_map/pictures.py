"""The map and its entries as the pages show them, the steps of a decoder as a table, and which
token of `progressions` tests what.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import Markdown
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from chapters.the_map.decoders import Decoder, Steps
from chapters.the_map.encoders import enough_padding
from chapters.the_map.entries import (
    ATTENTIONS,
    CITED,
    COLUMNS,
    EXACT,
    OPEN,
    PROVED,
    RUN,
    THEIRS,
    Entry,
    Setting,
    key,
    on,
)
from lib.languages import PARITY
from lib.transformer import Exact
from lib.verdicts import Verdict
from record.notebook import COLOURS, markdown_table
from record.runs import read_yaml

MAP_FILE = Path(__file__).with_name("map.yaml")
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
# Of PARITY, in boxes without a frame: what is said, and the entry that says it.
ELSEWHERE = {
    (attention, masked, column): (said, entry)
    for attention, masked, column, said, entry in read_yaml(MAP_FILE)["parity"]
}
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
# Six rows of four cells, which a telephone shows whole.
PICTURE = (
    "display: grid; grid-template-columns: minmax(4.2rem, 0.8fr) repeat(4, minmax(0, 1fr)); "
    "gap: 3px; margin-bottom: 1.2rem; font-size: clamp(0.62rem, 2.6vw, 0.85rem); line-height: 1.3"
)
CELL = (
    "display: grid; place-content: center; min-height: 2.8rem; padding: 0.2rem 1px; "
    "border-radius: 3px; text-align: center; background: {}"
)
# Four cells a row where there is room, two on a telephone: without a style sheet of its own.
ROW = (
    "display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.4rem; "
    "margin-bottom: 1.2rem"
)
FRAME = (
    f"display: inline-block; border: 2px solid {COLOURS['PARITY']}; border-radius: 4px; "
    "padding: 0 0.25rem"
)
BOX = "border: 1px solid #8886; padding: 0.3rem 0.5rem; font-size: 0.8rem; line-height: 1.6"


def sort_of(entry: Entry) -> str:
    """Which of `MARKS` an entry has."""
    return HOLLOW if entry.label == PROVED and entry.example is None else entry.label


def mark(sort: str, colour: str = "") -> str:
    """A mark, in its own colour or another; it says its name to who does not see it."""
    character, own = MARKS[sort]
    return f'<span role="img" aria-label="{sort}" style="color: {colour or own}">{character}</span>'


def kind(attention: str, masked: bool) -> str:
    """A row of the map in words."""
    return f"{attention.capitalize()} attention, {'masked' if masked else 'no mask'}"


def map_page(entries: Iterable[Entry]) -> Markdown:
    """The map: what the signs are called, then six rows of four cells, in each its entries, which
    lead to the record; rows are folds, of which the lesson's is open. A frame: for PARITY.
    """
    signs = ", ".join(f"{mark(sort)} {sort}" for sort in MARKS)
    framed = f"{_framed('in a frame')}: a machine made for PARITY, which runs here."
    entries, parts = list(entries), [f"{signs}; {framed}"]
    for attention in ATTENTIONS:
        for masked in (False, True):
            row, shown = kind(attention, masked), " open" * (attention == "unique hard" and masked)
            fold = f'<details class="lines"{shown}><summary>{row}</summary>'
            parts += [fold, f'<div style="{ROW}">']
            for column in COLUMNS:
                links = map(_link, on((attention, masked, column), entries))
                parts += [f'<div style="{BOX}">', "<br>\n".join([f"*{column}*", *links]), "</div>"]
            parts += ["</div>", "</details>"]
    return Markdown("\n\n".join(parts))


def _link(entry: Entry) -> str:
    """An entry's mark and its name, which leads to it; in a frame if PARITY is what it decides."""
    said = f"{mark(sort_of(entry))} [{entry.name}](#{entry.anchor})"
    return _framed(f"**{said}**") if _decides_parity(entry) else said


def _decides_parity(entry: Entry) -> bool:
    return entry.example is not None and entry.example.language.name == PARITY.name


def parity_picture(entries: Iterable[Entry]) -> Markdown:
    """A cell for each place of the map, in a tint for what it says of PARITY, which leads to the
    entry that says so.
    """
    entries = list(entries)
    rows = [[_cell("attention", role="columnheader")]]
    rows[0] += [_cell(f"*{column}*", role="columnheader") for column in COLUMNS]
    for attention in ATTENTIONS:
        for masked in (False, True):
            name = f"{attention}, masked" if masked else attention
            cells = [_of_parity((attention, masked, column), entries) for column in COLUMNS]
            rows.append([_cell(name, role="rowheader"), *cells])
    shown = [f'<div role="table" aria-label="Is PARITY decided?" style="{PICTURE}">']
    for row in rows:
        shown += ['<div role="row" style="display: contents">', *row, "</div>"]
    return Markdown("\n\n".join([*shown, "</div>"]))


def _of_parity(tile: tuple[str, bool, str], entries: list[Entry]) -> str:
    """What the map says of PARITY in a cell: by its first frame, or else by another entry, of this
    cell if it has one of that name.
    """
    if framed := [entry for entry in on(tile, entries) if _decides_parity(entry)]:
        said, entry = "decided", framed[0]
    elif tile in ELSEWHERE:
        said, name = ELSEWHERE[tile]
        entry = next(entry for entry in (*on(tile, entries), *entries) if entry.name == name)
    else:
        return _cell(f"{mark(OPEN, 'inherit')} open", "open", "no statement of the map answers")
    answer = said if said in TINTS else "impossible in one case"
    short = said if said in TINTS else "impossible if …"
    shown = f"{mark(sort_of(entry), 'inherit')} [{short}](#{entry.anchor})"
    by = f"<br>\n*{AUTHORS[tile]}*" if tile in AUTHORS else ""
    return _cell(shown + by, answer, said)


def _cell(shown: str, answer: str = "", title: str = "", role: str = "cell") -> str:
    """A cell of the picture in the tint of its answer; the title says it in full."""
    style = CELL.format(TINTS.get(answer, "none"))
    attributes = f'role="{role}" class="tinted" style="{style}" title="{title}"'
    return f"<div {attributes}>\n\n{shown}\n\n</div>"


def _framed(said: str) -> str:
    return f'<span style="{FRAME}">{said}</span>'


def legend(entries: Iterable[Entry]) -> Markdown:
    """What each mark promises, and how many entries have it."""
    entries = list(entries)
    sorts = [sort_of(entry) for entry in entries]
    rows = [(f"{mark(sort)} {sort}", said, sorts.count(sort)) for sort, said in MEANT.items()]
    return markdown_table(("sign", "promise", "entries"), [*rows, ("", "in all", len(entries))])


def by_language(entries: Iterable[Entry]) -> Markdown:
    """An index: the entries that speak of each language, or class of languages, of the map's file,
    with a link for each of their places.
    """
    entries, rows = list(entries), []
    for language, pattern in read_yaml(MAP_FILE)["index"].items():
        found: dict[str, list[Entry]] = {}
        for entry in entries:
            if re.search(pattern, f"{entry.name} {entry.statement}"):
                found.setdefault(f"{mark(sort_of(entry))} {entry.name}", []).append(entry)
        said = (f"{name}: {', '.join(map(_placed, several))}" for name, several in found.items())
        rows.append((language, "<br>".join(said)))
    return markdown_table(("language", "entries"), rows)


def _placed(entry: Entry) -> str:
    attention, masked, column = entry.tile
    return f"[{attention}{', masked' * masked}, {column}](#{entry.anchor})"


def row_in_full(
    attention: str, masked: bool, entries: Iterable[Entry], verdicts: Mapping[str, Verdict]
) -> Markdown:
    """The entries of a row of the map in full, cell by cell, each behind its label; `verdicts`
    holds what ran, by the `key` of its entry.
    """
    entries, shown = list(entries), []
    for column in COLUMNS:
        shown.append(f"**{column.capitalize()}**")
        here = on((attention, masked, column), entries)
        shown += [f"({one.anchor})=\n{_in_full(one, verdicts)}" for one in here]
    return Markdown("\n\n".join(shown))


def _in_full(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    name = entry.name.replace("*", r"\*")
    name = f"**[{name}](#{entry.place})**" if entry.place else f"**{name}**"
    said = [f"{mark(sort_of(entry))} {name}.", entry.statement, f"\\\n*Under:* {entry.hypotheses}"]
    if beside := _beside(entry.settings):
        said.append(f"*Setting:* {beside}.")
    return " ".join([*said, f"*Rests on:* {_label(entry, verdicts)}."])


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


def _label(entry: Entry, verdicts: Mapping[str, Verdict]) -> str:
    """An entry's label, what ran and whom it cites."""
    said = [f"**{entry.label}**"]
    if entry.example:
        ran = verdicts[key(entry)]
        said.append(
            f"all {ran.strings:,} strings to length {ran.longest} right ({entry.example.reader})"
            if ran.counterexample is None
            else f"runs and is {ran.headline}"
        )
    if entry.cites:
        said.append(f"{{cite}}`{','.join(entry.cites)}`")
    return "; ".join(said)


def steps_table(
    decoder: Decoder, w: str, attention: str, *coordinates: str, **renamed: str
) -> Markdown:
    """A decoder's steps on `w`: the last token, coordinates of its vector, some of them by other
    names (`a="more"`), the scores of all tokens and the one that is written.
    """
    shown = dict(zip(coordinates, coordinates)) | renamed
    reader = Exact(decoder.construction, attention)
    steps = list(Steps(decoder, attention).run(w))
    tokens = ["CLS", *w, *(step.token for step in steps[:-1])]
    vectors = list(reader.vectors(tokens))[len(w) :]
    rows = [
        (last, *(vector.get(name, 0) for name in shown.values()), *step.logits.values(), step.token)
        for last, vector, step in zip(tokens[len(w) :], vectors, steps, strict=True)
    ]
    head = ("last token", *shown, *(f"score of {token}" for token in steps[0].logits))
    return markdown_table((*head, "writes"), rows)


def padding_figure(m: int) -> Figure:
    """Which middle and which distance each token tests behind m symbols, with the padding that is
    just enough. Hollow: it can find nothing; pale: an earlier token makes the same test.
    """
    last = m + enough_padding(m)
    figure, axes = plt.subplots(figsize=(7, 3.1))
    axes.axhline(0, color="#777777", linewidth=0.5, zorder=0)
    for j in range(1, m):
        here = [p for p in range(j * j - j + 1, j * j + j + 1) if p <= last]
        axes.plot(here, [p - j * j for p in here], color="#777777", linewidth=0.7, zorder=0)
        axes.text(here[-1], here[-1] - j * j + 0.3, f"middle {j}", ha="center", fontsize=9)
        for p in here:
            distance = p - j * j
            colour = COLOURS["PARITY" if p <= m else "FIRST"]
            finds = distance and 1 <= j - abs(distance) and j + abs(distance) <= m
            fill = to_rgba(colour, 0.3 if distance > 0 else 1) if finds else "none"
            axes.plot(p, distance, "o", color=colour, markerfacecolor=fill, markersize=6)
    for name, colour in (("symbols", "PARITY"), ("padding", "FIRST")):
        axes.plot([], [], "o", color=COLOURS[colour], label=name)
    axes.legend(loc="upper left")
    axes.set(xlabel="token", ylabel="distance", ylim=(0.5 - m, m + 0.4), xticks=range(1, last + 1))
    return figure
