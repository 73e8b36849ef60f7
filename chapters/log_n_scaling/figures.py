"""Chapter 4 and its record: the stored runs that learned FIRST, to which length they are right and
where they look, and what Proposition 3 asks of an output weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from lib import constructions
from lib.constructions.normalization import mirror
from lib.languages import FIRST
from lib.transformer import Encoder
from record.runs import stored

LENGTHS = (10, 30, 100, 300)  # of the training strings
KINDS = ("plain", "log n")
NAMES = {"plain": "without a factor", "log n": "with log n"}
RIGHT = 0.99  # of all strings of a length
SHADES = {n: plt.get_cmap("Oranges")(shade) for n, shade in zip(LENGTHS, (0.4, 0.55, 0.75, 1.0))}


class Learned:
    """The stored runs of FIRST, twenty for each training length and scale of the logits."""

    def __init__(self):
        self.run = stored("first_generalisation")
        self.results = self.run.by("length", "scale")
        one = self.results[10, "plain"]
        self.epochs: list[int] = one["epochs"]  # after which the runs were tested at 1000
        self.tested = [test["length"] for test in one["final"]]  # lengths, after the last epoch

    def at(self, length: int, scale: str, quantity: str, epoch: int) -> np.ndarray:
        """A quantity at 1000 after one of the epochs: (..., runs)."""
        return np.array(self.results[length, scale][quantity][self.epochs.index(epoch)])

    def failing(self, length: int, scale: str, epoch: int) -> int:
        """How many runs are right on less than 99 % at 1000."""
        return int((self.at(length, scale, "accuracy", epoch) < RIGHT).sum())

    def final(self, length: int, scale: str, quantity: str) -> np.ndarray:
        """A quantity at each tested length after the last epoch: (tested, ..., runs)."""
        return np.array([test[quantity] for test in self.results[length, scale]["final"]])

    def reached(self, length: int, scale: str, tested_at: int) -> int:
        """How many runs are right on 99 % at a tested length, after the last epoch."""
        accuracy = self.final(length, scale, "accuracy")[self.tested.index(tested_at)]
        return int((accuracy >= RIGHT).sum())

    def shares(self, length: int, scale: str) -> np.ndarray:
        """The larger of the two layers' attention on position 1: (tested, runs)."""
        return self.final(length, scale, "attention").max(axis=1)

    def networks(self, scale: str, tested_at: int = 10**9) -> tuple[np.ndarray, np.ndarray]:
        """The share of each network at a tested length, whatever its training length, and which of
        them are right there.
        """
        here = self.tested.index(tested_at)
        shares = [self.shares(n, scale)[here] for n in LENGTHS]
        accuracy = [self.final(n, scale, "accuracy")[here] for n in LENGTHS]
        return np.concatenate(shares), np.concatenate(accuracy) >= RIGHT

    def gone(self) -> tuple[int, int]:
        """How many runs with log n give position 1 less than 0.01 at the last length, and how many
        of these are right there.
        """
        shares, right = self.networks("log n")
        return int((shares < 0.01).sum()), int((right & (shares < 0.01)).sum())

    def slope(self) -> float:
        """The log-log slope of the median share at the last four lengths, without a factor."""
        last = [np.median(self.shares(n, "plain")[-4:], axis=1) for n in LENGTHS]
        slopes = np.polyfit(np.log10(self.tested[-4:]), np.log10(last).T, 1)[0]
        return float(slopes.mean())


def two_panels(
    draw: Callable[[Axes, int, str, dict], None], xlabel: str, ylabel: str, **shared: Any
) -> np.ndarray:
    """A panel for each scale, in which `draw` draws each training length in its colour."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), **shared)
    for axis, scale in zip(axes, KINDS, strict=True):
        for n, colour in SHADES.items():
            draw(axis, n, scale, {"color": colour, "label": f"{n}"})
        axis.set(xscale="log", title=NAMES[scale], xlabel=xlabel)
    axes[0].set(ylabel=ylabel)
    lines = axes[0].get_legend_handles_labels()
    figure.legend(*lines, title="symbols in\ntraining", fontsize=8, loc="outside right center")
    return axes


def by_weights() -> np.ndarray:
    """Accuracy at 1000 from each of twenty initial weights, on each of five sets of strings."""
    [row] = stored("initial_weights").results
    return np.array(row["result"]["accuracy"][-1]).reshape(20, -1)


def weight_for_most(n: int) -> int:
    """The least whole weight of the first symbol with which the flawed transformer is right on 99 %
    of all strings of n tokens. All votes but the first symbol's add up to `later` - n/2, and to a
    whole more where the string begins with a 1.
    """
    later = np.arange(n - 1)  # 1s among the n - 2 later symbols
    chance = np.array([comb(n - 2, int(k)) / 2 ** (n - 2) for k in later])
    for weight in range(1, n + 1):
        lead = (weight - 1) / 2
        accepted = [lead + later + 1 - n / 2 > 0, -lead + later - n / 2 > 0]
        if chance @ accepted[0] + chance @ ~accepted[1] >= 2 * RIGHT:
            return weight
    raise ValueError(f"no whole weight up to {n}")  # n itself is above the threshold


# ---- Proposition 3


def gains(eps: float, w1: int) -> list[float]:
    """By what layer normalization multiplies CLS and position 1 in the mirrored FIRST."""
    same = 1 / 2 if w1 else 1 / 3
    return [(v + eps**2) ** -0.5 for v in (1 / 6 + eps / 6, same + eps / 3)]


def bound(eps: float) -> float:
    """A bound of |s| from below in the mirrored FIRST under log n, if c g0 g1 >= 1."""
    (g0, g1), (_, most) = gains(eps, 1), gains(eps, 0)
    variance = (g0**2 + most**2 / 4) / 6
    return (4 * g1 - g0) / 12 * (variance * (1 + eps) + eps**2) ** -0.5


def costs(c: float, eps: float | None, tie_free: bool = True, eta: float = 0.01) -> list[float]:
    """The greatest cross-entropy in nats on the empty string, on all others to length 8, and on the
    hardest of 1000 and 100,000 symbols, with the output weight that should make it `eta`.
    """
    short = [w for length in range(1, 9) for w in FIRST.all_strings(length)]
    long = [first + rest * (m - 1) for m in (10**3, 10**5) for first, rest in ("10", "01", "00")]
    construction = constructions.first(c, tie_free=tie_free)
    model = construction if eps is None else mirror(construction)
    reader, least = Encoder(model, eps=eps, log_n=True), 1 / 4 if eps is None else bound(eps)
    weight = -np.log(np.expm1(eta)) / least

    def worst(strings: Sequence[str]) -> float:
        right = [reader(w).item() * (1 if w in FIRST else -1) for w in strings]
        return float(max(np.log1p(np.exp(-weight * s)) for s in right))

    return [worst(strings) for strings in ([""], short, long)]
