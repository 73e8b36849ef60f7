"""Every exercise has a judge, and every chapter asks it for each answer."""

import re
from pathlib import Path

import pytest

from chapters.common.judge import EXERCISES, FOLDERS, Exercise, known, said

SOURCES = sorted((Path(__file__).resolve().parents[2] / "chapters").glob("[0-9]*.py"))
NAMES = [f"{chapter}.{number}" for chapter in FOLDERS for number in (1, 2, 3)]


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_a_judge_that_waits(name):
    assert said(name) == f"Exercise {name} waits for your answer: {known(name).asks}."


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("answer", [True, b"1"])
def test_an_answer_of_another_type_is_told_what_is_asked(name, answer):
    assert said(name, answer) == f"Exercise {name} asks for {known(name).asks}, not {answer!r}."


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_chapter_asks_for_each_answer_and_checks_its_own(source):
    """Once with dots for the reader's answer, and in each solution with that solution."""
    text, chapter = source.read_text(encoding="utf-8"), int(source.stem[:2])
    assert re.findall(r'^check\("(.+?)", \.\.\.\)$', text, re.MULTILINE) == [
        f"{chapter}.{number}" for number in (1, 2, 3)
    ]
    for number in (1, 2, 3):
        assert len(re.findall(rf'check\("{chapter}\.{number}", (?!\.\.\.)', text)) >= 1


def test_an_answer_that_fails_is_told_how(monkeypatch):
    def fails(answer):
        raise ZeroDivisionError(answer)

    monkeypatch.setitem(EXERCISES, "1.9", Exercise("a number", (float,), fails, "", {}))
    assert said("1.9", 0.5) == "Exercise 1.9, not yet: running it ends in ZeroDivisionError: 0.5."


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_solutions_on_the_page_are_right(pages, source):
    chapter, text = int(source.stem[:2]), pages[f"chapters/{source.stem}.html"].get_text()
    for number in (1, 2, 3):
        # "right." or "right on every string to ...", where the judge says how far it ran the answer
        assert re.search(rf"Exercise {chapter}\.{number}: right[. ]", text)
