"""Chapter 8 and its record: how far a softmax comparison is from turning, the figures of both, and
the library's languages said without formulas.

A head that attends to the positions j = 0, ..., i with weights b^(x j), for the query
x = (2g + 1)/(i + 1), reads the mean position m; m - i/2 has the sign of 2g + 1.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
from flint import arb
from matplotlib.figure import Figure

from lib.formulas import compiled
from lib.languages import PARITY
from lib.transformer import Encoder
from record.notebook import COLOURS, REFERENCE

TILTS = (  # closest comparisons: i, g and what the string has
    (3, 0, "011: yes"),
    (61, 0, "61 symbols,\none 1 more: yes"),
    (1001, 0, "1001 symbols,\none 1 more: yes"),
    (60, -1, "60 symbols,\na tie: no"),
)
LEAKING = {"3/2": 4, "2": 2.8, "3": 1.4}  # bases, and how wide their curves are
BASES = (4, 9, 16)  # whose distances are drawn


def mean_position(i: int, g: int = 0, b: float = 16) -> float:
    """The mean position that the head reads at position i, in floating point."""
    j = np.arange(i + 1)
    weights = b ** ((2 * g + 1) / (i + 1) * j)
    return float(weights @ j / weights.sum())


def distance(i: int, b: float, g: int = 0) -> arb:
    """How far that mean is from the middle i/2, as a ball; negative if it is to the left."""
    weights = [((2 * g + 1) * arb(j) / (i + 1) * arb(b).log()).exp() for j in range(i + 1)]
    return sum(j * w for j, w in enumerate(weights)) / sum(weights) - arb(i) / 2


def least_distance(b: float) -> arb:
    """What it is at least in size, at every position and for every whole g."""
    root = arb(b).sqrt()
    return (root - 1) / (root + 1) / 2


def by_erasing(w: str) -> bool:
    """Whether erasing () again and again leaves nothing: Dyck-1."""
    while "()" in w:
        w = w.replace("()", "")
    return w == ""


PLAIN: dict[str, Callable[[str], bool]] = {  # the library's languages, without formulas
    "MAJORITY": lambda w: 2 * w.count("1") > len(w),
    "exactly two 1s": lambda w: w.count("1") == 2,
    "at least a third are 1s": lambda w: 3 * w.count("1") >= len(w),
    "Dyck-1": by_erasing,
    "a*b*": lambda w: "ba" not in w,
    "(ab)*": lambda w: w == "ab" * (len(w) // 2),
    "aⁿbⁿcⁿ": lambda w: w == "".join(a * (len(w) // 3) for a in "abc"),
    "PARITY": PARITY.contains,
    "PARITY, by halves": PARITY.contains,
    "FIRST": lambda w: w[:1] == "1",
    "ONE": lambda w: w.count("1") == 1,
}


def tilt_figure() -> Figure:
    """The weights of four comparisons, each beside the largest, base 16; and their means."""
    figure, axes = plt.subplots(1, len(TILTS), figsize=(7.2, 2.2), sharey=True)
    for axis, (i, g, title) in zip(axes, TILTS, strict=True):
        j = np.arange(i + 1)
        weights = 16.0 ** ((2 * g + 1) / (i + 1) * j)
        colour = COLOURS["FIRST" if g < 0 else "PARITY"]
        edges = np.arange(i + 2) - 0.5
        axis.stairs(weights / weights.max(), edges, fill=True, color=colour, alpha=0.45)
        axis.axvline(i / 2, **REFERENCE)
        axis.plot(mean_position(i, g), 0, "o", color=colour, clip_on=False, zorder=3)
        axis.set(xticks=[0, i], xlabel="position $j$")
        axis.get_xticklabels()[-1].set_ha("right")
        axis.set_title(title, fontsize=9, color=colour)
    axes[0].set(ylabel="weight / largest")
    return figure


def leaked(base: Fraction, places: int) -> list[float]:
    """What the count of "more closed" comes to at each position of ()()()..., where it should be
    0, in the machine for Dyck-1 with that base.
    """
    dyck = 'count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))'
    machine = compiled(dyck, "()", "softmax", base=base)
    stream = Encoder(machine).trace("()" * (places // 2)).a[4] or {}
    shares = next(x[0] for name, x in stream.items() if name.startswith("count(count"))
    return [float(share) * (i + 1) for i, share in enumerate(shares)]


def leak_figure() -> Figure:
    """What leaks into the count above a comparison, position by position, for three bases."""
    figure, axis = plt.subplots(figsize=(6.4, 2.4))
    places = 16
    for (base, width), colour in zip(LEAKING.items(), COLOURS.values(), strict=False):
        counts = leaked(Fraction(base), places)
        look: dict = {"color": colour, "linewidth": width, "label": f"$b = {base}$"}
        axis.step(range(places + 1), counts, where="post", **look)
    axis.axhline(0.5, label="wrong above this line", **REFERENCE)
    axis.legend(fontsize=9, ncols=2, loc="upper right")
    axis.set(xlabel="position $i$ of ()()()…", ylabel="count of “more closed?”", ylim=(-0.02, 1.15))
    axis.set_xticks(range(0, places + 1, 4))
    return figure


def sure_figure(lengths: Sequence[int], loss: Mapping[str, Sequence[float]]) -> Figure:
    """The bits a string of MAJORITY against its length, a curve for each way to read it off."""
    figure, axis = plt.subplots(figsize=(6.4, 2.4))
    for (name, bits), style in zip(loss.items(), ("o-", "s-", "^--"), strict=True):
        axis.plot(lengths, bits, style, label=name)
    axis.set(xscale="log", xlabel="$|w|$", ylabel="bits a string", ylim=(0, 1.1))
    axis.legend()
    return figure
