"""Ensembles of learners: they begin as PyTorch's own encoder, and are equal to their quotient."""

import numpy as np
import pytest
import torch

from chapters.common.learners.ensemble import Ensemble, gradient
from chapters.common.learners.network import BY_QUERY, LOGIT_SCALES, Member, Network
from chapters.common.learners.strings import quotient, tokens

STRINGS = ["1", "0", "1101", "0000000", "01101110010", "1" + "0" * 40]
SCALES = [name for name in LOGIT_SCALES if name not in BY_QUERY]
FOR_FIRST = Network()


def ensemble(
    network: Network = FOR_FIRST, members: int = 3, dtype: torch.dtype = torch.float64
) -> Ensemble:
    """Members that differ in seed, length and scale, at random parameters far from the initial
    ones.
    """
    made = Ensemble(
        network,
        [Member(seed, 10 + seed, SCALES[seed % len(SCALES)]) for seed in range(members)],
        dtype,
    )
    made.flat += 0.3 * torch.randn(
        made.flat.shape, dtype=dtype, generator=torch.Generator().manual_seed(1)
    )
    return made


def counts(strings: list[str]) -> tuple[np.ndarray, ...]:
    return tuple(
        np.array([[f(w) for w in strings]])
        for f in (lambda w: int(w[0]), lambda w: w[1:].count("1"), len)
    )


def test_the_initial_parameters_are_pytorchs():
    network = Network()
    made = Ensemble(network, [Member(seed=5, length=3)])
    torch.manual_seed(5)
    word = torch.nn.Embedding(3, 16)
    encoder = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(16, 1, 64, dropout=0.0), 2, enable_nested_tensor=False
    )
    state = made.state(0)
    assert torch.equal(state["word"], word.weight)
    for name, value in encoder.state_dict().items():
        assert torch.equal(state[name], value)
    assert torch.equal(state["layers.0.linear1.weight"], state["layers.1.linear1.weight"])
    before = torch.random.get_rng_state()
    Ensemble(network, [Member(seed=7, length=3)])
    assert torch.equal(
        before, torch.random.get_rng_state()
    )  # the reader's own random numbers are left alone


@pytest.mark.parametrize("positions", ["none", "FIRST"])
@pytest.mark.parametrize("heads, layers", [(1, 1), (1, 2), (2, 3)])
def test_the_quotient_has_the_loss_and_the_gradient_of_the_full_path(positions, heads, layers):
    made = ensemble(Network(positions, heads=heads, layers=layers))
    labels = torch.tensor([[True, False, True, True, False, False]])
    found = []
    for batch in (tokens(STRINGS), quotient(*counts(STRINGS))):
        found.append((gradient(made, batch, labels), made.flat.grad.clone()))
    (full, full_gradient), (small, small_gradient) = found
    assert (full - small).abs().max() < 1e-12 and (
        full_gradient - small_gradient
    ).abs().max() < 1e-12
    assert full_gradient.abs().max() > 1e-3
