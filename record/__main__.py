"""The command `python -m record [CHAPTER ...]`, which records what chapters claim: those that are
named, or all that make claims.
"""

import os
import sys

from record import runs
from record.claims import criteria_of
from record.notebook import RECORD


def claiming() -> list[str]:
    """The chapters that make claims: those with criteria."""
    pages = sorted(path.stem for path in runs.CHAPTERS.glob("*.py"))
    return [page for page in pages if not page.startswith("record_") and criteria_of(page).exists()]


def record(chapter: str) -> None:
    """Runs the page of a chapter that makes its claims, and records them."""
    import jupytext
    from nbclient import NotebookClient

    page = jupytext.read(runs.CHAPTERS / f"{runs.record_page(chapter)}.py", fmt="py:percent")
    resources = {"metadata": {"path": str(runs.CHAPTERS)}}
    client = NotebookClient(page, timeout=600, resources=resources)
    client.execute(env=os.environ | {RECORD: "write", "PYTHONPATH": str(runs.ROOT)})


def main() -> None:
    """The command."""
    asked, known = sys.argv[1:], claiming()
    for chapter in asked:
        if chapter not in known:
            sys.exit(f"no chapter {chapter!r}; there are {', '.join(known)}")
    for chapter in asked or known:
        record(chapter)
        print(f"recorded {chapter}")


if __name__ == "__main__":
    main()
