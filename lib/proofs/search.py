"""Breadth-first search over the states of a machine: the shortest string on which two descriptions
part, or, where no new state is found, a proof for every length.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from tqdm import tqdm

from lib.proofs.limits import Steps, TooLarge
from lib.proofs.machine import AtLeast, Control, Machine, Vector, direction

MOVE = 200  # steps that it takes to make a move
Wrong = Callable[[tuple[bool, ...]], bool]  # of what the compared descriptions answer


@dataclass(frozen=True)
class Room:
    """A control and what holds of the registers whenever it is entered."""

    control: Control
    bounds: tuple[AtLeast, ...] = ()


@dataclass(frozen=True)
class Answer:
    """`kind` is PROVED, UNCHECKED, WRONG or UNKNOWN, of `lib.verdicts`. A counterexample is the
    shortest string on which the two descriptions part. `rooms` are a proof: what can be reached,
    and `machine` reads them. It is PROVED if cvc5 took it, and else UNCHECKED.
    """

    kind: str
    how: str
    counterexample: str | None = None
    rooms: tuple[Room, ...] | None = None
    machine: Machine | None = field(default=None, repr=False, compare=False)
    implies: bool = False

    def __str__(self) -> str:
        if self.counterexample is None:
            return f"{self.kind}: {self.how}"
        shown = repr(self.counterexample) if self.counterexample else "the empty string"
        return f"{self.kind}: {shown} is the shortest string on which they part; {self.how}"


@dataclass(frozen=True)
class Graph:
    """The controls that moves lead to, whatever their guards. From `safe` ones nothing wrong can be
    reached; `asked` holds the forms that a guard may still ask for before that.
    """

    after: dict[Control, set[Control]]
    safe: frozenset[Control]
    asked: dict[Control, tuple[Vector, ...]]


def reached(controls: Iterable[Control], after: dict[Control, set[Control]]) -> set[Control]:
    """These controls, and all that come after them."""
    found = {*controls}
    waiting = [*found]
    while waiting:
        new = after[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def search(
    machine: Machine, graph: Graph, wrong: Wrong, most: int, progress: bool = False
) -> tuple[str | None, tuple[Room, ...] | None, int]:
    """Looks at `most` states for the shortest counterexample. If there is none and no new state is
    left, rooms that hold everything that can be reached. Last, the length to which all strings were
    tried. Two states are one if they have the same control and the same values of all forms that a
    guard may still ask for.
    """
    [start] = machine.starts()
    zero = (0,) * len(machine.registers)
    # Each with the state and the symbol that it comes from.
    states: list[tuple[Control, tuple[int, ...], int, str]] = [(start, zero, 0, "")]
    seen = {(start, tuple(0 for _ in graph.asked[start])): 0}

    def path(index: int) -> str:
        symbols = []
        while index:
            _, _, index, symbol = states[index]
            symbols.append(symbol)
        return "".join(reversed(symbols))

    done = 0
    bar = tqdm(total=most, desc="states", disable=not progress, leave=False)
    while done < len(states) <= most:
        machine.deadline.look()
        control, registers, _, _ = states[done]
        bar.update()
        for symbol in machine.alphabet if control not in graph.safe else ():
            move = machine.step(control, registers, symbol)
            if wrong(move.accepts):
                found = path(done) + symbol
                return found, None, len(found) - 1
            after = tuple(x + d for x, d in zip(registers, move.added, strict=True))
            values = tuple(AtLeast(form, 0).value(after) for form in graph.asked[move.control])
            if seen.setdefault((move.control, values), len(states)) == len(states):
                states.append((move.control, after, done, symbol))
        done += 1
    bar.close()
    if done < len(states):
        return None, None, len(path(done))
    rooms = []
    for control, values in seen:  # the forms have these values
        pairs = zip(graph.asked[control], values, strict=True)
        are = (bound for form, x in pairs for bound in (AtLeast(form, x), ~AtLeast(form, x + 1)))
        rooms.append(Room(control, tuple(are)))
    entered = {control for control, _ in seen}
    rooms += map(Room, sorted(reached(graph.safe & entered, graph.after) - entered))
    return None, tuple(rooms), len(path(done - 1))


def explored(machine: Machine, wrong: Wrong, most: int, steps: Steps) -> Graph:
    """The graph of the machine's controls; TooLarge where there are more than `most`."""
    after: dict[Control, set[Control]] = {}
    asked: dict[Control, set[Vector]] = {}
    unsafe: set[Control] = set()
    met = set(islice(machine.starts(), most + 1))
    waiting = list(met)
    while waiting:
        if len(met) > most:
            raise TooLarge(f"more than {most:,} controls")
        control = waiting.pop()
        moves = [move for symbol in machine.alphabet for move in machine.moves(control, symbol)]
        steps.take(MOVE * len(moves))
        after[control] = {move.control for move in moves}
        asked[control] = {direction(guard.vector) for move in moves for guard in move.guards}
        if any(wrong(move.accepts) for move in moves if move.matches is not None):
            unsafe.add(control)
        new = after[control] - met
        met |= new
        waiting += new
    before: dict[Control, set[Control]] = {control: set() for control in after}
    for control, several in after.items():
        for later in several:
            before[later].add(control)
    unsafe = reached(unsafe, before)
    for control in after.keys() - unsafe:
        asked[control] = set()
    waiting = list(after)
    while waiting:
        machine.deadline.look()
        control = waiting.pop()
        for earlier in before[control]:
            if not asked[control] <= asked[earlier]:
                asked[earlier] |= asked[control]
                waiting.append(earlier)
    forms = {control: tuple(sorted(found)) for control, found in asked.items()}
    return Graph(after, frozenset(after.keys() - unsafe), forms)
