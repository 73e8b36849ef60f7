"""The figures of the page on translation: one layer of a decoder, and by how much variants raise a
loss, over seeds and stored runs of translations.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chapters.translation.bleu import interval
from record.notebook import COLOURS

Group = Mapping[str, Sequence[float]]  # a number for each seed, of variants by their names


def rises_figure(groups: Mapping[str, Group]) -> Figure:
    """A row for each group, in it a line for each variant: dots are seeds, ticks their means, pale
    bars the 95 % intervals of the means by Student's t.
    """
    figure, axis = plt.subplots(figsize=(6.6, 1.7 + 0.8 * len(groups)))
    colours = dict(zip(next(iter(groups.values())), COLOURS.values()))
    broad = {"linewidth": 7, "alpha": 0.3, "solid_capstyle": "butt"}
    axis.axvline(0, color="#777777", linewidth=0.8)
    for row, group in enumerate(groups.values()):
        for place, (name, colour) in enumerate(colours.items()):
            height = row + (place + 1) / (len(colours) + 1) - 0.5
            rises = np.array(group[name])
            axis.plot(interval(rises), [height, height], color=colour, **broad)
            axis.plot(rises.mean(), height, "|", color=colour, markersize=12)
            axis.plot(rises, np.full(len(rises), height), "o", color=colour, markersize=3)
    axis.set(yticks=range(len(groups)), ylim=(len(groups) - 0.5, -0.5))
    axis.set_yticklabels(groups)
    axis.set(xlabel="rise of the loss on held-out sentences")
    keys = {name: Line2D([], [], color=colour, marker="o") for name, colour in colours.items()}
    figure.legend(keys.values(), keys.keys(), loc="outside lower center", ncols=2)
    return figure


def layer_figure() -> Figure:
    """One layer of the decoder, downwards: three steps, a connection around each, and the two
    places of layer normalization. Connections have the colours that they have in `rises_figure`.
    """
    figure, axis = plt.subplots(figsize=(5.4, 5.2))
    source, own, green = list(COLOURS.values())[:3]
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    left: dict[str, Any] = {**look, "ha": "left"}
    right: dict[str, Any] = {**look, "ha": "right"}
    box = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": "black"}
    steps = {
        "1  self-attention": ("self\nconnection", own),
        "2  source\nattention": ("source\nconnection", source),
        "3  feed-forward\nnetwork": ("", "#777777"),
    }
    axis.text(0, 0.2, "a vector for each word so far", **look)
    for top, (step, (around, colour)) in zip((0, -1.5, -3.0), steps.items(), strict=True):
        axis.text(0, top - 0.7, step, bbox=box, **look)
        axis.text(0, top - 1.15, "+", bbox=box | {"boxstyle": "circle,pad=0.15"}, **look)
        axis.text(-1.1, top - 0.7, around, color=colour, **right)
        axis.plot([0, -1, -1, -0.12], np.array([0.05, 0.05, 1.15, 1.15]) * -1 + top, color=colour)
        for begin, end in ((0, 0.47), (0.93, 1.05), (1.25, 1.5)):
            axis.plot([0, 0], [top - begin, top - end], color="black")
        axis.plot(0, top - 0.25, "s", color=green)
        axis.plot(0, top - 1.37, "s", color=green, markerfacecolor="white")
    axis.text(0.2, -0.25, "pre-norm:\nbefore a step", color=green, **left)
    axis.text(0.2, -1.37, "post-norm: after it", color=green, **left)
    axis.text(1.75, -2.2, "source,\nencoded", bbox=box, **look)
    axis.annotate("", (0.55, -2.2), (1.38, -2.2), arrowprops={"arrowstyle": "->"})
    axis.text(0, -4.65, "to the next layer, or to the next word", **look)
    axis.set(xlim=(-2.2, 2.2), ylim=(-4.9, 0.45))
    axis.set_axis_off()
    return figure
