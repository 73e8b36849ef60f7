"""Chapter 11 and its record: the pairs that a search meets, what is kept of an invariant, two
counters that double each other, and the figures of the lesson.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from string import ascii_uppercase

import matplotlib.pyplot as plt
import numpy as np
from automata.fa.dfa import DFA
from IPython.display import Markdown
from matplotlib.figure import Figure

from lib.proofs import regular
from lib.proofs.certificate import is_proof
from lib.transformer.space import Form
from record.notebook import COLOURS, markdown_table

ALTERNATING = 'count(Q("a")) == count(Q("b")) and always(0 <= count(Q("a")) - count(Q("b")) <= 1)'
DOUBLING = (  # each block of one letter brings its number to twice that of the other, and a few
    'Q("b") and previous(Q("a"))'
    ' and always(not (Q("b") and previous(Q("a"))) or count(Q("a")) == 2*count(Q("b")) - 1)'
    ' and always(not (Q("a") and previous(Q("b"))) or count(Q("b")) == 2*count(Q("a")) - 2)'
    ' and count(Q("a")) == 3*count(Q("b") and previous(Q("a"))) + 3'
)
WALKS = ("abababab", "abaaaabb", "abbaabab")
PARTED = "#B00020"


Pair = tuple[int, int]  # the number of 1s, from 3 on alike, and a state


def pairs(dfa: DFA) -> tuple[list[Pair], list[dict[str, int]]]:
    """What "exactly two 1s" and an automaton remember, in the order of a breadth-first search, and
    to which pairs symbols lead: all, or those up to the first in which the two part.
    """
    met, after = [(0, dfa.initial_state)], []
    for number, place in met:
        after.append({})
        for symbol in "01":
            pair = (min(number + int(symbol), 3), dfa.transitions[place][symbol])
            if pair not in met:
                met.append(pair)
            after[-1][symbol] = met.index(pair)
            if (pair[0] == 2) != (pair[1] in dfa.final_states):
                return met, after
    return met, after


def pairs_figure() -> Figure:
    """The pairs of "exactly two 1s" with an expression that says so, and with one that does not."""
    figure, axes = plt.subplots(2, 1, figsize=(6.4, 3.3))
    words = {"ha": "center", "fontsize": 10}
    for axis, expression in zip(axes, ("0*10*10*", "0*10*1"), strict=True):
        dfa = regular(expression, "01")
        met, after = pairs(dfa)
        letters = dict(zip(dict.fromkeys(place for _, place in met), ascii_uppercase, strict=False))
        for k, (number, place) in enumerate(met):
            says = {number == 2, place in dfa.final_states}
            colour = COLOURS["PARITY"] if len(says) == 1 else PARTED
            face, ink = (colour, "white") if says == {True} else ("none", colour)
            axis.plot(k, 0, "o", markersize=38, color=colour, markerfacecolor=face, alpha=0.9)
            said = f"{number if number < 3 else '3+'}, {letters[place]}"
            axis.text(k, 0, said, va="center", color=ink, **words)
        for k, moves in enumerate(after):
            for end in dict.fromkeys(moves.values()):
                symbols = " or ".join(symbol for symbol in moves if moves[symbol] == end)
                line = {"arrowstyle": "->", "color": "#777777"}
                ends, place = ((end - 0.24, 0), (k + 0.24, 0)), ((k + end) / 2, 0.1)
                if end == k:
                    line["connectionstyle"] = "arc3,rad=-1.5"
                    ends, place = ((k + 0.1, 0.33), (k - 0.1, 0.33)), (k, 0.66)
                axis.annotate("", *ends, arrowprops=line)
                axis.text(*place, symbols, color="#777777", **words)
        axis.set(xlim=(-0.5, 3.5), ylim=(-0.5, 1))
        axis.axis("off")
        axis.set_title(expression, fontsize=10, loc="left", family="monospace")
    return figure


def walks_figure() -> Figure:
    """The number t along three strings, in the rooms A and B, and C once it has left 0 and 1."""
    figure, axes = plt.subplots(1, len(WALKS), figsize=(7.2, 2.6), sharey=True)
    inside, outside = COLOURS["ONE"], COLOURS["FIRST"]
    for axis, w in zip(axes, WALKS, strict=True):
        t = [w[:i].count("a") - w[:i].count("b") for i in range(len(w) + 1)]
        broken = next((i for i, x in enumerate(t) if not 0 <= x <= 1), len(t))
        for room, name in enumerate("AB"):
            band = [-0.5, broken - 0.5], room - 0.3, room + 0.3
            axis.fill_between(*band, color=inside, alpha=0.18, linewidth=0)
            axis.text(-0.9, room, name, color=inside, ha="center", va="center", fontsize=9)
        axis.plot(t[: broken + 1], "o-", color=inside)
        if broken < len(t):
            axis.plot(range(broken, len(t)), t[broken:], "o-", color=outside)
            axis.axvspan(broken - 0.5, len(w) + 0.5, color=outside, alpha=0.12, linewidth=0)
            axis.text(broken, 4.6, "C: broken", color=outside, fontsize=9)
        axis.set(xlabel="symbol", xlim=(-1.3, 8.5), ylim=(-1.5, 5.2), yticks=range(-1, 5))
        axis.set_xticks(range(len(t)), ["", *w], fontsize=9)
    axes[0].set_ylabel("$t$, a's minus b's")
    return figure


def doubling_figure() -> Figure:
    """How many a's DOUBLING's strings have after three blocks, and how many it asks for."""
    figure, axis = plt.subplots(figsize=(5.2, 2.8))
    blocks, written, asked = (1, 2, 3), (1, 5, 21), (6, 9, 12)
    axis.fill(blocks, written, color=COLOURS["PARITY"], alpha=0.15)
    axis.plot(blocks, written, "o", color=COLOURS["PARITY"], label="a's so far")
    axis.plot(blocks, asked, color=COLOURS["FIRST"], label="a's that are asked for")
    axis.plot(np.mean(blocks), np.mean(written), "x", color=PARTED, label="mean of the dots")
    axis.set(xlabel="block of a's", xticks=blocks, ylabel="a's")
    axis.legend()
    return figure


def pruned(certificate: dict) -> dict:
    """A certificate without the bounds that its proof does not need."""
    kept = deepcopy(certificate)
    for room in kept["rooms"]:
        for bound in list(room["bounds"]):
            room["bounds"].remove(bound)
            if not is_proof(kept):
                room["bounds"].append(bound)
    return kept


def rooms_table(certificate: dict, names: Mapping[str, str], states: Sequence[str]) -> Markdown:
    """The rooms of a certificate: what its control knows, a state or yes or no, and the bounds;
    parts by their `names`, those without one left out. `states` of the specification are named in
    the order of the rooms.
    """
    rooms = certificate["rooms"]
    known = [
        {part["name"]: part["value"] for part in room["knows"] if part["name"] in names}
        for room in rooms
    ]
    said = dict(zip(dict.fromkeys(values["state"] for values in known), states, strict=True))
    rows = []
    for room, values in zip(rooms, known, strict=True):
        cells = [said[x] if name == "state" else ("no", "yes")[x] for name, x in values.items()]
        rows.append((*cells, ", ".join(_bounds(room["bounds"], names)) or "nothing"))
    head = [names[name] for name in known[0]]
    return markdown_table((*head, "what holds of the numbers"), rows)


def _bounds(bounds: list, names: Mapping[str, str]) -> Iterator[str]:
    """Bounds in words; two that make an equality are one."""
    said = {
        Form(tuple((names.get(name, name), Fraction(c)) for name, c in sorted(form.items()))): bound
        for form, bound in bounds
    }
    for form, bound in said.items():
        if said.get(-form) != -bound:
            yield f"{form} ≥ {bound}"
        elif form.terms[0][1] > 0:
            yield f"{form} = {bound}"


def statement_row(name: str, meant: Mapping, result: Mapping) -> tuple[str, ...]:
    """A statement's line in the record."""
    against = meant.get("regular") or meant.get("says") or meant.get("machine") or "a DFA"
    how = result["how"].removesuffix(", checked by cvc5")
    if result["counterexample"] is not None:
        w = result["counterexample"] or "the empty string"
        how = f"{w if len(w) <= 30 else w[:27] + '…'}, length {len(result['counterexample'])}"
    said = f"`{against}`" + (" (contains it)" if meant["implies"] else "")
    return name.replace("*", r"\*"), f"`{meant['formula']}`", said, how, result["tried"]["longest"]
