"""The command `python -m record [CHAPTER ...]`, which records what chapters claim: those that are
named, or all that make claims.
"""

import argparse
import os

import jupytext
from nbclient import NotebookClient

from record import runs
from record.notebook import RECORD


def main() -> None:
    """The command: runs the page of each chapter that makes its claims, which records them."""
    known = runs.claiming()
    parser = argparse.ArgumentParser("python -m record", description=__doc__)
    parser.add_argument("chapters", nargs="*", choices=known, metavar="CHAPTER")
    for chapter in parser.parse_args().chapters or known:
        page = jupytext.read(runs.CHAPTERS / f"{runs.record_page(chapter)}.py", fmt="py:percent")
        resources = {"metadata": {"path": str(runs.CHAPTERS)}}
        client = NotebookClient(page, timeout=600, resources=resources)
        client.execute(env=os.environ | {RECORD: "write", "PYTHONPATH": str(runs.ROOT)})
        print(f"recorded {chapter}")


if __name__ == "__main__":
    main()
