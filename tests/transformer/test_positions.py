"""Position encodings as formulas: one meaning for rationals and tensors, in every process."""

import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.constructions import palindrome, parity
from lib.transformer.construction import (
    Construction,
    depends_on_length,
    from_json,
    position,
    to_json,
)
from lib.transformer.exact import Exact
from lib.transformer.space import Space
from lib.transformer.sublayers import Head, Layer

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
}


@pytest.mark.parametrize("formula", MEANINGS)
@given(n=st.integers(1, 200), data=st.data())
def test_a_formula_means_the_same_in_rationals_and_tensors(formula, n, data):
    i = data.draw(st.integers(0, n - 1))
    meant = MEANINGS[formula](i, n)
    exact = position(formula)(Fraction(i), Fraction(n))
    assert exact == meant and not isinstance(exact, float)
    places = torch.arange(n, dtype=torch.float64)
    values = torch.as_tensor(position(formula)(places, n), dtype=torch.float64).expand(n)
    assert values[i].item() == float(meant)


@pytest.mark.parametrize(
    "formula, complaint",
    [
        ("x", "x has no place in it"),
        ("i if n else 1", "has no place in it"),
        ("__import__('os')", "has no place in it"),
        ("i^n", "the exponent n is not a whole number"),
        ("2^-1", "the exponent -1 is not a whole number"),
        ("[i]", "has no place in it"),
        ("i=1", "has no place in it"),
        ("i<n<3", "has no place in it"),
        ("0.5", "has no place in it"),
        ("", "no formula"),
        ("(i", "no formula"),
    ],
)
def test_what_is_no_formula_is_refused(formula, complaint):
    with pytest.raises(
        ValueError,
        match=f"{formula!r} is no formula".replace("(", r"\(")
        .replace(")", r"\)")
        .replace("^", r"\^")
        .replace("[", r"\["),
    ) as caught:
        position(formula)
    assert complaint in str(caught.value)


def test_functions_and_undefined_formulas_are_refused():
    with pytest.raises(ValueError, match="a position encoding is a formula in i and n"):
        position(lambda i, n: i)
    with pytest.raises(ValueError, match="'1/i' is not defined at i = 0, n = 1"):
        position("1/i")
    S = Space("0", "1", "CLS", "p")
    with pytest.raises(ValueError, match="'i/m' is no formula"):
        Construction(S, {"CLS": S["CLS"]}, {"i/m": S["p"]}, [], S["p"])


@pytest.mark.parametrize(
    "formula, depends",
    [
        *((formula, "n" in formula) for formula in MEANINGS if "cos" not in formula),
        *(("cos iπ", False), ("n", True), ("n²", True), ("i/n²", True), ("2·n^2 - n²", True)),
        *(("cos iπ/n", True), ("[n=1]", True), ("⌊n/2⌋", True), ("i mod 3", False), ("7", False)),
        ("1/(n²+1)", True),
        ("i^2·n", True),
    ],
)
def test_a_formula_says_whether_it_asks_for_the_length(formula, depends):
    assert depends_on_length(formula) == depends
    means = position(formula)
    values = [{means(Fraction(i), Fraction(n)) for n in range(i + 1, 9)} for i in range(5)]
    assert (max(map(len, values)) > 1) == depends


def last_symbol() -> Construction:
    """Accepts w iff its last symbol is 1, by a position encoding that no paper has."""
    S = Space("0", "1", "CLS", "[i=n-1]", "s")
    zero, one, cls, end, s = S
    look = Layer(heads=[Head(q=[cls], k=[end], v={"s": one - zero - cls}, base=1000)])
    return Construction(
        S, {"0": zero, "1": one, "CLS": cls}, {"[i=n-1]": end}, [look], s, name="LAST"
    )


FRESH = """
import pickle, sys
from lib.transformer.encoder import Encoder
from lib.transformer.construction import from_json
kind, path = sys.argv[1:]
data = open(path, "rb").read()
construction = pickle.loads(data) if kind == "pickle" else from_json(data.decode())
print(Encoder(construction).accepts("001"), Encoder(construction).accepts("110"))
"""


@pytest.mark.parametrize("kind", ["pickle", "json"])
def test_a_construction_brings_its_positions_into_another_process(kind, tmp_path):
    made = pickle.dumps(last_symbol()) if kind == "pickle" else to_json(last_symbol()).encode()
    (tmp_path / "construction").write_bytes(made)
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", FRESH, kind, str(tmp_path / "construction")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_equal_constructions_decide_equally():
    for construction in (palindrome(), parity(), last_symbol()):
        again = from_json(to_json(construction))
        assert again == construction
        for w in ("1", "0110", "10010"):
            assert Exact(again).accepts(w) == Exact(construction).accepts(w)


@pytest.mark.filterwarnings("error")
def test_what_python_finds_odd_is_refused_in_silence():
    with pytest.raises(ValueError, match="1 or i has no place in it"):
        position("1or i")
