"""What encoders answer, against counts taken cell by cell."""

import numpy as np
import pytest
import torch

from chapters.pages.counting_ablations.answers import (
    Outcomes,
    arc_task,
    free_answer,
    mean_count,
    mean_in_training,
    most_frequent,
    outcomes,
    read,
    relative_weights,
    same_colour,
    share_answered,
    softmax_encoder,
    written,
)
from chapters.pages.counting_ablations.by_hand import (
    algorithm_1,
    by_hand,
    through_residuals,
    with_start_token,
)
from lib.counting.grids import by_colour, copied
from lib.counting.layer import Ablation, Counters
from lib.counting.train import accuracies, count_batches, drawn_for_tests, fit, right
from record.experiments.ouellette import FACTORS


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


def test_the_mean_in_training_is_that_of_a_random_square():
    """Beside a coloured square each of the others shares its colour with probability .8 / 9; the
    cap, and the square that an empty grid gets, change little.
    """
    expected = np.mean([1 + (side**2 - 1) * 0.8 / 9 for side in range(1, 7)])
    assert mean_in_training() == pytest.approx(expected, abs=0.05)


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


def test_share_above_counts_cells_of_the_right_or_of_the_wrong():
    deviation, cells = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 1, 3, 1])
    is_right = np.array([True, True, False, False])
    found = Outcomes(cells, cells, is_right, deviation, cells)
    assert np.isclose(found.share_above(1.5, True), 1 / 6)
    assert np.isclose(found.share_above(3.0, False), 1 / 4) and found.share_above(2.9, False) == 1


def test_misplaced_is_the_distance_of_the_two_distributions():
    true, cells = np.array([1.0, 2, 3]), np.array([1.0, 2, 3])
    for predicted, share in (([1, 2, 3], 0), ([3, 3, 3], 0.5), ([7, -8, 9], 1), ([2, 1, 3], 1 / 6)):
        assert Outcomes(
            true, np.array(predicted, dtype=float), true > 0, true, cells
        ).misplaced == pytest.approx(share)


GRID = [[6, 6, 0], [3, 7, 0], [4, 3, 6]]


def test_the_weights_of_algorithm_1_are_1_on_equal_colours():
    [weights] = relative_weights(algorithm_1(), GRID)
    flat = [colour for row in GRID for colour in row]
    expected = [[float(one == other > 0) for other in flat] for one in flat]
    assert weights == pytest.approx(np.array(expected))
    assert same_colour(np.array(flat)).tolist() == np.array(expected, dtype=bool).tolist()


def test_the_most_frequent_colour_is_found_by_counts_and_by_proportions():
    identity = torch.eye(10, dtype=torch.float64)
    average = by_hand(Ablation("softmax", feed_forward="none"), V=identity, O=identity)
    draw = np.random.default_rng(3)
    for _ in range(50):
        [pair] = arc_task(draw, examples=1)["test"]
        answer = pair["output"][0][0]
        assert most_frequent(algorithm_1(counts_black=True), pair["input"]) == answer
        assert most_frequent(average, pair["input"]) == answer


def test_the_share_answered_is_the_share_of_cells_with_that_count():
    counts = drawn_for_tests(6)[:, 1:]
    for count in (1, 2, 5):
        expected = counts[counts == count].sum() / counts.sum()
        assert share_answered(through_residuals(1e3), 6, count) == pytest.approx(expected)


def test_what_is_written_stands_where_the_grid_has_its_squares():
    tall = [[6, 6], [3, 0], [6, 3]]
    for counters in (algorithm_1(), with_start_token(12)):
        assert written(counters, tall).tolist() == [[3, 3], [2, 0], [3, 2]]
        assert written(counters, copied(tall)).max() == 12


def test_softmax_gives_a_copy_what_it_gives_the_grid():
    encoder = softmax_encoder(layers=2)
    small, large = read(encoder, GRID), read(encoder, copied(GRID))
    for row in range(6):
        for column in range(6):
            assert torch.allclose(large[row, column], small[row // 2, column // 2], atol=1e-12)
    assert not torch.allclose(small[0, 0], small[0, 2])
