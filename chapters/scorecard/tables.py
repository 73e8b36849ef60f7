"""The scorecard, made from the record: it reads files only, whatever runs first."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from IPython.display import HTML
from jinja2 import Environment, StrictUndefined

from record.claims import (
    AGREES,
    DIFFERS,
    NOT_REPORTED,
    READ_OFF,
    UNSETTLED,
    VERDICTS,
    Claim,
    recorded,
)
from record.rows import PAPERS, paper_of, rows, statements
from record.runs import record_page

OPEN, REMARKS = "open", "agrees, with remarks"
STATES = (AGREES, REMARKS, DIFFERS, NOT_REPORTED, OPEN)  # of a row
TEMPLATE = Path(__file__).with_suffix(".html")


def _rows() -> list[dict]:
    """Every row with its `lines`, each a claim and its page, its `open` statements, what it comes
    to (`state`), and its `anchor` in the page.
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
        anchor = "row-" + re.sub(r"\W+", "-", place).strip("-").lower()
        found.append(row | more | {"lines": lines[place], "anchor": anchor})
    return found


def open_statements(row: dict, claims: list[Claim]) -> list[str]:
    """The statements of a row that no line settles. The book's own finding beside a paper's
    statement (not reported) settles that statement only where it names it.
    """
    is_ours = paper_of(row["place"]) in ("ours", "note")
    settled = {
        claim.settles
        for claim in claims
        if claim.verdict not in UNSETTLED
        and (is_ours or claim.settles or claim.verdict != NOT_REPORTED)
    }
    return [text for name, text in statements(row).items() if name not in settled]


def state(row: dict, claims: list[Claim]) -> str:
    """What a row comes to: open while a statement of it is, else differing if a main line differs.
    Only main lines make a row agree; where they do and an aside differs, it is with remarks.
    """
    if open_statements(row, claims):
        return OPEN
    main = {claim.verdict for claim in claims if not claim.aside}
    asides = {claim.verdict for claim in claims if claim.aside}
    agrees = bool(main & {AGREES, READ_OFF})
    if DIFFERS in main or (DIFFERS in asides and not agrees):
        return DIFFERS
    if DIFFERS in asides:
        return REMARKS
    return AGREES if agrees else NOT_REPORTED


def states() -> dict[str, str]:
    """What each row of the scorecard comes to."""
    return {row["place"]: row["state"] for row in _rows()}


def scorecard() -> HTML:
    """Every row of the scorecard with its lines, paper by paper, and above it a square for each row
    and the number of lines of each verdict.
    """
    found = _rows()
    papers = [
        {"key": key, "name": name, "rows": [row for row in found if paper_of(row["place"]) == key]}
        for key, name in PAPERS.items()
    ]
    of_state = Counter(row["state"] for row in found)
    of_verdict = Counter(claim.verdict for row in found for claim, _ in row["lines"])
    lines = TEMPLATE.read_text(encoding="utf-8").splitlines()
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        "".join(line.strip() for line in lines)
    )
    return HTML(
        template.render(
            papers=papers,
            names="|".join(f"{key}={name}" for key, name in PAPERS.items()),
            verdicts=VERDICTS,
            rows_of={value: of_state[value] for value in STATES},
            lines_of={name: of_verdict[name] for name in VERDICTS},
            settled=len(found) - of_state[OPEN],
            everything=len(found),
        )
    )
