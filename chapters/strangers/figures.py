"""Chapter 12 and its record: what a test does not see, why errors are measured by their length, and
the networks that were judged.
"""

from collections.abc import Iterator, Mapping
from math import cos, sin, tau

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon, Rectangle

from chapters.strangers.runs import PUBLISHED, Small, unpacked
from lib.notebook import COLOURS, markdown_table
from record.runs import stored

NAMES = {  # of the published networks, as the record calls them
    "bce_012_0_2-@1l1h64d4lr00drop": "{0,1,2}\\*02\\*",
    "bce_D2-@1l1h16d3lr00drop": "brackets, 2 deep",
    "bce_D3-@1l1h16d4lr00drop": "brackets, 3 deep",
    "bce_aastar-@1l2h16d3lr01drop": "(aa)\\*",
    "bce_abcde-@1l1h16d3lr00drop": "a⁺b⁺c⁺d⁺e⁺",
    "bce_tomita1-@1l1h16d3lr00drop": "1\\*",
    "bce_tomita2-@1l1h16d3lr00drop": "(10)\\*",
    "bce_tomita4-@2l2h16d3lr01drop": "no 000",
    "bin_majority-@1l1h16d3lr01drop": "more 1s than 0s",
}
SPELLED = {"FIRST": "the first symbol is 1", "MAJORITY": "more 1s than 0s"}
SPELLED |= {"Dyck-1": "well nested", "two 1s": "at least two 1s"}
INK = "#777777"


def published() -> dict[str, dict]:
    """What was found of each published network, by its folder's name."""
    return stored("published_networks").by("network")


def small() -> dict[tuple[str, int], dict]:
    """What was found of each network of our own, by its language and its steps."""
    return stored("small_networks").by("language", "steps")


def kept(language: str, steps: int) -> Small:
    """A network of our own as PyTorch runs it, with the weights that were kept."""
    return unpacked(small()[language, steps]["weights"])


def counted(result: Mapping) -> tuple[int, int, int]:
    """Of an audit: how many strings, how many of them decided wrongly, and how many not at all."""
    strings, wrong, left = np.sum([row[1:] for row in result["by length"]], axis=0).tolist()
    return strings, wrong, left


def shown(w: str) -> str:
    """A string as code, or that it is empty."""
    return f"`{w}`" if w else "the empty string"


def small_table() -> Markdown:
    """Our networks: their accuracy on samples beside all strings."""
    rows = []
    for (language, steps), result in small().items():
        audit = result["audit"]
        _, wrong, _ = counted(audit)
        first = shown(audit["wrong"][0]) if audit["wrong"] else "none"
        accuracies = (f"{share:.1%}" for share in result["accuracy"])
        rows.append((SPELLED[language], f"{steps:,}", *accuracies, f"{wrong:,}", first))
    head = ("language", "batches", "right, 1 to 20", "right, 21 to 40", "wrong", "the first")
    return markdown_table(head, rows)


def longer_rows() -> Iterator[tuple]:
    """Of longer strings, of each kind, how many were drawn and decided wrongly."""
    for (language, steps), result in small().items():
        found = result["longer"]
        cells = (f"{found[kind][1]:,} of {found[kind][0]:,}" for kind in found)
        yield SPELLED[language], f"{steps:,}", *cells


def published_rows() -> Iterator[tuple]:
    """The published networks, a line each."""
    for name, result in published().items():
        strings, wrong, left = counted(result)
        first = shown(result["wrong"][0]) if result["wrong"] else "–"
        yield (
            NAMES[name],
            f"{result['numbers']:,}",
            result["layers"],
            PUBLISHED[name]["longest"],
            f"{strings:,}",
            f"{wrong:,}",
            left,
            first,
            f"{result['margin']:.3g}",
            f"{result['otherwise']['float32'][0]:,}",
            f"{result['otherwise']['bfloat16'][0]:,}",
            f"{result['any order']:,}",
        )


