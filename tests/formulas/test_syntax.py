"""Formulas in Python's signs and as text: what is printed is read again, and what is no formula is
refused with its place.
"""

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.formulas import FormulaError, Q, count, depth, formula, holds, never
from lib.formulas.syntax import (
    always,
    conditional,
    maximum,
    minimum,
    mod,
    once,
    position,
    previous,
    symbols,
    total,
)
from tests.formulas.oracles import by_python, strings
from tests.formulas.strategies import texts

a, b = Q("a"), Q("b")
A, B = count(a), count(b)

BUILT = {  # what is built by Python's signs, and the same as text
    'Q("a") and not Q("b")': a & ~b,
    'Q("a") or (Q("a") and Q("b"))': a | (a & b),
    'not (Q("a") or Q("b"))': ~(a | b),
    'not (not Q("a"))': ~~a,
    '2*count(Q("a")) - 3*count(Q("b")) + 1 >= 0': 2 * A - B * 3 + 1 >= 0,
    '4 - count(Q("a")) < count(Q("b"))': 4 - A < B,
    '-count(Q("a")) - 2 <= -3': -A - 2 <= -3,
    'position != count(Q("a")) + 1': position != A + 1,
    'count(Q("a")) > 2': 2 < A,
    'count(Q("a")) <= 2': 2 >= A,
    'count(Q("a")) == 2': 2 == A,
    'total(Q("a")) == total(Q("b"))': total(a) == total(b),
    'count(mod(3, 1) and Q("b")) == 1': count(mod(3, 1) & b) == 1,
    'once(Q("a") and never(Q("b")))': once(a & never(b)),
    'always(count(Q("a")) >= count(Q("b")))': always(A >= B),
    'min(count(Q("a")), 2) == max(1, count(Q("b")))': minimum(A, 2) == maximum(1, B),
    '(position if Q("a") else 2) == 2': conditional(a, position, 2) == 2,
    'previous(Q("a"))': previous(a),
    'Q("a") and not previous(Q("b") or previous(Q("a")))': a & ~previous(b | previous(a)),
    'count(previous(total(Q("a")) == 1) and Q("b")) >= 1': once(previous(total(a) == 1) & b),
    '(1 if previous(Q("a")) else 0) == count(previous(not Q("a")))': (
        conditional(previous(a), 1, 0) == count(previous(~a))
    ),
}


@pytest.mark.parametrize("text", BUILT)
def test_pythons_signs_and_text_spell_one_formula(text):
    assert str(BUILT[text]) == str(formula(text, "ab"))
    for w in strings("ab", 5):
        assert holds(BUILT[text], w) == by_python(text, w), w


@pytest.mark.parametrize(
    "term, printed",
    [
        (A + A, "2*count(Q('a'))"),
        (A - A, "0"),
        (A * 0 + 3, "3"),
        (B - A + B, "2*count(Q('b')) - count(Q('a'))"),
        (1 - (A - 1), "-count(Q('a')) + 2"),
        (-(2 * A - position), "-2*count(Q('a')) + position"),
        (total(a) - 0, "total(Q('a'))"),
        (conditional(a, 1, B) * 2, "2*(1 if Q('a') else count(Q('b')))"),
        (count(Q("'")) + count(Q('"')), "count(Q(\"'\")) + count(Q('\"'))"),
    ],
)
def test_a_term_gathers_its_counts(term, printed):
    assert str(term) == printed


def test_depth_is_how_deep_counts_stand_in_counts():
    assert [depth(thing) for thing in (a, mod(2, 0), position, A == 1)] == [0, 0, 0, 1]
    assert depth(once(a & once(b & once(a)))) == depth(total(total(A == 1) == 1) == 1) == 3
    assert depth(conditional(once(once(a)), A, 1) == B) == 2
    assert depth(previous(previous(a))) == 0  # to look back is not to count
    assert depth(once(previous(a))) == depth(previous(once(a))) == 1


def test_a_formula_knows_the_symbols_that_it_asks_for():
    whole = once(Q("x") & (conditional(Q("y"), 1, total(Q("z"))) == position)) | mod(2, 0)
    assert symbols(whole) == {"x", "y", "z"} and symbols(mod(2, 0)) == set()
    assert symbols(previous(previous(Q("x")) & once(Q("y")))) == {"x", "y"}


def test_terms_are_compared_into_formulas_and_stand_in_no_set():
    with pytest.raises(TypeError, match="unhashable"):
        hash(A)
    for sign in ("eq", "ne", "lt", "le", "gt", "ge"):
        relation = getattr(operator, sign)
        for w in strings("ab", 4):
            counts = w.count("a"), w.count("b")
            assert holds(relation(A, B), w) == relation(*counts)
            assert holds(relation(2, A), w) == relation(2, counts[0])


@given(texts())
@settings(max_examples=100)
def test_what_is_printed_is_read_as_the_same_formula(text):
    printed = str(formula(text, "ab"))
    assert str(formula(printed, "ab")) == printed
    for w in strings("ab", 4):
        assert by_python(printed, w) == by_python(text, w)


