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
from chapters.counting_ablations.layer import PUBLISHED, Ablation, Counters
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


def test_what_a_member_learns_does_not_depend_on_who_else_trains():
    together = Counters(FACTORS["LN after attention"], [1, 2, 3])
    losses = fit(together, count_batches(together), 60, 1e-2)
    alone = Counters(FACTORS["LN after attention"], [2])
    assert torch.allclose(fit(alone, count_batches(alone), 60, 1e-2)[:, 0], losses[:, 1], rtol=1e-6)


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


def test_dropout_works_in_training_only_and_keeps_the_mean():
    counters, batch = Counters(FACTORS["dropout"], [0]), by_cell(grids(4, 3, 1))
    with torch.no_grad():
        counters.flat.mul_(6)
        calm = counters(batch.x, batch.weight)
        assert torch.equal(calm, counters(batch.x, batch.weight))
        many = torch.stack([counters(batch.x, batch.weight, training=True) for _ in range(800)])
    assert (
        many.std(0).max() > 0
        and ((many.mean(0) - calm).abs() < 6 * many.std(0) / 800**0.5 + 1e-12).all()
    )
    assert (many[:50] == 0).double().mean() > 0.05  # the feed-forward part's output is dropped last


def test_the_best_weights_are_kept():
    kept, last = (Counters(Ablation(), [0]) for _ in range(2))
    many = 60
    losses = fit(kept, count_batches(kept), many, rate=0.05)
    fit(last, count_batches(last), many, rate=0.05, keeps_best=False)
    means = losses[:, 0].unfold(0, 25, 1).mean(-1)
    best = int(means.argmin()) + 25
    stopped = Counters(Ablation(), [0])
    fit(stopped, count_batches(stopped), best, rate=0.05, keeps_best=False)
    assert torch.allclose(kept.flat, stopped.flat, rtol=1e-9) and (
        best == many or not torch.allclose(kept.flat, last.flat)
    )


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
