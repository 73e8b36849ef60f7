"""The rows of the scorecard: what the papers state, each at its place, and what pages add of their
own; and what pages call the papers.
"""

import re
from functools import cache
from pathlib import Path

from record import runs

PAPERS = {
    "C": "Chiang & Cholak 2022",
    "O": "Ouellette et al. 2023",
    "B": "Bhattamishra et al. 2020",
    "N": "Nowak et al. 2022",
    "ours": "this book",
    "note": "notes on other papers",
}


def paper_of(place: str) -> str:
    """The paper of a scorecard row, as a key of `PAPERS`: the first word of its place."""
    return place.partition(" ")[0].rstrip(":")


def is_own(place: str) -> bool:
    """Whether a scorecard row is none of the four papers': the book's own, or of a note."""
    return paper_of(place) in ("ours", "note")


def rows() -> dict[str, dict]:
    """The rows of the scorecard by place, each with `statement`, `chapter` and, where it holds
    several, its `statements` by a short name; `plain` tells what differs or is open, and `why` why.
    Those of the papers come first, then those that `claims.yaml` of each page adds, in the order of
    the pages; a page without a number has chapter 0. Files are read once, for they are asked often.
    """
    return _rows(runs.RESULTS, runs.CHAPTERS)


@cache
def _rows(results: Path, _chapters: Path) -> dict[str, dict]:
    """The rows, read from these two folders."""
    found = {row["place"]: row for row in runs.read_json(results / "rows.json")}
    for page in runs.claiming():
        number = re.match(r"\d\d", page)
        for place, row in runs.read_yaml(runs.criteria_of(page)).get("rows", {}).items():
            if not is_own(place) or place in found:
                expected = "a row 'ours: ...' or 'note: ...' that no other page has"
                raise ValueError(f"{expected} is expected of {page}, not {place!r}")
            found[place] = {"place": place, "chapter": int(number[0]) if number else 0} | row
    return found


def statements(row: dict) -> dict[str, str]:
    """The statements of a row by their short names; a row of one statement has it under ""."""
    return row.get("statements", {"": row["statement"]})


def check_row(place: str, settles: str = "") -> None:
    """ValueError, with the valid ones, for a row or statement that the scorecard lacks."""
    known = rows()
    if place not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(f"the scorecard has no row {place!r}; it has {names}")
    if settles and settles not in (stated := statements(known[place])):
        names = ", ".join(map(repr, stated))
        raise ValueError(f"the row {place!r} has no statement {settles!r}; it has {names}")
