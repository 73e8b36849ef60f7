"""Grids: what is drawn has the papers' distribution."""

import numpy as np
import pytest

from chapters.counting_ablations.grids import colour_counts, random_counts, random_grids


def loop_grid(side: int, draw: np.random.Generator) -> np.ndarray:
    """One grid drawn cell by cell, as section III-A and the authors' description have it."""
    cap, grid, coloured = draw.integers(1, 1000), np.zeros((side, side), dtype=int), 0
    for x in range(side):
        for y in range(side):
            if coloured < cap and draw.random() < 0.8:
                grid[x, y] = draw.integers(1, 10)
                coloured += 1
    if coloured == 0:
        grid[draw.integers(side), draw.integers(side)] = draw.integers(1, 10)
    return grid.ravel()


@pytest.mark.parametrize("side", [1, 2, 6, 20, 40])
def test_three_ways_of_drawing_have_one_distribution(side):
    draw, many = np.random.default_rng(side), 400 if side > 6 else 3000
    by_loop = np.stack([colour_counts(loop_grid(side, draw)) for _ in range(many)])
    at_once = colour_counts(random_grids(side, many, draw))
    counts_only = random_counts(side, many, draw)
    for found in (at_once, counts_only):
        assert (found.sum(-1) == side**2).all() and (found[:, 1:].sum(-1) >= 1).all()
        for statistic in (
            lambda c: c[:, 0],
            lambda c: c[:, 1],
            lambda c: c[:, 9],
            lambda c: c[:, 1] * c[:, 2],
            lambda c: (c[:, 0] == 0) * 1.0,
        ):
            one, other = statistic(by_loop), statistic(found)
            spread = np.sqrt((one.var() + other.var()) / many) + 1e-9
            assert abs(one.mean() - other.mean()) < 5 * spread
