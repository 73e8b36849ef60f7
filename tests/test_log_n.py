"""Attention logits times log n in both readers, and the flawed transformer that it repairs (Chiang
& Cholak, sections 5.2 and 5.3).
"""

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.constructions import first, flawed_first
from lib.constructions.normalization import mirror
from lib.languages import FIRST
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from tests import OFTEN

SHORT = [w for length in range(1, 9) for w in FIRST.all_strings(length)]


def counts(w: str) -> tuple[int, int, int]:
    """n, k and [w₁ = 1]."""
    return len(w) + 1, w.count("1"), int(w[0])


def test_under_log_n_its_logit_is_rational_and_as_printed():
    reader = Exact(flawed_first(), log_n=True)
    for w in SHORT:
        n, k, hit = counts(w)
        s = reader.logit(w)
        assert isinstance(s, fmpq) and s == (fmpq(n - 1) * (hit - fmpq(1, 2)) + k - fmpq(n, 2)) / (
            2 * n - 1
        )
        assert abs(s) >= fmpq(1, 2 * (2 * n - 1)) and (s > 0) == bool(hit)


@given(st.integers(2, 300), st.fractions(Fraction(1, 8), 300, max_denominator=8), st.data())
@settings(max_examples=30 * OFTEN)
def test_its_two_hardest_strings_decide_at_every_length(n, b, data):
    reader = Exact(flawed_first(base=b))
    ones = data.draw(st.integers(0, n - 2))
    for first_symbol in "01":
        w = first_symbol + "1" * ones + "0" * (n - 2 - ones)
        hardest = "1" + "0" * (n - 2) if w[0] == "1" else "0" + "1" * (n - 2)
        s, least = reader.logit(w), reader.logit(hardest)
        assert (s >= least) if w[0] == "1" else (s <= least)
    gain = fmpq(b.numerator, b.denominator)
    assert reader.logit("1" + "0" * (n - 2)) == (gain - (n - 1)) / (2 * (gain + n - 1))
    assert reader.logit("0" + "1" * (n - 2)) == (n - 3 - gain) / (2 * (gain + n - 1))


def test_tie_free_first_has_the_logit_of_the_proof_at_every_length():
    reader = Exact(first(tie_free=True), log_n=True)
    assert Exact(first(), log_n=True).logit("") == 0 and reader.logit("") == -fmpq(1, 4)
    for w in SHORT:
        n, _, hit = counts(w)
        assert reader.logit(w) == (fmpq(1, 4) if hit else -fmpq(2 * n + 1, 4 * (2 * n - 1)))


@pytest.mark.parametrize("eps", [1e-5, 0.1, 1.0, 10.0])
def test_tie_free_first_with_layer_normalization_stays_above_the_bound_of_the_proof(eps):
    g0, g1 = ((v + eps**2) ** -0.5 for v in (1 / 6 + eps / 6, 1 / 2 + eps / 3))
    largest = (1 / 3 + eps / 3 + eps**2) ** -0.5 / 2
    variance = (g0**2 + largest**2) / 6
    bound = (4 * g1 - g0) / 12 * (variance * (1 + eps) + eps**2) ** -0.5
    reader = Encoder(mirror(first(1 / (g0 * g1), tie_free=True)), eps=eps, log_n=True)
    hard = [f + r * (m - 1) for m in (10, 10**3, 10**4) for f, r in ("10", "01", "00", "11")]
    for w in ["", *SHORT[:120], *hard]:
        s = reader(w).item()
        assert abs(s) >= bound - 1e-12 and (s > 0) == (w[:1] == "1")
