"""The pages that are made from records: scorecard, errata, provenance. They read files only,
whatever runs first.
"""

from __future__ import annotations

import json
import re
from html import escape

from IPython.display import HTML, Markdown

from lib.book.results import (
    CHAPTERS,
    UNSETTLED,
    VERDICTS,
    markdown_table,
    recorded,
    rows,
    stored_runs,
)

PAPERS = {
    "C": "Chiang & Cholak 2022",
    "O": "Ouellette et al. 2023",
    "B": "Bhattamishra et al. 2020",
    "N": "Nowak et al. 2022",
    "ours": "this book",
}
OPEN = "open"
COLUMNS = ("Quantity", "Paper", "Here", "Verdict", "Source")


def paper_of(place: str) -> str:
    """The paper of a scorecard row, as a key of `PAPERS`: the first word of its place."""
    return place.partition(" ")[0].rstrip(":")


def _claims() -> dict[str, list[dict]]:
    """Every chapter's claims by row, each with its `page`."""
    found: dict[str, list[dict]] = {place: [] for place in rows()}
    for chapter in recorded():
        for claim in chapter["claims"]:
            found[claim["row"]].append(claim | {"page": f"{chapter['chapter']}.html"})
    return found


def _is_settled(claims: list[dict]) -> bool:
    return any(claim["verdict"] != UNSETTLED for claim in claims)


def score() -> tuple[int, int]:
    """(settled rows, all rows) of the scorecard."""
    claims = _claims()
    return sum(map(_is_settled, claims.values())), len(claims)


def scorecard() -> HTML:
    """Every row of the scorecard with the lines that settle it; one that no chapter has settled is
    open.
    """
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    settled, everything = score()
    groups = []
    for place, claims in _claims().items():
        row = rows()[place]
        chapter = f", chapter {row['chapter']}" if row["chapter"] else ""
        lines = [_line(claim) for claim in claims]
        if not _is_settled(claims):
            lines.append(
                f'<tr data-verdict="{OPEN}"><td colspan="5"><strong>{OPEN}</strong>{": the data of the paper were not at hand" if claims else ""}</td></tr>'
            )
        groups.append(
            f'<tbody data-paper="{paper_of(place)}"><tr class="place"><th scope="rowgroup" colspan="5">{escape(place)}'
            f"<span>{escape(row['statement'])}{chapter}</span></th></tr>{''.join(lines)}</tbody>"
        )
    return HTML(
        f'<div class="scorecard" data-papers="{escape("|".join(f"{key}={name}" for key, name in PAPERS.items()))}" '
        f'data-verdicts="{"|".join((*VERDICTS, OPEN))}"><table><caption>{settled} of {everything} rows are settled.</caption>'
        f"<thead><tr>{head}</tr></thead>{''.join(groups)}</table></div>"
    )


def _line(claim: dict) -> str:
    note = f": {escape(claim['note'])}" if claim["note"] else ""
    link = f'<a href="{claim["page"]}#{claim["cell"]}">{claim["verdict"]}</a>{note}'
    cells = [
        *(escape(claim[name]) for name in ("quantity", "paper", "here")),
        link,
        escape(claim["source"]),
    ]
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
        title, promise = (
            re.search(r"^# (.+)$", text, re.MULTILINE)[1],
            re.search(r"^\*You will be able to\* (.+)", text, re.DOTALL | re.MULTILINE)[1],
        )
        lines.append(
            f"{int(path.stem[:2])}. [{title}]({path.stem}.ipynb): {' '.join(promise.split())}"
        )
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

    def seeds(results: list[dict]) -> str:
        configurations = [row["configuration"] for row in results]
        found = sorted(
            {c["seeds"] for c in configurations if "seeds" in c}
            | {1 + max((c.get("seed", -1) for c in configurations), default=-1)} - {0}
        )
        return ", ".join(f"0 to {many - 1}" for many in found) or "none used"

    return markdown_table(
        (
            "Run",
            "Date",
            "Device",
            "Time, processes added up",
            "Configurations",
            "Seeds",
            "Commit",
            "Versions",
        ),
        [
            (
                f"`{run.name}`",
                run.made["date"],
                run.made["device"],
                f"{run.minutes:.1f} min",
                len(run.results),
                seeds(run.results),
                f"`{run.made['commit']}`",
                f"Python {run.made['python']}, torch {run.made['torch']}, numpy {run.made['numpy']}",
            )
            for run in stored_runs()
        ],
    )
