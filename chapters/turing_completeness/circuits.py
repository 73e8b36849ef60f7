"""A Turing machine as a circuit that grows, and a decoder whose positions hold its wiring.

The decoder has no feed-forward network and no residual connection around its attention to the
encoder, two parts that figure 2 and Proposition 4.3 of Bhattamishra, Patel & Goyal (2020) call
necessary. Its position encoding is a computable function: it lists the gates of the machine's
space-time diagram, row under row. Every output is the value of one gate, # for 0 and $ for 1.

The first attention scores position j by -|(j - a)(j - b)|, so it gives the mean of the wires a and
b. Let d = mean - threshold; |d| < M. The second scores $ by -|M - d|, # by -|M + d| and an input
symbol by -2M; to fetch token r it scores token j by -|j - r|. The proof is on the page few_vectors.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import count, islice
from math import prod
from typing import NamedTuple

from chapters.common.turing.architecture import IDENTITY, Sublayer, Transformer, index, one
from chapters.common.turing.machines import MOVES, Machine, Rule
from chapters.common.turing.recurrent import BEGIN, END
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head

ZERO = 1  # the wire that is 0 for ever: the seed y_0, which stands at position 1
QUARTER, HALF, THREE_QUARTERS = (Fraction(quarters, 4) for quarters in (1, 2, 3))


class Gate(NamedTuple):
    """A token of the input to fetch, or a comparison: the mean of two wires with a threshold.

    A wire is a position of the decoder. The value is 1 where sign (mean - threshold) > 0, else 0.
    """

    wires: tuple[int, int] = (ZERO, ZERO)
    threshold: Fraction = Fraction(0)
    sign: int = 0
    token: int = 0


class Cell(NamedTuple):
    """One cell at one time: a wire for each symbol that it may hold and each state it may be in.

    The head is elsewhere where all of its states are 0.
    """

    symbols: dict[str, int]
    states: dict[str, int]


Row = dict[int, Cell]  # by the cell's number; the first symbol of the input stands in cell 0


class SpaceTime:
    """The space-time diagram of `machine`: row t holds the cells -t to t after t steps.

    `gates` are in the order of their values: gate i is computed at position i, for position i + 1.
    `answers` are the wires that carry 1 as soon as the machine has accepted.
    """

    def __init__(self, machine: Machine):
        self.machine, self.gates, self.answers = machine, list[Gate](), set[int]()
        self.true = self.neither(ZERO, ZERO)
        self.rows = self._rows()

    def add(self, gate: Gate) -> int:
        """Adds a gate; gives the wire that carries its value."""
        self.gates.append(gate)
        return len(self.gates) + 1

    def both(self, a: int, b: int) -> int:
        """a AND b."""
        return self.add(Gate((a, b), THREE_QUARTERS, 1))

    def either(self, a: int, b: int) -> int:
        """a OR b."""
        return self.add(Gate((a, b), QUARTER, 1))

    def neither(self, a: int, b: int) -> int:
        """NOT (a OR b)."""
        return self.add(Gate((a, b), QUARTER, -1))

    def some(self, wires: Iterable[int]) -> int:
        """The OR of one wire or more."""
        return reduce(self.either, wires)

    def equals(self, wire: int, number: int) -> int:
        """Whether a wire that carries whole numbers carries this one."""
        above = self.add(Gate((wire, wire), number - HALF, 1))
        below = self.add(Gate((wire, wire), number + HALF, -1))
        return self.both(above, below)

    def gate(self, i: int) -> Gate:
        """Gate i, from 1; the diagram grows until it has one."""
        while len(self.gates) < i:
            next(self.rows)
        return self.gates[i - 1]

    def _rows(self) -> Iterator[Row]:
        row = {0: Cell(self._loaded(0), {self.machine.start: self.true})}
        for time in count(1):
            yield row
            blank = Cell({self.machine.blank: self.true}, {})
            row = self._after({-time: blank, **row, time: Cell(self._loaded(time), {})})

    def _loaded(self, x: int) -> dict[str, int]:
        """The symbols of cell x before the first step: what is fetched is 1 for $, which is the
        blank past the input's end, and from 2 on an input symbol.
        """
        number = self.add(Gate(token=x + 2))
        symbols = (self.machine.blank, *self.machine.alphabet)
        return {symbol: self.equals(number, n) for n, symbol in enumerate(symbols, start=1)}

    def _after(self, row: Row) -> Row:
        # for each rule that may apply in a cell, the wire that says whether it does
        fired = {
            x: {
                rule: self.both(cell.states[rule.state], cell.symbols[rule.read])
                for rule in self.machine.rules
                if rule.state in cell.states and rule.read in cell.symbols
            }
            for x, cell in row.items()
        }
        symbols = {x: self._symbols(cell, fired[x]) for x, cell in row.items()}
        return {x: Cell(symbols[x], self._states(x, fired)) for x in row}

    def _symbols(self, cell: Cell, fired: dict[Rule, int]) -> dict[str, int]:
        """What the cell holds next: what a rule writes, or, where none applies, what it held."""
        if not fired:
            return cell.symbols
        changed = self.some(fired.values())
        kept = self.neither(changed, changed)
        wires = defaultdict(list, {a: [self.both(w, kept)] for a, w in cell.symbols.items()})
        for rule, wire in fired.items():
            wires[rule.write].append(wire)
        return {symbol: self.some(found) for symbol, found in wires.items()}

    def _states(self, x: int, fired: dict[int, dict[Rule, int]]) -> dict[str, int]:
        """The states in which the head may come to cell x, from there or from a neighbour."""
        wires = defaultdict(list)
        for direction, move in MOVES.items():
            for rule, wire in fired.get(x - move, {}).items():
                if rule.move == direction:
                    wires[rule.to].append(wire)
        states = {state: self.some(found) for state, found in wires.items()}
        self.answers |= {wire for state, wire in states.items() if state in self.machine.accept}
        return states

    def says_accepted(self, i: int) -> bool:
        """Whether wire i says that the machine has accepted."""
        self.gate(i)
        return i in self.answers


def wired(machine: Machine) -> Transformer:
    """A one-layer decoder that halts on the strings which `machine` accepts, and on no other.

    It has no feed-forward network and no residual connection around its attention to the encoder;
    what its attentions score is said at the head of this file.
    """
    circuit = SpaceTime(machine)
    S = Space("value", "answer", "mean", "number", "symbol", "i", "i²", "1", "[i=1]",
              "a + b", "ab", "threshold", "M", "fetches", "token")  # fmt: skip
    value, answer, mean, number, symbol, i, i2, unit, first, total, product, *rest = S
    threshold, margin, fetches, token = rest
    end = unit - first - symbol  # 1 for $, 0 for # and for the input symbols
    look = Head(q=[product, -total, unit], k=[unit, i, i2], v={"mean": value})
    choose = Head(
        q=[mean - threshold, margin, fetches, token],
        k=[first - end, unit + symbol, i, -unit],
        v={"value": end + number, "answer": end},
    )
    embedding = {a: symbol + n * number for n, a in enumerate(machine.alphabet, start=2)}
    M = len(machine.symbols) + 1  # above |mean - threshold|, as no token has a larger number
    of_gate: dict[Callable[[Gate], int | Fraction], Form] = {
        lambda gate: sum(gate.wires): total,
        lambda gate: prod(gate.wires): product,
        lambda gate: gate.threshold: threshold,
        lambda gate: gate.sign * M: margin,
        lambda gate: gate.token > 0: fetches,
        lambda gate: gate.token: token,
    }
    position = {
        index: i,
        lambda i: Fraction(i**2): i2,
        one: unit,
        lambda i: Fraction(i == 1): first,
        **{(lambda i, of=of: Fraction(of(circuit.gate(i)))): form for of, form in of_gate.items()},
        lambda i: Fraction(circuit.says_accepted(i) - 1): answer,  # 0 where it is asked, else -1
    }
    return Transformer(
        S,
        {BEGIN: Form(), **embedding, END: Form()},
        position,
        encoder=[(IDENTITY, IDENTITY)],
        decoder=[(Sublayer(look), Sublayer(choose, residual=False), IDENTITY)],
        halts=("answer",),
    )


def halts(machine: Machine, w: str) -> bool:
    """Whether `wired` halts on `w` by the time that its diagram has shown the machine's last step.

    `machine` must halt on `w`. ValueError for a symbol outside its alphabet.
    """
    diagram = SpaceTime(machine)
    for _ in machine.run(w):
        next(diagram.rows)
    *_, last = islice(wired(machine).outputs(w), len(diagram.gates) + 2)
    return last[1] == 1
