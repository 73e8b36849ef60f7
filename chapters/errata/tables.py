"""The errata by what they change, most serious first."""

from pathlib import Path

from IPython.display import Markdown

from record.claims import recorded
from record.notebook import markdown_table
from record.rows import full_place
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


def tally() -> str:
    """How many errata change what; KeyError for one of which the list beside does not say it."""
    found = [CHANGED[e.place] for chapter in recorded() for e in chapter.errata]
    first, *others = (f"{found.count(changed)}{{}} {changed}" for changed in CHANGES)
    listed = ", ".join([first.format(" change"), *(text.format("") for text in others)])
    return f"Of {len(found)} errata {listed}."
