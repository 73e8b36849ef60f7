"""Pictures of a machine's tape: space-time diagrams, and one step at a time beside the two numbers
that hold it, and how a unit reads their first digit; a decoder's outputs as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
from IPython.display import Markdown
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lib.checks import between, flag, takes
from lib.notebook import COLOURS, markdown_table
from lib.turing.architecture import Transformer
from lib.turing.machines import MOVES, Configuration, Machine
from record.runs import read_yaml

LOOK = read_yaml(Path(__file__).with_suffix(".yaml"))


@dataclass(frozen=True)
class Tape:
    """The tape over time: `symbols[k][x]` stands at step k in cell `left + x`, where the first
    symbol of the input is in cell 0; the head is in cell `heads[k]`.
    """

    symbols: list[str]
    heads: list[int]
    left: int


def tape_of(machine: Machine, run: Sequence[Configuration]) -> Tape:
    """The tape over a run: the configurations say what it holds, the rules how the head moves."""
    heads = [0]
    for now in run[:-1]:
        rule = machine.rule(now)
        assert rule is not None  # the run went on
        heads.append(heads[-1] + MOVES[rule.move])
    steps = list(zip(heads, run, strict=True))
    left = min(head - len(now.left) for head, now in steps)
    right = max(head + max(1, len(now.right)) for head, now in steps)
    rows = []
    for head, now in steps:
        before = now.left.rjust(head - left, machine.blank)
        rows.append((before + now.right).ljust(right - left, machine.blank))
    return Tape(rows, heads, left)


@takes(transformer=Transformer, steps=between(1, 10**6), zeros=flag)
def outputs_table(transformer: Transformer, w: str, steps: int, zeros: bool = True) -> Markdown:
    """y_0, y_1, ... of a transformer as a table, a row for each coordinate; without `zeros`, for
    each that is not 0 throughout.
    """
    columns = islice(transformer.outputs(w), steps)
    rows = zip(transformer.space.names, *columns, strict=True)
    head = ["coordinate", *(f"$y_{{{t}}}$" for t in range(steps))]
    shown = [[f"`{name}`", *values] for name, *values in rows if zeros or any(values)]
    return markdown_table(head, shown)


def gap_figure() -> Figure:
    """What the unit σ(10 Ψ₁ - 3) says of the first digit of Ψ₁, and in which bands 10 Ψ₁ lies."""
    figure, axis = plt.subplots(figsize=(6.4, 2.4))
    for digit, symbol in ((0, "blank"), (2, "0"), (4, "1")):
        axis.axvspan(digit, digit + 1, color="#888888", alpha=0.2, linewidth=0)
        axis.text(digit + 0.5, 1.12, symbol, ha="center", fontsize=9)
    axis.plot([-0.2, 3, 4, 5.2], [0, 0, 1, 1], color=COLOURS["PARITY"])
    axis.text(3.42, 0.5, "the slope ", color=COLOURS["PARITY"], ha="right", va="center", fontsize=8)
    for value in (4.244, 2.44):
        answer = min(max(value - 3, 0), 1)
        axis.plot(value, answer, "o", color=COLOURS["FIRST"])
        below = {"xytext": (4, -11 if answer else 6), "textcoords": "offset points"}
        axis.annotate(f"{value}", (value, answer), fontsize=8, color=COLOURS["FIRST"], **below)
    axis.set(xlabel="$10\\,\\Psi_1$", ylabel="answer", ylim=(-0.1, 1.3), yticks=(0, 1))
    return figure


def step_figure() -> Figure:
    """One step of the decoder that counts ones in quarters, on 11: output 1 asks for token 2, whose
    value meets the old h in the network.
    """
    figure, axis = plt.subplots(figsize=(6.4, 2.9))
    blue, orange = COLOURS["PARITY"], COLOURS["FIRST"]
    box = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": "black"}
    output, token, network, after = (0, 2), (1, 0.35), (1.5, 2), (3, 2)
    boxed = [
        (output, "output $y_1$\n$h = 0$\ncounter 2"),
        (network, "network\n$\\sigma(h + x/4)$"),
        (after, "output $y_2$\n$h = 1/4$\ncounter 3"),
    ]
    for i, symbol in enumerate(("begin", "1", "1", "end"), start=1):
        boxed.append(((i - 1, token[1]), symbol))
        score = -abs(i - 2)
        colour, weight = ("black", "normal") if score else (blue, "bold")
        below = f"token {i}\nscore {score}".replace("-", "−")
        place = (i - 1, 0.05)
        axis.text(*place, below, ha="center", va="top", fontsize=8, color=colour, weight=weight)
    arrows = [
        (output, token, {"color": blue, "linestyle": "--"}),
        (token, network, {"color": blue}),
        (output, network, {"color": orange}),
        (network, after, {"color": "black"}),
    ]
    placed = {
        (x, y): axis.text(x, y, text, bbox=box, ha="center", va="center", fontsize=8)
        for (x, y), text in boxed
    }
    for start, end, look in arrows:
        ends = {"patchA": placed[start].get_bbox_patch(), "patchB": placed[end].get_bbox_patch()}
        arrow = {"arrowstyle": "->", "linewidth": 1.5, "shrinkA": 0, "shrinkB": 1, **look, **ends}
        axis.annotate("", end, start, arrowprops=arrow)
    axis.text(0.38, 1.1, "asks ", color=blue, ha="right", fontsize=8)
    axis.text(1.36, 1.1, "$x = 1$", color=blue, fontsize=8)
    axis.text(0.76, 2.12, "old $h$", color=orange, ha="center", fontsize=8)
    axis.set(xlim=(-0.5, 3.5), ylim=(-0.45, 2.5))
    axis.set_axis_off()
    return figure


def _numbers(machine: Machine, rows: Sequence[str]) -> np.ndarray:
    number = {symbol: i for i, symbol in enumerate(machine.symbols)}
    return np.array([[number[symbol] for symbol in row] for row in rows])


def space_time_figure(runs: Mapping[str, tuple[Machine, Sequence[Configuration]]]) -> Figure:
    """One panel a run, time downwards: each symbol but the blank has a colour, and a dark line is
    the head.
    """
    figure, axes = plt.subplots(1, len(runs), figsize=(7.2, 4.2), squeeze=False)
    for axis, (title, (machine, run)) in zip(axes[0], runs.items(), strict=True):
        tape = tape_of(machine, run)
        right, bottom = tape.left + len(tape.symbols[0]), len(run)
        colours = dict(zip(machine.symbols[1:], LOOK["symbols"], strict=False))
        axis.imshow(
            _numbers(machine, tape.symbols),
            cmap=ListedColormap(["#88888818", *colours.values()]),
            vmin=0,
            vmax=len(colours),
            extent=(tape.left - 0.5, right - 0.5, bottom - 0.5, -0.5),
            **LOOK["image"],
        )
        axis.plot(tape.heads, range(len(run)), color="black", linewidth=min(1.2, 120 / len(run)))
        for symbol, colour in colours.items():
            axis.plot([], [], "s", color=colour, label=symbol)
        axis.set(title=title, xlabel="cell")
        axis.yaxis.set_major_locator(MaxNLocator(integer=True))
        axis.legend(ncols=len(machine.symbols), **LOOK["legend"])
    axes[0, 0].set_ylabel("step of the machine")
    return figure


def _decimal(value: float) -> str:
    """A number with the digits that it has, at most ten behind the point."""
    return f"{value:.10f}".rstrip("0").rstrip(".")


def tape_slider(
    machine: Machine, run: Sequence[Configuration], registers: Sequence[tuple[float, float]]
) -> go.Figure:
    """The tape at one step, moved by a slider: the cells, the head above, its state and the stacks
    (Ψ₁, Ψ₂) below.
    """
    tape = tape_of(machine, run)
    cells = list(range(tape.left, tape.left + len(tape.symbols[0])))
    z = _numbers(machine, tape.symbols).tolist()
    top = max(1, len(machine.symbols) - 1)
    colours = ("rgba(136,136,136,0.15)", *LOOK["symbols"][:top])

    def at_step(k: int) -> dict[str, list]:
        """What the three traces show at step k."""
        label = [symbol if symbol != machine.blank else "" for symbol in tape.symbols[k]]
        return {
            "z": [[z[k]], None, None],
            "text": [[label], ["▼"], [_decimal(value) for value in registers[k]]],
            "x": [cells, [tape.heads[k]], list(registers[k])],
        }

    titles = [f"cell (state: {now.state})" for now in run]
    figure = go.Figure(LOOK["slider"])
    for name, shown in at_step(0).items():
        for trace, values in enumerate(shown):
            if values is not None:
                figure.update_traces({name: values}, selector=trace)
    scale = [[i / top, colour] for i, colour in enumerate(colours)]
    figure.update_traces({"colorscale": scale, "zmax": top}, selector=0)
    steps = [
        {
            "label": str(k),
            "method": "update",
            "args": [at_step(k), {"xaxis.title.text": title}, [0, 1, 2]],
        }
        for k, title in enumerate(titles)
    ]
    figure.update_layout(xaxis={"title": titles[0]}, sliders=[{"steps": steps}])
    return figure
