"""What the pages call the papers."""

from __future__ import annotations

PAPERS = {
    "C": "Chiang & Cholak 2022",
    "O": "Ouellette et al. 2023",
    "B": "Bhattamishra et al. 2020",
    "N": "Nowak et al. 2022",
    "ours": "this book",
}
PREFIXES = ("C&C ", "Ouellette et al. ", "B ", "N ")  # what chapters put before a place of a paper


def paper_of(place: str) -> str:
    """The paper of a scorecard row, as a key of `PAPERS`: the first word of its place."""
    return place.partition(" ")[0].rstrip(":")


def full_place(erratum: dict) -> str:
    """Where an erratum is, the paper named as everywhere else: "Chiang & Cholak, Appendix A"."""
    name, place = PAPERS[paper_of(erratum["row"])].rpartition(" ")[0], erratum["place"]
    for prefix in PREFIXES:
        place = place.removeprefix(prefix)
    return f"{name}, {place}"
