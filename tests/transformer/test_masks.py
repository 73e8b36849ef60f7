"""Masks and the read-out: both readers against PyTorch's own masked encoder and each other."""

import pickle
from dataclasses import replace

import pytest
import torch
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.languages import PARITY
from lib.transformer.classifier import to_torch
from lib.transformer.construction import Construction, from_json, to_json
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import MASKS, Head, Layer
from lib.transformer.tensors import attend
from tests import OFTEN
from tests.strategies import constructions as random_constructions
from tests.strategies import strings

S = Space("0", "1", "CLS", "p", "x", "y")
zero, one, cls, p, x, y = S
WORD = {"0": zero, "1": one, "CLS": cls}
anywhere = pytest.mark.parametrize("mask", MASKS)
epsilons = st.sampled_from([None, 1e-5, 0.1])


def small(*heads: Head, output: Form = x, readout: str = "last", position=()) -> Construction:
    return Construction(S, WORD, position, Layer(heads), output, readout=readout)


def shown(mask: str | None, i: int, n: int) -> range:
    """The positions that the one at i sees, as the definition has it."""
    return range({None: n, "future": i + 1, "strict future": i}[mask])


def by_pytorch(construction: Construction, w: str, eps: float | None = None) -> float:
    """The logit by PyTorch's own encoder, whose masks and norms are no reader's."""
    return to_torch(construction, eps).logits(w).item()


def same(value: arb | fmpq, expected: float) -> bool:
    return float(value) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(random_constructions(masked=True), strings, epsilons)
@settings(max_examples=40 * OFTEN)
def test_masked_softmax_agrees_with_pytorchs_encoder(construction, w, eps):
    expected = by_pytorch(construction, w, eps)
    assert Encoder(construction, eps=eps)(w).item() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert same(Exact(construction, eps=eps).logit(w), expected)


@given(random_constructions(dyadic=True, masked=True), strings)
@settings(max_examples=30 * OFTEN)
def test_masked_hardmax_agrees_with_pytorchs_encoder_at_a_great_gain(construction, w):
    """Logits that differ do so by 1/8 or more: their weights, by e^(-250)."""
    layers = [
        replace(layer, heads=[replace(head, gain=2000 * head.gain) for head in layer.heads])
        for layer in construction.layers
    ]
    expected = by_pytorch(replace(construction, layers=layers), w)
    found = Exact(construction, "hardmax").logit(w)
    assert isinstance(found, fmpq) and same(found, expected)
    assert Encoder(construction, attention="hardmax")(w).item() == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )


@given(random_constructions(masked=True), strings)
@settings(max_examples=20 * OFTEN)
def test_log_n_is_that_of_all_tokens_behind_a_mask_too(construction, w):
    w += "1"  # for one token, log n = 0
    n = len(construction.tokens(w))
    layers = [
        replace(layer, heads=[replace(head, base=n) for head in layer.heads])
        for layer in construction.layers
    ]
    expected = by_pytorch(replace(construction, layers=layers), w)
    assert same(Exact(construction, log_n=True).logit(w), expected)
    logit = Encoder(construction, log_n=True)(w).item()
    assert logit == pytest.approx(expected, rel=1e-9, abs=1e-9)


def differing_weights(construction: Construction, w: str, attention: str) -> list[tuple]:
    """The (layer, head, query, key) at which the readers differ."""
    exact = Exact(construction, attention).trace(w).attention
    floats = Encoder(construction, attention=attention).trace(w, weights=True).attention
    return [
        (*place, i, j)
        for place in exact.keys() | floats.keys()
        for i, row in enumerate(exact[place])
        for j, weight in enumerate(row)
        if not same(weight, floats[place][0, i, j].item())
    ]


@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
@given(st.data(), strings)
@settings(max_examples=40 * OFTEN)
def test_both_readers_show_the_same_weights(attention, data, w):
    construction = data.draw(random_constructions(dyadic=attention == "hardmax", masked=True))
    assert differing_weights(construction, w, attention) == []


