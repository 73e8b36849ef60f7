"""Layer normalization of some coordinates alone: as PyTorch's own, in rationals, balls and bounds,
by hand, and refused.
"""

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import pytest
import torch
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.judging import judge
from lib.languages import Language
from lib.proofs import regular
from lib.proofs.constructions import proved_by_kinds, proved_regular
from lib.transformer import (
    FFN,
    Construction,
    Encoder,
    Exact,
    Form,
    Head,
    Layer,
    Space,
    norm,
    to_torch,
)
from lib.transformer.construction import from_json, to_json
from lib.transformer.sublayers import ATTENTIONS
from tests import OFTEN
from tests.transformer.test_bounded import KINDS, W, assert_bounds_hold

MORE = Language("two more 1s than 0s", lambda w: w.count("1") == w.count("0") + 2)
STRINGS = [w for length in range(8) for w in MORE.all_strings(length)]


def counted(words: dict[str, Form], S: Space) -> dict:
    """A head that leaves (d, 1) / (i + 1), d being how many more 1s there are than 0s so far."""
    d, unit = S["d/(i+1)"], S["1/(i+1)"]
    v = {"d/(i+1)": words["1"] - words["0"], "1/(i+1)": words["CLS"]}
    return {"d": d, "unit": unit, "head": Head(v, mask="future")}


def two_more(eps: Fraction | int = 0) -> Construction:
    """The direction of (d, 1) is that of (2, 1): their product is √10, and at most 14/√20 else."""
    S = Space("0", "1", "CLS", "d/(i+1)", "1/(i+1)", "x", "y", "x less", "y less")
    words = {token: S[token] for token in ("0", "1", "CLS")}
    known = counted(words, S)
    d, unit = known["d"], known["unit"]
    direction = norm({"x": d, "y": unit, "x less": -d, "y less": -unit}, eps=eps)
    layer, s = Layer(known["head"], direction), 2 * S["x"] + S["y"] - Fraction(63, 20)
    return Construction(S, words, {}, layer, s, "two more", readout="last")


def test_the_direction_of_a_depth_depends_on_the_depth_alone():
    verdict = judge(two_more(), MORE, longest=10)
    assert verdict.counterexample is None and verdict.strings == 2**11 - 1
    assert str(verdict).startswith("proved for each string up to length 10")
    for w in STRINGS:
        d = w.count("1") - w.count("0")
        expected = (2 * d + 1) * sqrt(2 / (d * d + 1)) - 3.15
        assert float(arb(Exact(two_more()).logit(w))) == pytest.approx(expected)


@pytest.mark.parametrize("eps", [0, 1e-5, Fraction(1, 3)])
@pytest.mark.parametrize("width", [2, 3, 5])
def test_it_is_pytorchs_layer_norm(width, eps):
    torch.manual_seed(width)
    tokens = ("0", "1", "CLS")
    names = [f"x{j}" for j in range(width)]
    S = Space(*names, *(f"y{j}" for j in range(width)), "rest")
    drawn = {token: torch.randn(width, dtype=torch.float64) for token in tokens}
    words = {
        token: sum((c * S[name] for name, c in zip(names, row.tolist())), S["rest"] * 7)
        for token, row in drawn.items()
    }
    theirs = torch.nn.LayerNorm(width, eps=float(eps), dtype=torch.float64)
    with torch.no_grad():
        theirs.weight.normal_(), theirs.bias.normal_()
    gain, bias = (
        {f"y{j}": c for j, c in enumerate(part.tolist())} for part in (theirs.weight, theirs.bias)
    )
    ours = norm({f"y{j}": S[f"x{j}"] for j in range(width)}, gain, bias, eps)
    construction = Construction(S, words, {}, Layer(ffn=ours), S["y0"])
    expected = theirs(torch.stack([drawn[token] for token in ("CLS", "0", "1")])).T
    floats, balls = Encoder(construction).trace("01").a[1], Exact(construction).trace("01").a[1]
    for j in range(width):
        assert torch.allclose(floats[f"y{j}"][0], expected[j], rtol=1e-12)
        assert [float(arb(y)) for y in balls[f"y{j}"]] == pytest.approx(expected[j].tolist())
        assert balls[f"x{j}"] == [
            fmpq(*c.as_integer_ratio())
            for c in (drawn[token][j].item() for token in ("CLS", "0", "1"))
        ]


def normalizing(construction: Construction, eps: Fraction) -> Construction:
    """The construction, its hidden units normalized in place of rectified."""
    ffns = [layer.ffn and replace(layer.ffn, eps=eps) for layer in construction.layers]
    pairs = zip(construction.layers, ffns, strict=True)
    return replace(construction, layers=[replace(layer, ffn=ffn) for layer, ffn in pairs])


EPS = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(2), Fraction(1, 10**9)])
HARD = [{"attention": kind} for kind in ATTENTIONS[1:]]
READING = st.sampled_from([{}, {"log_n": True}, {"eps": 1}, *HARD])


