"""Counting colours in grids: `grids` draws them, `layer` says which encoders there are and computes
them, `train` trains and tests them.
"""

from lib.counting.grids import by_cell, by_colour, checked, copied, random_grids, started
from lib.counting.layer import PUBLISHED, Ablation, Counters
from lib.counting.train import accuracies, count_batches, fit

__all__ = [
    "Ablation",
    "Counters",
    "PUBLISHED",
    "accuracies",
    "by_cell",
    "by_colour",
    "checked",
    "copied",
    "count_batches",
    "fit",
    "random_grids",
    "started",
]