def offset_rows() -> Iterator[tuple]:
    """The published networks when strings begin later."""
    for name, result in published().items():
        found = result["offsets"]
        wrong = ", ".join(f"{offset} ({shown(w)})" for offset, w in found["wrong"][:3]) or "none"
        more = f" and {len(found['wrong']) - 3} more" if len(found["wrong"]) > 3 else ""
        yield (
            NAMES[name],
            found["to"],
            f"1 to {found['last']}",
            f"{found['strings']:,}",
            wrong + more,
        )


def decision_figure() -> Figure:
    """Three computed numbers with their bounds: above 0, below 0, and across it, and the third
    again with a smaller bound.
    """
    figure, axis = plt.subplots(figsize=(6.4, 2.9))
    rows = [
        (0.03, 0.015, "surely above 0: accepted", "PARITY"),
        (-0.02, 0.015, "surely below 0: rejected", "PARITY"),
        (0.0, 0.015, "not known yet ...", "FIRST"),
        (0.008, 0.0015, "... until it is computed anew, with more digits", "PARITY"),
    ]
    axis.axvline(0, color=INK, linewidth=1)
    for line, (at, bound, says, colour) in enumerate(rows):
        axis.errorbar(at, -line, xerr=bound, fmt="o", color=COLOURS[colour], capsize=5, linewidth=2)
        axis.text(-0.038, 0.3 - line, says, va="center", fontsize=9, color=COLOURS[colour])
    axis.set(xlim=(-0.04, 0.05), ylim=(-3.5, 0.6), yticks=[], xticks=[-0.02, 0, 0.02, 0.04])
    axis.set_xlabel("logit", loc="left")
    axis.spines[["left", "right", "top"]].set_visible(False)
    return figure


def rotation_figure() -> Figure:
    """Errors in a square and in a disc, before and after a turn by 45 degrees: the square needs a
    larger one, the disc stays what it is.
    """
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.1))
    for axis in axes:
        axis.set(xlim=(-2.1, 2.1), ylim=(-2.1, 2.1), aspect="equal", xticks=[-1, 1], yticks=[-1, 1])
    _squares(axes[0], turns=2)
    axes[0].set_title("a bound for each coordinate", fontsize=10)
    axes[1].add_patch(Circle((0, 0), 2**0.5, color=COLOURS["PARITY"], alpha=0.25))
    for turn in range(8):
        angle = tau * (turn + 1) / 8
        line = {"arrowstyle": "->", "color": COLOURS["PARITY"]}
        tip = (2**0.5 * cos(angle), 2**0.5 * sin(angle))
        axes[1].annotate("", tip, (0, 0), arrowprops=line)
    axes[1].set_title("a bound for the length", fontsize=10)
    return figure


def _squares(axis: Axes, turns: int) -> None:
    """The square of errors, turned, and the upright square around it, turned again."""
    half = 1.0
    for turn in range(turns + 1):
        style = {"fill": False, "linewidth": 1.8, "edgecolor": COLOURS["PARITY"]}
        axis.add_patch(Rectangle((-half, -half), 2 * half, 2 * half, **style))
        axis.text(0, half - 0.06, f"{half:.3g}", ha="center", va="top", fontsize=8)
        if turn < turns:
            reach = half * 2**0.5
            corners = [(0, reach), (reach, 0), (0, -reach), (-reach, 0)]
            dashed = {"fill": False, "linestyle": "--", "edgecolor": COLOURS["FIRST"]}
            axis.add_patch(Polygon(corners, **dashed))
            half = reach


def bounds() -> dict[tuple[str, int, float], dict]:
    """What was found of the bounds, by shape, layers and scale."""
    return stored("bounds_held").by("shape", "layers", "scale")


def bounds_rows() -> Iterator[tuple]:
    """The networks whose bounds were held against balls, a line each."""
    for (shape, layers, scale), found in bounds().items():
        sizes = (f"{found[which]:.1e}" for which in ("median", "share"))
        yield shape, layers, scale, f"{found['outputs']:,}", found["outside"], *sizes
