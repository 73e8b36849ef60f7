"""Runs a chapter as one does who changes a cell: `python -m tests.changed_cells NAME [CELL ...]`.

Before each code cell that is asked for, the process forks: the child changes every number of the
cell, runs it and all cells after it, and prints as a line of JSON the errors of each cell.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from pathlib import Path

import nbformat
from IPython.core.interactiveshell import InteractiveShell

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"


class Changed(ast.NodeTransformer):
    """Every number of a cell, changed: whole ones by one, others by half."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return node
        return ast.copy_location(
            ast.Constant(value + 1 if isinstance(value, int) else value * 1.5), node
        )


def changed(source: str) -> str:
    """A cell with every number changed."""
    return ast.unparse(Changed().visit(ast.parse(source)))


def cells(name: str) -> list[str]:
    """The code cells of a chapter, the setup first."""
    notebook = nbformat.read(CHAPTERS / f"{name}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def errors(sources: list[str]) -> dict[int, str]:
    """What each cell raises that raises anything, by its place."""
    shell = InteractiveShell.instance()
    results = [shell.run_cell(source, silent=True) for source in sources]
    raised = [done.error_in_exec or done.error_before_exec for done in results]
    return {
        place: f"{type(error).__name__}: {error}" for place, error in enumerate(raised) if error
    }


def main(name: str, asked: list[int]) -> None:
    sources = cells(name)
    last = max(asked, default=len(sources))
    for number, source in enumerate(sources[: last + 1]):
        if (not asked or number in asked) and changed(source) != ast.unparse(ast.parse(source)):
            child = os.fork()
            if child == 0:
                found = errors([changed(source), *sources[number + 1 :]])
                print(
                    json.dumps({"cell": number, "errors": found}), file=sys.__stderr__, flush=True
                )
                os._exit(0)
            os.waitpid(child, 0)
        unchanged = errors([source])
        if unchanged:
            sys.exit(f"{name}, cell {number}, unchanged: {unchanged}")


if __name__ == "__main__":
    os.chdir(CHAPTERS)
    main(sys.argv[1], [int(number) for number in sys.argv[2:]])