@settings(max_examples=40 * OFTEN, deadline=None)
@given(KINDS, EPS, READING)
def test_balls_bounds_and_floats_agree(construction, eps, reading):
    construction = normalizing(construction, eps)
    assert from_json(to_json(construction)) == construction
    reader = Exact(construction, **reading)
    try:
        decisions = [reader.decide(w) for w in W[:15]]
        assert_bounds_hold(reader, W[:15])
    except ZeroDivisionError as error:
        assert eps == 0 and "0/0" in str(error)
        return
    assert reader.accepts(W[:15]) == [decision.accepts for decision in decisions]
    if "attention" in reading:
        return
    floats = Encoder(construction, **reading)
    for w in W[:15]:
        ball = arb(reader.logit(w))
        if ball.rad() < 1e-9:
            assert floats.logit(w) == pytest.approx(float(ball), rel=1e-6, abs=1e-6)


def chosen(kind: str) -> Construction:
    """Whether a prefix holds more 1s than 0s is 1 or -1 by a norm, exactly; a hard head looks for
    those that do.
    """
    S = Space("0", "1", "CLS", "d/(i+1)", "1/(i+1)", "+", "-", "found")
    words = {token: S[token] for token in ("0", "1", "CLS")}
    known = counted(words, S)
    x = 2 * known["d"] - known["unit"]
    signs = norm({"+": x, "-": -x}, gain={"+": 3}, bias={"+": -1})
    everyone = S["0"] + S["1"] + S["CLS"]
    look = Head({"found": S["1"] - S["0"]}, q=everyone, k=S["+"], mask="future", attention=kind)
    layers = [Layer(known["head"], signs), Layer(look)]
    return Construction(S, words, {}, layers, S["found"], "chosen", readout="last")


def chosen_by_hand(w: str, kind: str) -> Fraction:
    values = [0, *(1 if a == "1" else -1 for a in w)]
    over = [sum(values[: i + 1]) > 0 for i in range(len(values))]
    tied = [x for x, is_over in zip(values, over, strict=True) if is_over == max(over)]
    means = {"hardmax": Fraction(sum(tied), len(tied)), "leftmost": tied[0], "rightmost": tied[-1]}
    return Fraction(means[kind])


@pytest.mark.parametrize("kind", ["hardmax", "leftmost", "rightmost"])
def test_a_hard_head_after_signs_decides_every_tie(kind):
    reader = Exact(chosen(kind))
    expected = [chosen_by_hand(w, kind) for w in STRINGS]
    assert [Fraction(str(reader.logit(w))) for w in STRINGS] == expected
    assert reader.accepts(STRINGS) == [s > 0 for s in expected]
    assert len({s > 0 for s in expected}) == 2 and 0 in expected


def test_equal_numbers_without_eps_are_said_to_be_0_over_0():
    S = Space("0", "1", "CLS", "y", "z")
    words = {token: S[token] for token in ("0", "1", "CLS")}

    def with_eps(eps: int) -> Construction:
        same = norm({"y": S["1"], "z": -S["1"]}, bias={"y": 2}, eps=eps)
        return Construction(S, words, {}, Layer(ffn=same), S["y"], readout="last")

    reader = Exact(with_eps(0))
    assert reader.logit("1") == 3 and reader.accepts(["1", "11"]) == [True, True]
    for asked in (reader.logit, reader.accepts, lambda w: reader.accepts([w])):
        with pytest.raises(ZeroDivisionError, match="eps = 0 of a vector .* all equal is 0/0"):
            asked("10")
    with pytest.raises(ArithmeticError, match="string 0 is not finite"):
        Encoder(with_eps(0)).accepts("10")
    assert Exact(with_eps(1)).logit("10") == 2 == Encoder(with_eps(1)).logit("10")


def test_who_knows_no_norm_refuses_it_with_the_reason():
    with pytest.raises(ValueError, match="no norm of some coordinates alone, as layer 1 of two"):
        to_torch(two_more())
    with pytest.raises(ValueError, match="layers without a norm are expected in two more"):
        proved_by_kinds(two_more(), '#Q("1") == #Q("0") + 2')
    with pytest.raises(ValueError, match="layer 1 normalizes, and what it writes is no rational"):
        proved_regular(chosen("rightmost"), regular("1*", "01"), "rightmost")


def test_what_is_no_number_is_not_lost_by_a_gain_of_0():
    S = Space("0", "1", "CLS", "share", "y")
    soft = Head({"share": S["1"]}, q=S["0"] + S["1"] + S["CLS"], k=S["1"])
    lone = FFN(S["share"], {"y": [0]}, {"y": 1}, eps=0)  # 0/0, times 0
    words = {token: S[token] for token in ("0", "1", "CLS")}
    network = Construction(S, words, {}, Layer(soft, lone), S["y"], readout="last")
    assert Exact(network).accepts("10") is None
    with pytest.raises(ArithmeticError, match="not finite|nan"):
        Encoder(network).accepts("10")
