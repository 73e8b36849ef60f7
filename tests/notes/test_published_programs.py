"""The two strings are wrong by what the comments say, read another way; the rest holds by proof."""

import pytest

from lib.formulas import formula, holds
from lib.verdicts import PROVED


def test_what_is_right_is_proved(note):
    assert {*note.proved} == {"contains_ab_h25", "count3_yc24", "dyck1_yc24"}
    assert all(answer.kind == PROVED for answer in note.chains.values())


def test_aa_star_accepts_another_symbol(note):
    w = note.answers["aa_star_h25"].counterexample
    assert holds(formula(note.programs["aa_star_h25"], "ab"), w) and set(w) != {"a"}


def test_copy4_accepts_what_is_no_copy(note):
    w = note.answers["copy4"].counterexample
    assert holds(formula(note.programs["copy4"], "abc"), w) and len(w) != 8


def test_increment_accepts_fifteen(note):
    w = note.answers["increment"].counterexample
    assert holds(formula(note.programs["increment"], "01"), w)
    assert int(w[3::-1], 2) == 15


@pytest.mark.parametrize(("steps", "right"), [(8, True), (9, False)])
def test_copy4_with_its_length_said_is_right_on_longer_strings(note, steps, right):
    mended = formula(f"{note.programs['copy4']} and position == 8", "abc")
    assert holds(mended, "abcb" * (steps // 4) + "a" * (steps % 4)) == right


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_formula_for_blocks_counts_the_blocks(note, k):
    said = formula(note.blocks(k), "ab")
    words = ["".join("ab"[j % 2] * (1 + j % 3) for j in range(n)) for n in range(8)]
    assert [holds(said, w) for w in words] == [n == k for n in range(8)]
    assert not holds(said, "b" + "ab" * k)
