"""The lessons as sources: a question and its answer first, few results, each with its record, no
measured number typed, no conclusion in a fold, few numbers a sentence.
"""

import re

import pytest

from record.runs import read_yaml
from tests import ROOT
from tests.lesson import CHAPTERS, FOLDED, MEASURED, NUMBER, Lesson, lessons

LESSONS = lessons()
NUMBERED = [name for name in LESSONS if name[0].isdigit()]
EXCEPTIONS = read_yaml(ROOT / "tests" / "lessons.yaml")
TITLES = ("Proof", "Solution", "Hint", "Why", "Code")  # how the title of a fold begins


@pytest.fixture(params=LESSONS)
def lesson(request) -> Lesson:
    return Lesson(request.param)


def test_a_lesson_opens_with_a_question_and_its_answer(lesson):
    title, question, answer, *_ = lesson.cells[0].source.split("\n\n")
    assert title.startswith("# ")
    assert question.startswith("*") and question.endswith("?*")
    assert answer.startswith("**In one sentence:** ")
    assert len(answer.split()) <= 60 and not re.search(r"\.\s+[A-Z]", answer)


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


@pytest.mark.parametrize("name", NUMBERED)
def test_a_chapter_says_what_is_proved_and_what_to_take_away(name):
    prose = Lesson(name).prose
    headings = re.findall(r"^## (.+)$", prose, re.MULTILINE)
    ends = ["What is proved for every length here", "What to take away", "Exercises", "What next"]
    assert [heading for heading in headings if heading in ends] == ends == headings[-4:]
    taken = prose.split("## What to take away")[1].split("\n## ")[0]
    assert len(re.findall(r"^- ", taken, re.MULTILINE)) == 5 and "nknown" in taken
    for kind in ("compute", "modify", "prove or refute"):
        assert prose.count(f"({kind}).**") == 1


def test_no_measured_number_is_typed(lesson):
    known = EXCEPTIONS["typed"].get(lesson.name, [])
    typed = [said for said in lesson.sentences() if MEASURED.search(said)]
    assert [said for said in typed if not any(part in said for part in known)] == []


def test_a_sentence_has_at_most_two_numbers(lesson):
    known = EXCEPTIONS["numbers"].get(lesson.name, [])
    full = [said for said in lesson.sentences() if len(NUMBER.findall(said)) > 2]
    assert [said for said in full if not any(part in said for part in known)] == []
    assert len(known) <= 5


def test_no_exception_is_left_over():
    for kind in (EXCEPTIONS["typed"], EXCEPTIONS["numbers"]):
        for name, parts in kind.items():
            said = Lesson(name).sentences()
            assert [part for part in parts if not any(part in one for one in said)] == []


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
    """The terms of the glossary, but the names of the field that each lesson may use."""
    text = (CHAPTERS / "notation.md").read_text(encoding="utf-8").split("{glossary}")[1]
    terms = re.findall(r"^(\w[\w -]*)$", text, re.MULTILINE)
    return [term for term in terms if term not in EXCEPTIONS["everyday"]]


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
