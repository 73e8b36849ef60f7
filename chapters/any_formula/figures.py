"""Two automata, each state at the height of its number in the first round."""

from functools import reduce

import matplotlib.pyplot as plt

from chapters.common.definable import definable
from lib.proofs import regular
from record.notebook import COLOURS

# By expression: how far right each state stands, named by what was read since S, and the arrows on
# which the second round turns, with what its number does there.
PICTURES = {
    "(ab|bbaa)*": (
        {"": 0, "a": 0, "b": -1.2, "bb": 0, "bba": 1.2},
        {("bb", "a"): ", +1", ("bba", "a"): ", −1"},
    ),
    "(ab|aabb)*": ({"": 0, "a": 1.2, "aa": 0, "aab": -1.2}, {("a", "b"): "", ("aab", "b"): ""}),
}
LINE = {"arrowstyle": "-|>", "shrinkA": 17, "shrinkB": 17, "connectionstyle": "arc3,rad=0.25"}


def automata_figure() -> None:
    """The automata of the note's two expressions, without the state of lost strings."""
    _, axes = plt.subplots(1, 2, figsize=(6.4, 3.6))
    for axis, (expression, (across, marked)) in zip(axes, PICTURES.items(), strict=True):
        found = definable(regular(expression, "ab"), "ab")
        moves, first = found.walk.next, found.rounds[0][0]
        states = {reduce(lambda q, a: moves[q, a], w, 0): w for w in across}
        unit = first[moves[0, "a"]]  # a multiple of a numbering is one
        place = {w: (across[w], first[q] // unit) for q, w in states.items()}
        heights = [y for _, y in place.values()]
        for w, (x, y) in place.items():
            colour = COLOURS["FIRST"] if heights.count(y) > 1 else "#777777"
            axis.plot(x, y, "o", markersize=30, color=colour, markerfacecolor="none")
            axis.text(x, y, w or "S", ha="center", va="center")
        for (q, symbol), to in moves.items():
            if q in states and to in states:
                move, (x, y), (right, top) = (
                    (states[q], symbol),
                    place[states[q]],
                    place[states[to]],
                )
                look: dict = {"color": "#777777"}
                if move in marked:
                    look = {"color": COLOURS["PARITY"], "linewidth": 2.5}
                axis.annotate("", (right, top), (x, y), arrowprops=LINE | look)
                said = symbol + marked.get(move, "")
                away = 0.22 + 0.03 * len(said)
                beside = (x + right) / 2 + away * (top - y), (y + top) / 2 - away * (right - x)
                axis.text(*beside, said, color=look["color"], ha="center", va="center")
        axis.set(xlim=(-1.8, 1.8), xticks=[], yticks=sorted({*heights}), title=expression)
        axis.set_ylim(min(heights) - 0.5, max(heights) + 0.5)
    axes[0].set_ylabel("the first number")
