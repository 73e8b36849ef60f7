"""Where floating point first makes PARITY err."""

import pytest
import torch

from lib.constructions import parity
from lib.constructions.precision import FLOATS, MEANS, first_failure, wrong_counts
from lib.languages import PARITY
from lib.transformer.encoder import Encoder, divided, sequential


@pytest.mark.parametrize("dtype, n", [("bfloat16", 30), ("float16", 72)])
def test_a_running_sum_first_fails_at(dtype, n):
    found = first_failure(dtype, "sequential", 2, 100)
    assert found["n"] == n and found["wrong"]


def test_float32_fails_with_a_running_sum_at_5859_and_not_with_one_division():
    assert wrong_counts(Encoder(parity(), torch.float32, mean=sequential), 5859, range(5851, 5859))
    assert (
        wrong_counts(Encoder(parity(), torch.float32, mean=sequential), 5858, range(5850, 5858))
        == []
    )
    assert (
        wrong_counts(Encoder(parity(), torch.float32, mean=divided), 5859, range(5851, 5859)) == []
    )


def test_order_of_the_symbols_does_not_matter_to_a_running_sum():
    n, k = 72, 71
    for mean in (sequential, divided):
        reader = Encoder(parity(), torch.float16, mean=mean)
        w = [w for w in PARITY.sample(n - 1, size=50, seed=3)]
        sorted_w = ["1" * one.count("1") + "0" * one.count("0") for one in w]
        assert torch.equal(reader(w), reader(sorted_w))
    assert wrong_counts(Encoder(parity(), torch.float16, mean=sequential), n) == [k]


def test_float64_has_no_failure_in_reach():
    assert first_failure("float64", "sequential", 1000, 1010, last=2) == {"n": None, "wrong": []}


def test_bad_input_is_refused():
    with pytest.raises(
        ValueError, match="a type of bfloat16, .* are expected, not 'float8' and 'divided'"
    ):
        first_failure("float8", "divided", 2, 3)
    with pytest.raises(ValueError, match="a length n must be at least 1, not 0"):
        wrong_counts(Encoder(parity(), torch.float32, mean=divided), 0)


def test_every_type_and_mean_has_a_name():
    assert list(FLOATS) == ["bfloat16", "float16", "float32", "float64"] and list(MEANS) == [
        "sequential",
        "weighted",
        "divided",
    ]
