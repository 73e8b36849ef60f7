"""What Ouellette et al. 2023 print in their tables, and what agreeing with one run means."""

from __future__ import annotations

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
# Two-sided quantiles of Student's t of four degrees of freedom and of the normal distribution: at
# 95 %, and at 95 % for eight sizes jointly (Bonferroni).
AT_EACH_SIZE = (2.776, 1.960)
AT_EIGHT_JOINTLY = (5.261, 2.734)


def predicted_width(
    runs: np.ndarray,
    test_errors: np.ndarray | float = 0.0,
    quantiles: tuple[float, float] = AT_EACH_SIZE,
) -> np.ndarray:
    """By how much one more run may differ from the mean of five: half of the 95 % prediction
    interval, for each row of `runs`, (sizes, 5).

    `test_errors`, (sizes,), are standard errors from the draw of the tests, which the five share:
    they count twice, for the tests of the five and for those of the one. ValueError for another
    number of runs.
    """
    if runs.shape[-1] != 5:
        raise ValueError(f"five runs are expected, not {runs.shape[-1]}")
    t, z = quantiles
    of_seeds = t**2 * (1 + 1 / 5) * runs.var(-1, ddof=1)
    of_tests = z**2 * 2 * np.square(test_errors)
    return np.sqrt(of_seeds + of_tests)


def is_within_spread(name: str, losses: tuple[float, float]) -> bool:
    """Whether a training and a test loss are both within the spread that table II prints."""
    pairs = zip(losses, TABLE_II[name], strict=True)
    return all(abs(loss - mean) <= spread for loss, (mean, spread) in pairs)
