"""Coordinates and affine forms."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from lib.transformer.space import Form, Space
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
