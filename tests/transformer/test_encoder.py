"""The torch reader: decisions, agreement with PyTorch's own encoder, traces, memory, overflow."""

import pytest
import torch
from hypothesis import given, settings

from lib import constructions
from lib.languages import FIRST, PARITY
from lib.transformer.construction import Construction
from lib.transformer.encoder import DTYPES, Encoder, cross_entropy_bits
from lib.transformer.space import Space
from lib.transformer.sublayers import Head, Layer
from lib.transformer.tensors import divided, sequential, weighted
from tests.strategies import constructions as random_constructions
from tests.strategies import strings

PAIRS = [(constructions.parity(), PARITY), (constructions.first(), FIRST)]
both = pytest.mark.parametrize("construction, language", PAIRS, ids=["PARITY", "FIRST"])


@both
@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_string_to_length_12_is_decided_correctly(construction, language, dtype, attention):
    reader = Encoder(construction, dtype, attention)
    for length in range(13):
        w = list(language.all_strings(length))
        assert language.errors(w, reader.accepts(w)) == []


@both
@pytest.mark.parametrize("length", [100, 999, 1000])
def test_long_random_strings_are_decided_correctly(construction, language, length):
    w = language.sample(length, size=300, seed=length)
    for dtype in (torch.float32, torch.float64):
        assert language.errors(w, Encoder(construction, dtype).accepts(w)) == []


@given(random_constructions(), strings)
@settings(max_examples=40)
def test_the_trace_ends_in_the_logit(construction, w):
    trace = Encoder(construction).trace(w, weights=True)
    final = {name: values[0, 0].item() for name, values in trace.a[-1].items()}
    logit = construction.output({name: final.get(name, 0.0) for name in construction.space.names})
    assert float(logit) == pytest.approx(Encoder(construction)(w).item(), rel=1e-9, abs=1e-9)
    for weights in trace.attention.values():
        assert torch.allclose(weights.sum(-1), torch.ones(1, dtype=torch.float64))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_three_means_agree_to_rounding_and_sequential_rounds_each_step(dtype):
    values = torch.tensor([[1.0, 0, 1, 1, 0, 1, 1]], dtype=dtype)
    for mean in (divided, weighted, sequential):
        assert mean(values).shape == (1, 1) and mean(values).item() == pytest.approx(
            5 / 7, rel=4 * torch.finfo(dtype).eps
        )
    total = torch.zeros((), dtype=dtype)
    for _ in range(71):
        total = total + torch.ones((), dtype=dtype) / 72
    assert sequential(torch.tensor([[0.0] + [1.0] * 71], dtype=dtype)).item() == total.item()


def test_cross_entropy_is_in_bits():
    found = cross_entropy_bits(torch.tensor([0.0, 3.0, -3.0]), [True, True, False])
    assert found.tolist() == pytest.approx([1, 0.0701, 0.0701], abs=1e-4)


def test_overflow_is_refused_and_no_answer_is_made_from_it():
    with pytest.raises(
        ValueError, match="the coefficient 100000.0 of PARITY is not finite in torch.float16"
    ):
        Encoder(constructions.parity(10**5), torch.float16)
    with pytest.raises(ValueError, match="is not finite in torch.float64"):
        Encoder(constructions.parity(10**400))
    S = Space("0", "1", "CLS", "s", "t", "u")
    zero, one, cls, s, t, u = S
    huge = [Layer([Head(v={"s": 60000 * one})]), Layer([Head(v={"t": 60000 * s, "u": 60000 * s})])]
    infinite = Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, huge, t - u)
    with pytest.raises(
        ArithmeticError, match="the logit of string 1 is not finite in torch.float16"
    ):
        Encoder(infinite, torch.float16).accepts(["00", "11"])
