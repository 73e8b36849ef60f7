"""Masked heads whose queries take the logarithm of what they see, against sums of powers."""

from statistics import mean

import pytest
from hypothesis import given

from chapters.which_log_n.figures import OwnLength
from lib.transformer import Construction, Exact, Head, Layer, Space
from tests.strategies import strings

S = Space("0", "1", "CLS", "x", "y")
zero, one, cls, x, y = S
LOOKING = {"q": [zero + one + cls], "k": [one]}


def mean_share(mask: str | None) -> Construction:
    """What share of its attention each position gives to 1s, and the mean of that over all."""
    looks, averages = Head({"x": one}, mask=mask, **LOOKING), Head({"y": x}, mask="future")
    word = {"0": zero, "1": one, "CLS": cls}
    return Construction(S, word, (), [Layer((looks,)), Layer((averages,))], y, readout="last")


def share(symbols: str, factor: int) -> float:
    """Of 1s with weight e^(log f) = f each, among CLS and 0s with weight 1."""
    ones = symbols.count("1")
    return factor * ones / (factor * ones + len(symbols) + 1 - ones)


@given(strings)
def test_a_masked_query_takes_the_logarithm_of_what_it_sees(w):
    own = mean(share(w[:i], i + 1) for i in range(len(w) + 1))
    of_string = mean(share(w[:i], len(w) + 1) for i in range(len(w) + 1))
    masked = mean_share("future")
    assert float(OwnLength(masked).logit(w)) == pytest.approx(own, abs=1e-12)
    assert float(Exact(masked, log_n=True).logit(w)) == pytest.approx(of_string, abs=1e-12)


@given(strings)
def test_without_a_mask_each_query_sees_the_string(w):
    expected = pytest.approx(share(w, len(w) + 1), abs=1e-12)
    assert float(OwnLength(mean_share(None)).logit(w)) == expected
