"""Chapter 2 and its record: pictures of a trace, how sure the constructions are at a length, and
how far floating point carries them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import reduce
from operator import add

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from torch import Tensor

from lib.languages import Language
from lib.transformer import Construction, Encoder, cross_entropy_bits
from lib.transformer.construction import Trace
from record.notebook import COLOURS, REFERENCE, note

EVEN = "#999999"  # beside the colour of PARITY for odd positions
MARK = "#E69F00"


def hat_figure() -> Figure:
    """The hat over the positions of 110, where k = 2 and n = 4."""
    figure, axis = plt.subplots(figsize=(5, 1.8))
    axis.plot(range(4), [0, 0, 1, 0], color=EVEN, linewidth=1)
    axis.plot([0], [0], "o", color=EVEN)
    axis.plot([1, 3], [0, 0], "o", color=COLOURS["PARITY"])
    axis.plot(2, 1, "o", color=MARK, markersize=9)
    axis.text(2.12, 1, "the mark", va="center")
    axis.set_xticks(range(4), ["0", "1", "$k$ = 2", "3"])
    axis.set_yticks([0, 1], ["0", "1/n"])
    axis.set(xlabel="position $i$", ylabel="height")
    return figure


def heads_figure(trace: Trace, mark: int) -> Figure:
    """What the two heads of PARITY's second layer weigh at CLS, for the first string of a trace:
    a panel a head, a bar a position, the marked one framed and named below.
    """
    weights = trace.attention or {}  # of a trace(..., weights=True)
    tokens = trace.tokens[0]
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 2.7), sharey=True)
    for axis, head, prefers in zip(axes, (1, 2), ("odd", "even"), strict=True):
        shares = _array(weights[2, head])[0, 0]
        colours = [COLOURS["PARITY"] if i % 2 else EVEN for i in range(len(tokens))]
        edges = [MARK if i == mark else "none" for i in range(len(tokens))]
        look: dict = {"color": colours, "edgecolor": edges, "linewidth": 2.5}
        axis.bar_label(axis.bar(range(len(tokens)), shares, **look), fmt="%.2f", padding=2)
        names = [f"{i}\n{token}" for i, token in enumerate(tokens)]
        names[mark] += "\n↑ mark"
        axis.set_xticks(range(len(tokens)), names)
        axis.set(title=f"head {head} prefers {prefers} positions")
        axis.set_xlabel("position, with its token below")
        axis.margins(y=0.2)
    axes[0].set_ylabel("attention weight at CLS")
    return figure


@dataclass(frozen=True)
class Confidence:
    """How sure a construction is on random strings of a length: its cross-entropy in bits a string,
    and the influence of one symbol, the largest change of a logit when a symbol is flipped.
    """

    bits: float
    influence: float


def confidence(construction: Construction, language: Language, length: int) -> Confidence:
    """That on 1000 random strings of a language; the influence, on the first of them."""
    reader = Encoder(construction)
    strings = language.sample(length, size=1000, seed=length)
    labels = [language.contains(w) for w in strings]
    w = strings[0]
    flipped = [w[:j] + "10"[int(w[j])] + w[j + 1 :] for j in range(length)]
    return Confidence(
        bits=cross_entropy_bits(reader(strings), labels).mean().item(),
        influence=(reader(flipped) - reader(w)).abs().max().item(),
    )


def confidence_figure(found: Mapping[str, Mapping[int, Confidence]]) -> Figure:
    """How far the cross-entropy is below a coin's (left), and the influence of a symbol (right), by
    language and by the number of tokens, which is one more than the length.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.1))
    for name, power in (("PARITY", -2), ("FIRST", -1)):
        ns = np.array([*found[name]]) + 1
        below = [1 - one.bits for one in found[name].values()]
        influence = [one.influence for one in found[name].values()]
        for axis, values in zip(axes, (below, influence), strict=True):
            axis.plot(ns, values, "o-", color=COLOURS[name], label=name)
            axis.plot(ns, 0.6 * values[0] * (ns / ns[0]) ** power, **REFERENCE)
    axes[0].legend()
    for axis, quantity in zip(axes, ("1 bit − cross-entropy", "influence of one symbol")):
        axis.set(xscale="log", yscale="log", xlabel="tokens $n$", ylabel=quantity)
    return figure


def drift(n: int, k: int, digits: int, is_divided: bool) -> list[float]:
    """What each position of a string with k 1s gets as its mark in decimal arithmetic, where the
    count k/n is one division or a running sum.
    """
    with localcontext(prec=digits):
        one = 1 / Decimal(n)
        count = k / Decimal(n) if is_divided else reduce(add, [one] * k, Decimal(0))
        gaps = [count - i / Decimal(n) for i in range(n)]
        return [float(max(0, x - one) - 2 * max(0, x) + max(0, x + one)) for x in gaps]


def drift_figure() -> Figure:
    """The marks of two counts with two digits and n = 28: by a running sum, and by one division."""
    figure, axes = plt.subplots(2, 2, figsize=(7.2, 4), sharex=True, sharey=True)
    cases = ((7, False, "a tie"), (8, False, "wrong"), (7, True, "right"), (8, True, "right"))
    for axis, (k, is_divided, verdict) in zip(axes.flat, cases, strict=True):
        axis.axvline(k, **REFERENCE)
        for i, height in enumerate(drift(28, k, 2, is_divided)):
            if height:
                colour = COLOURS["PARITY"] if i % 2 else EVEN
                axis.vlines(i, 0, height, color=colour, linewidth=4)
                note(axis, f"{height:.3f}", (i, height), (3, 2), ha="left")
        name = "one division" if is_divided else "running sum"
        axis.set(title=f"{name}, $k = {k}$: {verdict}", ylabel="mark", xlabel="position $i$")
        axis.set(xlim=(4.5, 10.5), ylim=(0, 0.045), xticks=range(5, 11))
        axis.label_outer()
    return figure


def _array(values: Tensor) -> np.ndarray:
    """A tensor of any float type, on any device, as float64."""
    return values.double().cpu().numpy()
