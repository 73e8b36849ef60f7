"""The pages that are made from records: scorecard, errata, provenance. They read files only,
whatever runs first.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import escape

from IPython.display import HTML, Markdown

from lib.book.claims import (
    AGREES,
    DIFFERS,
    NOT_REPORTED,
    READ_OFF,
    UNSETTLED,
    VERDICTS,
    recorded,
    rows,
    statements,
)
from lib.book.results import CHAPTERS, Stored, markdown_table, stored_runs

PAPERS = {
    "C": "Chiang & Cholak 2022",
    "O": "Ouellette et al. 2023",
    "B": "Bhattamishra et al. 2020",
    "N": "Nowak et al. 2022",
    "ours": "this book",
}
OPEN = "open"
STATES = (AGREES, DIFFERS, NOT_REPORTED, OPEN)  # of a row
COLUMNS = ("Quantity", "Paper", "Here", "Kind", "Verdict", "Source")


def paper_of(place: str) -> str:
    """The paper of a scorecard row, as a key of `PAPERS`: the first word of its place."""
    return place.partition(" ")[0].rstrip(":")


def _claims() -> dict[str, list[dict]]:
    """Every chapter's claims by row, each with its `page`."""
    by_row: dict[str, list[dict]] = {place: [] for place in rows()}
    for chapter in recorded():
        for claim in chapter["claims"]:
            by_row[claim["row"]].append(claim | {"page": f"{chapter['chapter']}.html"})
    return by_row


def open_statements(row: dict, claims: list[dict]) -> list[str]:
    """The statements of a row that no line settles. The book's own finding beside a paper's
    statement (not reported) settles that statement only where it names it.
    """
    is_ours = paper_of(row["place"]) == "ours"
    settled = {
        claim["settles"]
        for claim in claims
        if claim["verdict"] not in UNSETTLED
        and (is_ours or claim["settles"] or claim["verdict"] != NOT_REPORTED)
    }
    return [text for name, text in statements(row).items() if name not in settled]


def state(row: dict, claims: list[dict]) -> str:
    """What a row comes to: open while a statement of it is, else differing if a line differs."""
    if open_statements(row, claims):
        return OPEN
    verdicts = {claim["verdict"] for claim in claims}
    if DIFFERS in verdicts:
        return DIFFERS
    return AGREES if verdicts & {AGREES, READ_OFF} else NOT_REPORTED


def states() -> dict[str, str]:
    """What each row of the scorecard comes to."""
    known = rows()
    return {place: state(known[place], claims) for place, claims in _claims().items()}


def score() -> tuple[int, int]:
    """(settled rows, all rows) of the scorecard."""
    found = states()
    return sum(value != OPEN for value in found.values()), len(found)


def scorecard() -> HTML:
    """Every row of the scorecard with its lines, and above it a square for each row and the number
    of lines of each verdict.
    """
    known, by_row = rows(), _claims()
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    groups = "".join(_group(known[place], claims) for place, claims in by_row.items())
    papers = escape("|".join(f"{key}={name}" for key, name in PAPERS.items()))
    settled, everything = score()
    verdicts = "|".join((*VERDICTS, OPEN))
    return HTML(
        f'<div class="scorecard" data-papers="{papers}" data-verdicts="{verdicts}">'
        f"{_squares()}{_verdict_counts(by_row)}"
        f"<table><caption>{settled} of {everything} rows are settled.</caption>"
        f"<thead><tr>{head}</tr></thead>{groups}</table></div>"
    )


def _squares() -> str:
    """One small square a row, in the colour of what the row comes to; each leads to its row."""
    squares = "".join(
        f'<a href="#{_anchor(place)}" class="{_style(value)}" title="{escape(place)}: {value}">'
        f'<span class="visually-hidden">{escape(place)}: {value}</span></a>'
        for place, value in states().items()
    )
    counts = Counter(states().values())
    legend = ", ".join(
        f'<span class="{_style(value)}"></span> {value} {counts[value]}' for value in STATES
    )
    return f'<p class="squares">{squares}</p><p class="legend">Rows: {legend}.</p>'


def _verdict_counts(by_row: dict[str, list[dict]]) -> str:
    """How many lines have each verdict."""
    counts = Counter(claim["verdict"] for claims in by_row.values() for claim in claims)
    listed = ", ".join(f"{name} {counts[name]}" for name in VERDICTS)
    return f'<p class="counts">Lines: {listed}.</p>'


