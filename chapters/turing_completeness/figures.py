"""Pictures of a machine's run as a grid, of a decoder's step, of one gate, and of how a unit reads
the first digit of a stack.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from chapters.common.turing.machines import MOVES, Machine
from chapters.turing_completeness.circuits import SpaceTime, wired
from record.notebook import COLOURS, note

BLUE, ORANGE, GREY = COLOURS["PARITY"], COLOURS["FIRST"], "#777777"
CENTRED = {"ha": "center", "va": "center", "fontsize": 9}
BOX = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": "black"}
Place = tuple[float, float]


def gap_figure() -> Figure:
    """What the unit σ(10 Ψ₁ - 3) says of the first digit of Ψ₁, and in which bands 10 Ψ₁ lies."""
    figure, axis = plt.subplots(figsize=(6.4, 2.4))
    for digit, symbol in ((0, "blank"), (2, "0"), (4, "1")):
        axis.axvspan(digit, digit + 1, color="#888888", alpha=0.2, linewidth=0)
        axis.text(digit + 0.5, 1.12, symbol, ha="center")
    axis.plot([-0.2, 3, 4, 5.2], [0, 0, 1, 1], color=BLUE)
    for value in (4.244, 2.44):
        answer = min(max(value - 3, 0), 1)
        axis.plot(value, answer, "o", color=ORANGE)
        note(axis, f"{value}", (value, answer), (4, -13 if answer else 6), color=ORANGE)
    axis.set(xlabel="$10\\,\\Psi_1$", ylabel="answer", ylim=(-0.1, 1.3), yticks=(0, 1))
    return figure


def _boxes(axis: Axes, words: Mapping[Place, str]) -> dict[Place, Patch | None]:
    """Boxes with words in them, by their places."""
    return {
        place: axis.text(*place, said, bbox=BOX, **CENTRED).get_bbox_patch()
        for place, said in words.items()
    }


def _arrow(
    axis: Axes,
    boxes: Mapping[Place, Patch | None],
    ends: tuple[Place, Place],
    said: str = "",
    away: tuple = (0, 5),
    color: str = BLUE,
    **look: object,
) -> None:
    """An arrow from box to box, or place to place, with words beside its middle."""
    start, end = ends
    line = {"arrowstyle": "->", "linewidth": 1.5, "shrinkA": 0, "shrinkB": 1, "color": color}
    patches = {"patchA": boxes.get(start), "patchB": boxes.get(end)}
    axis.annotate("", end, start, arrowprops=line | patches | look)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    note(axis, said, middle, away, color=color, ha="center", fontsize=9)


def _tokens(axis: Axes, tokens: Mapping[Place, str], logits: Sequence[Fraction | int]) -> None:
    """The number and the logit of each token below its box; the best in bold."""
    for k, ((x, y), logit) in enumerate(zip(tokens, logits, strict=True), start=1):
        best = {"color": BLUE, "weight": "bold"} if logit == max(logits) else {}
        said = f"token {k}\nlogit {_mixed(logit)}"
        note(axis, said, (x, y), (0, -38), ha="center", fontsize=9, **best)


def _cell(
    axis: Axes, place: Place, said: str, size: Place, filled: bool = False, **frame: object
) -> None:
    """A cell with words in it, by its middle."""
    (x, y), (width, height) = place, size
    look: dict = {"edgecolor": GREY, "linewidth": 0.8, **frame}
    face = to_rgba(BLUE, 0.3) if filled else "none"
    corner = (x - width / 2, y - height / 2)
    axis.add_patch(Rectangle(corner, width, height, facecolor=face, **look))
    axis.text(x, y, said, **CENTRED)


NEW = {"edgecolor": ORANGE, "linewidth": 2.5}  # the frame of the cell that is spoken of


def step_figure() -> Figure:
    """One step of the decoder that counts ones in quarters, on 11: output 1 asks for token 2, whose
    value is added to the old h; what the network puts out is added to the old h too.
    """
    figure, axis = plt.subplots(figsize=(6.4, 3.4))
    output, plus, network, last, after = ((x, 2.0) for x in (0, 1, 1.9, 2.7, 3.5))
    tokens: dict[Place, str] = dict(zip(((i, 0.35) for i in range(4)), ("begin", "1", "1", "end")))
    token = (1, 0.35)
    words = {
        output: "output y₁\n$h = 0$\ncounter 2",
        plus: "+",
        network: "network\n$\\sigma(h + x/4)$\n$- h$",
        last: "+",
        after: "output y₂\n$h = 1/4$\ncounter 3",
    }
    boxes = _boxes(axis, words | tokens)
    _tokens(axis, tokens, [-abs(i - 2) for i in range(1, 5)])
    around = {"color": ORANGE, "connectionstyle": "arc3,rad=-0.58"}
    _arrow(axis, boxes, (output, token), "asks", (-22, 0), linestyle="--")
    _arrow(axis, boxes, (token, plus), "$x = 1$", (20, -12))
    _arrow(axis, boxes, (output, plus), "old $h$", (9, 9), color=ORANGE)
    _arrow(axis, boxes, (plus, network), "old $h$\nand $x$", (0, -47), color="black")
    _arrow(axis, boxes, (network, last), color="black")
    _arrow(axis, boxes, (plus, last), "old $h$", (0, 62), **around)
    _arrow(axis, boxes, (last, after), "$h = 0 + ¼$", (-3, 25), color="black")
    axis.set(xlim=(-0.5, 3.9), ylim=(-0.45, 3.1))
    axis.set_axis_off()
    return figure


def grid_figure(machine: Machine, w: str, marked: tuple[int, int]) -> Figure:
    """A machine's run as a grid: row t holds the tape after t steps, with the state where the head
    is. Cells farther than t from the start are dotted: the head cannot have been there. Arrows lead
    to the cell `marked`, (row, cell), from the three that it depends on.
    """
    run = list(machine.run(w))
    moves = [MOVES[rule.move] for rule in map(machine.rule, run[:-1]) if rule]
    heads, steps = np.cumsum([0, *moves]).tolist(), len(run) - 1
    figure, axis = plt.subplots(figsize=(6.4, 0.75 * (steps + 1) + 0.5))
    for t, (now, head) in enumerate(zip(run, heads, strict=True)):
        held = dict(enumerate(now.left + now.right, start=head - len(now.left)))
        for x in range(-steps, steps + 1):
            symbol = held.get(x, machine.blank)
            said = f"{now.state}\n{symbol}" if x == head else symbol
            frame = NEW if (t, x) == marked else {"linestyle": "-" if abs(x) <= t else ":"}
            _cell(axis, (x, t), said, (0.92, 0.6), filled=x == head, **frame)
    row, cell = marked
    for x in (cell - 1, cell, cell + 1):
        ends = (x, row - 0.7), (cell + 0.3 * (x - cell), row - 0.3)
        _arrow(axis, {}, ends, color=ORANGE, linestyle="-" if abs(x) < row else ":")
    axis.set(xlim=(-steps - 0.6, steps + 0.6), ylim=(steps + 0.4, -0.4), xlabel="cell of the tape")
    axis.set(yticks=range(steps + 1), xticks=range(-steps, steps + 1), ylabel="step")
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    return figure


def gate_figure(machine: Machine, w: str, place: int, names: Mapping[int, str]) -> Figure:
    """One gate of the decoder `wired` on w, whose value is the output at position `place`: the
    outputs so far, the two that are fetched, their mean, and the tokens' logits. `names` are
    of positions, shown above them.
    """
    gate = SpaceTime(machine).gate(place - 1)
    values = [int(y[0]) for y in islice(wired(machine).outputs(w), place)]
    a, b = (values[wire - 1] for wire in gate.wires)
    mean, margin = Fraction(a + b, 2), gate.sign * (len(machine.symbols) + 1)
    d = mean - gate.threshold
    keys = [(1, 1), *((0, 2) for _ in w), (-1, 1)]
    logits = [-abs(x * d + y * margin) for x, y in keys]

    figure, axis = plt.subplots(figsize=(6.4, 2.9))
    for position, value in enumerate(values, start=1):
        frame = NEW if position == place else {}
        filled = position in gate.wires
        _cell(axis, (position, 3.3), str(value), (0.84, 0.6), filled, **frame)
        if position in names:
            said = f"{names[position]}\n{position}"
            axis.text(position, 3.7, said, ha="center", va="bottom", fontsize=9)
    decide = (sum(gate.wires) / 2, 1.2)
    decision = f"mean {_mixed(mean)}\n$d$ = {_mixed(mean)} − {_mixed(gate.threshold)} = {_mixed(d)}"
    words = ("begin", *w, "end")
    tokens = {(decide[0] + 6.6 + 4.2 * k, 1.2): token for k, token in enumerate(words)}
    boxes = _boxes(axis, {decide: decision} | tokens)
    _tokens(axis, tokens, logits)
    winner = [*tokens][logits.index(max(logits))]
    for wire in gate.wires:
        _arrow(axis, boxes, ((wire, 3), decide))
    _arrow(axis, boxes, (decide, winner), linestyle="--")
    _arrow(axis, boxes, (winner, (place, 3)))
    axis.set(xlim=(0.3, place + 0.7), ylim=(-0.1, 4.8))
    axis.set_axis_off()
    return figure


def _mixed(value: Fraction | int) -> str:
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
        axis.text(b * (place + 0.5), 1.25, f"symbol '{symbol}'", ha="center", fontsize=9)
        for x, bit in enumerate(f"{digit:0{b}b}", start=b * place):
            _cell(axis, (x + 0.5, 0.5), bit, (1, 1), filled=x < bits)
            if x >= bits and bit == "1":
                axis.text(x, -0.45, "no room", va="top", color=ORANGE, fontsize=9)
    axis.vlines(range(b, b * len(tape), b), 0, 1.6, color="black", linewidth=1.2)
    axis.annotate("", (0, -0.3), (bits, -0.3), arrowprops={"arrowstyle": "<->"})
    axis.text(bits / 2, -0.45, f"{bits} bits", ha="center", va="top", fontsize=9)
    axis.set(xlim=(-0.1, b * len(tape) + 0.1), ylim=(-1, 1.7))
    axis.set_axis_off()
    return figure
