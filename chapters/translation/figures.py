"""The figures of the page on translation and of the records of chapters 4 and 6: one layer of a
decoder, and what a variant adds to BLEU, over seeds and stored runs of translations.
"""

import re
from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from chapters.translation.bleu import CRITERIA, Comparison, compared, interval
from lib.notebook import COLOURS, REFERENCE, note
from record.runs import Stored

DATA = {  # of the stored runs, as a reader knows them
    "iwslt15": "talks, En-Vi",
    "ted": "talks, En-Fr",
    "multi30k_norms": "captions",
    "multi30k": "captions, wider, early",
    "scales": "captions, wider",
    "deeper": "captions, deeper",
    "generated": "made-up",
}


def gains_figure(runs: Sequence[Stored], variants: Sequence[str]) -> Figure:
    """BLEU of each variant less the baseline's: a panel for each split, a line for each run and
    norm; dots are seeds, bars the 95 % interval of their mean by Student's t, dashed lines what the
    papers print.
    """
    rows: dict[tuple[str, str], list[dict]] = {}
    for run in runs:
        data = DATA[re.sub("translation_|_post_norm|_residuals", "", run.name)]
        for row in run.results:
            settings = row["configuration"]
            norm = "pre-norm" if settings["norm_first"] else "post-norm"
            if {*variants} & {*settings["variants"]}:
                rows.setdefault((settings["split"], f"{data}\n({norm})"), []).append(row)
    splits, labels = (list(dict.fromkeys(names)) for names in zip(*rows, strict=True))
    colours = dict(zip(variants, COLOURS.values()))
    size = (6.4, 1.4 + 0.2 * len(labels) * (len(variants) + 1))
    figure, axes = plt.subplots(1, len(splits), figsize=size, sharey=True, squeeze=False)
    panels = dict(zip(splits, axes[0], strict=True))
    for (split, label), held in rows.items():
        for place, variant in enumerate(variants):
            if variant in held[0]["configuration"]["variants"]:
                height = labels.index(label) + (place + 1) / (len(variants) + 1) - 0.5
                gain = compared(held, split, variant).gain
                _draw_gain(panels[split], gain, height, colours[variant])
    for split, axis in panels.items():
        _draw_printed(axis, split, colours)
        title = "all lengths" if split == "all" else split
        axis.set(title=title, xlabel="BLEU, variant less baseline")
    axes[0, 0].set(yticks=range(len(labels)), yticklabels=labels, ylim=(len(labels) - 0.5, -0.5))
    keys = {name: Line2D([], [], color=colour, marker="o") for name, colour in colours.items()}
    keys["printed in the paper"] = Line2D([], [], **REFERENCE)
    figure.legend(keys.values(), keys.keys(), loc="outside lower center", ncols=2)
    return figure


def _draw_gain(axis: Axes, gain: np.ndarray, height: float, colour: str) -> None:
    """The seeds' differences and the interval of their mean, at a height."""
    axis.plot(gain, np.full(len(gain), height), "o", color=colour, markersize=3, alpha=0.5)
    axis.plot(interval([*gain]), [height, height], color=colour)
    axis.plot(gain.mean(), height, "|", color=colour, markersize=9)


def _draw_printed(axis: Axes, split: str, colours: dict[str, str]) -> None:
    """Zero, and what the papers print of these variants in a split."""
    axis.axvline(0, color="#777777", linewidth=0.8)
    for criterion in CRITERIA:
        is_drawn = criterion.split == split and criterion.variant in colours
        if is_drawn and criterion.printed is not None:
            colour = colours[criterion.variant]
            axis.axvline(criterion.printed, color=colour, linestyle="--", linewidth=1)


