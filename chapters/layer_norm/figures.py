"""Chapter 3 and its record: transformers sharpened with an output weight of 1, what their answers
cost under each epsilon, and the figures of the lesson.
"""

from collections.abc import Callable
from math import comb, exp, log, log1p, sqrt

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.figure import Figure

from chapters.common.sharpening import sharpen
from lib import constructions
from lib.constructions.normalization import mirror
from lib.languages import FIRST, PARITY, Language
from lib.transformer import Construction, Encoder, cross_entropy_bits
from record.notebook import COLOURS, REFERENCE

LENGTHS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
EPSILONS = {0.0: "0", **{10.0**-j: f"$10^{{-{j}}}$" for j in (9, 7, 5, 3)}}
SHADES = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00")
DRAWN = ((constructions.parity, PARITY), (constructions.first, FIRST))
FAMILIES: dict[str, Callable[[int], str]] = {  # strings of each length, alike in their logit's size
    "PARITY": lambda n: "1" * (n // 2) + "0" * (n - n // 2),
    "FIRST_1": lambda n: "1" + "0" * (n - 1),
    "FIRST_0": lambda n: "0" * n,
}


def with_weight_one(construction: Construction) -> Construction:
    """The construction mirrored and sharpened, with an output weight of 1."""
    return sharpen(mirror(construction), eta=log1p(exp(-sqrt(len(construction.space)))))


def expected_bits(reader: Encoder, language: Language, n: int) -> float:
    """The expected cross-entropy of a uniformly drawn string of length n, in bits.

    FIRST has two kinds of strings, PARITY one for each number of 1s. Of these, those beyond 5
    standard deviations are left out, and of long strings every h-th stands for h of them, with an
    odd h of at most half a standard deviation.
    """
    if language is FIRST:
        cases = {"1" + "0" * (n - 1): 0.5, "0" * n: 0.5}
    else:
        h = max(1, (int(sqrt(n) / 4) - 1) | 1)
        counts = [k for k in range(0, n + 1, h) if abs(2 * k - n) <= 5 * sqrt(n)]
        cases = {"1" * k + "0" * (n - k): comb(n, k) * h / 2**n for k in counts}
    bits = cross_entropy_bits(reader([*cases]), [w in language for w in cases])
    return float(bits @ torch.tensor([*cases.values()], dtype=torch.float64))


def lost_near(construction: Construction, family: Callable[[int], str], eps: float) -> float:
    """The length near which the mirrored construction's logit s, on a family of strings, meets the
    square root of eps d / 2, where the two terms under the root of the last normalization are
    equal.
    """
    reader, d = Encoder(mirror(construction), eps=eps), 2 * len(construction.space)
    lengths = [2**j for j in range(1, 18)]
    s = [reader(family(n)).abs().item() for n in lengths]
    return float(2 ** np.interp(-log(sqrt(eps * d / 2)), -np.log(s), np.log2(lengths)))


def all_bits() -> np.ndarray:
    """What PARITY and FIRST, sharpened with an output weight of 1, cost at each epsilon and length:
    (languages, epsilons, lengths).
    """
    return np.array(
        [
            [expected_bits(reader, language, n) for n in LENGTHS]
            for build, language in DRAWN
            for eps in EPSILONS
            for reader in [Encoder(with_weight_one(build()), eps=eps)]
        ]
    ).reshape(len(DRAWN), len(EPSILONS), len(LENGTHS))


def epsilon_figure(bits: np.ndarray) -> Figure:
    """Bits against the length under each epsilon, a panel for each language; dashed are its bits at
    the turn, where layer normalization gives a logit of sqrt(d) / 2.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.9), sharey=True)
    for axis, (build, language), of_language in zip(axes, DRAWN, bits, strict=True):
        for name, colour, mark, costs in zip(EPSILONS.values(), SHADES, "osD^v", of_language):
            axis.plot(LENGTHS, costs, f"{mark}-", color=colour, markersize=3.5, label=name)
        axis.axhline(log1p(exp(-sqrt(2 * len(build().space)) / 2)) / log(2), **REFERENCE)
        axis.set(xscale="log", title=language.name, ylim=(0, 1.05))
        axis.set_xlabel("length of the string")
    axes[0].set_ylabel("bits a string")
    axes[0].legend(title="ε", fontsize=10)  # exponents are smaller: a phone must show them
    return figure


def shifted_hat_figure() -> Figure:
    """The marks of PARITY's hat on 1^21 0^18, without layer normalization and, below, after its
    shift: even positions filled, odd ones hollow.
    """
    n, k = 40, 21
    i = np.arange(n)
    means = (1 + np.cos(np.pi * i) + (i + k + 1) / n) / 9
    heights = (0.11, 0.36)  # one scale for both panels
    figure, axes = plt.subplots(2, sharex=True, height_ratios=heights, figsize=(6.4, 3.4))
    widths = (("PARITY", np.full(n, 1 / n)), ("FIRST", 1 / n - means))
    for axis, height, (name, width) in zip(axes, heights, widths, strict=True):
        marks = np.maximum(0, np.abs(width) - np.abs(i - k) / n)  # a hat, w wide and high
        for odd, face in ((0, COLOURS[name]), (1, "white")):
            seen = (marks > 1e-9) & (i % 2 == odd)
            axis.vlines(i[seen], 0, marks[seen], color=COLOURS[name])
            axis.plot(i[seen], marks[seen], "o", color=COLOURS[name], mfc=face, markersize=5)
        axis.set(ylabel="mark", xlim=(-1, n), ylim=(0, height), yticks=np.arange(0, height, 0.1))
        axis.axvline(k, zorder=0, **REFERENCE)
    axes[0].set_title("without layer normalization: 1/n high")
    axes[1].set_title("after the shift: ● even positions, ○ odd positions")
    axes[1].set_xticks([0, 10, k, 30], ["0", "10", f"$k$ = {k}", "30"])
    axes[1].set_xlabel("position $i$")
    return figure


def step_figure() -> Figure:
    """What layer normalization makes of the first of two numbers s and -s, for three epsilons."""
    s = np.linspace(-0.05, 0.05, 2001)
    s[1000] = 0
    figure, axis = plt.subplots(figsize=(6.4, 2.8))
    lines = (
        (1e-5, "PARITY", "ε = 10⁻⁵"),
        (1e-3, "FIRST", "ε = 10⁻³"),
        (0.0, "ONE", "ε = 0"),
    )
    for eps, colour, label in lines:
        drawn = s / np.sqrt(s**2 + eps) if eps else np.where(s, np.sign(s), np.nan)
        axis.plot(s, drawn, "-" if eps else "--", color=COLOURS[colour], label=label)
        if eps:
            axis.scatter(sqrt(eps), sqrt(1 / 2), color=COLOURS[colour], s=20, zorder=3)
    axis.legend()
    axis.set_yticks([-1, 0, sqrt(1 / 2), 1], ["−1", "0", "0.71", "1"])
    axis.set(xlabel="the number $s$ before", ylabel="what becomes of it", ylim=(-1.15, 1.25))
    return figure
