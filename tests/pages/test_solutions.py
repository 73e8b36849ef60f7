"""The page of solutions holds every exercise of every chapter, with its solution."""

import re

import pytest

from chapters.solutions.tables import solutions
from tests.conftest import ROOT

SOURCES = sorted((ROOT / "chapters").glob("[0-9]*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_each_exercise_has_its_solution(source):
    chapter, text = int(source.stem[:2]), source.read_text(encoding="utf-8")
    said = solutions(chapter).data
    kinds = re.findall(r"\*\*(\d) \((.+?)\)\.\*\*", said)
    assert kinds == [("1", "compute"), ("2", "modify"), ("3", "prove or refute")]
    for number in (1, 2, 3):
        assert len(re.findall(rf'check\("{chapter}\.{number}", (?!\.\.\.)', said)) == len(
            re.findall(rf'check\("{chapter}\.{number}", (?!\.\.\.)', text)
        )
    assert ":::" not in said and "guess" not in said and "## What next" not in said
