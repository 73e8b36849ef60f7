"""Counting colours in grids: `grids` draws them, `layer` says which encoders there are and computes
them, `train` trains and tests them.
"""

from lib.counting.grids import (
    arc_task,
    by_cell,
    by_colour,
    checked,
    colour_counts,
    copied,
    random_grids,
    started,
)
from lib.counting.layer import FACTORS, PUBLISHED, Ablation, Counters
from lib.counting.train import (
    accuracies,
    count_batches,
    drawn_for_tests,
    fit,
    identity_batches,
    right,
)

__all__ = [
    "Ablation",
    "Counters",
    "FACTORS",
    "PUBLISHED",
    "accuracies",
    "arc_task",
    "by_cell",
    "by_colour",
    "checked",
    "colour_counts",
    "copied",
    "count_batches",
    "drawn_for_tests",
    "fit",
    "identity_batches",
    "random_grids",
    "right",
    "started",
]
