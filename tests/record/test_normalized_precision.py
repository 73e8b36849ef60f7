"""What layer normalization does to PARITY's float depth: CLS alone against whole strings."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.constructions import parity
from lib.constructions.normalization import mirror
from lib.transformer.encoder import Encoder
from record.precision import (
    AtCls,
    depth,
    errors_at_cls,
    first_normalized_failure,
    heard,
    scale,
    wrong_counts,
)

NETWORKS = [(False, False), (True, False), (False, True), (True, True)]


def logits(reader: Encoder, n: int, counts: np.ndarray) -> np.ndarray:
    strings = ["1" * k + "0" * (n - 1 - k) for k in counts]
    return reader(strings).double().numpy()


@pytest.mark.parametrize("w", ["", "0", "11", "1000", "0110"])
def test_the_factor_of_a_position_is_what_becomes_of_its_tokens_1(w):
    tokens, k = ["CLS", *w], np.array(w.count("1"))
    after = Encoder(mirror(parity()), eps=0).trace(w).a[1]
    for i, token in enumerate(tokens):
        assert after[token][0, i].item() == pytest.approx(scale(len(tokens), k, i, i == k))


@pytest.mark.parametrize("n", [100, 101, 400])
def test_what_the_heads_give_is_the_float64_readers_logit(n):
    counts = np.arange(n)
    odd, even = heard(n, counts)
    true = logits(Encoder(mirror(parity()), eps=0), n, counts)
    assert np.allclose(odd - even, true, rtol=4e-3)


@pytest.mark.parametrize("tie_free, adjacent", NETWORKS)
def test_cls_alone_explains_the_float32_readers_error(tie_free, adjacent):
    construction, n = mirror(parity(tie_free=tie_free), adjacent=adjacent), 2000
    counts = np.unique([*range(1, n, 3), 999, 1000, 1001])
    true = logits(Encoder(construction, eps=0), n, counts)
    found = logits(Encoder(construction, torch.float32, eps=0), n, counts) / true - 1
    explained = errors_at_cls(AtCls(construction, torch.float32, eps=0), n, counts)
    assert np.abs(found - explained).max() < 0.06
    assert np.quantile(np.abs(found - explained), 0.98) < 0.01
    assert np.abs(found).max() > 0.05 or adjacent


def test_with_negatives_adjacent_nothing_is_lost_at_cls():
    construction = mirror(parity(), adjacent=True)
    errors = errors_at_cls(AtCls(construction, torch.float32, eps=0), 5000, np.arange(1, 5000))
    assert np.abs(errors).max() < 2e-6


def test_the_tie_free_output_first_fails_in_float32_at_5692_with_half_the_symbols_1():
    reader = Encoder(mirror(parity(tie_free=True)), torch.float32, eps=0)
    assert wrong_counts(reader, 5692, [2845, 2846, 2847]) == [2846]
    assert abs(depth(24) / 5692 - 1) < 0.01
    found = first_normalized_failure("float32", True, False, 5688, 5700, least_error=0.5)
    assert found == {"n": 5692, "wrong": [2846]}


def test_a_least_error_leaves_no_failure_of_float16_out():
    every = first_normalized_failure("float16", True, False, 50, 70)
    assert first_normalized_failure("float16", True, False, 50, 70, least_error=0.4) == every


@given(st.integers(1, 60), st.data())
@settings(max_examples=30)
def test_adjacent_negatives_change_no_logit(n, data):
    k = data.draw(st.integers(0, n - 1))
    w = "1" * k + "0" * (n - 1 - k)
    apart, adjacent = (mirror(parity(tie_free=True), adjacent=order) for order in (False, True))
    expected = Encoder(apart, eps=1e-5)(w)
    assert torch.allclose(Encoder(adjacent, eps=1e-5)(w), expected, rtol=1e-6, atol=1e-12)
