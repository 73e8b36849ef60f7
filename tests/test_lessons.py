"""The lessons as sources: each result has its record, no measured number is typed, no conclusion is
in a fold, open cells are short, terms are defined. How long a sentence is and how it is built, no
test says.
"""

import re

import pytest

from tests.lesson import CHAPTERS, FOLDED, MEASURED, Lesson, lessons

LESSONS = lessons()
EVERYDAY = ["gain", "head", "margin", "seed", "tie", "SA", "FF", "Std", "V2", "log n"]
EVERYDAY += ["construction", "masking"]
TITLES = ("Proof", "Solution", "Hint", "Why", "Code")  # how the title of a fold begins


@pytest.fixture(params=LESSONS)
def lesson(request) -> Lesson:
    return Lesson(request.param)


def labels(name: str) -> set[str]:
    return set(re.findall(r"^\(([\w.-]+)\)=$", Lesson(name).prose, re.MULTILINE))


def test_each_result_of_a_lesson_has_its_record(lesson):
    records = {path.stem: labels(path.stem) for path in CHAPTERS.glob("record_*.py")}
    held = (
        records[f"record_{lesson.name}"]
        if f"record_{lesson.name}" in records
        else set().union(*records.values())
    )
    for result in lesson.results:
        assert re.search(r"\*(Proved|Measured|Decided)[^*]*\.\*", result), result
        [label] = re.findall(r"\[Record\]\(#([\w.-]+)\)", result)
        assert label in held


def test_no_measured_number_is_typed(lesson):
    assert MEASURED.findall(lesson.words) == []


def test_a_caption_opens_with_a_conclusion(lesson):
    for caption in lesson.captions:
        assert re.match(r"\*[A-Z][^*]+\.\*", caption), caption


def test_no_conclusion_is_folded(lesson):
    for title, text in lesson.folds:
        assert title.startswith(TITLES), title
        assert "{glue" not in text, title


def test_open_cells_are_short(lesson):
    for cell in lesson.cells:
        if cell.cell_type != "code":
            continue
        lines = cell.source.splitlines()
        is_open = not FOLDED & lesson.tagged(cell)
        assert len(lines) <= (12 if is_open else 30), cell.source
        assert max(map(len, lines)) <= 100, cell.source


def glossary() -> list[str]:
    """The terms of the glossary, but those that a lesson may use as everyday words."""
    text = (CHAPTERS / "notation.md").read_text(encoding="utf-8").split("{glossary}")[1]
    terms = re.findall(r"^(\w[\w -]*)$", text, re.MULTILINE)
    return [term for term in terms if term not in EVERYDAY]


def test_a_term_is_defined_where_it_first_works(lesson):
    """Either on the page, in bold type, or by the glossary behind a dotted word."""
    text = lesson.open_text
    for term in glossary():
        found = re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text, re.IGNORECASE)
        if found:
            first = rf"\{{term\}}`[^`]*{re.escape(term)}|\*\*[^*]*{re.escape(term)}[^*]*\*\*"
            assert re.search(first, text, re.IGNORECASE), f"{term} is not defined"