def _anchor(place: str) -> str:
    return "row-" + re.sub(r"\W+", "-", place).strip("-").lower()


def _style(value: str) -> str:
    return "state " + value.replace(" ", "-")


def _group(row: dict, claims: list[dict]) -> str:
    """A row's heading, its lines and its open statements."""
    place = row["place"]
    chapter = f", chapter {row['chapter']}" if row["chapter"] else ""
    lines = "".join(map(_line, claims))
    missing = "".join(
        f'<tr data-verdict="{OPEN}"><td colspan="{len(COLUMNS)}"><strong>{OPEN}</strong>: '
        f"{escape(text)}</td></tr>"
        for text in open_statements(row, claims)
    )
    return (
        f'<tbody data-paper="{paper_of(place)}" id="{_anchor(place)}"><tr class="place">'
        f'<th scope="rowgroup" colspan="{len(COLUMNS)}">{escape(place)}'
        f"<span>{escape(row['statement'])}{chapter}</span></th></tr>{lines}{missing}</tbody>"
    )


def _line(claim: dict) -> str:
    """A claim: what is behind its verdict follows it."""
    reasons = [
        claim["criterion"] and f"criterion: {claim['criterion']}",
        claim["note"],
    ]
    reason = "".join(f"; {escape(text)}" for text in reasons if text)
    link = f'<a href="{claim["page"]}#{claim["cell"]}">{claim["verdict"]}</a>{reason}'
    paper = f"{claim['paper']} ({claim['printed']})" if claim["printed"] else claim["paper"]
    cells = (
        escape(claim["quantity"]),
        escape(paper),
        escape(claim["here"]),
        escape(claim["truth"]),
        link,
        escape(claim["source"]),
    )
    shown = "".join(
        f'<td data-label="{name}">{cell}</td>' for name, cell in zip(COLUMNS, cells, strict=True)
    )
    return f'<tr data-verdict="{claim["verdict"]}">{shown}</tr>'


def contents() -> Markdown:
    """The chapters and what a reader will be able to do after each, as their first lines say it."""
    lines = []
    for path in sorted(CHAPTERS.glob("0*.ipynb")):
        text = json.loads(path.read_text(encoding="utf-8"))["cells"][1]["source"]
        text = text if isinstance(text, str) else "".join(text)
        [title] = re.findall(r"^# (.+)$", text, re.MULTILINE)[:1]
        [promise] = re.findall(r"^\*You will be able to\* (.+)", text, re.DOTALL | re.MULTILINE)
        number = int(path.stem[:2])
        lines.append(f"{number}. [{title}]({path.stem}.ipynb): {' '.join(promise.split())}")
    return Markdown("\n".join(lines))


def errata() -> Markdown:
    """Every erratum that a chapter found."""
    return markdown_table(
        ("Place", "Printed", "Correct", "How it was checked"),
        [
            (f"[{e['place']}](#{e['cell']})", e["printed"], e["correct"], e["checked"])
            for chapter in recorded()
            for e in chapter["errata"]
        ],
    )


def provenance() -> Markdown:
    """Where every stored number comes from: one line for each stored run."""
    head = ("Run", "Date", "Device", "Time, processes added up", "Configurations", "Seeds")
    return markdown_table(
        (*head, "Commit", "Versions"), [_provenance_line(run) for run in stored_runs()]
    )


def _provenance_line(run: Stored) -> tuple[object, ...]:
    made = run.made
    versions = f"Python {made['python']}, torch {made['torch']}, numpy {made['numpy']}"
    time = f"{run.minutes:.1f} min"
    name, commit = f"`{run.name}`", f"`{made['commit']}`"
    settings = [row["configuration"] for row in run.results]
    return (
        name, made["date"], made["device"], time, len(settings), _seeds(settings), commit, versions,
    )  # fmt: skip


def _seeds(configurations: list[dict]) -> str:
    """The seeds of a run: so many from 0 on, or the seeds that its configurations name."""
    sizes = {c["seeds"] for c in configurations if "seeds" in c}
    named = {c["seed"] for c in configurations if "seed" in c}
    if named:
        sizes.add(1 + max(named))
    return ", ".join(f"0 to {size - 1}" for size in sorted(sizes)) or "none used"
