"""PARITY's marks in p-bit arithmetic, against rationals rounded one by one and the torch reader;
where a running sum makes it err.
"""

from fractions import Fraction

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.transformer_parity_first.runs import (
    marked_distances,
    marks,
    rounded,
    wrong_counts,
    wrong_counts_in,
)
from lib.constructions import parity
from lib.transformer.encoder import Encoder
from tests import OFTEN


def nearest(x: Fraction, p: int) -> Fraction:
    """x to p bits in rationals, ties to even, by search for the power of two."""
    if x == 0:
        return x
    unit = Fraction(1)
    while abs(x) / unit >= 2**p:
        unit *= 2
    while abs(x) / unit < 2 ** (p - 1):
        unit /= 2
    return round(x / unit) * unit  # Python rounds halves to even


def plain_marks(n: int, k: int, p: int) -> list[Fraction]:
    """The marks on positions 0..n-1, every operation of the three hidden units rounded."""
    held, u = [], nearest(Fraction(1, n), p)
    for i in range(n):
        d = nearest(nearest(Fraction(k, n), p) - nearest(Fraction(i, n), p), p)
        below, above = max(0, nearest(d - u, p)), max(0, nearest(d + u, p))
        held.append(nearest(nearest(below - 2 * max(0, d), p) + above, p))
    return held


@given(st.integers(3, 24), st.fractions(min_value=Fraction(1, 10**6), max_value=10**6))
def test_rounding_is_to_the_nearest(p, x):
    short = Fraction(float(x))
    assert Fraction(float(rounded(float(x), p))) == nearest(short, p)


@given(st.integers(3, 12), st.data())
@settings(max_examples=30 * OFTEN)
def test_the_marks_are_those_of_rationals_and_stand_at_the_listed_distances(p, data):
    n = data.draw(st.integers(2, 2 ** (p - 1) + 8))
    k = data.draw(st.integers(0, n - 1))
    distances = marked_distances(n)
    held = marks(n, np.array([k]), distances, p)[0]
    found = {k - D: Fraction(mark) for D, mark in zip(distances, held, strict=True) if mark}
    assert found == {i: mark for i, mark in enumerate(plain_marks(n, k, p)) if mark}


def test_float32_errs_where_24_bits_do():
    n = 7_158_303
    counts = np.array([4_027_298, 4_027_299])
    assert wrong_counts(Encoder(parity(), torch.float32), n, counts) == [4_027_299]
    assert wrong_counts_in(24, n, counts) == [4_027_299]
