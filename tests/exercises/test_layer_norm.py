"""The judges of chapter 3's exercises find where wrong answers go wrong."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from chapters.common.judge import said
from lib import constructions
from lib.constructions.normalization import mirror, sharpen
from lib.transformer import Space

PUBLISHED = constructions.first()
FIVE = 0.006715348489118  # log(1 + exp(-5)) nats: sqrt(50 / 2) = 5
FIFTY = Space(*PUBLISHED.space.names, *(f"spare {j}" for j in range(44)))


def wide(eta: float, spare: int = 19, adjacent: bool = False):
    """FIRST with spare coordinates, mirrored and sharpened."""
    names = (*PUBLISHED.space.names, *(f"spare {j}" for j in range(spare)))
    return sharpen(mirror(replace(PUBLISHED, space=Space(*names)), adjacent), eta)


# log2(1 + exp(-5)) = 0.009688...
@pytest.mark.parametrize(
    ("answer", "amiss"),
    [
        (0.00969, None),
        (0.0096882, None),
        (0.0097, "0.0097 is too much"),
        (0.00967, "0.00967 is too little"),
        (Decimal("0.00969"), None),
    ],
)
def test_3_1_compares(answer, amiss):
    right = said("3.1", answer) == "Exercise 3.1: right."
    assert right if amiss is None else said("3.1", answer) == f"Exercise 3.1, not yet: {amiss}."


@pytest.mark.parametrize("adjacent", [False, True])
def test_3_2_takes_every_order_of_the_mirror(adjacent):
    assert said("3.2", wide(FIVE, adjacent=adjacent)) == (
        "Exercise 3.2: right on every string of length 1 to 6, and on a few of each to 30 and of "
        "40, 50, 60, 100, 200 and 1000."
    )


def test_3_2_runs_lengths_between_short_and_long():
    """A mark that stands on position 2 instead of 1 from n = 8 to 60."""
    [(_, start)] = wide(FIVE).position
    position = {
        "[i=1]·[n<8]": start,
        "[i=1]·[n>60]": start,
        "[i=2]·[n>=8]·[n<=60]": start,
    }
    assert said("3.2", replace(wide(FIVE), position=position)).startswith(
        "Exercise 3.2, not yet: its cross-entropy on 0111111 is 7.2"
    )
    far = {"[i=1]·[n<=100]": start, "[i=2]·[n>100]": start}
    assert said("3.2", replace(wide(FIVE), position=far)).startswith(
        "Exercise 3.2, not yet: its cross-entropy on 0 1^99 is 7.2"
    )


@pytest.mark.parametrize(
    ("answer", "amiss"),
    [
        (wide(FIVE, spare=18), "the number of its coordinates is 48, not 50"),
        (PUBLISHED, "the number of its coordinates is 6, not 50"),
        # 0.1 nats are 0.14427 bits.
        (wide(0.1), "its cross-entropy on 0 is 0.14427 bits, not 0.00969"),
        (
            sharpen(replace(PUBLISHED, space=FIFTY), FIVE),
            "its coordinate '0' has no negative",
        ),
        (replace(wide(FIVE), output=-wide(FIVE).output), "it accepts 0"),
    ],
)
def test_3_2_shows_what_is_amiss(answer, amiss):
    assert said("3.2", answer) == f"Exercise 3.2, not yet: {amiss}."


def test_3_2_measures_what_is_not_sharpened():
    plain = replace(wide(FIVE), layers=wide(FIVE).layers[:2], output=wide(FIVE).space["s"])
    assert "not yet: its cross-entropy on 0 is 0." in said("3.2", plain)


def test_3_3_is_true_and_runs_what_is_said_to_refute_it():
    assert said("3.3", "proved") == "Exercise 3.3: right."
    assert said("3.3", "refuted").endswith("then there is a case (w, c, eps): give it.")


@pytest.mark.parametrize(
    ("answer", "amiss"),
    [
        (("101", 1, 0), "101 is rejected there, rightly"),
        (("100", 0.01, Fraction(1, 10)), "100 is accepted there, rightly"),
        (("", 3, 1e-5), "the empty string is rejected there, rightly"),
        (("1", 0, 0), "c is 0, not above 0"),
        (("1" * 61, 1, 0), "a string of 61 symbols takes long: give one of at most 60"),
    ],
)
def test_3_3_runs_a_case(answer, amiss):
    assert said("3.3", answer) == f"Exercise 3.3, not yet: {amiss}."
