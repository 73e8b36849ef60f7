"""Counting encoders: the quotient is exact, each ablation is what PyTorch's own layer computes,
Algorithm 1 is right bit by bit.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from chapters.counting_ablations import train
from chapters.counting_ablations.by_hand import algorithm_1
from chapters.counting_ablations.grids import (
    COLOURS,
    by_cell,
    by_colour,
    colour_counts,
    random_counts,
    random_grids,
)
from chapters.counting_ablations.layer import PUBLISHED, SPREAD, Ablation, Counters
from chapters.counting_ablations.runs import FACTORS, identity_batches
from chapters.counting_ablations.train import (
    BATCH_SIZE,
    accuracies,
    count_batches,
    fit,
    loss,
    right,
)

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


def test_both_paths_give_one_training_run():
    runs = []
    for path in (by_cell, lambda cells: by_colour(colour_counts(cells))):
        counters = Counters(PUBLISHED["LayerNorm-SA-Count"], range(2))
        draws = [np.random.default_rng(seed) for seed in range(2)]
        fit(
            counters,
            (
                path(np.stack([random_grids(1 + step % 6, 8, draw) for draw in draws]))
                for step in range(50)
            ),
            50,
            rate=1e-2,
        )
        runs.append(counters.flat.detach())
    assert (runs[0] - runs[1]).abs().max() < 1e-8


def pytorchs_layer(counters: Counters, member: int) -> nn.TransformerEncoderLayer:
    """PyTorch's own layer with the parameters of one member of the standard ablation."""
    p = {name: value[member].detach() for name, value in counters.parameters().items()}
    layer = nn.TransformerEncoderLayer(
        COLOURS, 1, counters.ablation.hidden, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    layer.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat([p[letter] for letter in "QKV"]),
            "self_attn.in_proj_bias": torch.cat([p[f"{c} bias"] for c in "QKV"]),
            "self_attn.out_proj.weight": p["O"],
            "self_attn.out_proj.bias": p["O bias"],
            "linear1.weight": p["F1"],
            "linear1.bias": p["F1 bias"],
            "linear2.weight": p["F2"],
            "linear2.bias": p["F2 bias"],
            "norm1.weight": p["gamma after attention"],
            "norm1.bias": p["beta after attention"],
            "norm2.weight": p["gamma after feed-forward"],
            "norm2.bias": p["beta after feed-forward"],
        }
    )
    return layer


def test_the_standard_ablation_is_pytorchs_layer():
    counters, cells = Counters(SMALL["everything"], [4, 5]), grids(members=2)
    with torch.no_grad():
        counters.flat.mul_(10)
    batch = by_cell(cells)
    outputs = counters(batch.x, batch.weight)
    for member in range(2):
        assert (
            pytorchs_layer(counters, member)(batch.x[member]) - outputs[member]
        ).abs().max() < 1e-12


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


def test_the_published_configurations_are_the_papers():
    parameters = {
        name: Counters(ablation, [0]).flat.shape[1] for name, ablation in PUBLISHED.items()
    }
    assert (
        parameters["No-LayerNorm-Count"] == 4 * 100 + 110
        and parameters["LayerNorm-SA-Count"] == parameters["LayerNorm-FF-Count"] == 530
    )
    stock = sum(p.numel() for p in nn.TransformerEncoderLayer(10, 1).parameters())
    assert parameters["Std-Transformer-Count"] == stock
    assert (
        parameters["No-LayerNorm-Identity"] == 5 * 2048 * 2 + 2048 + 5
        and parameters["LayerNorm-Identity"] == parameters["No-LayerNorm-Identity"] + 10
    )
    assert FACTORS["everything"] == replace(
        PUBLISHED["Std-Transformer-Count"], dropout=0.0, hidden=64
    )
    base, changed = FACTORS["nothing"], []
    for name in (
        "softmax",
        "LN after attention",
        "LN after feed-forward",
        "residuals",
        "attention biases",
        "dropout",
        "no feed-forward",
    ):
        changed.append(
            sum(
                getattr(FACTORS[name], field) != getattr(base, field)
                for field in Ablation.__dataclass_fields__
            )
        )
    assert changed == [1] * 7