@given(random_constructions(causal=True), strings, epsilons)
@settings(max_examples=40)
def test_no_position_hears_of_later_ones(construction, w, eps):
    reader = Exact(construction, eps=eps)
    assert reader.never_looks_ahead
    whole = reader.trace(w).a[-1]
    for length in range(len(w)):
        part = reader.trace(w[:length]).a[-1]
        for name in part:
            for i in range(length + 1):
                assert arb(whole[name][i]).overlaps(arb(part[name][i]))


LOOKING = {  # what looks ahead, or elsewhere than at the end
    "an unmasked head": (small(Head({"x": one}, mask="future"), Head({"y": one})), {}),
    "CLS": (small(Head({"x": one}, mask="future"), readout="CLS"), {}),
    "log n": (small(Head({"x": one}, q=[one], k=[one], mask="future")), {"log_n": True}),
    **{
        formula: (small(Head({"x": p + one}, mask="future"), position={formula: p}), {})
        for formula in ("i/n", "n", "n²", "2·n^2", "[i=n-1]", "⌊n/2⌋", "n mod 2")
    },
}


@pytest.mark.parametrize("construction, options", LOOKING.values(), ids=LOOKING)
def test_what_looks_ahead_or_elsewhere_is_read_string_by_string(construction, options):
    reader = Exact(construction, **options)
    assert not reader.never_looks_ahead
    for length in range(5):
        w = list(PARITY.all_strings(length))
        logits = Encoder(construction, **options)(w).tolist()
        for one, logit in zip(w, logits, strict=True):
            assert same(reader.logit(one), logit)


@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
def test_masked_means_are_counts_of_what_stands_before(attention):
    """A query that is 0 at some positions, and so uniform there, is no uniform head."""
    for query in ([], [p]):
        future = small(Head({"x": one}, q=query, k=query, mask="future"))
        strict = small(Head({"x": one}, q=query, k=query, mask="strict future"))
        for length in range(8):
            w = list(PARITY.all_strings(length))
            counts = [one.count("1") for one in w]
            before = [one[:-1].count("1") for one in w]
            for construction, expected in (
                (future, [fmpq(k, length + 1) for k in counts]),
                (strict, [fmpq(k, length) if length else 0 for k in before]),
            ):
                reader = Exact(construction, attention)
                assert [reader.logit(one) for one in w] == expected
                found = Encoder(construction, attention=attention)(w).tolist()
                assert found == pytest.approx(list(map(float, expected)))


@anywhere
@pytest.mark.parametrize("attention", ["softmax", "hardmax"])
def test_long_strings_are_attended_to_in_blocks_as_in_one(attention, mask):
    """3,000 tokens are many blocks of hardmax; the reference is the matrix of weights."""
    n, draw = 3000, torch.Generator().manual_seed(0)
    q, k, v = (torch.randint(-2, 3, (2, n, e), generator=draw).double() for e in (2, 2, 3))
    logits = (q @ k.mT).masked_fill(
        torch.stack([torch.arange(n) >= shown(mask, i, n).stop for i in range(n)]), -torch.inf
    )
    if attention == "hardmax":
        logits = torch.where(logits == logits.amax(-1, keepdim=True), 0 * q.sum(), -torch.inf)
    if mask == "strict future":
        logits[:, 0] = -torch.inf
    expected = torch.nan_to_num(torch.softmax(logits, -1), 0) @ v
    assert torch.allclose(attend(q, k, v, attention, mask), expected, rtol=1e-9, atol=1e-9)


@given(random_constructions(masked=True))
@settings(max_examples=30 * OFTEN)
def test_json_and_pickle_keep_a_construction(construction):
    for again in (from_json(to_json(construction)), pickle.loads(pickle.dumps(construction))):
        assert again == construction and hash(again) == hash(construction)
