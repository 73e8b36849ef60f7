"""The command `python -m record [CHAPTER ...]`, which records what chapters claim: those that are
named, or all that make claims.
"""

import os
import sys

import jupytext
from nbclient import NotebookClient

from record import runs
from record.claims import criteria_of
from record.notebook import RECORD


def claiming() -> list[str]:
    """The chapters that make claims: those with criteria."""
    pages = sorted(path.stem for path in runs.CHAPTERS.glob("*.py"))
    return [page for page in pages if not page.startswith("record_") and criteria_of(page).exists()]


def main() -> None:
    """The command: runs the page of each chapter that makes its claims, which records them."""
    asked, known = sys.argv[1:], claiming()
    for chapter in asked:
        if chapter not in known:
            sys.exit(f"no chapter {chapter!r}; there are {', '.join(known)}")
    for chapter in asked or known:
        page = jupytext.read(runs.CHAPTERS / f"{runs.record_page(chapter)}.py", fmt="py:percent")
        resources = {"metadata": {"path": str(runs.CHAPTERS)}}
        client = NotebookClient(page, timeout=600, resources=resources)
        client.execute(env=os.environ | {RECORD: "write", "PYTHONPATH": str(runs.ROOT)})
        print(f"recorded {chapter}")


if __name__ == "__main__":
    main()
