"""The judges of chapter 5's exercises find where wrong answers go wrong."""

from itertools import permutations

import torch

from chapters.common.judge import said
from chapters.counting_ablations import by_hand
from chapters.counting_ablations.exercises import tried
from chapters.counting_ablations.layer import Ablation, Counters

EYE = torch.eye(10, dtype=torch.float64)
BUMP = -4.5 * 36 * torch.tensor([1, -2, 1]).double()  # a hat over 24 cells, 4.5 deep


def by_proportions(cells: int) -> by_hand.Counters:
    """A softmax layer with residual connections that counts on grids of so many cells."""
    return by_hand.by_hand(
        Ablation("softmax", feed_forward="ReLU", residuals=True, hidden=20),
        V=EYE,
        O=EYE,
        F1=torch.cat([EYE, EYE]),
        F1_bias=-(torch.arange(20) >= 10).double(),
        F2=torch.cat([-EYE, cells * by_hand.COLOURED], dim=1),
    )


def test_5_1_shows_a_count():
    assert said("5.1", 4) == "Exercise 5.1: right."
    too_small = "not yet: for N = 4 the best y is 3.60, which rounds to 4."
    assert said("5.1", 3).endswith(too_small)
    for answer in (5, 9, 10**9):
        assert said("5.1", answer).endswith(
            "not yet: for N = 5 the best y is 4.50, which rounds to 4, ties to even."
        )
    assert said("5.1", 0).endswith("for N = 1 the best y is 0.90, which rounds to 1.")
    assert said("5.1", -2).endswith("not yet: -2 is not above 0.")


def test_5_2_shows_a_grid():
    right = by_hand.beside_black(1e-9)
    said_right = (
        "Exercise 5.2: right on grids of 6x6, 20x20 and 100x100, of each two colours in 35 "
        "proportions and 100 random ones."
    )
    assert said("5.2", right) == said_right
    single = Counters(right.ablation, [0], torch.float32)
    single.flat = right.flat.float()
    assert said("5.2", single) == said_right
    assert said("5.2", by_hand.beside_black(1e-3)).endswith(
        "not yet: on a grid of 6x6 with 36 cells of colour 1 each of them is given 6.938 for "
        "colour 1."
    )
    assert " with 400 cells of colour 1 " in said("5.2", by_hand.beside_black(2e-6))
    for other in (by_hand.algorithm_1(), by_hand.below_root_eps(1e-9)):
        assert said("5.2", other).endswith("its ablation is not PUBLISHED['LayerNorm-FF-Count'].")


def test_5_3_wants_a_witness():
    assert said("5.3", by_proportions(36)) == (
        "Exercise 5.3: right on every number of cells of each two colours and on 100 random grids."
    )
    assert said("5.3", by_proportions(25)).endswith(
        "not yet: on a grid of 6x6 with 36 cells of colour 1 each of them is given 25.000 for "
        "colour 1."
    )
    sharp = by_hand.by_hand(Ablation("softmax"), Q=40 * EYE, K=EYE, V=EYE, O=EYE, F=EYE)
    assert said("5.3", sharp).endswith(
        "36 cells of colour 0 each of them is given 1.000 for colour 0."
    )
    assert "then show it" in said("5.3", "refuted")
    assert "N / 36 of a colour" in said("5.3", "proved")
    for other in (by_hand.algorithm_1(), by_hand.with_start_token(36)):
        assert said("5.3", other).endswith(
            "not a layer with softmax whose tokens are the ten colours."
        )


def test_5_3_runs_every_number_of_cells():
    """By a hat of three more units the layer gives 19.5 for 24 cells of colour 1, and only there
    errs.
    """
    pairs = {
        (a, int(row[a]), b)
        for row in tried(6)
        if (row > 0).sum() == 2
        for a, b in permutations(row.nonzero()[0].tolist(), 2)
    }
    every = range(10)
    assert {(a, N, b) for a in every for b in every for N in range(1, 36) if a != b} <= pairs
    bump = by_hand.by_hand(
        Ablation("softmax", feed_forward="ReLU", residuals=True, hidden=23),
        V=EYE,
        O=EYE,
        F1=torch.cat([EYE, EYE, EYE[[1, 1, 1]]]),
        F1_bias=torch.cat(
            [-(torch.arange(20) >= 10).double(), -1 - torch.tensor([23, 24, 25]).double() / 36]
        ),
        F2=torch.cat([-EYE, 36 * by_hand.COLOURED, EYE[:, [1, 1, 1]] * BUMP], dim=1),
    )
    assert said("5.3", bump).endswith(
        "on a grid of 6x6 with 24 cells of colour 1 each of them is given 19.500 for colour 1."
    )
