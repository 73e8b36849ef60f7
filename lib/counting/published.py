"""What Ouellette et al. 2023 print in their tables, and what agreeing with one run means."""

from __future__ import annotations

from math import sqrt

import numpy as np

# Table I: accuracy per cell in %, at the first eight of `runs.SIZES`.
TABLE_I = {
    "Std-Transformer-Count": [32.48, 26.74, 25.10, 24.56, 25.39, 27.37, 31.12, 30.76],
    "No-LayerNorm-Count": [100.0] * 8,
    "LayerNorm-SA-Count": [99.97, 99.80, 98.52, 92.59, 80.86, 45.99, 30.17, 33.79],
    "LayerNorm-FF-Count": [97.49, 90.07, 75.49, 56.05, 40.52, 27.98, 28.30, 34.11],
}
# Table II: training and test loss, each with the spread that is printed.
TABLE_II = {
    "No-LayerNorm-Identity": ((7.98e-8, 4.698e-8), (8.1954e-5, 1.279e-5)),
    "LayerNorm-Identity": ((0.0174, 0.0019), (0.1147, 0.0069)),
}
STUDENT_T = 2.776  # of four degrees of freedom, two-sided 95 %


def predicted_width(runs: np.ndarray) -> np.ndarray:
    """By how much one more run may differ from the mean of five: half of the 95 % prediction
    interval, for each row of `runs`, (sizes, 5).

    ValueError for another number of runs.
    """
    if runs.shape[-1] != 5:
        raise ValueError(f"five runs are expected, not {runs.shape[-1]}")
    return STUDENT_T * sqrt(1 + 1 / 5) * runs.std(-1, ddof=1)


def is_within_spread(name: str, losses: tuple[float, float]) -> bool:
    """Whether a training and a test loss are both within the spread that table II prints."""
    pairs = zip(losses, TABLE_II[name], strict=True)
    return all(abs(loss - mean) <= spread for loss, (mean, spread) in pairs)
