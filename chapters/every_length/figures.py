"""Chapter 11 and its record: the pairs that a search meets, what is kept of an invariant, two
counters that double each other, and the figures of the lesson.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from string import ascii_uppercase

import matplotlib.pyplot as plt
from automata.fa.dfa import DFA
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.formulas import formula
from lib.notebook import COLOURS, markdown_table
from lib.proofs import regular
from lib.proofs.certificate import is_proof
from lib.proofs.equal import automaton
from lib.proofs.machine import Control, Formulas, Product

TWO_ONES = 'count(Q("1")) == 2'
ALTERNATING = 'count(Q("a")) == count(Q("b")) and always(0 <= count(Q("a")) - count(Q("b")) <= 1)'
DOUBLING = (  # each block of one letter brings its number to twice that of the other, and a few
    'Q("b") and previous(Q("a"))'
    ' and always(not (Q("b") and previous(Q("a"))) or count(Q("a")) == 2*count(Q("b")) - 1)'
    ' and always(not (Q("a") and previous(Q("b"))) or count(Q("b")) == 2*count(Q("a")) - 2)'
    ' and count(Q("a")) == 3*count(Q("b") and previous(Q("a"))) + 3'
)
WALKS = ("abababab", "abaaaabb", "abbaabab")
PARTED = "#B00020"


@dataclass
class Pair:
    """What the two remember of `string`, a shortest one that leads there: a number of the formula
    and a place in the expression; what they answer, and to which pairs symbols lead.
    """

    string: str
    control: Control
    accepts: tuple[bool, ...]
    after: dict[str, int] = field(default_factory=dict)

    @property
    def is_parting(self) -> bool:
        return len(set(self.accepts)) > 1


def pairs(text: str, specification: DFA, alphabet: str) -> list[Pair]:
    """All pairs that can be reached, in the order of a breadth-first search, or those up to the
    first in which the two part. The formula's counts meet constants alone.
    """
    left = Formulas([formula(text, alphabet)], tuple(alphabet))
    machine = Product(left, automaton(specification, tuple(alphabet)))
    [start] = machine.starts()
    met = [Pair("", start, machine.accepts_nothing())]
    for pair in met:
        for symbol in alphabet:
            move = machine.step(pair.control, (), symbol)
            known = (k for k, other in enumerate(met) if other.control == move.control)
            pair.after[symbol] = next(known, len(met))
            if pair.after[symbol] == len(met):
                met.append(Pair(pair.string + symbol, move.control, move.accepts))
                if met[-1].is_parting:
                    return met
    return met


def pairs_figure() -> Figure:
    """The pairs of "exactly two 1s" with an expression that says so, and with one that does not."""
    figure, axes = plt.subplots(2, 1, figsize=(6.4, 3.3))
    for axis, expression in zip(axes, ("0*10*10*", "0*10*1"), strict=True):
        _draw(axis, pairs(TWO_ONES, regular(expression, "01"), "01"))
        axis.set_title(expression, fontsize=10, loc="left", family="monospace")
    return figure


def _draw(axis: Axes, met: list[Pair]) -> None:
    """Pairs from the first met to the last, with an arrow for each symbol; the last of those with a
    number beyond 2 says so.
    """
    places: dict[int, str] = {}
    for k, pair in enumerate(met):
        number, *_, place = pair.control
        places.setdefault(place, ascii_uppercase[len(places)])
        colour = PARTED if pair.is_parting else COLOURS["PARITY"]
        face = "none" if not any(pair.accepts) or pair.is_parting else colour
        axis.plot(k, 0, "o", markersize=38, color=colour, markerfacecolor=face, alpha=0.9)
        ink = "white" if face == colour else colour
        says = f"{number if number < 3 else '3+'}, {places[place]}"
        axis.text(k, 0, says, ha="center", va="center", color=ink, fontsize=10)
        for symbol, other in pair.after.items():
            _arrow(axis, k, other, symbol, both=pair.after.get("0") == pair.after.get("1"))
    axis.set(xlim=(-0.5, 3.5), ylim=(-0.5, 1))
    axis.axis("off")


def _arrow(axis: Axes, start: int, end: int, symbol: str, both: bool) -> None:
    """An arrow between neighbours, or around one pair, with what is read."""
    if both and symbol == "1":
        return
    said = "0 or 1" if both else symbol
    if start == end:
        line = {"arrowstyle": "->", "connectionstyle": "arc3,rad=-1.5", "color": "#777777"}
        axis.annotate("", (start + 0.1, 0.33), (start - 0.1, 0.33), arrowprops=line)
        axis.text(start, 0.66, said, ha="center", color="#777777", fontsize=10)
        return
    line = {"arrowstyle": "->", "color": "#777777"}
    axis.annotate("", (end - 0.24, 0), (start + 0.24, 0), arrowprops=line)
    axis.text((start + end) / 2, 0.1, said, ha="center", color="#777777", fontsize=10)


def walks_figure() -> Figure:
    """The number t along three strings, in the rooms A and B, and C once it has left 0 and 1."""
    figure, axes = plt.subplots(1, len(WALKS), figsize=(7.2, 2.6), sharey=True)
    for axis, w in zip(axes, WALKS, strict=True):
        t = [w[:i].count("a") - w[:i].count("b") for i in range(len(w) + 1)]
        broken = next((i for i, x in enumerate(t) if not 0 <= x <= 1), len(w))
        end = broken - 0.5 if broken < len(w) else len(w) + 0.5
        for room, name in enumerate("AB"):
            band = [-0.5, end], room - 0.3, room + 0.3
            axis.fill_between(*band, color=COLOURS["ONE"], alpha=0.18, linewidth=0)
            axis.text(-0.9, room, name, color=COLOURS["ONE"], ha="center", va="center", fontsize=9)
        axis.plot(range(broken + 1), t[: broken + 1], "o-", color=COLOURS["ONE"])
        axis.set(
            xlabel="symbol",
            xticks=range(len(w) + 1),
            xlim=(-1.3, 8.5),
            ylim=(-1.5, 5.2),
            yticks=range(-1, 5),
        )
        axis.set_xticklabels(["", *w], fontsize=9)
        if broken < len(w):
            axis.plot(range(broken, len(w) + 1), t[broken:], "o-", color=COLOURS["FIRST"])
            axis.axvspan(end, len(w) + 0.5, color=COLOURS["FIRST"], alpha=0.12, linewidth=0)
            axis.text(8.3, 4.6, "C: broken", color=COLOURS["FIRST"], ha="right", fontsize=9)
    axes[0].text(8.3, 1.5, "never broken", color=COLOURS["ONE"], ha="right", fontsize=9)
    axes[0].set_ylabel("$t$, a's less b's")
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
    """The rooms of a certificate: what its control knows, and the bounds; parts by their `names`,
    those without one left out. `states` of the specification are named in the order of the rooms.
    """
    rooms = certificate["rooms"]
    places = [part["value"] for room in rooms for part in room["knows"] if part["kind"] == "state"]
    said = dict(zip(dict.fromkeys(places), states, strict=True))
    known = [part["name"] for part in rooms[0]["knows"] if part["name"] in names]
    rows = []
    for room in rooms:
        values = {part["name"]: part for part in room["knows"]}
        cells = [
            said[values[name]["value"]] if name == "state" else _value(values[name])
            for name in known
        ]
        rows.append((*cells, ", ".join(_bounds(room["bounds"], names)) or "nothing"))
    return markdown_table((*(names[name] for name in known), "what holds of the numbers"), rows)


def _value(part: Mapping) -> str:
    is_flag = part["of"] == 1
    if is_flag:
        return "yes" if part["value"] else "no"
    return f"{part['value']}{'+' if part['value'] == part['of'] else ''}"


def _bounds(bounds: list, names: Mapping[str, str]) -> Iterator[str]:
    """Bounds in words; two that make an equality are one."""
    said = [(tuple(sorted(form.items())), bound) for form, bound in bounds]
    for form, bound in said:
        minus = tuple((name, -c) for name, c in form)
        first = form[0][1] > 0
        if (minus, -bound) in said:
            if first:
                yield f"{_form(form, names)} = {bound}"
        else:
            yield f"{_form(form, names)} ≥ {bound}"


def _form(form: tuple, names: Mapping[str, str]) -> str:
    terms = [
        f"{'−' if c < 0 else '+'} {names.get(name, name)}"
        if abs(c) == 1
        else f"{'−' if c < 0 else '+'} {abs(c)} {names.get(name, name)}"
        for name, c in form
    ]
    return " ".join(terms).removeprefix("+ ")


def statement_row(name: str, meant: Mapping, result: Mapping) -> tuple[str, ...]:
    """A statement's line in the record."""
    against = meant.get("regular") or meant.get("says") or meant.get("machine") or "a DFA"
    how = result["how"]
    if result["counterexample"] is not None:
        w = result["counterexample"] or "the empty string"
        how = f"{w if len(w) <= 30 else w[:27] + '…'}, {len(result['counterexample'])} symbols"
    said = f"`{against}`" + (" (contains it)" if meant["implies"] else "")
    return name, said, result["kind"], how, result["tried"]["longest"]


def listed(numbers: Sequence[int]) -> str:
    """Numbers with slashes between them."""
    return " / ".join(map(str, numbers))
