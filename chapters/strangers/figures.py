"""Chapter 12 and its record: what a test does not see, why errors are measured by their length, and
the networks that were judged.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from math import cos, sin, tau

import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.display import Markdown
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle, RegularPolygon

from chapters.strangers.runs import PUBLISHED, Small, judged_small, unpacked
from lib.languages import MAJORITY
from lib.trained.arithmetic import Bounded
from lib.trained.audit import given
from lib.trained.passes import outputs
from record.notebook import COLOURS, markdown_table
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


def published() -> dict[str, dict]:
    """What was found of each published network, by its folder's name."""
    return stored("published_networks").by("network")


def arena() -> dict:
    """What was asked and found of ARENA's classifier of brackets."""
    [found] = stored("arena_brackets").results
    return found["configuration"] | found["result"]


def small() -> dict[tuple[str, int], dict]:
    """What was found of each network of our own, by its language and its steps."""
    return stored("small_networks").by("language", "steps")


def kept(language: str, steps: int) -> Small:
    """A network of our own as PyTorch runs it, with the weights that were kept."""
    return unpacked(small()[language, steps]["weights"])


def counted(result: Mapping) -> tuple[int, int, int]:
    """Of an audit: how many strings, how many are decided incorrectly, and how many not at all."""
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
    """Of longer strings, of each kind, how many were drawn and decided incorrectly."""
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


def decision_figure() -> Figure:
    """Three computed numbers with their bounds: above 0, below 0, and across it, and the third
    again with a smaller bound.
    """
    figure, axis = plt.subplots(figsize=(6.4, 2.9))
    rows = {
        "surely above 0:\naccepted": (0.03, 0.015),
        "surely below 0:\nrejected": (-0.02, 0.015),
        "not known yet ...": (0.0, 0.015),
        "... until it is computed\nanew, with more digits": (0.008, 0.0015),
    }
    axis.axvline(0, color="#777777", linewidth=1)
    for says, (at, bound) in rows.items():
        colour = COLOURS["PARITY" if abs(at) > bound else "FIRST"]
        axis.errorbar(at, says, xerr=bound, fmt="o", color=colour, capsize=5, linewidth=2)
    axis.set(xlabel="score", xticks=[-0.02, 0, 0.02, 0.04])
    axis.invert_yaxis()
    return figure


def rotation_figure() -> Figure:
    """Errors in a square and in a disc, before and after a turn by 45 degrees: the square needs a
    larger one, the disc stays what it is.
    """
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.1))
    blue, root = COLOURS["PARITY"], 2**0.5
    for axis, title in zip(axes, ("a bound for each coordinate", "a bound for the length")):
        axis.set(xlim=(-2.1, 2.1), ylim=(-2.1, 2.1), aspect="equal", title=title)
    for half in (1, root, 2):
        square = {"fill": False, "linewidth": 1.8, "edgecolor": blue}
        axes[0].add_patch(Rectangle((-half, -half), 2 * half, 2 * half, **square))
        axes[0].text(0, half - 0.06, f"{half:.3g}", ha="center", va="top", fontsize=8)
    for reach in (root, 2):
        turned = {"fill": False, "linestyle": "--", "edgecolor": COLOURS["FIRST"]}
        axes[0].add_patch(RegularPolygon((0, 0), 4, radius=reach, **turned))
    axes[1].add_patch(Circle((0, 0), root, color=blue, alpha=0.25))
    for angle in np.arange(8) * tau / 8:
        tip, line = (root * cos(angle), root * sin(angle)), {"arrowstyle": "->", "color": blue}
        axes[1].annotate("", tip, (0, 0), arrowprops=line)
    return figure


def median_bound(layers: int) -> float:
    """The median bound of an output in float64, of every string to eight symbols, in a network of
    width 8 with random weights.
    """
    torch.manual_seed(0)
    network = Small(8, layers)
    for parameter in network.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)  # layers would be alike otherwise
    judged = judged_small(network, MAJORITY)
    words = (["".join(w) for w in product("01", repeat=length)] for length in range(9))
    bounds = [outputs(judged, given(judged, some), Bounded())[1] for some in words]
    return float(torch.cat(bounds).median())
