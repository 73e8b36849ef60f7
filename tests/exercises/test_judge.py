"""An answer to an exercise is right or is told where it goes wrong; every exercise has a judge."""

import re
from pathlib import Path

import pytest

from lib.exercises import check
from lib.exercises.judge import CHAPTERS, EXERCISES, counterexample, exercise, known, said
from lib.languages import PARITY

SOURCES = sorted((Path(__file__).resolve().parents[2] / "chapters").glob("0*.py"))
NAMES = [f"{chapter}.{number}" for chapter in CHAPTERS for number in (1, 2, 3)]


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_a_judge_that_waits(name):
    assert said(name) == f"Exercise {name} waits for your answer: {known(name).asks}."


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("answer", [None, True, {}, b"1", object])
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


@pytest.mark.parametrize("name", ["9.1", "1.4", "", 1.1, None, "x"])
def test_an_unknown_exercise_is_refused(name):
    with pytest.raises(ValueError, match=f"there is no exercise {re.escape(repr(name))}"):
        check(name)


def test_an_answer_that_fails_is_told_how(monkeypatch):
    monkeypatch.delitem(EXERCISES, "1.9", raising=False)

    @exercise("1.9", "a string", str)
    def divides(answer: str) -> str | None:
        """Fails on purpose."""
        raise ZeroDivisionError(answer * 300)

    assert said("1.9", "x") == (
        f"Exercise 1.9, not yet: running it ends in ZeroDivisionError: {'x' * 200}…."
    )
    monkeypatch.delitem(EXERCISES, "1.9")


def test_what_is_said_is_printed(capsys):
    check("1.1", 3)
    assert capsys.readouterr().out == "Exercise 1.1, not yet: 3 is too few.\n"


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
        assert f"Exercise {chapter}.{number}: right." in text
