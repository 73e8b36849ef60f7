"""The judges of chapter 5's exercises find where wrong answers go wrong."""

import torch

from lib.counting import by_hand
from lib.counting.ablations import Ablation
from lib.exercises.judge import said

EYE = torch.eye(10, dtype=torch.float64)


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
            "not yet: for N = 5 the best y is 4.50, which rounds to 4."
        )
    assert said("5.1", 0).endswith("for N = 1 the best y is 0.90, which rounds to 1.")
    assert said("5.1", -2).endswith("not yet: -2 is not above 0.")


def test_5_2_shows_a_grid():
    assert said("5.2", by_hand.beside_black(1e-9)) == "Exercise 5.2: right."
    assert said("5.2", by_hand.beside_black(1e-3)).endswith(
        "not yet: on a grid of 6x6 with 36 cells of colour 1 each of them is given 6.938 for "
        "colour 1."
    )
    assert " with 400 cells of colour 1 " in said("5.2", by_hand.beside_black(2e-6))
    for other in (by_hand.algorithm_1(), by_hand.below_root_eps(1e-9)):
        assert said("5.2", other).endswith("its ablation is not PUBLISHED['LayerNorm-FF-Count'].")


def test_5_3_wants_a_witness():
    assert said("5.3", by_proportions(36)) == "Exercise 5.3: right."
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
