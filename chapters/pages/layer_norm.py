"""Chapter 3 and its record: transformers sharpened with an output weight of 1, what their answers
cost under each epsilon, and the figures of the lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, exp, log, log1p, sqrt

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import torch
from matplotlib.figure import Figure

from lib import constructions
from lib.constructions.normalization import mirror, sharpen
from lib.languages import FIRST, PARITY, Language
from lib.notebook import COLOURS
from lib.transformer import Construction, Encoder, cross_entropy_bits

LENGTHS = (10, 20, 50, 100, 200, 500, 1000)
EPSILONS = (*(10.0**-j for j in range(17)), 0.0)
Bits = dict[tuple[str, float, int], float]  # by language, epsilon and length
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

    FIRST has two kinds of strings, PARITY one for each number of 1s; those beyond 8 standard
    deviations are left out.
    """
    if language is FIRST:
        cases = {"1" + "0" * (n - 1): 0.5, "0" * n: 0.5}
    else:
        counts = (k for k in range(n + 1) if abs(2 * k - n) <= 8 * sqrt(n))
        cases = {"1" * k + "0" * (n - k): comb(n, k) / 2**n for k in counts}
    bits = cross_entropy_bits(reader([*cases]), [w in language for w in cases])
    return float(bits @ torch.tensor([*cases.values()], dtype=torch.float64))


def lost_near(construction: Construction, family: Callable[[int], str], eps: float) -> float:
    """The length near which the mirrored construction's logit s, on a family of strings, meets the
    square root of eps d / 2, where the two terms under the root of the last normalization are
    equal.
    """
    reader, d = Encoder(mirror(construction), eps=eps), 2 * len(construction.space)
    lengths = [2**j for j in range(1, 15)]
    s = [reader(family(n)).abs().item() for n in lengths]
    return float(2 ** np.interp(-log(sqrt(eps * d / 2)), -np.log(s), np.log2(lengths)))


def all_bits() -> Bits:
    """What PARITY and FIRST, sharpened with an output weight of 1, cost at each epsilon and length
    of the sliders.
    """
    return {
        (language.name, eps, n): expected_bits(reader, language, n)
        for build, language in ((constructions.parity, PARITY), (constructions.first, FIRST))
        for eps in EPSILONS
        for reader in [Encoder(with_weight_one(build()), eps=eps)]
        for n in LENGTHS
    }


def slider_charts(bits: Bits) -> tuple[go.Figure, go.Figure]:
    """Bits against the length with a slider for epsilon, and against epsilon with one for the
    length.
    """
    over_lengths = {
        eps: [[bits[name, eps, n] for n in LENGTHS] for name in ("PARITY", "FIRST")]
        for eps in EPSILONS
    }
    positive = EPSILONS[:-1]
    over_epsilons = {
        n: [[bits[name, eps, n] for eps in positive] for name in ("PARITY", "FIRST")]
        for n in LENGTHS
    }
    return (
        _slider_chart(LENGTHS, over_lengths, "length of the string", "ε", active=5),
        _slider_chart(positive, over_epsilons, "ε", "length", active=3),
    )


def _slider_chart(
    xs: Sequence[float], curves: dict, x_name: str, slider_name: str, active: int
) -> go.Figure:
    """PARITY's and FIRST's curve over `xs`, and a slider over the keys of `curves`."""
    drawn = go.Figure(
        [
            go.Scatter(x=xs, y=ys, name=name, mode="lines+markers", line={"color": COLOURS[name]})
            for name, ys in zip(("PARITY", "FIRST"), [*curves.values()][active], strict=True)
        ]
    )
    steps = [
        {"label": f"{value:g}", "method": "restyle", "args": [{"y": ys}]}
        for value, ys in curves.items()
    ]
    shown = {"steps": steps, "active": active, "currentvalue": {"prefix": f"{slider_name} = "}}
    drawn.update_layout(sliders=[shown | {"pad": {"t": 50}}], height=400, hovermode="x unified")
    drawn.update_xaxes(type="log", title=x_name, dtick=len(xs) // 8 or 1, exponentformat="power")
    return drawn.update_yaxes(range=[0, 1.05], title="bits a string")


def step_figure() -> Figure:
    """What layer normalization makes of the first of two numbers s and -s, for three epsilons."""
    s = np.linspace(-0.05, 0.05, 2001)
    figure, axis = plt.subplots(figsize=(6.4, 2.8))
    lines = (
        (0.0, "ONE", "ε = 0", 0.001, 1.06),
        (1e-5, "PARITY", "ε = 0.00001", 0.006, 0.78),
        (1e-3, "FIRST", "ε = 0.001", 0.023, 0.42),
    )
    for eps, colour, label, x, y in lines:
        drawn = np.sign(s) if eps == 0 else s / np.sqrt(s**2 + eps)
        axis.plot(s, drawn, color=COLOURS[colour])
        axis.text(x, y, label, color=COLOURS[colour], fontsize=8)
    axis.set(xlabel="$s$ before", ylabel="$s$ after", yticks=[-1, 0, 1], ylim=(-1.15, 1.25))
    return figure
