"""Exercises that check themselves: an answer is right, or it is said where it goes wrong.

A chapter's exercises stand in `chapters/NAME/exercises.py`, a function each: what is wrong with an
answer, as a sentence with a counterexample, or None. `exercises.yaml` beside it says for each:

    asks     what an answer is
    shown    on what an answer that passes was run, where that is not all: it follows "right"
    proved   what is said against the word "proved", where words are answers too; "" says nothing:
             it is the right one
    refuted  the same for "refuted"
    wrong    wrong answers, each with a part of what is said against it: the tests give them

What only a run finds out to say against a word is a function beside the judge (2.3, 4.3, 8.3).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import groupby
from numbers import Rational, Real
from typing import Any, cast, get_args, get_origin

from lib.formulas.syntax import Formula
from lib.languages import Language
from lib.proofs.equal import Specification, proved_equal, recognizer
from lib.verdicts import PROVED, WRONG
from record.runs import CHAPTERS, folder, read_yaml

FOLDERS = {  # of the chapters, by number
    str(int(page.name[:2])): folder(page.stem) for page in sorted(CHAPTERS.glob("[0-9]*.py"))
}
Judge = Callable[..., str | None]
Number = Real | Decimal
Word = str | Callable[[], str]  # what is wrong with a word, nothing where it is right; or finds it


@dataclass(frozen=True)
class Exercise:
    """What an exercise asks for in words, the types of an answer, its judge, on what an answer that
    passes was shown to be right, where that is not all, and what is wrong with each of the words
    that are answers too, which the judge does not see.
    """

    asks: str
    kinds: tuple[Any, ...]
    judge: Judge
    shown: str
    words: dict[str, Word]


EXERCISES: dict[str, Exercise] = {}


def exercise(name: str, *kinds: Any, **found: Word) -> Callable[[Judge], Judge]:
    """Makes a function the judge of the exercise `name`, such as "1.1", for answers of these kinds;
    it takes a pair as two arguments. `exercises.yaml` says the rest, but for what is `found` out by
    running something, such as `proved`.
    """

    def judged(judge: Judge) -> Judge:
        written = {"shown": "", **written_of(name.partition(".")[0])[name], **found}
        words = {word: written[word] for word in ("proved", "refuted") if word in written}
        EXERCISES[name] = Exercise(written["asks"], kinds, judge, written["shown"], words)
        return judge

    return judged


@cache
def written_of(chapter: str) -> dict:
    """What a chapter's `exercises.yaml` says of its exercises, by name."""
    return read_yaml(CHAPTERS / FOLDERS[chapter] / "exercises.yaml")


def known(name: str) -> Exercise:
    """The exercise of that name; ValueError, with the valid ones, where there is none."""
    chapter = str(name).partition(".")[0]
    if chapter in FOLDERS:
        import_module(f"chapters.{FOLDERS[chapter]}.exercises")
    if not isinstance(name, str) or name not in EXERCISES:
        raise ValueError(
            f"there is no exercise {name!r}; each of the chapters 1 to {len(FOLDERS)} has three, "
            "such as '2.3'"
        )
    return EXERCISES[name]


def said(name: str, answer: object = ...) -> str:
    """What is said of an answer to the exercise `name`; of none, what it asks for."""
    asked = known(name)
    if answer is ...:
        return f"Exercise {name} waits for your answer: {asked.asks}."
    word = asked.words.get(answer.strip().lower()) if isinstance(answer, str) else None
    parts = next(filter(None, (fitted(answer, kind) for kind in asked.kinds)), None)
    if word is None and (parts is None or asked.words and isinstance(answer, str)):
        return f"Exercise {name} asks for {asked.asks}, not {shortened(repr(answer))}."
    try:
        amiss = asked.judge(*parts or ()) if word is None else word() if callable(word) else word
    except Exception as error:  # an answer is run, and may fail in any way
        amiss = f"running it ends in {type(error).__name__}: {shortened(str(error))}"
    if amiss:
        return f"Exercise {name}, not yet: {amiss}."
    return f"Exercise {name}: right{asked.shown and f' {asked.shown}'}."


