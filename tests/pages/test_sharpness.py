"""Sharpness, against what it is for linear functions."""

import pytest
import torch

from chapters.parity_not_learned.figures import sharpness
from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.strings import tokens


def test_of_a_linear_function_it_is_known():
    """θ·x moves by r|θ| u·x, and (u·x)² is |x|²/d in the mean over directions u of length 1."""
    x = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=torch.float64)
    theta = [
        torch.tensor([[1.0, 0.0], [2.0, 2.0]]).double(),
        torch.tensor([[1.0, 1], [0, 1]]).double(),
    ]

    def logits():
        return torch.stack([torch.cat(theta, dim=1) @ x], dim=1)

    both = torch.cat(theta, dim=1)
    expected = 0.1**2 * both.square().sum(1) * x.square().sum() / 4 / (both @ x).square()
    found = sharpness(theta, logits, radius=0.1, draws=20_000)
    assert torch.allclose(found, expected, rtol=0.05)


def test_the_parameters_are_put_back_and_members_do_not_meet():
    made = Ensemble(Network(), [Member(0, 5), Member(1, 5)], torch.float64)
    parts, batch = list(made.parameters.values()), tokens(["10110", "00111"])
    before = made.flat.clone()
    both = sharpness(parts, lambda: made(batch)[0], radius=1e-4, draws=300)
    assert torch.equal(made.flat, before)
    alone = made.chosen([1])
    own = sharpness(list(alone.parameters.values()), lambda: alone(batch)[0], 1e-4, 300)
    assert own[0] == pytest.approx(both[1].item(), rel=0.4) and (both > 1e-10).all()
