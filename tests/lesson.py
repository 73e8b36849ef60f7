"""A lesson as its tests read it: its prose without what is folded, its results, its captions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jupytext

from tests import ROOT

CHAPTERS = ROOT / "chapters"
FENCE = re.compile(r"^(:{3,})\{(\w+)\} ?(.*?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
MATHS = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL)
NOT_PROSE = (
    re.compile(r"^\(.+\)=$", re.MULTILINE),  # labels
    re.compile(r"^\|.*$", re.MULTILINE),  # tables
    re.compile(r"^#+ .*$", re.MULTILINE),  # headings
    re.compile(r"<[^>]*>.*?</[^>]*>|<[^>]*>"),  # what is HTML
    re.compile(r"\{[\w:]+\}`[^`]*`"),  # roles
    re.compile(r"\]\([^)]*\)"),  # where links lead
    re.compile(r"`[^`]*`"),  # code
    re.compile(
        r"\b(?:[Cc]hapters?|[Ss]ections?|Equations?|Propositions?|Figs?\.|Tables?|§+) ?[\d.]+"
        r"(?:(?:,| and| to) [\d.]+)*"
    ),
)
GLUED = re.compile(r"\{glue:text\}`[^`]*`")  # a number that a cell found
MEASURED = re.compile(  # as a result is typed: so many of so many, a percentage, a time
    r"\b\d+ of (?:the )?\d+\b|\b\d[\d.]* ?%(?! interval)|\b\d[\d.]* (?:seconds|minutes|hours)\b"
)
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


@dataclass(frozen=True)
class Lesson:
    """A lesson's source, `chapters/NAME.py`."""

    name: str

    @cached_property
    def cells(self) -> list:
        return jupytext.read(CHAPTERS / f"{self.name}.py", fmt="py:percent").cells

    def tagged(self, cell: object) -> set[str]:
        return set(cell.metadata.get("tags", ()))

    @cached_property
    def prose(self) -> str:
        """Its Markdown."""
        return "\n\n".join(cell.source for cell in self.cells if cell.cell_type == "markdown")

    @cached_property
    def lesson(self) -> str:
        """Its Markdown up to the exercises."""
        return self.prose.partition("\n## Exercises")[0]

    @cached_property
    def fences(self) -> list[tuple[str, str, str]]:
        """Its folds and boxes: what kind, the title, the text."""
        return [(kind, title, text) for _, kind, title, text in FENCE.findall(self.prose)]

    @property
    def results(self) -> list[str]:
        """The texts of its results."""
        return [
            text
            for kind, _, text in self.fences
            if kind == "admonition" and ":class: result" in text
        ]

    @property
    def folds(self) -> list[tuple[str, str]]:
        """The titles and texts of its folds."""
        return [(title, text) for kind, title, text in self.fences if kind == "dropdown"]

    @cached_property
    def open_text(self) -> str:
        """Its prose outside folds."""
        return FENCE.sub(
            lambda found: "" if found[2] == "dropdown" else found[4].replace(":class: result", ""),
            self.lesson,
        )

    @property
    def words(self) -> str:
        """Its open text, without formulas, code, tables, headings and links."""
        text = GLUED.sub("{glue}", MATHS.sub(" x ", self.open_text))
        for pattern in NOT_PROSE:
            text = pattern.sub(" ", text)
        return " ".join(text.split())

    @property
    def captions(self) -> list[str]:
        """The captions of its figures."""
        figures = [cell.metadata.get("mystnb", {}).get("figure") for cell in self.cells]
        return [figure["caption"] for figure in figures if figure]


def lessons() -> list[str]:
    """The lessons: the chapters that have a record, and the pages beside them."""
    records = (path.stem.removeprefix("record_") for path in CHAPTERS.glob("record_*.py"))
    beside = re.search(r"Beside the chapters\n(.*?)  - caption", _toc(), re.DOTALL)
    return sorted([*records, *re.findall(r"file: chapters/(\w+)", beside[1] if beside else "")])


def _toc() -> str:
    return Path(ROOT / "_toc.yml").read_text(encoding="utf-8")