def layer_figure() -> Figure:
    """One layer of the decoder, downwards: three steps, a bypass around each, and the two places
    where vectors may be rescaled. Bypasses have the colours that they have in `panel_figure`.
    """
    figure, axis = plt.subplots(figsize=(5.4, 5.2))
    source, own, green = list(COLOURS.values())[:3]
    steps = [
        ("1  attention to\nits own words", "bypass around\nattention to\nits own words", own),
        ("2  attention to\nthe source", "bypass around\nattention to\nthe source", source),
        ("3  feed-forward\nnetwork", "", "#777777"),
    ]
    look = {"ha": "center", "va": "center", "fontsize": 9}
    box = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": "black"}
    plain = {"color": "black", "linewidth": 1.5}
    arrow = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 1, **plain}
    boxes = []
    axis.text(0, 0.3, "a vector for each word so far", **look)
    for start, (said, around, colour) in zip((0, -1.5, -3.0), steps, strict=True):
        split, before, step, plus, after = (start - down for down in (0.1, 0.3, 0.7, 1.15, 1.35))
        boxes.append(axis.text(0, step, said, bbox=box, **look).get_bbox_patch())
        ring = axis.text(0, plus, "+", bbox={**box, "boxstyle": "circle,pad=0.15"}, **look)
        ends = {"patchA": boxes[-1], "patchB": ring.get_bbox_patch()}
        axis.annotate("", (0, plus), (0, step), arrowprops={**arrow, **ends})
        into = {**arrow, "color": colour, "patchB": ring.get_bbox_patch()}
        axis.plot([0, -1, -1], [split, split, plus], color=colour)
        axis.annotate("", (0, plus), (-1, plus), arrowprops=into)
        axis.text(-1.1, step, around, color=colour, **{**look, "ha": "right"})
        axis.plot([0, 0], [start + 0.15, step + 0.23], **plain)
        axis.plot([0, 0], [plus - 0.12, start - 1.35], **plain)
        for height, place in ((before, "rescaled before\na step ..."), (after, "... or after it")):
            fill = green if height == before else "none"
            frame = {"facecolor": fill, "edgecolor": green, "linewidth": 1.5, "zorder": 3}
            axis.add_patch(Rectangle((-0.2, height - 0.045), 0.4, 0.09, **frame))
            if start == 0:
                axis.text(0.3, height, place, color=green, **{**look, "ha": "left"})
    read = axis.text(1.75, -2.2, "source,\nencoded", bbox=box, **look).get_bbox_patch()
    ends = {"patchA": read, "patchB": boxes[1]}
    axis.annotate("", (0, -2.2), (1.75, -2.2), arrowprops={**arrow, **ends})
    axis.annotate("", (0, -4.63), (0, -4.3), arrowprops=arrow)
    axis.text(0, -4.78, "to the next layer, or to the next word", **look)
    axis.set(xlim=(-2.2, 2.2), ylim=(-4.9, 0.45))
    axis.set_axis_off()
    return figure


def panel_figure(
    groups: Mapping[str, Mapping[str, Comparison]],
    printed: Mapping[str, Mapping[str, float]],
    said: str,
) -> Figure:
    """What variants add to BLEU, a line for each: groups by their label, in each its two variants
    by name, which stand above and below those of the first group, clear of zero; dots are seeds,
    ticks their means, bars the 95 % interval of the mean. Dashed is what a paper prints, by group
    and variant, as a share of this baseline, as `said` says.
    """
    colours = dict(zip(next(iter(groups.values())), COLOURS.values()))
    figure, axis = plt.subplots(figsize=(6.6, 1.4 + 0.95 * len(groups)))
    axis.axvline(0, color="#777777", linewidth=0.8)
    for row, (label, group) in enumerate(groups.items()):
        for which, (name, found) in enumerate(group.items()):
            height, colour = row + (-0.18, 0.18)[which], colours[name]
            _draw_seeds(axis, found.gain, height, colour)
            if (share := printed.get(label, {}).get(name)) is not None:
                mark = share * found.baseline.mean()
                ends = [height - 0.15, height + 0.15]
                [dashed] = axis.plot([mark, mark], ends, **REFERENCE)
                dashed.set_linewidth(1.6)
            if row == 0:
                side = 1 if found.gain.mean() > 0 else -1
                away, va = (4 * side, (13, -13)[which]), ("bottom", "top")[which]
                style = {"color": colour, "ha": "left" if side > 0 else "right", "va": va}
                note(axis, fill(name, 18), (0, height), away, fontsize=9, **style)
    if printed:
        axis.plot([], [], **REFERENCE, label=said)
        figure.legend(loc="outside lower center")
    axis.set(yticks=range(len(groups)), ylim=(len(groups) - 0.6, -0.8))
    axis.set_yticklabels([fill(label, 16) for label in groups])
    axis.set(xlabel="BLEU that is gained or lost")
    return figure


def _draw_seeds(axis: Axes, gain: np.ndarray, height: float, colour: str) -> None:
    """The interval of the mean as a broad pale bar, on it the mean and the seeds, which stand at
    two heights by turns, so that none hides its neighbour.
    """
    broad = {"linewidth": 7, "alpha": 0.3, "solid_capstyle": "butt"}
    axis.plot(interval([*gain]), [height, height], color=colour, **broad)
    axis.plot(gain.mean(), height, "|", color=colour, markersize=12, markeredgewidth=2)
    heights = height + 0.05 * (-1.0) ** np.arange(len(gain))
    axis.plot(np.sort(gain), heights, "o", color=colour, markersize=3.5)
