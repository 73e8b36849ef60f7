"""The scorecard, made from the record: it reads files only, whatever runs first."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from IPython.display import HTML
from jinja2 import Environment, StrictUndefined

from record.claims import DIFFERS, OPEN, STATES, VERDICTS, Claim, open_statements, recorded, state
from record.rows import PAPERS, is_own, paper_of, rows
from record.runs import record_page

TEMPLATE = Path(__file__).with_suffix(".html")


def _rows() -> list[dict]:
    """Every row with its `lines`, each a claim and its page, its `open` statements, what it comes
    to (`state`), whether it is open and a line `differs`, and its `anchor` in the page.
    """
    lines: dict[str, list[tuple[Claim, str]]] = defaultdict(list)
    for chapter in recorded():
        page = f"{record_page(chapter.chapter)}.html"
        for claim in chapter.claims:
            lines[claim.row].append((claim, page))
    found = []
    for place, row in rows().items():
        claims = [claim for claim, _ in lines[place]]
        more = {"open": open_statements(row, claims), "state": state(row, claims)}
        differs = any(claim.verdict == DIFFERS for claim in claims)
        more["differs"] = more["state"] == OPEN and differs
        anchor = "row-" + re.sub(r"\W+", "-", place).strip("-").lower()
        found.append(row | more | {"lines": lines[place], "anchor": anchor})
    return found


def states() -> dict[str, str]:
    """What each row of the scorecard comes to."""
    return {row["place"]: row["state"] for row in _rows()}


def scorecard() -> HTML:
    """Every row of the scorecard, paper by paper, its lines folded, and above it a square for each
    row and the number of lines of each verdict.
    """
    found = _rows()
    papers = [
        {"key": key, "name": name, "rows": [row for row in found if paper_of(row["place"]) == key]}
        for key, name in PAPERS.items()
    ]
    rows_of = {}
    for own in (False, True):
        of_state = Counter(row["state"] for row in found if is_own(row["place"]) == own)
        rows_of[own] = {value: of_state[value] for value in STATES if of_state[value]}
    of_verdict = Counter(claim.verdict for row in found for claim, _ in row["lines"])
    of_verdict[OPEN] = sum(len(row["open"]) for row in found)
    lines = TEMPLATE.read_text(encoding="utf-8").splitlines()
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        "".join(line.strip() for line in lines)
    )
    return HTML(
        template.render(
            papers=papers,
            names="|".join(f"{key}={name}" for key, name in PAPERS.items()),
            verdicts=VERDICTS,
            rows_of=rows_of,
            lines_of={name: of_verdict[name] for name in (*VERDICTS, OPEN)},
            stated=sum(rows_of[False].values()),
        )
    )