def fitted(answer: Any, kind: Any) -> list | None:
    """What a judge is given of an answer of a kind, such as int or tuple[str, Number]: its parts, a
    number as the rational that it stores. None where it is of another kind.
    """
    is_tuple = get_origin(kind) is tuple
    kinds, parts = (get_args(kind), answer) if is_tuple else ((kind,), (answer,))
    if not isinstance(parts, tuple | list) or len(parts) != len(kinds):
        return None
    pairs = list(zip(parts, kinds, strict=True))
    if any(not isinstance(part, kind) or isinstance(part, bool) for part, kind in pairs):
        return None
    found = [exactly(part) if kind is Number else part for part, kind in pairs]
    return None if None in found else found


def check(name: str, answer: object = ...) -> None:
    """Prints whether an answer to the exercise `name` is right; if not, a counterexample.

    >>> check("1.1", 3)
    Exercise 1.1, not yet: 3 is too few.
    """
    print(said(name, answer))


def counterexample(language: Language, accepts: Callable, lengths: Iterable[int]) -> str | None:
    """A string that `accepts`, given all strings of one length, decides incorrectly, as a sentence:
    of the first of `lengths` with one; None where there is none.
    """
    for length in lengths:
        strings = list(language.all_strings(length))
        for w, answer in zip(strings, accepts(strings)):
            if answer != (w in language):
                return verdict(w, answer)
    return None


def misjudged(language: Language, accepts: Callable, strings: Iterable[str]) -> str | None:
    """The first of the strings that `accepts`, given one by one, decides incorrectly, as a
    sentence; None where there is none.
    """
    for w in strings:
        answer = accepts(w)
        if answer is None:
            return f"the sign of s is undecided on {spelled(w)}"
        if answer != (w in language):
            return verdict(w, answer)
    return None


def at_every_length(
    answer: Formula | str, specification: Specification, alphabet: str
) -> str | None:
    """What is wrong with a formula that shall say what the specification says, as a sentence: a
    shortest string, or that it is neither proved nor refuted; None where it is proved.
    """
    found = proved_equal(answer, specification, alphabet)
    if found.kind == PROVED:
        return None
    if found.kind == WRONG and found.counterexample is not None:
        w = found.counterexample
        return verdict(w, not recognizer(specification, tuple(alphabet))(w))
    return f"it is neither proved nor refuted ({found.how}): try a simpler formula"


def verdict(w: str, answer: bool | None) -> str:
    """How a string is decided, as a sentence."""
    said = "is undecided on" if answer is None else "accepts" if answer else "rejects"
    return f"it {said} {spelled(w)}"


def compared(
    answer: Any, right: Any, low: str = "few", high: str = "many", within: float = 0
) -> str | None:
    """That a number is too `low` or too `high`, as a sentence; None if it is right."""
    if abs(answer - right) <= within:
        return None
    return f"{answer} is too {low if answer < right else high}"


def counts(lengths: Iterable[int], few: bool = False) -> Iterator[str]:
    """1^k 0^(n-k) for every k or, if `few`, for k next to none, to half and to all."""
    for n in lengths:
        for k in (0, 1, 2, n // 2, n // 2 + 1, n - 1, n) if few else range(n + 1):
            yield "1" * k + "0" * (n - k)


def exactly(number: Number) -> Fraction | None:
    """The number as the rational that it stores; None for NaN and the infinities."""
    if isinstance(number, Rational):
        return Fraction(number)
    try:
        return Fraction(*cast(float, number).as_integer_ratio())
    except (ValueError, OverflowError):
        return None


def spelled(w: str, most: int = 60) -> str:
    """A string as a sentence has it: as it is or, where it is long, by its runs, such as 0 1 0^98.

    >>> spelled("01" + "0" * 98)
    '0 1 0^98'
    """
    if len(w) <= most:
        return w or "the empty string"
    runs = [(symbol, len(list(run))) for symbol, run in groupby(w)]
    return shortened(" ".join(s if times == 1 else f"{s}^{times}" for s, times in runs))


def shortened(text: str, most: int = 200) -> str:
    """The text, or its beginning where it is long."""
    return text if len(text) <= most else f"{text[:most]}…"
