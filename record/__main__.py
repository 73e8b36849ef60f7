"""The command `python -m record [CHAPTER ...]`, which records what chapters claim."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lib.checks import many, takes, text
from record.claims import RECORD
from record.runs import CHAPTERS

if TYPE_CHECKING:
    from nbformat import NotebookNode


def claiming() -> list[str]:
    """The chapters that make claims."""
    sources = sorted(CHAPTERS.glob("*.py"))
    return [path.stem for path in sources if "Claims(" in path.read_text(encoding="utf-8")]


@takes(chapters=many(text))
def record(chapters: Sequence[str]) -> None:
    """Runs the notebooks of `chapters` and records the claims they make; ValueError for a chapter
    that makes none, with those that do.
    """
    known = claiming()
    for chapter in chapters:
        if chapter not in known:
            raise ValueError(f"no chapter {chapter!r}; there are {', '.join(known)}")
    from nbclient import NotebookClient

    os.environ[RECORD] = "write"
    for chapter in chapters:
        notebook = _read(CHAPTERS / f"{chapter}.ipynb")
        resources = {"metadata": {"path": str(CHAPTERS)}}
        NotebookClient(notebook, timeout=600, resources=resources).execute()
        print(f"recorded {chapter}")


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
