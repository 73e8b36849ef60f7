"""The rows of the scorecard: what the papers state, each at its place."""

from __future__ import annotations

from lib.book import results
from lib.book.results import read_json
from lib.checks import shown, takes, text


def rows() -> dict[str, dict]:
    """The rows of the scorecard by place, each with `statement`, `chapter` and, where it holds
    several, its `statements` by a short name, in the papers' order.
    """
    path = results.RESULTS / "rows.json"
    for row in (known := read_json(path, list)):
        if not isinstance(row, dict) or not {"place", "statement"} <= {*row}:
            raise ValueError(f"a row of {path} must have a place and a statement, not {shown(row)}")
    return {row["place"]: row for row in known}


def statements(row: dict) -> dict[str, str]:
    """The statements of a row by their short names; a row of one statement has it under ""."""
    return row.get("statements", {"": row["statement"]})


@takes(place=text)
def check_row(place: str) -> dict:
    """The row of that place; ValueError, with the valid ones, where the scorecard has none."""
    known = rows()
    if place not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(f"the scorecard has no row {place!r}; it has {names}")
    return known[place]


@takes(settles=text)
def check_statement(place: str, settles: str) -> None:
    """ValueError, with the valid ones, for a row or statement that the scorecard lacks."""
    known = statements(check_row(place))
    if settles and settles not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(f"the row {place!r} has no statement {settles!r}; it has {names}")
