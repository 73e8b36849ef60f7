"""The exercises of chapter 5: encoders that count colours, run on grids."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import torch

from lib.counting.ablations import PUBLISHED
from lib.counting.grids import COLOURS, by_colour
from lib.counting.layer import Counters
from lib.counting.scores import drawn_for_tests
from lib.exercises.judge import exercise


@exercise("5.1", "a whole number", int)
def largest_count(answer: int) -> str | None:
    """Up to which N the output with the least squared error under dropout still rounds to N."""
    for N in range(1, answer + 2):
        best = least_squares(N)
        is_right = round(best) == N
        if is_right != (N <= answer):
            return f"for N = {N} the best y is {float(best):.2f}, which rounds to {round(best)}"
    return None if answer > 0 else f"{answer} is not above 0"


def least_squares(N: int) -> Fraction:
    """The output y whose expected squared error against N is least, from the error at three y: it
    is a parabola.
    """
    lost = Fraction(1, 10)
    a, b, c = (lost * N**2 + (1 - lost) * (y / (1 - lost) - N) ** 2 for y in (0, 1, 2))
    return (3 * a - 4 * b + c) / (2 * (a - 2 * b + c))


@exercise("5.2", "a Counters", Counters)
def counts_beside_layer_norm(answer: Counters) -> str | None:
    """LayerNorm-FF-Count, with weights that count to 100x100."""
    if answer.ablation != PUBLISHED["LayerNorm-FF-Count"]:
        return "its ablation is not PUBLISHED['LayerNorm-FF-Count']"
    return miscounted(answer, sides=(6, 20, 100))


@exercise("5.3", '"proved", or a Counters with softmax that counts at 6x6', str, Counters)
def counts_one_size(answer: str | Counters) -> str | None:
    """Whether a softmax layer without positions counts on grids of one size."""
    if isinstance(answer, str):
        return (
            "then show it: give a Counters with softmax that counts at 6x6"
            if answer == "refuted"
            else "a cell that attends to all 36 alike is given N / 36 of a colour, which tells N"
        )
    if answer.ablation.attention != "softmax" or answer.ablation.width != COLOURS:
        return "it is not a layer with softmax whose tokens are the ten colours"
    return miscounted(answer, sides=(6,))


@torch.no_grad()
def miscounted(counters: Counters, sides: tuple[int, ...]) -> str | None:
    """A grid that the first member counts wrongly, as a sentence: of one colour, of one coloured
    cell, or of 100 random ones of each side; None where there is none.
    """
    black, *coloured = np.eye(COLOURS, dtype=int)
    for side in sides:
        alone = [side**2 * colour for colour in (black, *coloured)]
        lone = [(side**2 - 1) * black + colour for colour in coloured]
        counts = np.concatenate([alone, lone, drawn_for_tests(side, 100, capped=False)])
        batch = by_colour(counts[None])
        output, target = counters(batch.x, batch.weight)[0], batch.target[0]
        wrong = (output.round() != target) & (batch.weight[0] > 0)[..., None]
        for grid, own, colour in wrong.nonzero()[:1].tolist():
            return (
                f"on a grid of {side}x{side} with {counts[grid, own]} cells of colour {own} "
                f"each of them is given {output[grid, own, colour]:.3f} for colour {colour}"
            )
    return None
