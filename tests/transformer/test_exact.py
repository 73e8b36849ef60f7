"""The exact reader: certified signs, proved ties, and agreement with the torch reader and the
closed forms.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings

from chapters.common.mutants import mutants
from chapters.common.palindrome_precision import sigmoid_palindrome
from lib import constructions
from lib.languages import FIRST, PALINDROME, PARITY
from lib.transformer.construction import Construction
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer
from tests import OFTEN
from tests.strategies import constructions as random_constructions
from tests.strategies import strings

LARGE, RATIO = 5 * 10**11, Fraction(11, 13)


def mirrored_pairs(w: str) -> list[tuple[int, int, int]]:
    """(i, w_i, w_n-1-i) over the left half, i counting from 1 (Nowak et al., appendix A)."""
    return [(i, int(w[i - 1]), int(w[-i])) for i in range(1, (len(w) + 1) // 2 + 1)]


def test_closed_forms_of_one_and_palindrome():
    for length in range(8):
        n = length + 2
        for w in PALINDROME.all_strings(length):
            assert Exact(constructions.one()).logit(w) == (
                fmpq(int(w.count("1") == 1)) - fmpq(1, 2)
            ) / (length + 1)
            pairs = mirrored_pairs(w)
            assert Exact(constructions.palindrome()).logit(w) == fmpq(
                sum((a - b) * 2**i for i, a, b in pairs), 2**n - 1
            )
            s = sum((a - b) * (2**i - 2 ** (n - 1 - i)) for i, a, b in pairs)
            t = fmpq(2 ** ((n - 1) // 2), 2)
            assert Exact(sigmoid_palindrome()).logit(w) == (t - abs(s)) / (2**n - 1)


@pytest.mark.parametrize(
    "construction",
    [constructions.palindrome(), sigmoid_palindrome()],
    ids=["published", "one layer"],
)
def test_long_palindromes_and_near_misses_are_told_apart(construction):
    for length in (300, 2001):
        for w in PALINDROME.sample(length, size=6, seed=length):
            assert Exact(construction).decide(w).accepts == PALINDROME.contains(w)
        half = FIRST.sample(length // 2, size=1, seed=0)[0]
        w = half + "1" * (length % 2) + half[::-1]
        assert Exact(construction).decide(w).accepts
        for place in (0, length // 2 - 1, length - 1):
            assert (
                Exact(construction)
                .decide(w[:place] + str(1 - int(w[place])) + w[place + 1 :])
                .accepts
                is False
            )


def test_a_head_may_have_any_base_and_log_n_multiplies_it():
    rational = Exact(constructions.palindrome(base=Fraction(3, 2)))
    for w in ("10", "1101", "00101"):
        assert isinstance(rational.logit(w), fmpq)
        for gain, base, log_n in (
            (Fraction(1, 2), 2, False),
            (1, 3, True),
            (Fraction(1, 3), None, True),
        ):
            construction = constructions.palindrome(gain, base)
            ball = Exact(construction, log_n=log_n).logit(w)
            assert Encoder(construction, log_n=log_n)(w).item() == pytest.approx(
                float(ball), rel=1e-9
            )
    assert Encoder(constructions.palindrome(base=Fraction(3, 2)))("1101").item() == pytest.approx(
        float(rational.logit("1101")), rel=1e-12
    )


def parity_logit(n: int, k: int, c: arb) -> arb:
    """s of PARITY, from the attention weights of Appendix A in their other form: M = n[(n²-1) cosh
    2c + n² + 1].
    """
    if n % 2 == 0:
        return (-1) ** (k + 1) * 2 * c.tanh() / n**2
    M = n * ((n**2 - 1) * (2 * c).cosh() + n**2 + 1)
    return (2 * (n + 1) if k % 2 else -2 * (n - 1)) * (2 * c).sinh() / M


@pytest.mark.parametrize("c", [Fraction(1, 2), 1, 3])
def test_closed_form_of_parity(c):
    with ctx.workprec(128):
        gain = arb(fmpq(Fraction(c).numerator, Fraction(c).denominator))
        for length in range(1, 9):
            for w in PARITY.all_strings(length):
                s = Exact(constructions.parity(c)).logit(w, bits=128)
                assert s.rel_accuracy_bits() > 100 and s.overlaps(
                    parity_logit(length + 1, w.count("1"), gain)
                )
        for length in (9, 10, 11, 12, 99, 100):
            for k in (0, 1, length // 2, length - 1, length):
                s = Exact(constructions.parity(c)).logit("1" * k + "0" * (length - k), bits=128)
                assert s.overlaps(parity_logit(length + 1, k, gain))


@given(random_constructions(), strings)
@settings(max_examples=20 * OFTEN)
def test_more_bits_give_a_ball_that_overlaps(construction, w):
    low, high = Exact(construction).logit(w, bits=64), Exact(construction).logit(w, bits=256)
    assert low == high if isinstance(low, fmpq) else arb(low).overlaps(arb(high))


def test_a_tie_that_floats_break_is_proved():
    thermometer = dict(mutants(constructions.parity()))["W^{F,1,1}: h3 ← 1/n"]
    decision = Exact(thermometer).decide("11110")
    assert decision.sign == 0 and isinstance(decision.s, fmpq)
    assert Encoder(thermometer)("11110").item() != 0


def difference(gain_2: Fraction) -> Construction:
    """s = (what a head with gain 1 hears) - (what one with gain_2 hears): a difference of two
    balls.
    """
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    heads = [
        Head(v={"s": one}, q=[cls], k=[one], gain=1),
        Head(v={"s": -one}, q=[cls], k=[one], gain=gain_2),
    ]
    return Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, [Layer(heads)], s)


def test_precision_is_raised_until_the_sign_is_decided():
    decision = Exact(difference(1 + Fraction(1, 2**300))).decide("10")
    assert decision.sign == -1 and decision.bits == 512


def test_the_nearest_logit_is_told_to_six_digits_where_floats_cancel():
    """Two heads of a factor of 5e11 all but cancel: floats know the sign, and two digits."""
    S = Space("0", "1", "CLS", "h", "g")
    zero, one, cls, h, g = S
    heads = [Head({x: one * c}, q=[cls], k=[one], gain=2) for x, c in (("h", 1), ("g", RATIO))]
    output = LARGE * h - LARGE / RATIO * g + Fraction(1582, 10**5) - h * Fraction(791, 10**5)
    made = Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, [Layer(heads)], output)
    words = ["".join(w) for n in range(7) for w in product("01", repeat=n)]
    exact = Exact(made)
    _, sizes = exact.decided(words)
    assert words[int(sizes.argmin())] == "111111"
    assert float(sizes.min()) == pytest.approx(float(exact.logit("111111", 300)), rel=1e-9)


def test_a_tie_that_is_not_proved_is_called_undecided():
    decision = Exact(difference(Fraction(1))).decide("10", max_bits=512)
    assert decision.sign is None and decision.accepts is None and decision.bits == 512
    assert PARITY.errors(["10"], [decision.accepts]) == ["10"]


def test_a_ball_known_to_be_negative_leaves_relu_as_exactly_zero():
    model = difference(Fraction(2))
    shut = replace(
        model,
        space=Space(*model.space.names, "t"),
        output=Form((("t", 1),)),
        layers=[*model.layers, Layer(ffn=FFN([Form((("s", 1),))], {"t": [1]}))],
    )
    assert Exact(model).decide("10").sign == -1 and Exact(shut).decide("10").sign == 0


@pytest.mark.parametrize("gain", [2, 2**18, 2**21, 2**40])
def test_great_powers_of_a_base_are_balls(gain):
    """Written out, 3^(2^40) would fill a memory. CLS shares the weight 1/(1 + (3/2)^gain)."""
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    head = Head(v={"s": one}, q=[cls], k=[one], gain=gain, base=Fraction(3, 2))
    model = Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, [Layer([head])], s - 1)
    found = Exact(model).logit("1")
    if gain <= 2**18:
        assert found == -1 / (1 + fmpq(3, 2) ** gain)
    else:
        assert isinstance(found, arb) and found.contains(0) and abs(found) < 1e-6


def test_hardmax_with_a_base_below_1_prefers_the_least_logit():
    construction = constructions.palindrome(base=0.5)
    for w in ("011", "10", "1101"):
        expected = Encoder(construction, attention="hardmax").logit(w)
        assert float(Exact(construction, "hardmax").logit(w)) == pytest.approx(expected)
