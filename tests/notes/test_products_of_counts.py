"""The verdict of the note stands, and falls for each mutant of its construction."""

from chapters.common.mutants import mutants
from lib.transformer import Exact


def test_its_construction_is_proved(note):
    assert note.judged(note.construction).kind == "proved for every length"


def test_no_coefficient_can_go(note):
    numbers = [(x, y) for x in range(5) for y in range(5)]
    words = ["1" * x + "0" * y for x, y in numbers]
    right = [note.is_more(x, y) for x, y in numbers]
    assert Exact(note.construction).accepts(words) == right
    found = {label: Exact(mutant).accepts(words) for label, mutant in mutants(note.construction)}
    assert found and [label for label, answers in found.items() if answers == right] == []
