"""Chapter 1 and its record: the stored runs of trained networks, which of their units count, and
the figures.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from chapters.ffnn_parity.feedforward import (
    ACTIVATIONS,
    ParityTraining,
    StepNetwork,
)
from record.notebook import COLOURS, REFERENCE
from record.runs import Stored

WIDTHS = {1: "n", 2: "2n", 4: "4n"}  # hidden units, by multiples of n
Errors = dict[tuple[str, int, int], list[int]]


def errors_by_shape(run: Stored) -> Errors:
    """How many strings each network of a stored run decides incorrectly in the end, by activation,
    width in multiples of n, and n.
    """
    return {
        (shape["activation"], shape["width"], shape["n"]): row["result"]["errors"]
        for row in run.results
        for shape in [row["configuration"]]
    }


def learners(errors: Errors, widths: Sequence[int]) -> tuple[list[str], list[list[object]]]:
    """A table of how many networks decide every string: its head, and a row for each activation and
    width.
    """
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
    signs = np.sign(run.W1)
    signs = signs * signs[:, :, :1]
    return np.array(
        [
            len({tuple(unit) for unit in network[counting]})
            for network, counting in zip(signs, _counting(run), strict=True)
        ]
    )


def _counting(run: ParityTraining) -> np.ndarray:
    """Which units count, of the networks that decide every string."""
    sizes = np.abs(run.W1)
    is_even = sizes.std(axis=2) < 0.2 * sizes.mean(axis=2)
    return is_even & (run.errors == 0)[:, None]


def staircase(W1: np.ndarray, b1: np.ndarray) -> tuple[list[int], list[float]]:
    """The bits, from 1, that the first of several counting units turns round, and the counts of 1s
    after that at which the units change their answers, in order: the bias, with the weights of the
    bits turned round, over the mean weight, negated.
    """
    signs = np.sign(W1[0])
    turned = np.flatnonzero(signs < 0)
    counts = -(b1 + W1[:, turned].sum(axis=1)) / (W1 * signs).mean(axis=1)
    return (turned + 1).tolist(), sorted(counts.tolist())


def thermometer_figure(network: StepNetwork) -> Figure:
    """Which hidden units answer yes at each number of 1s, with their signs in the output, and above
    it their alternating sum.
    """
    n = network.W1.shape[1]
    answers = network.hidden(["1" * k + "0" * (n - k) for k in range(n + 1)])
    units = np.arange(1, len(network.b1) + 1)
    figure, (top, bottom) = plt.subplots(2, sharex=True, height_ratios=[1, 3], figsize=(6.4, 3.6))
    sums = answers @ network.W2
    top.plot(range(n + 1), sums, "o", color=COLOURS["PARITY"])
    top.vlines(range(n + 1), 0, sums, color=COLOURS["PARITY"], linewidth=1.5)
    top.set(ylabel="sum", yticks=[0, 1], ylim=(-0.3, 1.3))
    bottom.pcolormesh(np.arange(n + 1), units, answers.T, edgecolors="#77777744", linewidth=0.5)
    for k, unit in np.argwhere(answers):
        sign = "+" if network.W2[unit] > 0 else "−"
        bottom.text(k, unit + 1, sign, color="white", ha="center", va="center")
    bottom.set(xlabel="number $k$ of 1s in the string", ylabel="hidden unit $j$", yticks=units)
    return figure


def training_figure(run: ParityTraining) -> Figure:
    """The cross-entropy of each network while it learns; those that end with an error in grey."""
    solved = run.errors == 0
    steps = len(run.losses_bits)
    figure, axis = plt.subplots()
    axis.plot(run.losses_bits[:, ~solved], color="#999999", linewidth=1)
    axis.plot(run.losses_bits[:, solved], color=COLOURS["PARITY"], linewidth=1)
    axis.axhline(1, **REFERENCE)
    axis.text(steps, 1.02, "guessing", ha="right", color="#777777")
    axis.text(steps, 0.28, f"not solved by step {steps}", ha="right", color="#777777")
    axis.text(steps, 0.04, "solved", ha="right", color=COLOURS["PARITY"])
    axis.set(xlabel="training step", ylabel="cross-entropy (bits a string)", ylim=(0, 1.15))
    return figure
