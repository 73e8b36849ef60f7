"""Pictures of a machine's tape: space-time diagrams, and one step at a time beside the two numbers
that hold it, and how a unit reads their first digit; a decoder's outputs as a table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
from IPython.display import Markdown
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from chapters.common.turing.architecture import Transformer
from chapters.common.turing.machines import MOVES, Configuration, Machine
from chapters.turing_completeness.circuits import SpaceTime, wired
from lib.checks import between, flag, takes
from lib.notebook import COLOURS, markdown_table, note
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
        axis.text(digit + 0.5, 1.12, symbol, ha="center")
    axis.plot([-0.2, 3, 4, 5.2], [0, 0, 1, 1], color=COLOURS["PARITY"])
    axis.text(3.03, 0.87, "the slope", color=COLOURS["PARITY"], va="center")
    for value in (4.244, 2.44):
        answer = min(max(value - 3, 0), 1)
        axis.plot(value, answer, "o", color=COLOURS["FIRST"])
        away = (4, -13 if answer else 6)
        note(axis, f"{value}", (value, answer), away, color=COLOURS["FIRST"])
    axis.set(xlabel="$10\\,\\Psi_1$", ylabel="answer", ylim=(-0.1, 1.3), yticks=(0, 1))
    return figure


def step_figure() -> Figure:
    """One step of the decoder that counts ones in quarters, on 11: output 1 asks for token 2, whose
    value is added to the old h; what the network puts out is added to the old h too.
    """
    figure, axis = plt.subplots(figsize=(6.4, 3.4))
    blue, orange = COLOURS["PARITY"], COLOURS["FIRST"]
    box = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": "black"}
    output, token, network, after = (0, 2), (1, 0.35), (1.9, 2), (3.5, 2)
    plus, last = (1, 2), (2.7, 2)
    boxed = [
        (output, "output y₁\n$h = 0$\ncounter 2"),
        (plus, "+"),
        (network, "network\n$\\sigma(h + x/4)$\n$- h$"),
        (last, "+"),
        (after, "output y₂\n$h = 1/4$\ncounter 3"),
    ]
    for i, symbol in enumerate(("begin", "1", "1", "end"), start=1):
        boxed.append(((i - 1, token[1]), symbol))
        score = -abs(i - 2)
        colour, weight = ("black", "normal") if score else (blue, "bold")
        below = f"token {i}\nscore {score}".replace("-", "−")
        place = (i - 1, 0.05)
        axis.text(*place, below, ha="center", va="top", fontsize=9, color=colour, weight=weight)
    around = {"color": orange, "connectionstyle": "arc3,rad=-0.58"}
    arrows = [
        (output, token, {"color": blue, "linestyle": "--"}),
        (token, plus, {"color": blue}),
        (output, plus, {"color": orange}),
        (plus, network, {"color": "black"}),
        (network, last, {"color": "black"}),
        (plus, last, around),
        (last, after, {"color": "black"}),
    ]
    placed = {
        (x, y): axis.text(x, y, text, bbox=box, ha="center", va="center", fontsize=9)
        for (x, y), text in boxed
    }
    for start, end, look in arrows:
        ends = {"patchA": placed[start].get_bbox_patch(), "patchB": placed[end].get_bbox_patch()}
        arrow = {"arrowstyle": "->", "linewidth": 1.5, "shrinkA": 0, "shrinkB": 1, **look, **ends}
        axis.annotate("", end, start, arrowprops=arrow)
    axis.text(0.42, 1.1, "asks ", color=blue, ha="right", fontsize=9)
    axis.text(1.05, 1.1, "$x = 1$", color=blue, fontsize=9)
    axis.text(0.66, 2.1, "old $h$", color=orange, ha="center", fontsize=9)
    axis.text(1.85, 2.92, "old $h$", color=orange, ha="center", fontsize=9)
    axis.text(2.7, 1.6, "0 + ¼", ha="center", fontsize=9)
    axis.text(1.36, 1.93, "old $h$\nand $x$", ha="center", va="top", fontsize=9)
    axis.set(xlim=(-0.5, 3.9), ylim=(-0.45, 3.1))
    axis.set_axis_off()
    return figure


def grid_figure(machine: Machine, w: str, marked: tuple[int, int]) -> Figure:
    """A machine's run as a grid: row t holds the tape after t steps, with the state where the head
    is. Cells farther than t from the start are pale: the head cannot have been there. Arrows lead
    to the cell `marked`, (row, cell), from the three that it depends on.
    """
    run = list(machine.run(w))
    heads, steps = tape_of(machine, run).heads, len(run) - 1
    figure, axis = plt.subplots(figsize=(6.4, 0.75 * (steps + 1) + 0.5))
    for t, (now, head) in enumerate(zip(run, heads, strict=True)):
        tape = dict(enumerate(now.left + now.right, start=head - len(now.left)))
        for x in range(-steps, steps + 1):
            is_head, is_there, is_marked = x == head, abs(x) <= t, (t, x) == marked
            frame = {
                "facecolor": to_rgba(COLOURS["PARITY"], 0.3) if is_head else "none",
                "edgecolor": COLOURS["FIRST"] if is_marked else "#777777",
                "linewidth": 2.5 if is_marked else 0.8,
                "linestyle": "-" if is_there else ":",
            }
            axis.add_patch(Rectangle((x - 0.46, t - 0.3), 0.92, 0.6, **frame))
            symbol = tape.get(x, machine.blank)
            said = f"{now.state}\n{symbol}" if is_head else symbol
            ink = "black" if is_there else "#777777"
            axis.text(x, t, said, ha="center", va="center", fontsize=9, color=ink)
    row, cell = marked
    for x in (cell - 1, cell, cell + 1):
        arrow = {"arrowstyle": "->", "color": COLOURS["FIRST"], "linewidth": 1.5}
        arrow["linestyle"] = "-" if abs(x) < row else ":"
        ends = (cell + 0.3 * (x - cell), row - 0.3), (x, row - 0.7)
        axis.annotate("", *ends, arrowprops=arrow)
    axis.set(xlim=(-steps - 0.6, steps + 0.6), ylim=(steps + 0.4, -0.4), xlabel="cell of the tape")
    axis.set(yticks=range(steps + 1), xticks=range(-steps, steps + 1), ylabel="step")
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    return figure


def gate_figure(machine: Machine, w: str, place: int, names: Mapping[int, str]) -> Figure:
    """One gate of the decoder `wired` on w, whose value is the output at position `place`: the
    outputs so far, the two that are fetched, their mean, and how the tokens are scored. `names` are
    of positions, shown above them.
    """
    gate = SpaceTime(machine).gate(place - 1)
    values = [int(y[0]) for y in islice(wired(machine).outputs(w), place)]
    a, b = (values[wire - 1] for wire in gate.wires)
    mean, margin = Fraction(a + b, 2), gate.sign * (len(machine.symbols) + 1)
    d = mean - gate.threshold
    keys = [("begin", 1, 1), *((symbol, 0, 2) for symbol in w), ("end", -1, 1)]
    scores = [(token, -abs(x * d + y * margin)) for token, x, y in keys]
    found = max(range(len(scores)), key=lambda k: scores[k][1])

    figure, axis = plt.subplots(figsize=(6.4, 2.9))
    blue, orange = COLOURS["PARITY"], COLOURS["FIRST"]
    for position, value in enumerate(values, start=1):
        is_wire, is_new = position in gate.wires, position == place
        look = {
            "facecolor": to_rgba(blue, 0.3) if is_wire else "none",
            "edgecolor": orange if is_new else "#777777",
            "linewidth": 2.5 if is_new else 0.8,
        }
        axis.add_patch(Rectangle((position - 0.42, 3), 0.84, 0.6, **look))
        axis.text(position, 3.3, str(value), ha="center", va="center", fontsize=9)
        if position in names:
            where = {"ha": "center", "va": "bottom", "fontsize": 9}
            axis.text(position, 3.7, str(position), color="#777777", **where)
            axis.text(position, 4.05, names[position], **where)
    box = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": "black"}
    middle, asked, step = sum(gate.wires) / 2, 0.6, 3.4
    decide, first = (middle, 1.2), middle + 5.5
    decision = f"mean {_mixed(mean)}\n$d$ = {_mixed(mean)} − {_mixed(gate.threshold)} = {_mixed(d)}"
    placed = [axis.text(*decide, decision, bbox=box, ha="center", va="center", fontsize=9)]
    for k, (token, score) in enumerate(scores):
        x, colour = first + step * k, blue if k == found else "black"
        weight = "bold" if k == found else "normal"
        placed.append(axis.text(x, 1.2, token, bbox=box, ha="center", va="center", fontsize=9))
        below = f"token {k + 1}\nscore {_mixed(score)}"
        axis.text(x, asked, below, ha="center", va="top", fontsize=9, color=colour, weight=weight)
    boxes = [text.get_bbox_patch() for text in placed]
    winner = (first + step * found, 1.2)
    for start, end, look in (
        *(((wire, 3), decide, {"patchB": boxes[0]}) for wire in gate.wires),
        (decide, winner, {"patchA": boxes[0], "patchB": boxes[found + 1], "linestyle": "--"}),
        (winner, (place, 3), {"patchA": boxes[found + 1]}),
    ):
        arrow = {"arrowstyle": "->", "color": blue, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 1}
        axis.annotate("", end, start, arrowprops=arrow | look)
    axis.set(xlim=(0.3, place + 0.7), ylim=(-0.1, 4.8))
    axis.set_axis_off()
    return figure


def _mixed(value: Fraction) -> str:
    """A multiple of a quarter, as 3¾ is written."""
    whole, quarters = divmod(abs(Fraction(value)) * 4, 4)
    text = f"{whole or ''}{('', '¼', '½', '¾')[int(quarters)]}" or "0"
    return f"−{text}" if value < 0 else text


def bits_figure(machine: Machine, tape: str, bits: int) -> Figure:
    """A stack in base 2^b as the bits of its digits, b for each symbol, and how far a significand
    of so many bits reaches.
    """
    b = machine.base.bit_length() - 1
    figure, axis = plt.subplots(figsize=(6.4, 1.5))
    for place, symbol in enumerate(tape):
        digit = 2 * machine.symbols.index(symbol)
        axis.text(b * place + b / 2, 1.25, f"symbol '{symbol}'", ha="center", fontsize=9)
        for k, bit in enumerate(f"{digit:0{b}b}"):
            x = b * place + k
            inside = x < bits
            fill = to_rgba(COLOURS["PARITY"], 0.3) if inside else "none"
            frame = {"facecolor": fill, "edgecolor": "#777777", "linewidth": 0.8}
            axis.add_patch(Rectangle((x, 0), 1, 1, **frame))
            ink = "black" if inside else COLOURS["FIRST"]
            axis.text(x + 0.5, 0.5, bit, ha="center", va="center", color=ink)
        if place:
            axis.plot([b * place] * 2, [0, 1.6], color="black", linewidth=1.2)
    axis.annotate("", (0, -0.3), (bits, -0.3), arrowprops={"arrowstyle": "<->"})
    axis.text(bits / 2, -0.45, f"{bits} bits", ha="center", va="top", fontsize=9)
    held = "".join(text.get_text() for text in axis.texts if len(text.get_text()) == 1)
    lost = max(held.find("1", bits), bits)  # the first 1 beyond
    axis.text(lost, -0.45, "no room", va="top", color=COLOURS["FIRST"], fontsize=9)
    axis.set(xlim=(-0.1, b * len(tape) + 0.1), ylim=(-1, 1.7))
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


def tape_slider(
    machine: Machine,
    run: Sequence[Configuration],
    registers: Sequence[tuple[float, float]],
    base: int = 10,
    start: int = 0,
) -> go.Figure:
    """The tape at one step, moved by a slider from `start`: the cells, the head above and the state
    below; and the digits of the stacks (Ψ₁, Ψ₂) behind the point, each in its symbol's colour.
    """
    tape = tape_of(machine, run)
    cells = list(range(tape.left, tape.left + len(tape.symbols[0])))
    z = _numbers(machine, tape.symbols).tolist()
    top = max(1, len(machine.symbols) - 1)
    colours = ("rgba(136,136,136,0.15)", *LOOK["symbols"][:top])
    stacks = [[_digits(value, base) for value in pair] for pair in registers]
    longest = max(1, *(len(digits) for pair in stacks for digits in pair))

    def at_step(k: int) -> dict[str, list]:
        """What the four traces show at step k."""
        label = [symbol if symbol != machine.blank else "" for symbol in tape.symbols[k]]
        rows = [digits + [0] * (longest - len(digits)) for digits in stacks[k]]
        said = [[str(d) for d in digits] + [""] * (longest - len(digits)) for digits in stacks[k]]
        return {
            "z": [[z[k]], None, [[digit / 2 for digit in row] for row in rows]],
            "text": [[label], ["▼"], said],
            "x": [cells, [tape.heads[k]], list(range(1, longest + 1))],
        }

    titles = [f"the tape, in state {now.state}" for now in run]
    figure = go.Figure(LOOK["slider"])
    for name, shown in at_step(start).items():
        for trace, values in enumerate(shown):
            if values is not None:
                figure.update_traces({name: values}, selector=trace)
    scale = [[i / top, colour] for i, colour in enumerate(colours)]
    for trace in (0, 2):
        figure.update_traces({"colorscale": scale, "zmax": top}, selector=trace)
    steps = [
        {
            "label": str(k),
            "method": "update",
            "args": [at_step(k), {"xaxis.title.text": title}, [0, 1, 2]],
        }
        for k, title in enumerate(titles)
    ]
    width = max(len(cells), longest)  # of both, so that a digit is as wide as a cell
    figure.update_layout(
        xaxis={"title": titles[start], "range": [tape.left - 0.5, tape.left + width - 0.5]},
        xaxis2={"range": [0.5, width + 0.5]},
        sliders=[{"steps": steps, "active": start}],
    )
    return figure


def _digits(value: float, base: int) -> list[int]:
    """The digits of a number from 0 to 1 behind the point, as many as it has, at most ten."""
    whole = round(value * base**10)
    found = [whole // base**k % base for k in reversed(range(10))]
    while found and not found[-1]:
        found.pop()
    return found