def test_symbols_may_be_any_characters():
    for symbol in "()é𝟙'\" i\\\n\u2028#":
        assert str(formula(f"once(Q({symbol!r}))", symbol)) == f"count(Q({symbol!r})) >= 1"


BAD = [  # a text, what is said of it, and what stands in the column that is named
    ("", "no formula", None),
    ('Q("a"); Q("b")', "no formula: invalid syntax", ";"),
    ('Q("a") and (count(Q("b")) == 1', "no formula: '[(]' was never closed", "(count"),
    ('Q("\0")', "no formula: .*null bytes", None),
    ("\ud800", "no formula: .*surrogates not allowed", None),
    ("x := 1", "no formula: invalid syntax", ":="),
    ('not Q("c")', "unknown symbol 'c' [(]the alphabet is a, b[)]", 'Q("c")'),
    ("once(x)", "unknown name 'x' [(]known are Q, count, .*, True, False[)]", "x"),
    ('once(Q("a")) and Q(a)', "a formula is expected, not Q[(]a[)]", "Q(a)"),
    ('not count(Q("a"))', "a formula is expected, not count[(]", "count"),
    ("1 == Q('a')", "a count or a number is expected, not Q[(]'a'[)]", "Q('a')"),
    ('count(Q("a")) == 1.5', "a count or a number is expected, not 1.5", "1.5"),
    ('count(Q("a"), Q("b")) == 1', "a count or a number is expected, not count[(]", "count"),
    ('count(formula=Q("a")) == 1', "a count or a number is expected, not count[(]", "count"),
    ("1 == min(position)", "a count or a number is expected, not min[(]", "min"),
    ("1 == 1 and position is 1", "no comparison of numbers: position is 1", "position"),
    ('1 == count(Q("a")) * count(Q("b"))', "a product of two counts", 'count(Q("a")) *'),
    ("once(mod(2, 2))", "a remainder below 2 is expected, not 2", "mod"),
    ("mod(2, -1)", "a formula is expected, not mod[(]2, -1", None),
    ('previous(Q("a"), 2)', "a formula is expected, not previous[(]", "previous"),
    ('__import__("os")', "unknown name '__import__'", "__import__"),
    ('count(Q("a")) == __import__("os").system("exit")', "a count or a number", "__import__"),
]


@pytest.mark.parametrize("text, message, place", BAD)
def test_what_is_no_formula_is_refused_with_its_place(text, message, place):
    with pytest.raises(FormulaError, match=message) as caught:
        formula(text, "ab")
    if place:
        expected = f"at column {text.rindex(place) + 1} of {text!r}"
        assert expected in str(caught.value)


@given(st.text("é𝟙ß\u2028\x0c(", min_size=1, max_size=4), st.integers(0, 3), st.booleans())
def test_columns_count_characters_whatever_stands_before(word, indent, is_syntax):
    text = " and ".join(f"Q({symbol!r})" for symbol in word) + " and "
    text, wrong = (text + ")", ")") if is_syntax else (text + "Q('x')", "Q('x')")
    with pytest.raises(FormulaError) as caught:
        formula(" " * indent + text, "é𝟙ß\u2028\x0c(")
    assert f"at column {text.rindex(wrong) + 1} of {text!r}" in str(caught.value)


NESTED = [  # what stands before and after, and whether 20 levels of it are a formula
    ("(", 'Q("a")', ")", True),
    ("not ", 'Q("a")', "", True),
    ("once(", 'Q("a")', ")", True),
    ("previous(", 'Q("a")', ")", True),
    ("-", "1 == position", "", True),
    ("1 + ", "1 == position", "", True),
    ('Q("a") if Q("b") else ', 'Q("b")', "", True),
    ("(1 if ", 'Q("a")', " else 0) == 1", True),
    ('(Q("a") if ', 'Q("b")', ' else Q("a"))', False),  # written out, it doubles at each level
    ("0 <= count(", 'Q("a")', ") <= 1", False),
    ("1 + min(position, ", "1", ")", False),
]


@pytest.mark.parametrize("times", [20, 100, 300, 1600])
@pytest.mark.parametrize("before, inside, after, is_short", NESTED)
def test_a_text_nested_too_deep_is_refused(before, inside, after, is_short, times):
    text = before * times + inside + after * times
    if is_short and times <= (100 if before == "(" else 20):
        assert str(formula(text, "ab"))
    else:
        with pytest.raises(FormulaError, match="nested|written out|at most 10000 characters"):
            formula(text, "ab")


@given(st.text(max_size=40) | st.text('Qcount("ab)=<>-+*1 andor', max_size=30))
@settings(max_examples=200)
def test_any_text_is_a_formula_or_one_error(text):
    try:
        read = formula(text, "ab")
    except FormulaError as error:
        assert str(error)
    else:
        assert str(formula(str(read), "ab")) == str(read)
