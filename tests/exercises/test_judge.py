"""An answer to an exercise is right or is told where it goes wrong; every exercise has a judge."""

import re
from pathlib import Path

import pytest

from chapters.exercises.judge import (
    CHAPTERS,
    EXERCISES,
    check,
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


@pytest.mark.parametrize("name", ["13.1", "1.4", "", 1.1, None, "x", [], {}])
def test_an_unknown_exercise_is_refused(name):
    with pytest.raises(ValueError, match=f"there is no exercise {re.escape(repr(name))}"):
        check(name)


@pytest.mark.parametrize("failure", [ZeroDivisionError, AttributeError, AssertionError, KeyError])
def test_an_answer_that_fails_is_told_how(monkeypatch, failure):
    @judged(monkeypatch, "a number", float)
    def fails(answer):
        raise failure(answer)

    assert said("1.9", 0.5) == (
        f"Exercise 1.9, not yet: running it ends in {failure.__name__}: 0.5."
    )


def test_a_long_error_is_cut(monkeypatch):
    @judged(monkeypatch, "a string", str)
    def fails(answer):
        raise ValueError(answer * 300)

    assert said("1.9", "x").endswith(f"ends in ValueError: {'x' * 200}….")


def test_what_was_shown_is_said_of_a_right_answer_alone(monkeypatch):
    @judged(monkeypatch, "a number", int, shown="on every string to length 3")
    def is_one(answer):
        return None if answer == 1 else "no"

    assert said("1.9", 1) == "Exercise 1.9: right on every string to length 3."
    assert said("1.9", 2) == "Exercise 1.9, not yet: no."


def test_a_list_is_read_as_a_tuple_where_one_is_asked_for(monkeypatch):
    judged(monkeypatch, "a pair", tuple)(lambda answer: repr(answer))
    assert said("1.9", [1, 2]) == "Exercise 1.9, not yet: (1, 2)."
    judged(monkeypatch, "a number", int)(lambda answer: None)
    assert said("1.9", [1, 2]) == "Exercise 1.9 asks for a number, not [1, 2]."


WORDED = [name for name in NAMES if '"' in known(name).asks]


def test_the_third_exercise_of_a_chapter_takes_a_word():
    assert WORDED == [f"{chapter}.3" for chapter in CHAPTERS]


@pytest.mark.parametrize("name", WORDED)
@pytest.mark.parametrize("word", ["proved", "refuted"])
def test_a_word_is_read_in_any_spelling(name, word):
    for spelled in (word.title(), word.upper(), f" {word}\n"):
        assert said(name, spelled) == said(name, word)


@pytest.mark.parametrize("name", WORDED)
@pytest.mark.parametrize("word", ["x", "", "true", "not refuted", "proved or refuted"])
def test_another_word_is_told_what_is_asked(name, word):
    assert said(name, word) == f"Exercise {name} asks for {known(name).asks}, not {word!r}."


def test_a_text_is_left_as_it_is_where_no_word_is_asked_for(monkeypatch):
    judged(monkeypatch, "a formula", str)(lambda answer: repr(answer))
    assert said("1.9", " Q(1)") == "Exercise 1.9, not yet: ' Q(1)'."


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
        # "right." or "right on every string to ...", where the judge says how far it ran the answer
        assert re.search(rf"Exercise {chapter}\.{number}: right[. ]", text)
