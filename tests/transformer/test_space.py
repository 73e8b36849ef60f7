"""Coordinates and affine forms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.checks import rational
from lib.transformer.space import Form, Space, UnknownCoordinate
from tests.strategies import forms

NAMES = ("a", "b", "c")
vectors = st.fixed_dictionaries({name: st.fractions(max_denominator=9) for name in NAMES})


@given(
    forms(NAMES, constant=True),
    forms(NAMES, constant=True),
    st.fractions(max_denominator=9),
    vectors,
)
def test_arithmetic_of_forms_is_arithmetic_of_their_values(f, g, number, vector):
    assert (f + g)(vector) == f(vector) + g(vector)
    assert (f - g)(vector) == f(vector) - g(vector)
    assert (number * f)(vector) == number * f(vector)
    assert (number - f)(vector) == number - f(vector)
    assert f / 2 == f * Fraction(1, 2)


def test_order_of_terms_does_not_matter_to_equality():
    a, b, _ = Space(*NAMES)
    assert a - b == -b + a and hash(a - b) == hash(-b + a)
    assert a - a == Form()


def test_forms_print_as_they_are_written():
    a, b, _ = Space(*NAMES)
    assert [repr(form) for form in (a - b, -a + b / 2, 2 * a - 1, Form())] == [
        "a - b",
        "-a + 1/2·b",
        "2·a - 1",
        "0",
    ]


def test_forms_are_normalised():
    assert Form((("a", 1), ("a", 2))) == Form((("a", 3),)) and hash(Form((("a", 0),))) == hash(
        Form()
    )
    assert Form((("a", 0.5),)).terms == (("a", Fraction(1, 2)),)


def test_membership_is_that_of_names():
    assert "a" in Space(*NAMES) and "z" not in Space(*NAMES)


def test_dense_rows_follow_the_order_of_the_space():
    space = Space(*NAMES)
    assert space.dense(space["c"] * 3 - space["a"]) == [-1, 0, 3]


def test_an_unknown_coordinate_lists_the_valid_ones_and_the_nearest():
    with pytest.raises(
        UnknownCoordinate, match=r"no coordinate 'k/m' among 'i/n', 'k/n'; did you mean 'k/n'\?"
    ):
        Space("i/n", "k/n")["k/m"]


@pytest.mark.parametrize(
    "names, message", [(("a", "a"), "named twice"), ((), "at least one"), (("a", ""), "non-empty")]
)
def test_a_space_refuses_bad_names(names, message):
    with pytest.raises(ValueError, match=message):
        Space(*names)


@pytest.mark.parametrize(
    "value, error",
    [(float("inf"), ValueError), (float("nan"), ValueError), ("1", TypeError), (True, TypeError)],
)
def test_a_coefficient_must_be_a_finite_number(value, error):
    with pytest.raises(error, match="a coefficient must be"):
        rational(value)
    with pytest.raises(error):
        Space("a")["a"] * value


def test_a_product_of_forms_is_refused():
    a, b = Space("a", "b")
    with pytest.raises(TypeError, match="not affine"):
        a * b
