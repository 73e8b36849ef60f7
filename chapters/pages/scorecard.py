"""The scorecard, made from the record: it reads files only, whatever runs first."""

from __future__ import annotations

import re
from collections import Counter
from html import escape

from IPython.display import HTML

from record.claims import AGREES, DIFFERS, NOT_REPORTED, READ_OFF, UNSETTLED, VERDICTS, recorded
from record.rows import PAPERS, paper_of, rows, statements

OPEN = "open"
STATES = (AGREES, DIFFERS, NOT_REPORTED, OPEN)  # of a row
COLUMNS = ("Quantity", "Paper", "Here", "Kind", "Verdict", "Source")
WIDE = f'<th scope="rowgroup" colspan="{len(COLUMNS)}">'


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
    """Every row of the scorecard with its lines, paper by paper, and above it a square for each row
    and the number of lines of each verdict.
    """
    known, claims = rows(), _claims()
    of_paper = {key: [place for place in known if paper_of(place) == key] for key in PAPERS}
    groups = "".join(
        _paper(key) + "".join(_group(known[place], claims[place]) for place in places)
        for key, places in of_paper.items()
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    papers = escape("|".join(f"{key}={name}" for key, name in PAPERS.items()))
    settled, everything = score()
    return HTML(
        f'<div class="scorecard" data-papers="{papers}" '
        f'data-verdicts="{"|".join((*VERDICTS, OPEN))}">'
        f"{_squares(of_paper)}{_verdict_counts(claims)}"
        f"<table><caption>{settled} of {everything} rows are settled.</caption>"
        f"<thead><tr>{head}</tr></thead>{groups}</table></div>"
    )


def _squares(of_paper: dict[str, list[str]]) -> str:
    """One small square a row, a line of them a paper, in the colour of what the row comes to; each
    leads to its row.
    """
    found = states()
    lines = "".join(
        f'<p class="squares" data-paper="{key}"><span class="name">{escape(PAPERS[key])}</span>'
        + "".join(_square(place, found[place]) for place in places)
        + "</p>"
        for key, places in of_paper.items()
    )
    counts = Counter(found.values())
    legend = ", ".join(
        f'<span class="{_style(value)}"></span> {value} {counts[value]}' for value in STATES
    )
    return f'{lines}<p class="legend">Rows: {legend}.</p>'


def _square(place: str, value: str) -> str:
    said = f"{escape(place)}: {value}"
    return (
        f'<a href="#{_anchor(place)}" class="{_style(value)}" title="{said}">'
        f'<span class="visually-hidden">{said}</span></a>'
    )


def _paper(key: str) -> str:
    """The heading of a paper's rows."""
    letter = "" if key == "ours" else f" ({key})"
    return (
        f'<tbody class="paper" data-of="{key}"><tr>{WIDE}'
        f"{escape(PAPERS[key])}{letter}</th></tr></tbody>"
    )


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
    missing = "".join(
        f'<tr data-verdict="{OPEN}"><td colspan="{len(COLUMNS)}"><strong>{OPEN}</strong>: '
        f"{escape(text)}</td></tr>"
        for text in open_statements(row, claims)
    )
    return (
        f'<tbody data-paper="{paper_of(place)}" id="{_anchor(place)}"><tr class="place">'
        f"{WIDE}{escape(place)}<span>{escape(row['statement'])}{chapter}</span></th></tr>"
        f"{''.join(map(_line, claims))}{missing}</tbody>"
    )


def _line(claim: dict) -> str:
    """A claim: what is behind its verdict follows it."""
    reasons = (claim["criterion"] and f"criterion: {claim['criterion']}", claim["note"])
    reason = "".join(f"; {escape(text)}" for text in reasons if text)
    link = f'<a href="{claim["page"]}#{claim["cell"]}">{claim["verdict"]}</a>{reason}'
    paper = f"{claim['paper']} ({claim['printed']})" if claim["printed"] else claim["paper"]
    texts = [claim["quantity"], paper, claim["here"], claim["truth"], link, claim["source"]]
    shown = "".join(
        f'<td data-label="{name}">{text if text is link else escape(text)}</td>'
        for name, text in zip(COLUMNS, texts, strict=True)
    )
    return f'<tr data-verdict="{claim["verdict"]}">{shown}</tr>'
