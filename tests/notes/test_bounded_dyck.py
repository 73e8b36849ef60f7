"""The verdict of the note stands, and falls for each mutant of its construction."""

from chapters.common.mutants import mutants


def test_its_construction_is_right_on_all_short_strings(note):
    assert note.judged(note.construction).kind == "proved for each string"


def test_no_coefficient_can_go(note):
    kinds = {label: note.judged(mutant, 6).kind for label, mutant in mutants(note.construction)}
    assert kinds and [label for label, kind in kinds.items() if kind != "wrong"] == []
