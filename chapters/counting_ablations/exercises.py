"""The exercises of chapter 5: encoders that count colours, run on grids."""

from fractions import Fraction
from itertools import combinations
from numbers import Integral

import numpy as np
import torch

from chapters.common.judge import exercise
from chapters.counting_ablations.grids import COLOURS, by_colour
from chapters.counting_ablations.layer import PUBLISHED, Counters
from chapters.counting_ablations.train import GRIDS_AT_ONCE, drawn_for_tests

PROPORTIONS = 35  # in which two colours share a grid


@exercise("5.1", Integral)
def largest_count(answer: Integral) -> str | None:
    """Up to which N the best output under dropout, 0.9 N, still rounds to N, ties to even."""
    largest = int(answer)
    for N in range(1, largest + 2):
        best = Fraction(9, 10) * N
        is_right = round(best) == N
        if is_right != (N <= largest):
            to_even = ", ties to even" if best % 1 == Fraction(1, 2) else ""
            said = f"for N = {N} the best y is {float(best):.2f}, which rounds to {round(best)}"
            return f"{said}{to_even}"
    return None if largest > 0 else f"{largest} is not above 0"


@exercise("5.2", Counters)
def counts_beside_layer_norm(answer: Counters) -> str | None:
    """LayerNorm-FF-Count, with weights that count to 100x100."""
    if answer.ablation != PUBLISHED["LayerNorm-FF-Count"]:
        return "its ablation is not PUBLISHED['LayerNorm-FF-Count']"
    return miscounted(answer, sides=(6, 20, 100))


@exercise("5.3", Counters)
def counts_one_size(answer: Counters) -> str | None:
    """Whether a softmax layer without positions counts on grids of one size."""
    if answer.ablation.attention != "softmax" or answer.ablation.width != COLOURS:
        return "it is not a layer with softmax whose tokens are the ten colours"
    return miscounted(answer, sides=(6,))


@torch.no_grad()
def miscounted(counters: Counters, sides: tuple[int, ...]) -> str | None:
    """A grid of one of the sides that the first member counts incorrectly, as a sentence; None
    where there is none among those of `tried`.
    """
    for side in sides:
        every = tried(side)
        for counts in np.array_split(every, len(every) // GRIDS_AT_ONCE):
            batch = by_colour(counts[None]).like(counters.flat)
            output, target = counters(batch.x, batch.weight)[0], batch.target[0]
            wrong = (output.round() != target) & (batch.weight[0] > 0)[..., None]
            for grid, own, colour in wrong.nonzero()[:1].tolist():
                return (
                    f"on a grid of {side}x{side} with {counts[grid, own]} cells of colour {own} "
                    f"each of them is given {output[grid, own, colour]:.3f} for colour {colour}"
                )
    return None


def tried(side: int) -> np.ndarray:
    """The colour counts of grids of that side, (grids, 10): of one colour, of one coloured cell, of
    each two colours in 35 proportions, which at 6x6 are all, and 100 random ones.
    """
    black, *coloured = colours = np.eye(COLOURS, dtype=int)
    cells = side**2
    alone = [cells * colour for colour in colours]
    lone = [(cells - 1) * black + colour for colour in coloured]
    shares = np.linspace(1, cells - 1, PROPORTIONS).round().astype(int)
    pairs = [N * a + (cells - N) * b for a, b in combinations(colours, 2) for N in shares]
    return np.concatenate([alone, lone, pairs, drawn_for_tests(side, 100, capped=False)])