def test_parameters_start_as_the_authors_have_them():
    flat = Counters(PUBLISHED["Std-Transformer-Count"], range(3)).flat.detach()
    assert flat.abs().max() < SPREAD and flat.abs().mean(1).allclose(
        torch.full((3,), SPREAD / 2, dtype=torch.float64), rtol=0.02
    )
    assert not torch.equal(flat[0], flat[1]) and torch.equal(
        flat[1], Counters(PUBLISHED["Std-Transformer-Count"], [1]).flat[0]
    )


@pytest.mark.parametrize("side", [1, 2, 3, 5, 8, 13, 20])
def test_algorithm_1_is_right_bit_by_bit_on_cells(side):
    made, batch = algorithm_1(), by_cell(random_grids(side, 60, np.random.default_rng(side))[None])
    assert torch.equal(made(batch.x, batch.weight), batch.target)
    all_counted = algorithm_1(counts_black=True)(batch.x, batch.weight)
    black = batch.x[..., 0] == 1
    assert torch.equal(all_counted[~black], batch.target[~black])
    assert torch.equal(
        all_counted[..., 0][black],
        (black.sum(-1, keepdim=True) * torch.ones_like(black))[black].double(),
    )


def test_algorithm_1_is_right_bit_by_bit_to_100():
    made = algorithm_1()
    for side in range(1, 101):
        for capped in (True, False):
            batch = by_colour(random_counts(side, 20, np.random.default_rng(side), capped)[None])
            assert torch.equal(made(batch.x, batch.weight), batch.target)
    assert accuracies(made, 100, 50).cells == accuracies(made, 100, 50).grids == 1


def test_batches_are_50_grids_of_one_side_from_1_to_6_and_the_members_own():
    counters = Counters(Ablation(), [3, 4])
    source = count_batches(counters, block=40)
    batches = [next(source) for _ in range(300)]
    sides = [batch.weight.sum(-1).sqrt() for batch in batches]
    assert all(len(side.unique()) == 1 and side.shape == (2, BATCH_SIZE) for side in sides)
    found = torch.tensor([side[0, 0] for side in sides])
    assert found.unique().tolist() == [1, 2, 3, 4, 5, 6] and abs(found.mean() - 3.5) < 0.4
    assert not torch.equal(batches[0].weight[0], batches[0].weight[1])
    alone = count_batches(Counters(Ablation(), [4]), block=40)
    assert all(torch.equal(next(alone).weight[0], batch.weight[1]) for batch in batches)
    per_cell = next(count_batches(Counters(FACTORS["dropout"], [3, 4])))
    assert (
        per_cell.weight.shape == (2, BATCH_SIZE, int(found[0]) ** 2)
        and (per_cell.weight == 1).all()
    )


def test_what_a_member_learns_does_not_depend_on_who_else_trains():
    together = Counters(FACTORS["LN after attention"], [1, 2, 3])
    losses = fit(together, count_batches(together), 60, 1e-2)
    alone = Counters(FACTORS["LN after attention"], [2])
    assert torch.allclose(fit(alone, count_batches(alone), 60, 1e-2)[:, 0], losses[:, 1], rtol=1e-6)


def test_each_member_has_its_own_rate():
    rates = [1e-3, 1e-2, 1e-2]
    together = Counters(FACTORS["residuals"], [0, 0, 1])
    losses = fit(together, count_batches(together), 60, rates, cosine=60)
    for member, (seed, rate) in enumerate(zip([0, 0, 1], rates, strict=True)):
        alone = Counters(FACTORS["residuals"], [seed])
        expected = fit(alone, count_batches(alone), 60, rate, cosine=60)[:, 0]
        assert torch.allclose(losses[:, member], expected, rtol=1e-6)


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


def test_dropout_drops_one_in_ten():
    counters = Counters(FACTORS["dropout"], [0])
    x = torch.ones(1, 50, 20, 100, dtype=torch.float64)
    dropped = counters._dropped(x.mT.contiguous().mT, training=True)
    assert abs((dropped == 0).double().mean() - 0.1) < 5 * (0.09 / x.numel()) ** 0.5
    assert dropped.unique().numel() == 2 and dropped.max() == pytest.approx(1 / 0.9, rel=1e-4)


