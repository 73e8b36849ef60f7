"""The errata by what they change, most serious first."""

from pathlib import Path

from IPython.display import Markdown

from record.claims import recorded
from record.notebook import markdown_table
from record.rows import PAPERS, full_place, is_own, paper_of
from record.runs import read_yaml

CHANGES: dict[str, list[str]] = read_yaml(Path(__file__).with_suffix(".yaml"))
CHANGED = {place: changed for changed, places in CHANGES.items() for place in places}


def errata(changed: str) -> Markdown:
    """Every erratum that a chapter found and that changes that, most serious first."""
    places = CHANGES[changed]
    found = [e for chapter in recorded() for e in chapter.errata if e.place in places]
    found.sort(key=lambda erratum: places.index(erratum.place))
    return markdown_table(
        ("Place", "Printed", "Correct", "How it was checked"),
        [
            (f"[{full_place(e.row, e.place)}](#{e.cell})", e.printed, e.correct, e.checked)
            for e in found
        ],
    )


def tally() -> Markdown:
    """How many errata of each paper change what; KeyError for one that the list beside lacks."""
    found = [(CHANGED[e.place], paper_of(e.row)) for chapter in recorded() for e in chapter.errata]
    papers = [paper for paper in PAPERS if not is_own(paper)]
    counts = [[found.count((changed, paper)) for paper in papers] for changed in CHANGES]
    counts.append([sum(column) for column in zip(*counts)])
    rows = [(what, *row, sum(row)) for what, row in zip((*CHANGES, "together"), counts)]
    return markdown_table(("changes", *(PAPERS[paper] for paper in papers), "together"), rows)
