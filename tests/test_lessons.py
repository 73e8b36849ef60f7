"""The lessons as sources: a question first, few results, each with its record, no measured number
typed, no conclusion in a fold, short cells, terms that are defined. How long a sentence is and how
it is built, no test says.
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


def test_a_lesson_opens_with_a_question(lesson):
    """Under its title, before the first cell of code, in italics."""
    assert re.match(r"# .+\n\n", lesson.cells[0].source)
    assert re.search(r"(?<!\*)\*[^*]+\?\*(?!\*)", lesson.cells[0].source)


def labels(name: str) -> set[str]:
    return set(re.findall(r"^\(([\w.-]+)\)=$", Lesson(name).prose, re.MULTILINE))


def test_a_lesson_has_at_most_three_results_and_each_its_record(lesson):
    assert 1 <= len(lesson.results) <= 3
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


@pytest.mark.parametrize("name", sorted(path.stem for path in CHAPTERS.glob("record_*.py")))
def test_the_cells_of_a_record_have_at_most_30_lines(name):
    code = [cell.source for cell in Lesson(name).cells if cell.cell_type == "code"]
    assert [source for source in code if source.count("\n") >= 30] == []


def test_a_guess_knows_its_answer(lesson):
    for attributes, choices in re.findall(r'<p class="guess"([^>]*)>(.*?)</p>', lesson.prose):
        [right] = re.findall(r'data-right="(\d)"', attributes)
        assert 1 <= int(right) <= len(choices.split("|")) <= 4


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


@pytest.mark.parametrize("name", LESSONS)
def test_prose_avoids_words_that_hide_a_gap(name):
    assert not re.findall(r"(?i)\b(simply|clearly|obviously|trivially)\b", Lesson(name).prose)
