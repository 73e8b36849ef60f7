"""PyTorch's own modules: the logits of the reader, to 1e-12."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest
import torch

from chapters.common.palindrome_precision import sigmoid_palindrome
from lib import constructions as papers
from lib.constructions import normalization
from lib.transformer import FFN, Construction, Encoder, Head, Layer, Space, to_torch
from lib.transformer.construction import READOUTS
from lib.transformer.encoder import token_ids
from lib.transformer.sublayers import MASKS

PAPERS = {
    "PARITY": papers.parity(),
    "PARITY without ties": papers.parity(10, tie_free=True),
    "FIRST": papers.first(),
    "FIRST without ties": papers.first(3, tie_free=True),
    "flawed FIRST": papers.flawed_first(3),
    "flawed FIRST, base 2": papers.flawed_first(3, base=2),
    "ONE": papers.one(),
    "PALINDROME": papers.palindrome(),
    "PALINDROME, base e": papers.palindrome(2, base=None),
    "one-layer PALINDROME": sigmoid_palindrome(),
    "pairwise PALINDROME": papers.pairwise_palindrome(),
    "pairwise PALINDROME, base 3": papers.pairwise_palindrome(2, base=3),
}
every = pytest.mark.parametrize("construction", PAPERS.values(), ids=PAPERS)

S = Space("0", "1", "CLS", "x", "y", "s")
zero, one, cls, x, y, s = S
WORD = {"0": zero / 3, "1": one, "CLS": cls}


def masked(mask: str | None, readout: str = "last") -> Construction:
    """Masked and unmasked heads in one layer, uniform and not, then a layer with other masks; no
    coefficient that counts is a float.
    """
    first = Layer(
        [Head({"x": one / 3}, mask=mask), Head({"y": one + cls / 7}, q=[one], k=[cls], gain=2)]
    )
    second = Layer(
        [
            Head({"s": x - y}, q=[one + x / 3], k=[x - zero / 3], mask="future", gain=3),
            Head({"s": 2 * x}, q=[one, cls], k=[y / 9, zero], mask=mask, base=2),
        ],
        FFN([x - y / 3, s + Fraction(1, 3)], {"y": [Fraction(2, 3), -1]}, {"y": Fraction(1, 7)}),
        rewrites=["y"],
    )
    output = s + y + x / 7 + Fraction(1, 9)
    return Construction(S, WORD, {}, [first, second], output, "masked", readout=readout)


def with_value_rows(rows: int) -> Construction:
    """One head that writes `rows` coordinates."""
    space = Space("0", "1", "CLS", *(f"x{r}" for r in range(rows)))
    named = {name: space[name] for name in ("0", "1", "CLS")}
    values = {f"x{r}": space["1"] * (r + 1) for r in range(rows)}
    output = sum((space[name] for name in values), start=space["CLS"])
    return Construction(
        space, named, {}, Layer([Head(values, q=[space["1"]], k=[space["1"]])]), output
    )


def sample(length: int, size: int = 6) -> list[str]:
    """Random strings of one length, and a few regular ones."""
    draw = Random(length)
    random = ["".join(draw.choice("01") for _ in range(length)) for _ in range(size)]
    return [*random, "0" * length, "1" * length, ("01" * length)[:length]]


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.dtype == torch.float64 and expected.isfinite().all()
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@every
@pytest.mark.parametrize("eps", [None, 1e-5, 0])
def test_the_papers_constructions_keep_their_logits(construction, eps):
    if eps is not None:
        construction = normalization.mirror(construction)
    network, reader = to_torch(construction, eps=eps), Encoder(construction, eps=eps)
    for length in range(7):
        batch = ["".join(w) for w in product("01", repeat=length)]
        assert_same(network.logits(batch), reader(batch))
    for length in (20, 63, 126):
        assert_same(network.logits(sample(length)), reader(sample(length)))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("eps", [None, 1e-5])
def test_masked_and_unmasked_heads_stand_side_by_side(mask, readout, eps):
    construction = masked(mask, readout)
    network, reader = to_torch(construction, eps), Encoder(construction, eps=eps)
    batches = [sample(length, 1) for length in (0, 1, 2, 5, 32, 33)]
    batches.append(sample(1100, 1)[:1])  # PyTorch takes keys in blocks of several hundred
    for batch in batches:
        assert_same(network.logits(batch), reader(batch))


@pytest.mark.parametrize("rows, d_model", [(1, 16), (16, 32), (17, 256)])
def test_heads_have_room_for_their_rows_and_a_width_whose_scale_is_exact(rows, d_model):
    construction = with_value_rows(rows)
    network = to_torch(construction)
    assert network.sizes.d_model == d_model >= len(construction.space)
    for w in ("", "0", "1101"):
        assert_same(network.logits(w), Encoder(construction)(w))


@pytest.mark.parametrize(
    "construction, eps",
    [(papers.parity(), None), (papers.parity(), 1e-5), (masked("strict future"), None)],
    ids=["plain", "normalized", "masked"],
)
def test_training_and_evaluation_with_and_without_gradients_agree(construction, eps):
    network = to_torch(construction, eps=eps)
    ids = token_ids(construction, ["0110", "1111"])
    expected = Encoder(construction, eps=eps)(["0110", "1111"])
    for training in (True, False):
        for with_gradients in (True, False):
            with torch.set_grad_enabled(with_gradients):
                found = network.train(training)(ids)
            assert found.requires_grad == with_gradients
            assert_same(found.detach(), expected)
    network(ids).sum().backward()
    gradients = [parameter.grad for parameter in network.parameters()]
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert network.word.weight.grad.any()
