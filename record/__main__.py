"""The command `python -m record [CHAPTER ...]`, which records what chapters claim."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lib.checks import many, takes, text
from lib.notebook import RECORD
from record import runs
from record.claims import criteria_of

if TYPE_CHECKING:
    from nbformat import NotebookNode


def claiming() -> list[str]:
    """The chapters that make claims: those with criteria."""
    pages = sorted(path.stem for path in runs.CHAPTERS.glob("*.py"))
    return [page for page in pages if not page.startswith("record_") and criteria_of(page).exists()]


@takes(chapters=many(text))
def record(chapters: Sequence[str]) -> None:
    """Runs the pages of `chapters` and records the claims they make; ValueError for a chapter
    that makes none, with those that do, or that makes no table of them.
    """
    known = claiming()
    for chapter in chapters:
        if chapter not in known:
            raise ValueError(f"no chapter {chapter!r}; there are {', '.join(known)}")
    from nbclient import NotebookClient

    found = {RECORD: "write", "PYTHONPATH": str(runs.ROOT)}
    for chapter in chapters:
        recorded = runs.RESULTS / "claims" / f"{chapter}.json"
        before = _written(recorded)
        resources = {"metadata": {"path": str(runs.CHAPTERS)}}
        client = NotebookClient(_read(_page(chapter)), timeout=600, resources=resources)
        client.execute(env=os.environ | found)
        if _written(recorded) == before:
            raise ValueError(f"{chapter} recorded nothing: a cell with claims.table() is expected")
        print(f"recorded {chapter}")


def _page(chapter: str) -> Path:
    """The source of the page that makes the chapter's claims."""
    return runs.CHAPTERS / f"{runs.record_page(chapter)}.py"


def _written(path: Path) -> int | None:
    """When a file was written, in nanoseconds; None for no file."""
    return path.stat().st_mtime_ns if path.exists() else None


def _read(path: Path) -> NotebookNode:
    """The page at `path` as a notebook; ValueError for a file that is none."""
    import jupytext

    try:
        return jupytext.read(path, fmt="py:percent")
    except Exception as error:  # jupytext raises errors of many kinds for a broken file
        raise ValueError(f"{path} is no page that can be read: {error}") from error


def main() -> None:
    """The command: records the chapters that are named, or all that make claims."""
    try:
        record(sys.argv[1:] or claiming())
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
