"""The page's numbers: its functions are as exact as they say, what encloses a number holds it, in
float64 and in few bits, and numbers and position formulas are read and rounded as in Python.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from lib.trained.arithmetic import FUNCTIONS as BALLS
from lib.transformer.construction import position
from tests.page.engine import encloses, fraction

LN_2 = 0.6931471805599453
FUNCTIONS = {  # and the constant that says how many roundings they are off
    "exp": (arb.exp, "EXP"),
    "gelu": (BALLS["gelu"], "GELU"),
    "geluNew": (BALLS["gelu_new"], "GELU"),
    "root": (arb.sqrt, "ROOT"),
}


def points(name: str) -> list[float]:
    """Where errors are largest, where cases change, and random ones."""
    draw = random.Random(name)
    if name == "root":
        return [draw.uniform(1, 2) * 10 ** draw.uniform(-280, 300) for _ in range(2_000)]
    if name == "exp":
        halves = [-(k + 0.5) * LN_2 * (1 + j * 2.0**-52) for k in range(1000) for j in (-1, 0, 1)]
        xs = [*halves, *(-(draw.uniform(0, 1) ** 4) * 708 for _ in range(5_000))]
        return [0.0, -0.0, -1e-300, -708.0, *(x for x in xs if x >= -708)]
    nodes = [i / 16 * (1 + j * 2.0**-52) for i in range(-140, 141) for j in (-1, 0, 1)]
    xs = [draw.gauss(0, 1) * 10 ** draw.uniform(-3, 1) for _ in range(5_000)]
    return [1e-200, -1e-200, 1e200, 8.5, -8.5, *(x for x in nodes if x), *xs]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_as_exact_as_they_say(engine, name):
    xs, worst = points(name), 0.0
    function, roundings = FUNCTIONS[name]
    with ctx.workprec(160):
        for x, y in zip(xs, engine("values", name, xs), strict=True):
            isLinear = "gelu" in name and abs(x) >= 1e100
            exact = arb(x).max(arb(0)) if isLinear else function(arb(x))
            size = abs(arb(x)) if "gelu" in name else exact
            worst = max(worst, float(abs(y - exact) / size) * 2.0**53)
    assert 0.4 < worst < engine("roundings", roundings)
    outside = {"exp": [-708.1, -1e9], "root": [-1]}.get(name, [])
    expected = {"exp": [0, 0], "root": [None]}.get(name, [])
    assert engine("values", name, outside) == expected


def drawn(draw: random.Random, is_wild: bool) -> Fraction:
    """A small fraction, or a number of any size that a float holds or does not; often 0."""
    if not is_wild:
        return Fraction(draw.randint(-6, 6), draw.choice([1, 2, 3]))
    n = draw.randint(-3, 3) * draw.choice([1, 1, 3, 7, 10**6, 2**40 + 1, 3**30, 10**25])
    return Fraction(n, draw.choice([1, 1, 3, 2**35, 10**9]))


def ball(x: Fraction | int) -> arb:
    return arb(fmpq(*Fraction(x).as_integer_ratio()))


def average(weights: list[arb], values: list[list[arb]]) -> list[arb]:
    sums = [sum(w * v for w, v in zip(weights, c, strict=True)) for c in zip(*values, strict=True)]
    return [total / sum(weights) for total in sums]


def operations(x: list[arb], rows: list, keys: list, values: list, eps: Fraction) -> list:
    """What each operation of the page's arithmetic gives, in the page's order."""
    y = [ball(b) + sum(ball(c) * x[j] for j, c in terms) for terms, b in rows]
    logits = [sum(a * ball(b) for a, b in zip(x, key, strict=True)) for key in keys]
    seen = [[*map(ball, row)] for row in values]
    mean = sum(x) / len(x)
    deviation = (sum((v - mean) ** 2 for v in x) / len(x) + ball(eps)).sqrt()
    top = max(logits, key=lambda logit: logit.mid())
    least = min(logits, key=lambda logit: logit.mid())
    ties = [arb(not logit > least) for logit in logits]
    natural = [(logit - top).exp() for logit in logits]
    halves = [((logit - top) * ball(Fraction(3, 2)).log()).exp() for logit in logits]
    return [
        x,
        y,
        [v.max(arb(0)) for v in y],
        [v / 7 for v in y],
        [2 * v for v in y],
        [x[0] + y[1], x[1] + y[0], *x[2:]],
        [(v - mean) / deviation for v in x],
        average(natural, seen),
        average(halves, seen),
        average(ties, seen),  # log(1/3) log 5 is negative
    ]


@pytest.mark.parametrize("bits", [0, 5, 9, 14, 20, 512])
def test_enclosures_hold_what_they_enclose(engine, bits):
    """In float64 of rationals, in few bits of powers of e, where every rounding counts."""
    found = [0] * 10
    for seed in range(40):
        draw = random.Random(seed)
        is_wild = seed % 2 == 0 and not bits
        x = [drawn(draw, is_wild) for _ in range(4)]
        if bits:
            x = [Fraction(-draw.randint(1, 40), 10) for _ in x]
        rows = [
            ([(j, drawn(draw, is_wild)) for j in draw.sample(range(4), 3)], drawn(draw, is_wild))
            for _ in range(2)
        ]
        keys = [[Fraction(draw.randint(-2, 2), 3) for _ in x] for _ in range(5)]
        values = [[drawn(draw, is_wild) for _ in range(2)] for _ in keys]
        eps = Fraction(draw.randint(1, 5), 7)
        text = {
            "rows": [[[(j, str(c)) for j, c in terms], str(b)] for terms, b in rows],
            "keys": [[*map(str, key)] for key in keys],
            "values": [[*map(str, row)] for row in values],
        }
        said = engine("arithmetic", bits, [*map(str, x)], *text.values(), str(eps))
        with ctx.workprec(4000):
            exact = [ball(v).exp() if bits else ball(v) for v in x]
            truths = operations(exact, rows, keys, values, eps)
            for place, (pairs, truth) in enumerate(zip(said, truths, strict=True)):
                assert not pairs or encloses(pairs, truth, bits), (seed, place)
                found[place] += bool(pairs)
                isTied = place == 9  # thirds may not tie in floats
                assert bits or is_wild or isTied or all(r < 1e-12 for _, r in pairs)
        if not bits:
            assert all((r == 0) == (Fraction(m) == v) for v, (m, r) in zip(x, said[0], strict=True))
    assert min(found[:6]) == 40 and (0 < bits < 14 or min(found) >= 20)
    assert bits < 512 or max(int(r) for pairs in said for _, r in pairs) < 2**99


def test_what_is_nearly_a_tie_is_none(engine):
    third, bit = Fraction(1, 3), Fraction(1, 10**30)
    for more, sign in (([0, 1, -1], 0), ([0, 0, 1], 1), ([1, 0, 1], 0), ([0, 0, 0], 0)):
        floats, exact = engine("tie", "hardmax", [str(third + k * bit) for k in more])
        assert exact == sign and floats in (None, sign)
        assert engine("tie", "hardmax", more) == [sign, sign]


WRITTEN = {
    "-1/2": "-1/2",
    "123456789012": "123456789012",
    "1234567890123": "1.23456…e12",
    "-12345678/100000001": "-0.123456…",
    "1/3000000000000": "3.33333…e-13",
    "100000000000001/100000000000000": "1…",
}
NO_NUMBERS = ["", "x", "1/0", "1/-2", ".", "1e", "1e99999", "0x10", "1 2", "--1", "1/2/3", "NaN"]


def test_numbers_are_read_rounded_and_written(engine):
    draw = random.Random(0)
    texts = ["0.25", "-.5", "3", "1e-5", "+2.5E2", "6/4", "00/7", "007", *WRITTEN]
    sizes = [(i, j) for i in (1, 5, 17, 40, 300) for j in (1, 5, 17, 40, 300)] * 8
    texts += [f"{draw.randint(-(10**i), 10**i)}/{draw.randint(1, 10**j)}" for i, j in sizes]
    for text, said in zip(texts, engine.all("number", ([text] for text in texts)), strict=True):
        exact, rounded, short = said
        assert [*map(int, exact)] == [*Fraction(text).as_integer_ratio()]
        assert rounded == float(Fraction(text)) and short == WRITTEN.get(text, short)
    for text, said in zip(NO_NUMBERS, engine.all("number", ([x] for x in NO_NUMBERS)), strict=True):
        assert said["error"] == f'a number such as -1/2 or 0.25 is expected, not "{text}"'


FORMULAS = """i/n|cos iπ|i²/n|[i=1]|[i≤(n-1)/2]|⌊i/2⌋ mod 2|n-1-i|[n=1]|-i^2|2*-i|- -i
|(-i) mod 3|[[i=1]=1]|i/(n+1)*2-1|2·cos iπ|(cos iπ)²|-cos iπ + 1|2*[i mod 3=1]-1|[i=⌊(n-1)/2⌋]
|floor(i/2)|i**0|[i!=n]|[2 < i]|i """
NO_FORMULAS = """|i//2|i**-1|i^i|[i]|[0<i<2]|i=1|(i|i)|2mod 3|+i|m|i²²|2i|1/i|n mod i|i; alert(1)
|2^3^2|[i=1|007|i i|sin i|cos iπ²|cos iπ/2|cos iπ ·2|cos iπ mod 2"""


def test_position_formulas_mean_what_they_mean_in_the_library(engine):
    for formula in FORMULAS.replace("\n", "").split("|"):
        for n in (1, 2, 5, 8):
            values, floats, is_long = engine("position", formula, n)
            book = [position(formula)(Fraction(i), Fraction(n)) for i in range(n)]
            assert [fraction(value) for value in values] == [
                fmpq(*x.as_integer_ratio()) for x in book
            ]
            assert floats == [float(x) for x in book] and is_long == ("n" in formula)
    for formula in NO_FORMULAS.replace("\n", "").split("|"):
        with pytest.raises(ValueError):
            position(formula)
        assert f'"{formula}"' in engine("position", formula, 1)["error"]
