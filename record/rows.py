"""The rows of the scorecard: what the papers state, each at its place; and what pages call the
papers.
"""

from record import runs

PAPERS = {
    "C": "Chiang & Cholak 2022",
    "O": "Ouellette et al. 2023",
    "B": "Bhattamishra et al. 2020",
    "N": "Nowak et al. 2022",
    "ours": "this book",
    "note": "notes on other papers",
}
PREFIXES = ("C&C ", "Ouellette et al. ", "B ", "N ")  # what chapters put before a place of a paper


def paper_of(place: str) -> str:
    """The paper of a scorecard row, as a key of `PAPERS`: the first word of its place."""
    return place.partition(" ")[0].rstrip(":")


def is_own(place: str) -> bool:
    """Whether a scorecard row is none of the four papers': the book's own, or of a note."""
    return paper_of(place) in ("ours", "note")


def full_place(row: str, place: str) -> str:
    """Where an erratum is, the paper named as everywhere else: "Chiang & Cholak, Appendix A"."""
    name = PAPERS[paper_of(row)].rpartition(" ")[0]
    for prefix in PREFIXES:
        place = place.removeprefix(prefix)
    return f"{name}, {place}"


def rows() -> dict[str, dict]:
    """The rows of the scorecard by place, each with `statement`, `chapter` and, where it holds
    several, its `statements` by a short name; `plain` tells a newcomer what differs or is open.
    """
    return {row["place"]: row for row in runs.read_json(runs.RESULTS / "rows.json")}


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
