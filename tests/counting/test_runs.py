"""The stored runs on counting: a short one replays, a forged one does not, and what is stored is
what the configuration says.
"""

import json

import numpy as np
import pytest

from lib.book.results import stored
from lib.counting.ablations import FACTORS, PUBLISHED
from lib.counting.grids import by_colour
from lib.counting.layer import Counters
from lib.counting.runs import (
    ABLATIONS,
    FIRST_LOSSES,
    ONE_FACTOR,
    SIZES,
    TABLES,
    Outcomes,
    free_answers,
    measure,
    outcomes,
    replay,
    significant,
)
from lib.counting.scores import accuracies, drawn_for_tests, right
from lib.counting.train import count_batches, fit

SHORT = [
    {**configuration, "steps": 30, "seeds": 2}
    for configuration in TABLES[1:] + ONE_FACTOR
    if configuration["name"]
    in ("No-LayerNorm-Count", "LayerNorm-SA-Count", "softmax", "dropout", "V2")
]


@pytest.mark.parametrize("configuration", SHORT, ids=lambda configuration: configuration["name"])
def test_a_short_run_replays_and_a_forged_one_does_not(configuration):
    result = json.loads(json.dumps(measure("cpu", **configuration)))
    assert replay(configuration, result)
    assert np.shape(result["first_losses"]) == (FIRST_LOSSES, 2) and np.shape(
        result["cells"]
    ) == np.shape(result["grids"]) == (len(SIZES), 2)
    assert not replay(
        configuration,
        {**result, "first_losses": [[x * 1.001 for x in step] for step in result["first_losses"]]},
    )
    assert not replay({**configuration, "rate": configuration["rate"] * 1.1}, result)
    if "parameters" in result:
        assert configuration["name"] in PUBLISHED
        moved = [[x + 10 for x in member] for member in result["parameters"]]
        assert not replay(configuration, {**result, "parameters": moved})


def test_every_experiment_of_the_paper_and_every_factor_is_stored():
    assert [c["name"] for c in TABLES] == list(PUBLISHED) and [
        c["name"] for c in ONE_FACTOR
    ] == list(FACTORS)
    assert all(c["seeds"] >= 5 for c in TABLES + ONE_FACTOR) and set(ABLATIONS) == {
        *PUBLISHED,
        *FACTORS,
    }


def test_stored_encoders_have_the_stored_accuracies():
    for row in stored("counting_tables").results:
        if "parameters" in row["result"]:
            counters = Counters.of(
                ABLATIONS[row["configuration"]["name"]], row["result"]["parameters"]
            )
            for index, side in enumerate(SIZES[:4]):
                found = accuracies(counters, side)
                assert np.allclose(found.cells, row["result"]["cells"][index], atol=1e-3)
                assert np.allclose(found.grids, row["result"]["grids"][index], atol=5e-3)


def test_numbers_are_rounded_to_significant_digits():
    assert significant(np.array([[123456.0, 0.000123456], [0.0, -1.5]])) == [
        [123500.0, 0.0001235],
        [0.0, -1.5],
    ]


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
        zeros, by_mean = free_answers(side)
        assert zeros == pytest.approx(np.mean([colour == 0 for colour, _ in cells]))
        assert by_mean == pytest.approx(
            np.mean([colour == 0 or count == mean for colour, count in cells])
        )


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


def test_misplaced_is_the_distance_of_the_two_distributions():
    true, cells = np.array([1.0, 2, 3]), np.array([1.0, 2, 3])
    for predicted, share in (([1, 2, 3], 0), ([3, 3, 3], 0.5), ([7, -8, 9], 1), ([2, 1, 3], 1 / 6)):
        assert Outcomes(
            true, np.array(predicted, dtype=float), true > 0, true, cells
        ).misplaced == pytest.approx(share)


def test_outcomes_need_one_normalization():
    with pytest.raises(ValueError, match="one layer normalization is expected, not with 2"):
        outcomes(Counters(FACTORS["LN after both"], [0]), 5)
