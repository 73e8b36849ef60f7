"""Layer normalization: the mirror, the sharpening layer, and the readers' option eps."""

from math import log

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings

from chapters.common.sharpening import sharpen
from lib import constructions
from lib.constructions.normalization import mirror
from lib.languages import FIRST, PARITY
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from tests.strategies import constructions as random_constructions
from tests.strategies import strings

PAIRS = [(constructions.parity, PARITY), (constructions.first, FIRST)]
both = pytest.mark.parametrize("construct, language", PAIRS, ids=["PARITY", "FIRST"])


@both
@pytest.mark.parametrize("eps", [0, 1e-5, 1e-2])
@pytest.mark.parametrize("tie_free", [True, False])
def test_every_decision_survives_in_float64_and_in_balls(construct, language, eps, tie_free):
    """As published, every one on a string that is not empty."""
    mirrored = mirror(construct(tie_free=tie_free))
    floats, exact = Encoder(mirrored, eps=eps), Exact(mirrored, eps=eps)
    for length in range(not tie_free, 13):
        w = list(language.all_strings(length))
        assert language.errors(w, floats.accepts(w)) == []
        if length < 8:
            assert language.errors(w, [exact.decide(one).accepts for one in w]) == []
    assert (exact.decide("", max_bits=256).sign is None) == (not tie_free)


def test_sharpens_matrices_are_the_papers():
    first = constructions.first()
    new, d = sharpen(first, 0.1), 6
    identity = np.eye(d)
    assert np.array_equal(new.matrix("F", 3, 1).numpy(), np.vstack([identity, -identity]))
    logit = first.matrix("out").numpy()
    expected = np.hstack([-identity, identity])
    expected[0] += np.hstack([logit[0], -logit[0]])
    expected[1] += np.hstack([-logit[0], logit[0]])
    assert np.array_equal(new.matrix("F", 3, 2).numpy(), expected)


def test_the_mirrors_matrices_are_the_papers():
    parity, doubled, d = constructions.parity(), mirror(constructions.parity()), 9
    for layer, head in ((1, 1), (2, 1), (2, 2)):
        V, twice = parity.matrix("V", layer, head).numpy(), doubled.matrix("V", layer, head).numpy()
        assert np.array_equal(twice, np.block([[V, np.zeros((d, d))], [-V, np.zeros((d, d))]]))
    F1, F2 = (parity.matrix("F", 1, index).numpy() for index in (1, 2))
    assert np.array_equal(doubled.matrix("F", 1, 1).numpy(), np.hstack([F1, np.zeros_like(F1)]))
    assert np.array_equal(doubled.matrix("F", 1, 2).numpy(), np.vstack([F2, -F2]))
    Q, twice = parity.matrix("Q", 2, 1).numpy(), doubled.matrix("Q", 2, 1).numpy()
    assert np.array_equal(twice, np.hstack([Q, np.zeros_like(Q)]))


@given(random_constructions(masked=True), strings)
@settings(max_examples=40)
def test_mirroring_leaves_the_logit_and_makes_every_mean_zero(construction, w):
    doubled = mirror(construction)
    assert Encoder(doubled)(w).item() == pytest.approx(
        Encoder(construction)(w).item(), rel=1e-9, abs=1e-9
    )
    trace = Exact(doubled).trace(w)
    for stream in (*trace.a, *trace.c[1:]):
        for values in zip(*stream.values(), strict=True):
            assert abs(float(sum(values, fmpq(0)))) < 1e-9


@given(random_constructions(masked=True), strings)
@settings(max_examples=40)
def test_sharpen_keeps_the_sign_of_any_transformer_and_fixes_its_size(construction, w):
    """Outputs with constants among them; balls, as a random logit may be as small as it likes."""
    mirrored = mirror(construction)
    before = Exact(mirrored, eps=0)
    try:
        sign = before.decide(w, max_bits=128).sign
    except ZeroDivisionError:
        return
    if sign:
        after = float(Exact(sharpen(mirrored, 0.01), eps=0).logit(w, bits=256))
        assert after == pytest.approx(sign * -log(np.expm1(0.01)), rel=1e-9)
