"""Ensembles of learners: equal to PyTorch's own encoder, to their quotient, and to themselves
alone.
"""

from itertools import product

import numpy as np
import pytest
import torch

from chapters.common.learners.ensemble import Ensemble, gradient
from chapters.common.learners.exact import AT, WIDTH, begin_at_parity
from chapters.common.learners.network import BY_QUERY, LOGIT_SCALES, Member, Network
from chapters.common.learners.strings import quotient, tokens
from chapters.common.learners.train import optimizer
from tests.learner import nats, plain

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


def step(made: Ensemble, adam: torch.optim.Adam, batch, labels: torch.Tensor) -> torch.Tensor:
    """One step of Adam; the loss of each member before it, in nats."""
    losses = gradient(made, batch, labels)
    adam.step()
    return losses


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


@pytest.mark.parametrize("log_n", [False, True])
def test_training_is_a_plain_loop_over_pytorchs_encoder_with_unfused_adam(log_n):
    made = Ensemble(Network(), [Member(3, 6, "log n" if log_n else "plain")], torch.float64)
    module = plain(made, 0)
    adam, ours = (
        torch.optim.Adam(module.parameters(), lr=3e-4, fused=False, foreach=False),
        optimizer(made),
    )
    for w in ["110100", "011011", "101010", "000111", "111111"] * 4:
        label = w[0] == "1"
        value = nats(module, w, label)
        adam.zero_grad()
        value.backward()
        adam.step()
        assert (
            abs(step(made, ours, tokens([w]), torch.tensor([[label]])).item() - value.item()) < 1e-9
        )
    for name, value in plain(made, 0).named().items():
        assert (value - module.named()[name]).abs().max() < 1e-9


def test_a_learned_scale_starts_at_one_and_moves():
    network = Network(learns_scale=True)
    made, without = (
        Ensemble(network, [Member(0, 5)], torch.float64),
        Ensemble(Network(), [Member(0, 5)], torch.float64),
    )
    batch = tokens(STRINGS)
    assert torch.equal(made(batch)[0], without(batch)[0])
    adam = optimizer(made)
    step(made, adam, batch, torch.tensor([[True, False, True, False, False, True]]))
    assert all(abs(made.state(0)[f"layers.{layer}.scale"].item() - 1) > 1e-5 for layer in range(2))


def test_dropout_works_in_training_alone_and_keeps_the_mean():
    made = Ensemble(Network(dropout=0.25), [Member(seed, 5) for seed in range(2)])
    batch, labels = tokens(STRINGS), torch.tensor([[True, False, True, False, False, True]])
    assert torch.equal(made(batch)[0], made(batch)[0])
    assert not torch.equal(gradient(made, batch, labels), gradient(made, batch, labels))
    dropped = torch.stack([made._dropped(torch.ones(8, 50)) for _ in range(200)])
    assert dropped.unique().tolist() == [0.0, torch.tensor(1 / 0.75).item()]
    assert abs(dropped.mean() - 1) < 0.01
    assert torch.equal(dropped[:, :4], dropped[:, 4:])  # the same numbers of each member


def test_learners_begin_at_the_exact_parity_and_a_moved_weight_turns_answers_as_in_figure_3():
    network = Network("mirrored PARITY", heads=2, width=WIDTH, hidden=WIDTH, eps=0.0)
    made = Ensemble(network, [Member(0, 5), Member(1, 5)], torch.float64)
    begin_at_parity(made, 0.0, "all")
    strings = ["".join(w) for n in range(1, 8) for w in product("01", repeat=n)]
    odd = torch.tensor([w.count("1") % 2 == 1 for w in strings])
    logits = made(tokens(strings))[0]
    assert torch.equal(logits > 0, odd.expand(2, -1))
    assert torch.allclose(logits.abs(), torch.tensor(10.0).sqrt().double())
    w = "1" * 5 + "0" * 4
    for share, is_turned in ((1.04, False), (1.2, True), (1.4, False)):  # by 0.2, 1 and 2 positions
        begin_at_parity(made, 0.0, "all")
        made.parameters["layers.0.kv.weight"][:, AT["1"], WIDTH] = share
        assert bool(made(tokens([w]))[0][0] < 0) == is_turned
    begin_at_parity(made, 0.1, "one")
    assert sum((p != p.round()).sum() for p in made.parameters.values()) == 2  # one of each member
