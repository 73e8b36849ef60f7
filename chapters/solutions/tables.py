"""Solutions of the exercises in one place, taken from the chapters, for those who teach."""

import re
from collections.abc import Iterator

import jupytext
from IPython.display import Markdown
from nbformat import NotebookNode

from lib.checks import whole
from record.runs import CHAPTERS

LEFT_OUT = re.compile(r"^(:::.*|\(.+\)=|<p class=\"guess\"[^>]*>.*</p>)$", re.MULTILINE)
WAITS = re.compile(r"^check\(\S+, \.\.\.\)$", re.MULTILINE)


def solutions(chapter: int) -> Markdown:
    """The exercises of a chapter, each with its solution; ValueError for a chapter there is not."""
    whole(chapter, "a chapter", 1)
    found = sorted(CHAPTERS.glob(f"{chapter:02}_*.py"))
    if not found:
        raise ValueError(f"there is no chapter {chapter!r}")
    parts = (_part(cell) for cell in _exercises(jupytext.read(found[0], fmt="py:percent").cells))
    return Markdown("\n\n".join(filter(None, parts)))


def _exercises(chapter: list[NotebookNode]) -> Iterator[NotebookNode]:
    """The cells between the headings "Exercises" and "What next"."""
    inside = False
    for cell in chapter:
        if cell.cell_type == "markdown":
            _, heading, after = cell.source.partition("## Exercises\n")
            if inside and re.search(r"^## ", cell.source, re.MULTILINE):
                return
            if heading:
                inside, cell.source = True, after
        if inside:
            yield cell


def _part(cell: NotebookNode) -> str:
    """A cell as Markdown, without folds, labels, guesses and places for a reader's answer."""
    source = cell.source
    if cell.cell_type == "markdown":
        return LEFT_OUT.sub("", source.replace(":::{dropdown} Solution", "*Solution.*")).strip()
    return "" if WAITS.search(source) else f"```python\n{source}\n```"
