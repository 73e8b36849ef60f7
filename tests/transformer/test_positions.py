"""Position encodings as formulas: one meaning for rationals and tensors."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.transformer.construction import depends_on_length, position

# What each formula of the papers means, written down apart from the formula.
MEANINGS = {
    "i/n": lambda i, n: Fraction(i, n),
    "cos iπ": lambda i, n: (-1) ** i,
    "[i=1]": lambda i, n: int(i == 1),
    "i": lambda i, n: i,
    "n-1-i": lambda i, n: n - 1 - i,
    "[i≤(n-1)/2]": lambda i, n: int(2 * i <= n - 1),
    "[i≥(n-1)/2]": lambda i, n: int(2 * i >= n - 1),
    "[i=⌊(n-1)/2⌋]": lambda i, n: int(i == (n - 1) // 2),
    "i²": lambda i, n: i * i,
    "i^3 mod 5": lambda i, n: i**3 % 5,
    "1/2": lambda i, n: Fraction(1, 2),
    "-i·2 + 1": lambda i, n: 1 - 2 * i,
    "[i=1]/([n>0]+[n>1]+[n>2])": lambda i, n: Fraction(int(i == 1), min(n, 3)),
    "⌊i/2⌋/⌊n/2+1⌋": lambda i, n: Fraction(i // 2, n // 2 + 1),
    "(i mod 2)/(i mod 3 + 3)": lambda i, n: Fraction(i % 2, i % 3 + 3),
    "⌊49·(1/49)⌋": lambda i, n: 1,
    "[i < 13·(1/49)·49]": lambda i, n: int(i < 13),
    "i mod (6/2)": lambda i, n: i % 3,
    "(7/10) mod (1/10)": lambda i, n: 0,
    "[i=1] - [n mod 2=1]": lambda i, n: int(i == 1) - n % 2,
}
INEXACT = {"⌊49·(1/49)⌋", "[i < 13·(1/49)·49]", "(7/10) mod (1/10)"}  # in floats


@pytest.mark.parametrize("formula", MEANINGS)
@given(n=st.integers(1, 200), data=st.data())
def test_a_formula_means_the_same_in_rationals_and_tensors(formula, n, data):
    i = data.draw(st.integers(0, n - 1))
    meant = MEANINGS[formula](i, n)
    exact = position(formula)(Fraction(i), Fraction(n))
    assert exact == meant and not isinstance(exact, float)
    if formula in INEXACT:
        return
    places = torch.arange(n, dtype=torch.float64)
    values = torch.as_tensor(position(formula)(places, n), dtype=torch.float64).expand(n)
    assert values[i].item() == float(meant)


@pytest.mark.parametrize(
    "formula, depends",
    [
        *((text, "n" in text) for text in MEANINGS if "cos" not in text and "[n" not in text),
        *(("cos iπ", False), ("n", True), ("n²", True), ("i/n²", True), ("2·n^2 - n²", True)),
        *(("(cos iπ)/n", True), ("[n=1]", True), ("⌊n/2⌋", True), ("i mod 3", False), ("7", False)),
        ("1/(n²+1)", True),
        ("i^2·n", True),
    ],
)
def test_a_formula_says_whether_it_asks_for_the_length(formula, depends):
    assert depends_on_length(formula) == depends
    means = position(formula)
    values = [{means(Fraction(i), Fraction(n)) for n in range(i + 1, 9)} for i in range(5)]
    assert (max(map(len, values)) > 1) == depends


@pytest.mark.parametrize("formula", ["cos iπ/2", "cos iπ ^2", "1 + cos iπ·i", "cos iπ mod 2"])
def test_what_may_be_the_cosine_of_more_is_refused(formula):
    """It was read as (-1)^i, divided by 2 afterwards."""
    with pytest.raises(ValueError, match="cos iπ is .-1..i, and stands in brackets before"):
        position(formula)


@pytest.mark.parametrize("formula", ["[i = 𝑛-1]", "ｎ", "i + 1_0", "0x1", "i # n", "١"])
def test_what_only_pythons_parser_reads_is_no_formula(formula):
    """A letter that it takes for n would not be seen to depend on the length."""
    with pytest.raises(ValueError, match="is no formula for a position in i and n"):
        position(formula)
