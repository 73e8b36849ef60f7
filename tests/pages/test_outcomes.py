"""What encoders answer, against counts taken cell by cell."""

import numpy as np
import pytest
import torch

from chapters.counting_ablations.answers import (
    Outcomes,
    arc_task,
    free_answer,
    mean_count,
    most_frequent,
    outcomes,
)
from chapters.counting_ablations.by_hand import (
    algorithm_1,
    by_hand,
)
from chapters.counting_ablations.grids import by_colour
from chapters.counting_ablations.layer import Ablation, Counters
from chapters.counting_ablations.runs import FACTORS
from chapters.counting_ablations.train import accuracies, count_batches, drawn_for_tests, fit, right


def test_free_answers_are_what_cells_score():
    for side in (3, 6, 15):
        counts = drawn_for_tests(side)
        cells = [
            (colour, grid[colour])
            for grid in counts
            for colour in range(10)
            for _ in range(grid[colour])
        ]
        mean = round(np.mean([count for colour, count in cells if colour]))
        assert mean_count(side) == mean
        for answer in (0, 2, mean):
            share = np.mean([colour == 0 or count == answer for colour, count in cells])
            assert free_answer(side, answer) == pytest.approx(share)


@pytest.mark.parametrize("name", ["LN after attention", "LN after feed-forward"])
def test_outcomes_agree_with_scores(name):
    counters = Counters(FACTORS[name], [0, 1])
    fit(counters, count_batches(counters), 600, 1e-2, cosine=600, keeps_best=False)
    for member in range(2):
        found = outcomes(counters, 5, member)
        counts = drawn_for_tests(5)
        assert (
            found.cells.sum() == counts[:, 1:].sum()
            and np.array_equal(found.true, found.cells)
            and 0 <= found.order <= 1
        )
        black = right(counters, by_colour(counts[None]))[member, :, 0].numpy() * counts[:, 0]
        assert (found.cells @ found.is_right + black.sum()) / counts.sum() == pytest.approx(
            accuracies(counters, 5).cells[member]
        )
        assert (found.predicted == found.true)[found.is_right].all() and (found.deviation > 0).all()


def test_order_is_the_chance_that_wrong_lies_above_right():
    draw = np.random.default_rng(0)
    cells, deviation, is_right = (
        draw.integers(1, 5, 40),
        draw.permutation(40) / 7,
        draw.random(40) < 0.5,
    )
    found = Outcomes(cells, cells, is_right, deviation, cells)
    pairs = [
        (cells[i] * cells[j], deviation[i] < deviation[j])
        for i in np.flatnonzero(is_right)
        for j in np.flatnonzero(~is_right)
    ]
    assert found.order == pytest.approx(
        sum(w for w, above in pairs if above) / sum(w for w, _ in pairs)
    )


def test_the_most_frequent_colour_is_found_by_counts_and_by_proportions():
    identity = torch.eye(10, dtype=torch.float64)
    average = by_hand(Ablation("softmax", feed_forward="none"), V=identity, O=identity)
    draw = np.random.default_rng(3)
    for _ in range(50):
        [pair] = arc_task(draw, examples=1)["test"]
        answer = pair["output"][0][0]
        assert most_frequent(algorithm_1(counts_black=True), pair["input"]) == answer
        assert most_frequent(average, pair["input"]) == answer
