"""The step-function network for PARITY and the trained one."""

import numpy as np
import pytest

from chapters.ffnn_parity.feedforward import bits, parity_network, train_parity
from lib.languages import PARITY


def test_the_matrices_are_the_papers():
    network = parity_network(4)  # Chiang & Cholak, section 3.1, typed for n = 4
    assert network.W1.tolist() == [[1, 1, 1, 1]] * 4 and network.b1.tolist() == [
        -0.5,
        -1.5,
        -2.5,
        -3.5,
    ]
    assert network.W2.tolist() == [1, -1, 1, -1] and network.b2 == -0.5


def test_the_trajectory_is_that_of_an_ordinary_pytorch_loop():
    import torch
    from torch import nn

    run = train_parity(3, [7], "tanh", steps=25, hidden=5)
    start = train_parity(3, [7], "tanh", steps=0, hidden=5)
    network = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)).double()
    with torch.no_grad():
        for parameter, value in zip(
            network.parameters(), (start.W1[0], start.b1[0], start.W2, start.b2[0]), strict=True
        ):
            parameter.copy_(torch.from_numpy(np.asarray(value)))
    adam, w = torch.optim.Adam(network.parameters(), lr=0.02), list(PARITY.all_strings(3))
    X, y = (
        torch.from_numpy(bits(w)).double(),
        torch.tensor([[PARITY.contains(one)] for one in w]).double(),
    )
    for step in range(25):
        loss = nn.functional.binary_cross_entropy_with_logits(network(X), y)
        assert loss.item() / np.log(2) == pytest.approx(run.losses_bits[step, 0], rel=1e-9)
        adam.zero_grad()
        loss.backward()
        adam.step()
