"""The bounded reader: its bounds hold the truth, as balls know it, and what it decides is decided
as the exact reader decides it; ties, overflow and underflow are left to that one.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.common.palindrome_precision import sigmoid_palindrome
from lib import constructions
from lib.constructions.normalization import mirror
from lib.languages import PALINDROME, PARITY
from lib.transformer.bounded import Bound, added, averaged, hardmax, logits, scaled, softmax
from lib.transformer.construction import Construction
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer
from tests import OFTEN
from tests.strategies import constructions as random_constructions

W = ["".join(symbols) for length in range(6) for symbols in product("01", repeat=length)]
READINGS = [
    {},
    {"log_n": True},
    {"eps": 0},
    {"eps": Fraction(1, 3)},
    {"attention": "hardmax"},
    {"attention": "leftmost"},
    {"attention": "rightmost"},
]


def found(reader: Exact, w: str) -> tuple[float, float]:
    """What bounds say of the logit of one string."""
    bounded = reader._bounded
    tokens = [bounded.tokens.index(token) for token in reader.construction.tokens(w)]
    read = bounded._of_prefixes if bounded.never_looks_ahead else bounded._of_strings
    with np.errstate(all="ignore"):
        logit = read(np.array([tokens]))
    return float(logit.x[0]), float(logit.e[0])


def assert_bounds_hold(reader: Exact, strings: list[str], bits: int = 128) -> int:
    """That the truth lies where bounds say; how many of the strings they say something of."""
    told = 0
    for w in strings:
        x, e = found(reader, w)
        if not e < np.inf:
            continue
        told += 1
        s = reader.logit(w, bits)
        with ctx.workprec(2 * bits):
            assert not abs(arb(s) - arb(x)) > arb(e), (w, x, e, s)
    return told


def assert_decided_alike(reader: Exact, strings: list[str]) -> None:
    assert reader.accepts(strings) == [reader.decide(w).accepts for w in strings]


SEEN = np.ones((1, 2), bool)


def off(x, e) -> Bound:
    """Numbers, and what they may be off by."""
    return Bound(np.array(x, float), np.array(e, float))


@pytest.mark.parametrize(
    "rule, exactly, given",
    [
        (lambda x, y: added(x, [0], y), np.add, (off([1], [0.25]), off([0.5], [0.5]))),
        (lambda x, y: added(x, [0], y), np.add, (off([1], [0.25]), off([0.5], [0]))),
        (
            lambda q, _: scaled(q, 3.0, 0.5),
            lambda q, factor: q * factor,
            (off([[[2]]], [[[0.25]]]), off([3], [0.5])),
        ),
        (
            lambda q, k: logits(q, k),
            lambda q, k: np.einsum("rbm,rbn->bmn", q, k),
            (off([[[2]], [[1]]], [[[0.25]], [[0.5]]]), off([[[3, 1]], [[1, 2]]], [[[0.5, 0]]] * 2)),
        ),
        *(
            (
                lambda logit, v: softmax(logit, SEEN, v),
                lambda logit, v: v @ (np.exp(logit[0, 0]) / np.exp(logit[0, 0]).sum()),
                (off([[[0, -5]]], [[[0.1, 0.1]]]), off([[values]], [[errors]])),
            )
            for values, errors in (([0, 1], [0, 0]), ([0, 0], [0, 1]))
        ),
        *(
            (
                lambda logit, v: hardmax("hardmax", logit, np.array(False), SEEN, v),
                lambda logit, v: v[..., [logit[0, 0].argmax()]],
                (off([[[0, 0.5]]], [[errors]]), off([[[1, -1]]], [[[0.5, 0.25]]])),
            )
            for errors in ([0.3, 0.3], [0.6, 0], [0, 0.6])
        ),
    ],
)
def test_a_bound_is_reached_and_not_left(rule, exactly, given):
    """Where all that is given is off by all that it may."""
    found, sizes = rule(*given), [x.x.size for x in given]
    furthest = 0.0
    for signs in product((-1, 1), repeat=sum(sizes)):
        parts = np.split(np.array(signs), np.cumsum(sizes)[:-1])
        ends = [x.x + x.e * part.reshape(x.x.shape) for x, part in zip(given, parts)]
        furthest = max(furthest, (np.abs(exactly(*ends) - found.x) / found.e).max())
    assert 0.9 < furthest <= 1


def test_what_a_rule_rounds_is_within_its_bound():
    """1 + 2^-53 is 1 in floats, and a mean of three tenths no tenth."""
    [x], [e] = added(off([1], [0]), [0], off([2.0**-53], [1e-300]))
    assert x == 1 and 2.0**-53 <= e
    tenths = off([[[0.1] * 3]], [[[1e-300] * 3]])
    alike = off([[[0] * 3]], [[[0] * 3]])
    seen = np.ones((1, 3), bool)
    for x, e in (softmax(alike, seen, tenths), averaged(seen.astype(float), tenths)):
        assert 0 < abs(x.item() - 0.1) <= e.item()
    # One after the other, 63 numbers get lost.
    row, seen = off([[[1] + [2.0**-53] * 63]], [[[0] * 64]]), np.ones((1, 64), bool)
    assert 2.0**-53 * 63 / 64 <= softmax(off([[[0] * 64]], [[[0] * 64]]), seen, row).e.item()


KINDS = st.one_of(
    random_constructions(),
    random_constructions(dyadic=True),
    random_constructions(masked=True),
    random_constructions(causal=True),
)


@given(KINDS, st.sampled_from(READINGS))
@settings(max_examples=20 * OFTEN, deadline=None)
def test_bounds_hold_the_truth(construction, reading):
    try:
        assert assert_bounds_hold(Exact(construction, **reading), W) or "eps" in reading
    except ZeroDivisionError:
        assert reading == {"eps": 0}


def rescaled(construction: Construction, powers: list[int]) -> Construction:
    """Gains and coefficients of a construction times powers of two, up to those that floats hold
    badly, and beyond.
    """
    draw = iter(powers * 1000)

    def more() -> Fraction:
        return Fraction(2) ** next(draw)

    layers = []
    for layer in construction.layers:
        heads = [
            replace(
                head,
                v={name: form * more() for name, form in head.v},
                q=[form * more() for form in head.q],
                k=[form * more() for form in head.k],
                gain=head.gain * more(),
            )
            for head in layer.heads
        ]
        ffn = layer.ffn and FFN(
            [form * more() for form in layer.ffn.hidden],
            {name: [c * more() for c in row] for name, row in layer.ffn.out},
            {name: b * more() for name, b in layer.ffn.bias},
        )
        layers.append(Layer(heads, ffn, layer.rewrites))
    return replace(construction, layers=layers, output=construction.output * more())


@given(
    KINDS,
    st.lists(st.sampled_from([0, 0, 1, 4, 9, 30, 300, 700, -3, -30, -300]), min_size=1, max_size=7),
    st.sampled_from(READINGS),
)
@settings(max_examples=30 * OFTEN, deadline=None)
def test_bounds_hold_at_every_scale(construction, powers, reading):
    reader = Exact(rescaled(construction, powers), **reading)
    try:
        assert_bounds_hold(reader, W[:15], bits=1024)
    except ZeroDivisionError:
        assert reading == {"eps": 0}


@given(KINDS, st.sampled_from(READINGS))
@settings(max_examples=30 * OFTEN, deadline=None)
def test_strings_are_decided_as_the_exact_reader_decides_them(construction, reading):
    reader = Exact(construction, **reading)
    try:
        expected = [reader.decide(w).accepts for w in W]
    except ZeroDivisionError as error:
        with pytest.raises(ZeroDivisionError, match=str(error)):
            reader.accepts(W)
        return
    assert reader.accepts(W) == expected
    assert reader.accepts(W[::-1]) == expected[::-1]
    assert reader.accepts(W[-3:]) == expected[-3:]


LONGER = [w for length in range(9) for w in PARITY.all_strings(length)]
PAPERS = [
    (constructions.parity(), {}, 1),
    (constructions.parity(), {"attention": "hardmax"}, 1),
    (mirror(constructions.parity(tie_free=True)), {"eps": 0}, 0),
    (constructions.first(), {}, 1),
    (constructions.one(), {}, 0),
    (constructions.palindrome(), {}, sum(w in PALINDROME for w in LONGER)),
    (sigmoid_palindrome(), {}, 0),
    (constructions.pairwise_palindrome(), {}, 0),
]


@pytest.mark.parametrize("construction, options, ties", PAPERS, ids=lambda x: str(x)[:9])
def test_the_papers_constructions_leave_nothing_open_but_ties(construction, options, ties):
    reader = Exact(construction, **options)
    assert_decided_alike(reader, LONGER)
    signs = reader._bounded.logits(LONGER).signs
    assert (signs == 0).sum() == ties
    assert all(reader.decide(w).sign == 0 for w, sign in zip(LONGER, signs) if not sign)


def heard(gain: Fraction | int, base: Fraction | None = None) -> Construction:
    """What CLS hears of the share of 1s, less a half, 1s weighing e^gain, or base^gain."""
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    head = Head({"s": one - zero}, q=cls, k=one, gain=gain, base=base)
    return Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, Layer([head]), s)


@pytest.mark.parametrize(
    "gain, base",
    [
        *((Fraction(2) ** k * sign, None) for k in (0, 9, 10, 21, 40, 70) for sign in (1, -1)),
        (10**200, None),
        (Fraction(1, 10**200), None),
        (1, Fraction(1)),
        (1, 1 + Fraction(1, 2**200)),
        (2**60, 1 + Fraction(1, 2**60)),
        (2**201, 1 + Fraction(1, 2**200)),
        (1, Fraction(10) ** 400),
        (3, Fraction(1, 7)),
    ],
)
def test_gains_and_bases_of_every_size(gain, base):
    for attention in ("softmax", "hardmax", "rightmost"):
        reader = Exact(heard(gain, base), attention)
        assert_bounds_hold(reader, W, 512)
        assert_decided_alike(reader, W)


def chained(factors: list[Fraction], last: Fraction) -> Construction:
    """1s at CLS times each factor, one after the other, plus `last` times CLS."""
    names = [f"x{number}" for number in range(len(factors) + 1)]
    S = Space("0", "1", "CLS", *names)
    layers = [Layer([Head({"x0": S["1"]})])]
    for before, after, factor in zip(names, names[1:], factors):
        layers.append(Layer(ffn=FFN([S[before]], {after: [factor]})))
    words = {token: S[token] for token in ("0", "1", "CLS")}
    return Construction(S, words, {}, layers, S[names[-1]] + S["CLS"] * last)


SMALL, GREAT = Fraction(1, 10**100), Fraction(10**100)


@pytest.mark.parametrize(
    "factors",
    [
        [SMALL] * 4 + [GREAT] * 4,  # underflow, then back
        [GREAT] * 4 + [SMALL] * 4,  # overflow, then back
        [SMALL] * 3 + [Fraction(1, 10**7)] * 2 + [GREAT] * 3 + [Fraction(10**7)] * 2,  # subnormal
    ],
)
@pytest.mark.parametrize("last", [Fraction(-1, 2), Fraction(1, 2)])
@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
def test_what_floats_cannot_hold_is_left_to_the_exact_reader(factors, last, attention):
    reader = Exact(chained(factors, last), attention)
    assert_bounds_hold(reader, W)
    assert_decided_alike(reader, W)


def test_a_float_that_looks_like_a_tie_is_none():
    """Of two logits that are one float the larger one is attended to."""
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    close = Head({"s": one - zero}, q=cls, k=zero + (1 + Fraction(1, 2**80)) * one)
    construction = Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, Layer([close]), s)
    reader = Exact(construction, "hardmax")
    assert reader._bounded.logits(["01", "10", "00"]).signs.tolist() == [0, 0, -1]
    assert reader.accepts(["01", "10", "00"]) == [True, True, False]


def test_a_unit_whose_float_is_below_0_is_not_taken_for_0():
    """3/10 - 3 · 1/10 is below 0 in floats."""
    S = Space("0", "1", "CLS", "a", "b", "s")
    cls, a, b = S["CLS"], S["a"], S["b"]
    tenths = Layer(ffn=FFN([cls / 10, cls * Fraction(3, 10)], {"a": [1, 0], "b": [0, 1]}))
    rest = Layer(ffn=FFN([b - a * 3 + cls * Fraction(1, 2**60)], {"s": [2**62]}))
    words = {token: S[token] for token in ("0", "1", "CLS")}
    assert_decided_alike(Exact(Construction(S, words, {}, [tenths, rest], S["s"] - cls)), W)


@pytest.mark.parametrize("size", [Fraction(number, 10**161) for number in (1, 3, 10, 37, 100)])
def test_norms_whose_squares_underflow_are_left_to_the_exact_reader(size):
    S = Space("0", "1", "s")
    zero, one, s = S
    words = {"0": zero * size * 10**30, "1": one * size * 10**30, "CLS": Form()}
    head = Head({"s": (zero + one) * Fraction(1, 10**30)})
    layer = Layer([head], FFN([], {}, {"0": 1}), ["0"])
    reader = Exact(Construction(S, words, {}, [layer], s - zero), eps=0)
    assert_bounds_hold(reader, W[1:], 512)
    assert_decided_alike(reader, W[1:])


@pytest.mark.parametrize("base", [Fraction(1, 4), Fraction(1, 8), Fraction(1, 64)])
@pytest.mark.parametrize("most", [20, 40, 100, 250])
def test_weights_whose_logits_round_apart_are_within_their_bounds(most, base):
    """Those of 0s and 1s, far below that of CLS."""
    apart = Fraction(15, 64) * Fraction(2) ** (most.bit_length() - 53)
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    head = Head(
        {"s": zero - one}, q=cls, k=(base + apart) * zero + (base - apart) * one + most * cls
    )
    words = {"0": zero, "1": one, "CLS": cls}
    reader = Exact(Construction(S, words, {}, Layer([head]), s))
    assert assert_bounds_hold(reader, ["01", "0011", "0" * 30 + "1" * 30], 512) == 3


@pytest.mark.parametrize("readout", ["CLS", "last"])
@pytest.mark.parametrize("heads", [0, 1])
def test_a_list_meets_0_over_0_where_one_of_its_strings_does(heads, readout):
    """Coordinates that are all equal stand where no head hears them, one without values included;
    bounds decide of one output, and of the other the exact reader.
    """
    S = Space("a", "b")
    a, b = S
    mask = "future" if readout == "last" else None
    layers = [Layer(ffn=FFN([], {})), Layer([Head({}, q=a, k=a, mask=mask)] * heads)]
    for output in (a - b, a * 0):
        words = {"0": a + b, "1": a, "CLS": b}
        reader = Exact(Construction(S, words, {}, layers, output, readout=readout), eps=0)
        answered = [w for w in W if readout == "CLS" or not w.endswith("0")]
        alone = [reader.accepts(w) for w in answered]
        assert reader.accepts(answered) == alone
        for w in {*W} - {*answered}:
            for asked in (w, ["1", w]):
                with pytest.raises(ZeroDivisionError, match="0/0"):
                    reader.accepts(asked)
