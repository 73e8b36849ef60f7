"""The words of formulas: the table holds all, others' words are said by them, slips are mended."""

import re

import pytest
from hypothesis import given, settings

from chapters.common.tracing import trace
from lib.formulas import FormulaError, formula
from lib.formulas.mends import SAID
from lib.formulas.syntax import truth
from lib.formulas.text import NAMES, WORDS
from tests.formulas.oracles import strings
from tests.formulas.strategies import texts


def test_each_word_stands_in_the_table_and_what_stands_there_is_read():
    said = {word for example in WORDS for word in re.findall("[A-Za-z]+", example)}
    assert said == {*NAMES, "and", "or", "not", "if", "else"}
    for example in WORDS:
        is_number = re.match(r"count\S*$|2\*|total|max|\(1 if", example)
        assert str(formula(f"{example} == 0" if is_number else example, "01"))


# What each word says at a symbol of w, of φ = "a" and ψ = "b", by its place from 0.
MEANT = {
    "even": lambda w, i: w.count("a") % 2 == 0,
    "historically": lambda w, i: {*w[: i + 1]} == {"a"},
    "yesterday": lambda w, i: i > 0 and w[i - 1] == "a",
    "eventually": lambda w, i: "a" in w[i:],
    "globally": lambda w, i: {*w[i:]} == {"a"},
    "since": lambda w, i: any(w[j] == "b" and {*w[j + 1 :]} <= {"a"} for j in range(len(w))),
    "until": lambda w, i: any(w[j] == "b" and {*w[:j]} <= {"a"} for j in range(len(w))),
}


@pytest.mark.parametrize("word", MEANT)
def test_others_words_are_said_by_counts(word):
    text = SAID[word][0].replace("φ", 'Q("a")').replace("ψ", 'Q("b")')
    said = formula(text, "abc")
    for w in strings("abc", 5)[1:]:
        assert truth(said, w)[1:] == [MEANT[word](w, i) for i in range(len(w))], w


MENDS = [  # a text, and how its error ends
    ('count(Q("1")) % 2 == 1', f"; even is said as {SAID['even'][0]}, {SAID['even'][1]}"),
    (
        'count(Q("1")) % 3 == 1',
        f"; remainder is said as {SAID['remainder'][0]}, {SAID['remainder'][1]}",
    ),
    ('Q("1") -> Q("0")', f"; -> is said as not φ or ψ, {SAID['->'][1]}"),
    ('∃x Q("1")', f"; ∃ is said as once(φ), {SAID['∃'][1]}"),
    ("Q_1 and Q_{0}", '; write Q("1") and Q("0")'),
    ("Q(1)", '; write Q("1")'),
    ("count(1) >= 2", '; write count(Q("1")) >= 2'),
    ('Q("1") & Q("0")', '; write Q("1") and Q("0")'),
    ('~Q("1")', '; write not Q("1")'),
    ('count(Q("1")) = 1', '; write count(Q("1")) == 1'),
    ('once(Q("1") and Q("0")', '; write once(Q("1") and Q("0"))'),
    ("position % 2 == 1", "; write mod(2, 1)"),
    ('once(Q("2"))', "; is the alphabet '012' meant?"),
    ('Next(Q("1"))', f"; next is said as previous(φ), {SAID['next'][1]}"),
    ("(0|1)*01", "; regular('(0|1)*01', '01') of lib.proofs is a language, not a model"),
    ('C = #"1"', "; program(...) of chapters.common.crasp reads C-RASP"),
    ("lambda: True", "'lambda: True'"),
]


@pytest.mark.parametrize("text, end", MENDS)
def test_an_error_ends_with_what_was_meant(text, end):
    with pytest.raises(FormulaError) as caught:
        formula(text, "01")
    assert str(caught.value).endswith(end)


def test_a_remainder_is_said_by_totals():
    text = SAID["remainder"][0].replace("φ", 'Q("a")')
    for m, r in ((3, 0), (3, 1), (4, 3)):
        said = formula(
            text.replace("m*", f"{m}*").replace("r)", f"{r})").replace("== r", f"== {r}"), "ab"
        )
        assert all(truth(said, w)[-1] == (w.count("a") % m == r) for w in strings("ab", 8)[1:])


@given(texts())
@settings(max_examples=50, deadline=None)
def test_a_trace_has_each_part_and_what_it_says(text):
    said = formula(text, "ab")
    for w in ("", "a", "abba"):
        rows = trace(said, w)
        assert rows[str(said)] == truth(said, w) and [*rows][-1] == str(said)
        assert {len(values) for values in rows.values()} == {len(w) + 1}
        assert len({len(line) for line in str(rows).split("\n")}) == 1


@pytest.mark.parametrize("text", ['count(Q("1")) == 1 #Q("0")', "#0 = #1"])
def test_a_number_sign_begins_no_remark(text):
    """Python would read nothing behind it."""
    with pytest.raises(FormulaError, match=r"# counts in other notations"):
        formula(text, "01")
    assert str(formula('Q("#")', "01#")) == "Q('#')"
