"""An answer to an exercise is right or is told where it goes wrong; every exercise has a judge."""

import re
from pathlib import Path

import pytest

from chapters.exercises.judge import (
    CHAPTERS,
    EXERCISES,
    counterexample,
    exercise,
    known,
    said,
)
from lib.languages import PARITY

SOURCES = sorted((Path(__file__).resolve().parents[2] / "chapters").glob("[0-9]*.py"))
NAMES = [f"{chapter}.{number}" for chapter in CHAPTERS for number in (1, 2, 3)]


def judged(monkeypatch, *asks, **shown):
    """Registers the judge of an exercise 1.9 until the test ends."""
    monkeypatch.setitem(EXERCISES, "1.9", None)
    return exercise("1.9", *asks, **shown)


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
    @judged(monkeypatch, "a number", float)
    def fails(answer):
        raise ZeroDivisionError(answer)

    assert said("1.9", 0.5) == "Exercise 1.9, not yet: running it ends in ZeroDivisionError: 0.5."


def test_what_was_shown_is_said_of_a_right_answer_alone(monkeypatch):
    @judged(monkeypatch, "a number", int, shown="on every string to length 3")
    def is_one(answer):
        return None if answer == 1 else "no"

    assert said("1.9", 1) == "Exercise 1.9: right on every string to length 3."
    assert said("1.9", 2) == "Exercise 1.9, not yet: no."


def test_undecided_is_said_so():
    said_of = {w: w == "1" for w in ("", "0", "1")} | {"00": None}
    answers = lambda strings: [said_of.get(w, False) for w in strings]  # noqa: E731
    assert counterexample(PARITY, answers, [0, 1, 2]) == "it is undecided on 00"
    assert counterexample(PARITY, answers, [0, 1]) is None
    assert counterexample(PARITY, lambda strings: [True], [0]) == "it accepts the empty string"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_solutions_on_the_page_are_right(pages, source):
    chapter, text = int(source.stem[:2]), pages[f"chapters/{source.stem}.html"].get_text()
    for number in (1, 2, 3):
        # "right." or "right on every string to ...", where the judge says how far it ran the answer
        assert re.search(rf"Exercise {chapter}\.{number}: right[. ]", text)
