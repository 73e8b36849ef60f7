"""Pictures of a trace, and the lines that curves are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from lib.notebook import REFERENCE
from lib.transformer.construction import Trace


def stream_figure(tokens: Sequence[str], stages: Mapping[str, Mapping[str, Tensor]]) -> Figure:
    """Heat maps of a string's residual stream (the first of a batch), one panel a stage, each
    coordinate on its own scale.

    A coordinate such as s, of order 1/n^2, would vanish beside CLS on a common scale: each row is
    divided by its largest absolute value, which stands at its right.
    """
    names = list(dict.fromkeys(name for stream in stages.values() for name in stream))
    size = (2.5 * len(stages) + 0.9, 0.27 * len(names) + 0.9)
    figure, axes = plt.subplots(1, len(stages), figsize=size, sharey=True, squeeze=False)
    for axis, (title, stream) in zip(axes[0], stages.items(), strict=True):
        zeros = np.zeros(len(tokens))
        rows = [_array(stream[name])[0] if name in stream else zeros for name in names]
        _stream_panel(axis, np.array(rows))
        axis.set_title(title)
        axis.set_xticks(range(len(tokens)), tokens, fontsize=8)
        axis.set_yticks(range(len(names)), names, fontsize=8)
    return figure


def _stream_panel(axis: Axes, grid: np.ndarray) -> None:
    """A heat map of coordinates (rows) and positions, each row over its largest absolute value."""
    largest = np.abs(grid).max(axis=1, keepdims=True)
    scaled = grid / np.where(largest == 0, 1, largest)
    axis.imshow(scaled, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    right = grid.shape[1] - 0.4
    for row, scale in enumerate(largest[:, 0]):
        text = f" {scale:.2g}" if scale else ""
        axis.text(right, row, text, va="center", fontsize=7, clip_on=False)
    _bare(axis)


def _bare(axis: Axes) -> None:
    """Takes frame and ticks away from a heat map."""
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)


def attention_figure(
    trace: Trace, layer: int, heads: Sequence[int], titles: Sequence[str]
) -> Figure:
    """Attention weights of the first string: one panel a head, a row for each attending position,
    weights written in.
    """
    weights = trace.attention or {}  # of a trace(..., weights=True)
    tokens = trace.tokens[0]
    size = (3.2 * len(heads), 2.9)
    figure, axes = plt.subplots(1, len(heads), figsize=size, sharey=True, squeeze=False)
    for axis, head, title in zip(axes[0], heads, titles, strict=True):
        _attention_panel(axis, _array(weights[layer, head])[0])
        axis.set(title=title, xlabel="attends to")
        axis.set_xticks(range(len(tokens)), tokens)
        axis.set_yticks(range(len(tokens)), tokens)
    axes[0, 0].set_ylabel("position")
    return figure


def _attention_panel(axis: Axes, weights: np.ndarray) -> None:
    """A heat map of attention weights, each written in."""
    axis.imshow(weights, vmin=0, vmax=max(0.5, weights.max()))
    for (i, j), weight in np.ndenumerate(weights):
        colour = "white" if weight > 0.6 * weights.max() else "black"
        axis.text(j, i, f"{weight:.2f}", ha="center", va="center", fontsize=7, color=colour)
    _bare(axis)


def reference_slope(axis: Axes, n: Sequence[float], at: float, power: int, label: str) -> None:
    """A dashed line proportional to n^power through (n[0], at), labelled at its right end."""
    values = at * (np.asarray(n) / n[0]) ** power
    axis.plot(n, values, **REFERENCE)
    axis.annotate(
        label,
        (n[-1], values[-1]),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color="#777777",
    )


def _array(values: Tensor) -> np.ndarray:
    """A tensor of any float type, on any device, as float64."""
    return values.double().cpu().numpy()
