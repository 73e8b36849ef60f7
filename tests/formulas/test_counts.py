"""Formulas about numbers of symbols, held against what they mean on strings."""

from itertools import product

import numpy as np
import pytest

from lib.formulas.counts import Counted
from lib.formulas.syntax import holds
from lib.formulas.text import formula

ABOUT_NUMBERS = [
    'count(Q("a")) > count(Q("b"))',
    'count(Q("a") or Q("c")) == 2 or not (position >= 4 and count(Q("b")) != 1)',
    'total(not Q("a")) <= 3 * count(Q("a")) - 2',
    'never(Q("c")) and once(Q("a"))',
    'always(Q("a") or Q("b"))',
    "True and not (position < 2)",
]
OF_ORDER = ['Q("a")', 'count(Q("a") and previous(Q("b"))) > 0', 'count(count(Q("a")) > 1) > 0']


@pytest.mark.parametrize("text", ABOUT_NUMBERS)
def test_members_are_those_that_a_formula_means(text):
    meant = formula(text, "abc")
    counted = Counted(meant, ("a", "b", "c"))
    words = ["".join(w) for n in range(6) for w in product("abc", repeat=n)]
    counts = np.array([[w.count(a) for a in "abc"] for w in words])
    assert counted.members(counts).tolist() == [holds(meant, w) for w in words]


@pytest.mark.parametrize("text", ABOUT_NUMBERS)
def test_what_is_known_of_a_box_holds_of_all_counts_in_it(text):
    counted = Counted(formula(text, "abc"), ("a", "b", "c"))
    rng = np.random.default_rng(0)
    known = 0
    for _ in range(200):
        first = rng.integers(0, 5, 3)
        last = first + rng.integers(0, 3, 3)
        ends = counted.factors * first, counted.factors * last
        low = np.minimum(*ends).sum(1) + counted.constants
        high = np.maximum(*ends).sum(1) + counted.constants
        [holds_], [fails] = counted.known(low[None], high[None])
        box = product(*(range(a, b + 1) for a, b in zip(first, last, strict=True)))
        members = counted.members(np.array([*box]))
        assert not holds_ or members.all()
        assert not fails or not members.any()
        known += bool(holds_) + bool(fails)
    assert known > 40


@pytest.mark.parametrize("number", [262_145, 10**19])
def test_numbers_that_would_overflow_are_refused(number):
    for text in (f'count(Q("a")) > {number}', f'{number} * count(Q("a")) > count(Q("b"))'):
        with pytest.raises(ValueError, match="at most 262,144"):
            Counted(formula(text, "ab"), ("a", "b"))


@pytest.mark.parametrize("text", OF_ORDER)
def test_a_formula_of_the_order_of_symbols_is_refused(text):
    with pytest.raises(ValueError, match="numbers of symbols"):
        Counted(formula(text, "ab"), ("a", "b"))
