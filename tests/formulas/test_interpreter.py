"""What formulas mean, against Python's own signs, regular expressions and plain predicates."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.formulas import formula, holds
from lib.formulas import language as language_of
from lib.formulas.syntax import truth
from tests import OFTEN
from tests.formulas.oracles import by_python, strings
from tests.formulas.strategies import texts


def counts_of_counts(w: str) -> bool:
    """Two prefixes have two prefixes that have two 1s."""
    inner = [i for i in range(1, len(w) + 1) if w[:i].count("1") == 2]
    return sum(sum(i <= j for i in inner) == 2 for j in range(1, len(w) + 1)) == 2


MEANT = {  # over {0, 1}; random formulas are held against Python's own signs
    "True": lambda w: True,
    'Q("1")': lambda w: w.endswith("1"),
    "mod(3, 2)": lambda w: len(w) % 3 == 2,
    "2*position <= 7": lambda w: len(w) <= 3,
    '3 != count(Q("1")) != 1': lambda w: w.count("1") not in (1, 3),
    'always(Q("1"))': lambda w: "0" not in w,
    'once(Q("1") and position == total(Q("1")))': lambda w: w[w.count("1") - 1 :][:1] == "1",
    'total(Q("1") and mod(2, 0)) == 2': lambda w: w[1::2].count("1") == 2,
    'total(count(Q("1")) > count(Q("0"))) == 2': lambda w: (
        sum(2 * w[:i].count("1") > i for i in range(1, len(w) + 1)) == 2
    ),
    'count(total(Q("0")) == 1) >= 3': lambda w: w.count("0") == 1 and len(w) >= 3,
    'count(count(count(Q("1")) == 2) == 2) == 2': counts_of_counts,
    'previous(previous(previous(Q("1"))))': lambda w: w[-4:-3] == "1",
    'previous(never(Q("1")))': lambda w: len(w) > 1 and "1" not in w[:-1],
    'previous(total(Q("1")) == 2)': lambda w: len(w) > 1 and w.count("1") == 2,
    'count(Q("1") and previous(Q("0"))) == 2': lambda w: w.count("01") == 2,
    'Q("1") if mod(2, 1) else not Q("1")': lambda w: w.endswith("1") == (len(w) % 2 == 1),
    'max(count(Q("0")), 2, count(Q("1"))) == 3': lambda w: max(w.count("0"), w.count("1")) == 3,
    '2*count(Q("1")) - 3*count(Q("0")) == -1': lambda w: 2 * w.count("1") + 1 == 3 * w.count("0"),
}


@pytest.mark.parametrize("text", MEANT)
def test_formulas_mean_what_their_words_say(text):
    meaning = formula(text, "01")
    w = strings("01", 9)
    assert [one for one in w if holds(meaning, one)] == [one for one in w if MEANT[text](one)]


LOCAL = {  # what neighbours say, and a regular expression
    'never(previous(Q("0")) and not Q("1")) and not Q("0")': "(1|01)*",  # a 1 behind every 0
    'once(previous(Q("0")) and Q("1"))': "[01]*01[01]*",
    'never(previous(Q("0")) and Q("0") or previous(Q("1")) and Q("1"))': "1?(01)*0?",
    'never(Q("1") and not previous(Q("0")))': "(0+1)*0*",
    'once(Q("1") and previous(Q("0") and previous(Q("1"))))': "[01]*101[01]*",
    'always(not previous(True) and Q("1") or previous(Q("0")) and Q("1") '
    'or previous(Q("1")) and Q("0"))': "(10)*1?",
}


@pytest.mark.parametrize("text", LOCAL)
def test_what_neighbours_say_is_what_a_regular_expression_says(text):
    meaning, expression = formula(text, "01"), re.compile(LOCAL[text])
    for w in strings("01", 9):
        assert holds(meaning, w) == bool(expression.fullmatch(w)), w


@given(texts())
@settings(max_examples=50 * OFTEN)
def test_random_formulas_mean_what_python_says(text):
    meaning = formula(text, "ab")
    for w in strings("ab", 5):
        assert holds(meaning, w) == by_python(text, w), w


@given(texts().filter(lambda text: "total" not in text), st.text("ab", max_size=12))
@settings(max_examples=40 * OFTEN)
def test_truth_at_a_position_is_that_of_the_prefix_unless_totals_are_asked_for(text, w):
    found = truth(formula(text, "ab"), w)
    assert found == [by_python(text, w[:i]) for i in range(len(w) + 1)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ('total(Q("1")) == 2', [True] * 4),
        ("total(True) == position", [False, False, False, True]),
        ('count(not Q("1")) == 0', [True, True, False, False]),
        ("not previous(True)", [True, True, False, False]),
        ('previous(total(Q("1")) == 2)', [False, False, True, True]),
    ],
)
def test_cls_has_no_symbol_and_is_not_counted(text, expected):
    assert truth(formula(text, "01"), "101") == expected


@given(texts(), st.lists(st.text("ab", max_size=5), max_size=12))
@settings(max_examples=20 * OFTEN)
def test_many_strings_are_answered_as_each_is(text, w):
    language = language_of(formula(text, "ab"), "ab")
    assert language.predicates(w) == [by_python(text, one) for one in w]


@pytest.mark.parametrize("great", [2**31, 2**62, 2**63, 10**40])
def test_numbers_have_no_largest_one(great):
    for text, meant in (
        (f'{great}*count(Q("1")) > {great}*count(Q("0"))', lambda w: w.count("1") > w.count("0")),
        (f'{great}*count(Q("1")) - {great} == 0', lambda w: w.count("1") == 1),
        (f'({great} if Q("1") else -{great}) > count(Q("0"))', lambda w: w.endswith("1")),
        (f"mod({great}, 2)", lambda w: len(w) == 2),
        (f"position < {great}", lambda w: True),
    ):
        meaning = formula(text, "01")
        expected = [meant(w) for w in strings("01", 4)]
        assert [holds(meaning, w) for w in strings("01", 4)] == expected
        assert language_of(meaning, "01").predicates(strings("01", 4)) == expected
