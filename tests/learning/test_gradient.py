"""The gradient by hand against PyTorch's automatic one."""

import pytest
import torch
from torch.nn.functional import softplus

from chapters.common.learners.ensemble import gradient
from chapters.common.learners.network import ENCODINGS, HAVE_QUOTIENT, Network
from chapters.common.learners.strings import quotient, tokens
from tests.learning.test_ensemble import STRINGS, counts, ensemble

LABELS = torch.tensor([[True, False, True, True, False, False]])


def automatic(made, batch) -> tuple[torch.Tensor, torch.Tensor]:
    """The losses in nats, and the gradient of their sum as PyTorch finds it."""
    parameters = [value.requires_grad_() for value in made.parameters.values()]
    logits, _ = made(batch)
    nats = softplus(torch.where(LABELS, -logits, logits)).mean(-1)
    found = torch.autograd.grad(nats.sum(), parameters, materialize_grads=True)
    for value in parameters:
        value.requires_grad_(False)
    return nats.detach(), torch.cat([part.flatten() for part in found])


@pytest.mark.parametrize("positions", ENCODINGS)
@pytest.mark.parametrize(
    "heads, layers, learns_scale", [(1, 1, False), (1, 2, True), (2, 3, False), (4, 2, True)]
)
def test_it_is_the_automatic_gradient(positions, heads, layers, learns_scale):
    made = ensemble(
        Network(
            positions,
            heads=heads,
            layers=layers,
            learns_scale=learns_scale,
            longest=50 if positions == "learned" else 0,
        )
    )
    batches = [
        tokens(STRINGS),
        tokens(STRINGS[:1] * 6),
        *([quotient(*counts(STRINGS))] if positions in HAVE_QUOTIENT else []),
    ]
    for batch in batches:
        expected, by_pytorch = automatic(made, batch)
        made.flat.grad.fill_(float("nan"))  # nothing of an earlier step may be left
        assert (gradient(made, batch, LABELS) - expected).abs().max() < 1e-12
        assert (made.flat.grad - by_pytorch).abs().max() < 1e-12 and by_pytorch.abs().max() > 1e-3


def test_certain_and_hopeless_answers_have_a_gradient():
    made = ensemble()
    made.parameters["output.bias"].fill_(1e3)
    losses = gradient(made, tokens(["1"] * 2), torch.tensor([[True, False]]))
    assert torch.isfinite(made.flat.grad).all() and (losses > 400).all()
    assert torch.allclose(
        made.gradients["output.bias"], torch.full((3, 1, 1), 0.5, dtype=torch.float64)
    )
