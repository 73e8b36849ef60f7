"""The command `python -m lib.record [CHAPTER ...]`, which records what chapters claim."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from lib.book.claims import RECORD
from lib.book.results import CHAPTERS


def record(chapters: Sequence[str]) -> None:
    """Runs the notebooks of `chapters` and records the claims they make."""
    import nbformat
    from nbclient import NotebookClient

    os.environ[RECORD] = "write"
    for chapter in chapters:
        notebook = nbformat.read(CHAPTERS / f"{chapter}.ipynb", as_version=4)
        resources = {"metadata": {"path": str(CHAPTERS)}}
        NotebookClient(notebook, timeout=600, resources=resources).execute()
        print(f"recorded {chapter}")


def main() -> None:
    """The command: records the chapters that are named, or all that make claims."""
    sources = sorted(CHAPTERS.glob("*.py"))
    known = [path.stem for path in sources if "Claims(" in path.read_text(encoding="utf-8")]
    for name in sys.argv[1:]:
        if name not in known:
            sys.exit(f"no chapter {name!r}; there are {', '.join(known)}")
    record(sys.argv[1:] or known)
