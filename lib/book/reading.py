"""The contents of the book: what a chapter is for, and how long it takes to read."""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path

from IPython.display import Markdown

from lib.book.results import CHAPTERS, read_json
from lib.checks import shown, takes

WORDS_A_MINUTE = 200
MINUTES_A_CELL = 2
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
STEP = 5  # minutes are rounded up to a multiple of it


def cells(notebook: Path) -> list[dict]:
    """The cells of a notebook, without the setup cell in front; ValueError for a file that is
    none.
    """
    found = read_json(notebook).get("cells")
    if not isinstance(found, list):
        raise ValueError(f"{notebook} is no notebook: its cells are expected, not {shown(found)}")
    return found[1:]


def text(cell: dict) -> str:
    """The source of a cell."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


@takes(notebook=Path)
def minutes(notebook: Path) -> int:
    """How long a chapter takes to read: its words, and its open cells of code."""
    chapter = cells(notebook)
    prose = " ".join(text(cell) for cell in chapter if cell["cell_type"] == "markdown")
    words = [word for word in re.sub(r"<[^>]*>", " ", prose).split() if re.search(r"\w", word)]
    code = [
        cell
        for cell in chapter
        if cell["cell_type"] == "code" and not FOLDED & set(cell["metadata"].get("tags", ()))
    ]
    return STEP * ceil((len(words) / WORDS_A_MINUTE + MINUTES_A_CELL * len(code)) / STEP)


def _chapters() -> list[Path]:
    return sorted(CHAPTERS.glob("[0-9]*.ipynb"))


def contents() -> Markdown:
    """The chapters, how long each takes to read, and what a person will be able to do after it, as
    its first lines say it.
    """
    lines = []
    for path in _chapters():
        opening = text(cells(path)[0])
        [title] = re.findall(r"^# (.+)$", opening, re.MULTILINE)[:1]
        [promise] = re.findall(r"^\*You will be able to\* (.+)", opening, re.DOTALL | re.MULTILINE)
        lines.append(
            f"{int(path.stem[:2])}. [{title}]({path.stem}.ipynb), {minutes(path)} minutes: "
            + " ".join(promise.split())
        )
    return Markdown("\n".join(lines))


def reading_time() -> str:
    """How long the whole book takes to read, and how that is reckoned."""
    hours = round(sum(map(minutes, _chapters())) / 60)
    return (
        f"About {hours} hours in all, at {WORDS_A_MINUTE} words a minute and "
        f"{MINUTES_A_CELL} minutes for each cell of code that is open; exercises are extra."
    )
