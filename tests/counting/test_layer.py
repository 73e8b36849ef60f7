"""Counting encoders: the quotient is exact, each ablation is the layer of the paper's text."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from chapters.counting_ablations.by_hand import algorithm_1
from chapters.counting_ablations.grids import (
    COLOURS,
    by_cell,
    by_colour,
    colour_counts,
    random_counts,
    random_grids,
)
from chapters.counting_ablations.layer import PUBLISHED, Counters
from chapters.counting_ablations.runs import FACTORS
from chapters.counting_ablations.train import accuracies, count_batches, fit, loss, right

SMALL = {
    name: replace(ablation, hidden=min(ablation.hidden, 32))
    for name, ablation in (PUBLISHED | FACTORS).items()
}
COUNTING = {name: ablation for name, ablation in SMALL.items() if ablation.attention != "none"}


def grids(side: int = 5, size: int = 6, members: int = 3) -> np.ndarray:
    return np.stack(
        [random_grids(side, size, np.random.default_rng(seed)) for seed in range(members)]
    )


@pytest.mark.parametrize("name", COUNTING)
def test_ten_weighted_colours_are_the_grid(name):
    counters, cells = Counters(COUNTING[name], range(3)), grids()
    with torch.no_grad():
        counters.flat.mul_(6)  # outputs and gradients of order 1
    full, few = by_cell(cells), by_colour(colour_counts(cells))
    outputs, of_colours = (counters(batch.x, batch.weight) for batch in (full, few))
    index = torch.from_numpy(cells)[..., None].expand(-1, -1, -1, COLOURS)
    assert (of_colours.gather(2, index) - outputs).abs().max() <= 1e-12 * outputs.abs().max()
    gradients = []
    for batch in (full, few):
        counters.flat.grad = None
        losses = loss(counters, batch)
        losses.sum().backward()
        gradients.append((losses.detach(), counters.flat.grad))
    for one, other in zip(*gradients, strict=True):
        assert (one - other).abs().max() <= 1e-12 * one.abs().max()


def reference(counters: Counters, member: int, x: torch.Tensor) -> torch.Tensor:
    """An ablation's layer for one grid (T, width), written out from the paper's text."""
    a, p = counters.ablation, {name: value[member] for name, value in counters.parameters().items()}
    none = torch.zeros(a.width, dtype=x.dtype)

    def norm(z, name):
        if name not in a.norms:
            return z
        centred = z - z.mean(-1, keepdim=True)
        return (
            centred
            / (centred.square().mean(-1, keepdim=True) + a.eps).sqrt()
            * p[f"gamma after {name}"]
            + p[f"beta after {name}"]
        )

    q, k, v = (x @ p[c].T + p.get(f"{c} bias", none) for c in "QKV")
    scores = q @ k.T / a.width**0.5
    weights = scores.softmax(-1) if a.attention == "softmax" else scores
    x = norm(
        (x if a.residuals else 0) + (weights @ v) @ p["O"].T + p.get("O bias", none), "attention"
    )
    if a.feed_forward == "none":
        return x
    y = (
        x @ p["F"].T + p["F bias"]
        if a.feed_forward == "linear"
        else (x @ p["F1"].T + p["F1 bias"]).relu() @ p["F2"].T + p["F2 bias"]
    )
    return norm((x if a.residuals else 0) + y, "feed-forward")


@pytest.mark.parametrize("name", COUNTING)
def test_every_ablation_is_its_formula(name):
    counters, cells = Counters(COUNTING[name], range(2)), grids(members=2, size=2)
    with torch.no_grad():
        counters.flat.mul_(6)
    batch = by_cell(cells)
    outputs = counters(batch.x, batch.weight)
    for member in range(2):
        for b in range(2):
            expected = reference(counters, member, batch.x[member, b])
            assert (outputs[member, b] - expected).abs().max() <= 1e-11 * expected.abs().max()


def test_the_steps_are_those_of_torchs_adam():
    counters, reference = (Counters(FACTORS["nothing"], [0]) for _ in range(2))
    fit(counters, count_batches(counters), 40, rate=3e-3, keeps_best=False)
    adam, batches = torch.optim.Adam([reference.flat], lr=3e-3), count_batches(reference)
    for _ in range(40):
        adam.zero_grad()
        loss(reference, next(batches), training=True).sum().backward()
        torch.nn.utils.clip_grad_norm_([reference.flat], 1.0)
        adam.step()
    assert torch.allclose(counters.flat, reference.flat, rtol=0, atol=1e-9)


def test_a_score_is_the_mean_over_cells_and_over_grids():
    counters = algorithm_1()
    with torch.no_grad():
        counters.parameters()["F"][0, 3, 3] = 0  # miscounts colour 3
    counts = random_counts(4, 1000, np.random.default_rng([0, 4]))
    found = accuracies(counters, 4)
    assert found.cells[0] == pytest.approx(1 - counts[:, 3].sum() / counts.sum()) and found.grids[
        0
    ] == pytest.approx((counts[:, 3] == 0).mean())
    batch = by_cell(random_grids(4, 50, np.random.default_rng(0))[None])
    assert torch.equal(right(counters, batch), batch.x[..., 3] == 0)
