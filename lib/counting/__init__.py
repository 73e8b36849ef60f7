"""Counting colours in grids: `grids` draws them, `ablations` lists the encoders, `layer` computes
them, `by_hand` builds those that count, `train` and `scores` train and test them, `outcomes` looks
at single answers, `identity` bounds the loss of those that return their input, `runs` lists what is
stored, `published` what the paper prints.
"""

from lib.counting.ablations import FACTORS, PUBLISHED, Ablation
from lib.counting.by_hand import algorithm_1
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
from lib.counting.layer import Counters
from lib.counting.scores import accuracies, drawn_for_tests, right
from lib.counting.train import count_batches, fit, identity_batches

__all__ = [
    "Ablation",
    "Counters",
    "FACTORS",
    "PUBLISHED",
    "accuracies",
    "algorithm_1",
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
