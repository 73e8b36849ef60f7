"""Where floating point first makes PARITY err, as the torch reader finds it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.transformer_parity_first.precision import drift, wrong_counts
from lib.constructions import parity
from lib.transformer.encoder import Encoder
from lib.transformer.tensors import sequential


@pytest.mark.parametrize("n", [1, 2, 63, 72, 500])
def test_drift_is_that_of_the_readers_running_sum(n):
    reader = Encoder(parity(), torch.float16, mean=sequential)
    for k in range(0, n, max(1, n // 20)):
        mean = reader.trace("1" * k + "0" * (n - 1 - k)).c[1]["k/n"][0, 0].double().item()
        assert drift(n, "float16")[k] == abs(n * mean - k)


@given(st.integers(2, 200))
@settings(max_examples=40)
def test_a_running_sum_that_drifts_by_less_than_two_fifths_is_no_cause_of_an_error(n):
    reader = Encoder(parity(), torch.float16, mean=sequential)
    assert all(drift(n, "float16")[k] >= 0.4 for k in wrong_counts(reader, n))
