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
from record.claims import CRITERIA

if TYPE_CHECKING:
    from nbformat import NotebookNode


def claiming() -> list[str]:
    """The chapters that make claims: those with criteria."""
    return sorted(path.stem for path in CRITERIA.glob("*.yaml") if _notebook(path.stem).exists())


@takes(chapters=many(text))
def record(chapters: Sequence[str]) -> None:
    """Runs the notebooks of `chapters` and records the claims they make; ValueError for a chapter
    that makes none, with those that do, or that makes no table of them.
    """
    known = claiming()
    for chapter in chapters:
        if chapter not in known:
            raise ValueError(f"no chapter {chapter!r}; there are {', '.join(known)}")
    from nbclient import NotebookClient

    os.environ[RECORD] = "write"
    for chapter in chapters:
        recorded = runs.RESULTS / "claims" / f"{chapter}.json"
        before = _written(recorded)
        resources = {"metadata": {"path": str(runs.CHAPTERS)}}
        NotebookClient(_read(_notebook(chapter)), timeout=600, resources=resources).execute()
        if _written(recorded) == before:
            raise ValueError(f"{chapter} recorded nothing: a cell with claims.table() is expected")
        print(f"recorded {chapter}")


def _notebook(chapter: str) -> Path:
    """The notebook that makes the chapter's claims."""
    return runs.CHAPTERS / f"{runs.record_page(chapter)}.ipynb"


def _written(path: Path) -> int | None:
    """When a file was written, in nanoseconds; None for no file."""
    return path.stat().st_mtime_ns if path.exists() else None


def _read(path: Path) -> NotebookNode:
    """The notebook at `path`; ValueError for a file that is none."""
    import nbformat

    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:  # nbformat raises errors of many kinds for a broken file
        raise ValueError(f"{path} is no notebook that can be read: {error}") from error
    return notebook


def main() -> None:
    """The command: records the chapters that are named, or all that make claims."""
    try:
        record(sys.argv[1:] or claiming())
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
