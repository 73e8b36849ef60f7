"""The pages as sources: notebooks in step, without outputs, and claims where they belong; what
lessons keep stands in `test_lessons`.
"""

import jupytext
import pytest

from chapters._ext import pair
from record.runs import record_page
from tests import ROOT

CHAPTERS = ROOT / "chapters"
NUMBERED = sorted(path.stem for path in CHAPTERS.glob("[0-9]*.py"))
NOTES = sorted(path.stem for path in CHAPTERS.glob("note_*.py"))
ALL = sorted(path.stem for path in CHAPTERS.glob("*.py"))


def cells(name: str, kind: str) -> list[str]:
    """Sources of the code or markdown cells."""
    page = jupytext.read(CHAPTERS / f"{name}.py", fmt="py:percent")
    return [cell.source for cell in page.cells if cell.cell_type == kind]


@pytest.mark.parametrize("name", ALL)
def test_a_notebook_is_what_its_source_makes(name):
    assert (CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8") == pair.notebook(
        CHAPTERS / f"{name}.py"
    ), "run `make notebooks`"


def test_each_chapter_and_note_and_no_other_page_has_recorded_claims():
    assert sorted(
        path.stem for path in (ROOT / "record" / "results" / "claims").glob("*.json")
    ) == [*NUMBERED, *NOTES]
    for name in (*NUMBERED, *NOTES):
        code = "\n".join(cells(record_page(name), "code"))
        assert f'Claims("{name}")' in code and code.count("claims.table()") == 1
