"""Encoders by hand: what a part of a layer was said to prevent is done with that part in place."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.counting_ablations.by_hand import (
    algorithm_1,
    below_root_eps,
    beside_black,
    through_residuals,
    with_start_token,
)
from chapters.counting_ablations.grids import by_cell, by_colour, random_grids, started
from chapters.counting_ablations.layer import PUBLISHED, Ablation
from chapters.counting_ablations.train import accuracies, right

HANDMADE = {
    "attention without softmax": (algorithm_1(), Ablation()),
    "residuals": (through_residuals(10.0), Ablation(residuals=True)),
    "LN after attention": (below_root_eps(1e-9), PUBLISHED["LayerNorm-SA-Count"]),
    "LN after feed-forward": (beside_black(1e-9), PUBLISHED["LayerNorm-FF-Count"]),
}


def targets(cells: np.ndarray) -> np.ndarray:
    """The outputs that section III-A demands of one grid (T,), counted cell by cell."""
    counts, rows = Counter(cells.tolist()), np.zeros((len(cells), 10))
    for row, colour in zip(rows, cells, strict=True):
        row[colour] = counts[colour] if colour else 0
    return rows


@pytest.mark.parametrize("name", HANDMADE)
def test_each_counts_whole_grids_to_100x100(name):
    counters, ablation = HANDMADE[name]
    assert counters.ablation == ablation
    for side in (*range(1, 13), 20, 50, 100):
        assert accuracies(counters, side, 50, capped=False).grids == 1
        assert accuracies(counters, side, 50).grids == 1


@pytest.mark.parametrize("gain", [2.5, 10.0, 1e3, 1e6])
@pytest.mark.parametrize("side", [1, 2, 6, 10])
def test_residuals_add_one_part_in_the_gain(gain, side):
    [cells] = random_grids(side, 1, np.random.default_rng(side))
    batch = by_cell(cells[None, None])
    outputs = through_residuals(gain)(batch.x, batch.weight)[0, 0].detach().numpy()
    excess = outputs - targets(cells)
    assert np.allclose(excess, np.eye(10)[cells] / gain, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("made", "share"), [(below_root_eps, 0.09), (beside_black, 0.2)])
def test_normalization_below_root_eps_takes_as_much_as_the_lesson_says(made, share):
    """N / sqrt(1 + 0.09 delta^2 N^2 / eps), which rounds to N as long as N^3 < 11 eps / delta^2;
    0.2 where black takes up the mean.
    """
    delta, eps = 1e-5, 1e-5
    N = np.array([1, 3, 12, 60, 103])
    batch = by_colour(np.array([[[0, count] + [0] * 8 for count in N]]))
    outputs = made(delta, eps)(batch.x, batch.weight)[0, :, 1].detach().numpy()
    assert np.allclose(outputs[:, 1], N / np.sqrt(1 + share * delta**2 * N**2 / eps))
    assert np.allclose(outputs[:, 2:], 0, atol=1e-9)
    if made is below_root_eps:
        assert (outputs[:, 1].round() == N).all() and 103**3 < 11 * eps / delta**2


@given(
    st.lists(st.integers(0, 36), min_size=10, max_size=10).filter(any),
    st.sampled_from([36, 40]),
)
@settings(max_examples=60)
def test_a_start_token_brings_every_count_back(counts, largest):
    batch = started(by_colour(np.array(counts)[None, None]))
    is_right = right(with_start_token(largest), batch)[0, 0, :10].numpy()
    assert is_right[np.array(counts) > 0].all()


@pytest.mark.parametrize("largest", [1, 2, 5, 36])
def test_a_start_token_counts_to_its_largest_and_never_beyond_its_double(largest):
    model = with_start_token(largest)
    for number in (*range(1, largest + 1), 2 * largest + 1, 10**6, 10**12):
        batch = started(by_colour(np.array([[[3, number] + [0] * 8]])))
        output = model(batch.x, batch.weight)[0, 0, 1, 1].item()
        assert output <= 2 * largest
        assert (round(output) == number) == (number <= largest)