def test_dropout_works_in_training_only_and_keeps_the_mean():
    counters, batch = Counters(FACTORS["dropout"], [0]), by_cell(grids(4, 3, 1))
    with torch.no_grad():
        counters.flat.mul_(6)
        calm = counters(batch.x, batch.weight)
        assert torch.equal(calm, counters(batch.x, batch.weight))
        many = torch.stack([counters(batch.x, batch.weight, training=True) for _ in range(3000)])
    assert (
        many.std(0).max() > 0
        and ((many.mean(0) - calm).abs() < 6 * many.std(0) / 3000**0.5 + 1e-12).all()
    )
    assert (many[:50] == 0).double().mean() > 0.05  # the feed-forward part's output is dropped last


def test_gradients_are_clipped_for_each_member():
    counters = Counters(Ablation(), [0, 1])
    with torch.no_grad():
        counters.flat[0] *= 100
    start = counters.flat.detach().clone()
    fit(counters, count_batches(counters), 1, rate=1e-3)
    assert (
        counters.flat.grad.norm(dim=1)[0] == pytest.approx(1, abs=1e-5)
        and counters.flat.grad.norm(dim=1)[1] < 1
    )
    assert (counters.flat - start).abs().max() < 1.1e-3


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


SMALL_STANDARD = replace(PUBLISHED["Std-Transformer-Count"], hidden=8)


@pytest.mark.parametrize(
    "ablation, options",
    [
        (SMALL_STANDARD, {}),
        (Ablation(), {}),
        (Ablation(), {"cosine": 80, "keeps_best": False}),
    ],
)
@pytest.mark.parametrize("stops", [1, 2])
def test_a_training_that_goes_on_is_an_undisturbed_one(
    ablation, options, stops, tmp_path, monkeypatch
):
    def fitted(**checkpoint):
        counters = Counters(ablation, [0, 1], torch.float32)
        batches = count_batches(counters, block=7)
        losses = fit(counters, batches, 80, [0.05, 0.01], **options, **checkpoint)
        return losses, counters.flat.detach()

    def stop(*arguments):
        write(*arguments)
        if len(arguments[1]["losses"]) == 30 * stops:
            raise KeyboardInterrupt

    monkeypatch.setattr(train, "CHECKPOINTED", 30)
    undisturbed, path = fitted(), tmp_path / "new" / "run.pt"
    write = train.write_checkpoint
    monkeypatch.setattr(train, "write_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt):
        fitted(checkpoint=path)
    monkeypatch.setattr(train, "write_checkpoint", write)
    for _ in range(2):
        torch.manual_seed(7)
        assert all(map(torch.equal, fitted(checkpoint=path), undisturbed))


def test_without_layer_norm_it_learns_to_count_and_softmax_does_not():
    accuracy = {}
    for name in ("nothing", "softmax"):
        counters = Counters(FACTORS[name], range(2))
        fit(counters, count_batches(counters), 2500, 1e-2, cosine=2500, keeps_best=False)
        accuracy[name] = {side: accuracies(counters, side).cells for side in (6, 20, 100)}
    assert all((accuracy["nothing"][side] == 1).all() for side in (6, 20))
    assert (accuracy["softmax"][6] < 0.5).all()


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


def test_identity_vectors_are_uniform_and_their_own_targets():
    counters = Counters(SMALL["LayerNorm-Identity"], [0, 1])
    batch = next(identity_batches(counters, 0.5, size=5000))
    assert (
        torch.equal(batch.x, batch.target)
        and batch.x.shape == (2, 5000, 1, 5)
        and batch.x.abs().max() <= 0.5
    )
    assert abs(batch.x.var() - 1 / 12) < 0.002 and not torch.equal(batch.x[0], batch.x[1])
    assert torch.allclose(
        loss(counters, batch), (counters(batch.x, batch.weight) - batch.x).square().mean((1, 2, 3))
    )
