"""The lessons as sources: each result has its record, no measured number is typed, no conclusion is
in a fold, open cells are short, terms are defined. How long a sentence is and how it is built, no
test says.
"""

import re

import jupytext
import pytest
from nbformat import NotebookNode

from record.runs import CHAPTERS
from tests import ROOT

FENCE = re.compile(r"^(:{3,})\{(\w+)\} ?(.*?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
NOT_PROSE = re.compile(  # formulas, rows of tables, HTML, code and roles
    r"\$\$.*?\$\$|\$[^$]+\$|^\|.*?$|<[^>]*>.*?</[^>]*>|`[^`]*`", re.MULTILINE | re.DOTALL
)
MEASURED = re.compile(  # as a result is typed: so many of so many, a percentage, a time
    r"\b\d+ of (?:the )?\d+\b|\b\d[\d.]* ?%(?! interval)|\b\d[\d.]* (?:seconds|minutes|hours)\b"
)
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
EVERYDAY = ["gain", "head", "margin", "seed", "tie", "SA", "FF", "Std", "V2", "log n"]
EVERYDAY += ["construction", "masking"]
TITLES = ("Proof", "Solution", "Hint", "Why", "Code")  # how the title of a fold begins
TOC = (ROOT / "_toc.yml").read_text(encoding="utf-8")
BESIDE = re.findall(
    r"file: chapters/(\w+)", TOC.partition("Beside the chapters")[2].partition("caption")[0]
)
RECORDS = [path.stem for path in sorted(CHAPTERS.glob("record_*.py"))]
LESSONS = sorted({*(name.removeprefix("record_") for name in RECORDS), *BESIDE})
each = pytest.mark.parametrize("name", LESSONS)


def cells(name: str) -> list[NotebookNode]:
    return jupytext.read(CHAPTERS / f"{name}.py", fmt="py:percent").cells


def prose(name: str) -> str:
    """The Markdown of a page."""
    return "\n\n".join(cell.source for cell in cells(name) if cell.cell_type == "markdown")


def open_text(name: str) -> str:
    """The Markdown of a lesson up to its exercises, without folds."""
    lesson = prose(name).partition("\n## Exercises")[0]
    return FENCE.sub(lambda found: "" if found[2] == "dropdown" else found[4], lesson)


def labels(name: str) -> set[str]:
    return set(re.findall(r"^\(([\w.-]+)\)=$", prose(name), re.MULTILINE))


@each
def test_each_result_of_a_lesson_has_its_record(name):
    own = f"record_{name}"
    held = labels(own) if own in RECORDS else set().union(*map(labels, RECORDS))
    for _, kind, _, text in FENCE.findall(prose(name)):
        if kind == "admonition" and ":class: result" in text:
            assert re.search(r"\*(Proved|Measured|Decided)[^*]*\.\*", text), text
            [label] = re.findall(r"\[Record\]\(#([\w.-]+)\)", text)
            assert label in held


@each
def test_no_measured_number_is_typed(name):
    assert MEASURED.findall(NOT_PROSE.sub(" ", open_text(name))) == []


@each
def test_a_caption_opens_with_a_conclusion(name):
    for cell in cells(name):
        caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "*It is.*")
        assert re.match(r"\*[A-Z][^*]+\.\*", caption), caption


@each
def test_no_conclusion_is_folded(name):
    for _, kind, title, text in FENCE.findall(prose(name)):
        if kind == "dropdown":
            assert title.startswith(TITLES) and "{glue" not in text, title


@each
def test_open_cells_are_short(name):
    for cell in cells(name):
        if cell.cell_type == "code":
            lines = cell.source.splitlines()
            is_open = not FOLDED & set(cell.metadata.get("tags", ()))
            assert len(lines) <= (12 if is_open else 30), cell.source
            assert max(map(len, lines), default=0) <= 100, cell.source


def glossary() -> list[str]:
    """The terms of the glossary, but those that a lesson may use as everyday words."""
    text = (CHAPTERS / "notation.md").read_text(encoding="utf-8").split("{glossary}")[1]
    terms = re.findall(r"^(\w[\w -]*)$", text, re.MULTILINE)
    return [term for term in terms if term not in EVERYDAY]


@each
def test_a_term_is_defined_where_it_first_works(name):
    """Either on the page, in bold type, or by the glossary behind a dotted word."""
    text = open_text(name)
    for term in glossary():
        if re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text, re.IGNORECASE):
            first = rf"\{{term\}}`[^`]*{re.escape(term)}|\*\*[^*]*{re.escape(term)}[^*]*\*\*"
            assert re.search(first, text, re.IGNORECASE), f"{term} is not defined"
