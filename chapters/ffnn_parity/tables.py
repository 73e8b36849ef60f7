"""Chapter 1 and its record: the stored runs of trained networks, and which of their units count."""

from collections.abc import Sequence

import numpy as np

from chapters.ffnn_parity.feedforward import ACTIVATIONS, ParityTraining
from record.runs import Stored

WIDTHS = {1: "n", 2: "2n", 4: "4n"}  # hidden units, by multiples of n
Errors = dict[tuple[str, int, int], list[int]]


def errors_by_shape(run: Stored) -> Errors:
    """How many strings each network of a stored run decides incorrectly in the end, by activation,
    width in multiples of n, and n.
    """
    found = run.by("activation", "width", "n")
    return {shape: result["errors"] for shape, result in found.items()}


def learners(errors: Errors, widths: Sequence[int]) -> tuple[list[str], list[list[object]]]:
    """How many networks decide every string: a head, and a row for each activation and width."""
    lengths = sorted({n for *_, n in errors})
    head = ["activation", "hidden units", *(f"n = {n}" for n in lengths)]
    rows = [
        [name, WIDTHS[width], *(errors[name, width, n].count(0) for n in lengths)]
        for name in ACTIVATIONS
        for width in widths
    ]
    return head, rows


def counting_units(run: ParityTraining) -> np.ndarray:
    """How many hidden units of each network weigh all bits alike, up to sign; 0 for a network that
    errs.

    The standard deviation of the sizes of a unit's weights must be below a fifth of their mean.
    """
    return _counting(run).sum(axis=1)


def counts_read(run: ParityTraining) -> np.ndarray:
    """How many different counts the counting units of each network read: two units read one count
    if they turn the same bits round, or one of them just those that the other does not.
    """
    signs = np.sign(run.W1 * run.W1[:, :, :1])
    pairs = zip(signs, _counting(run), strict=True)
    return np.array([len({tuple(unit) for unit in units[counting]}) for units, counting in pairs])


def _counting(run: ParityTraining) -> np.ndarray:
    """Which units count, of the networks that decide every string."""
    sizes = np.abs(run.W1)
    is_even = sizes.std(axis=2) < 0.2 * sizes.mean(axis=2)
    return is_even & (run.errors == 0)[:, None]
