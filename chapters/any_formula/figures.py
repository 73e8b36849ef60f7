"""Two automata, each state at the height of its number in the first round."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from chapters.common.definable import Walk, definable
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


BENT = "arc3,rad=0.25"


def state_after(walk: Walk, w: str) -> int:
    """The state to which a string leads from the start."""
    state = 0
    for symbol in w:
        state = walk.next[state, symbol]
    return state


def automata_figure() -> Figure:
    """The automata of the note's two expressions, without the state of lost strings."""
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.6))
    for axis, (expression, (across, marked)) in zip(axes, PICTURES.items(), strict=True):
        found = definable(regular(expression, "ab"), "ab")
        names = {state_after(found.walk, w): w for w in across}
        first = found.rounds[0][0]
        unit = first[state_after(found.walk, "a")]  # a multiple of a numbering is one
        place = {w: (across[w], first[state] // unit) for state, w in names.items()}
        heights = [y for _, y in place.values()]
        for w, (x, y) in place.items():
            colour = COLOURS["FIRST"] if heights.count(y) > 1 else "#777777"
            axis.plot(x, y, "o", markersize=30, color=colour, markerfacecolor="none")
            axis.text(x, y, w or "S", ha="center", va="center")
        for (state, symbol), to in found.walk.next.items():
            if state in names and to in names:
                w = names[state]
                look = {"arrowstyle": "-|>", "shrinkA": 17, "shrinkB": 17, "color": "#777777"}
                if (w, symbol) in marked:
                    look |= {"color": COLOURS["PARITY"], "linewidth": 2.5}
                (x, y), (right, top) = place[w], place[names[to]]
                axis.annotate("", (right, top), (x, y), arrowprops=look | {"connectionstyle": BENT})
                said = symbol + marked.get((w, symbol), "")
                away = 0.22 + 0.03 * len(said)
                beside = (x + right) / 2 + away * (top - y), (y + top) / 2 - away * (right - x)
                axis.text(*beside, said, color=look["color"], ha="center", va="center")
        axis.set(xlim=(-1.8, 1.8), xticks=[], yticks=sorted({*heights}), title=expression)
        axis.set_ylim(min(heights) - 0.5, max(heights) + 0.5)
    axes[0].set_ylabel("the first number")
    return figure
