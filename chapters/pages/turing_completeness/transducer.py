"""A Turing machine as a transducer that rewrites rows of letters, one step of the machine a row.

A row is read once, from left to right, and two letters are written for each of its own. The last
letter of a row stands for input that has not been copied yet: it becomes two cells of the tape,
and behind them the row's new last letter stands for the next two symbols. `doubling` is the
transformer that does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from lib.checks import an, check_string, many, shown, takes
from lib.turing.machines import MOVES, Configuration, Machine


@dataclass(frozen=True)
class Cell:
    """Two cells of the tape, and the head: its state and in which of the two it is, 0 or 1.

    `is_last`: behind it stands an `Input`.
    """

    symbols: str
    head: tuple[str, int] | None = None
    is_last: bool = False


@dataclass(frozen=True)
class Input:
    """Two symbols of the input that no row has held yet, blanks past its end."""

    symbols: str


FILLER, SEED = "filler", "seed"  # a letter that means nothing; the one letter of the first row
Letter = Cell | Input | str


@dataclass(frozen=True)
class Start:
    """The state before a row."""


@dataclass(frozen=True)
class Held:
    """The state with a cell in hand, into which the head may yet come from the right.

    `leaving` is the state in which the head has gone on to the next cell, None if it has not.
    """

    cell: Cell
    leaving: str | None = None


@dataclass(frozen=True)
class Ready:
    """The state before an `Input`, with the machine's state in which the head comes to it."""

    arriving: str | None = None


State = Start | Held | Ready


@dataclass(frozen=True)
class Written:
    """What is written for a letter, and the state after it. `second` None: the next `Input`."""

    first: Letter
    second: Letter | None
    state: State


def letter(value: Letter, what: str) -> Letter:
    """`value` if it is a letter of a row; otherwise TypeError."""
    if isinstance(value, (Cell, Input)) or isinstance(value, str) and value in (FILLER, SEED):
        return value
    raise TypeError(f"a letter of a row is expected, not {shown(value)}")


@takes(machine=Machine, state=an(Start, Held, Ready), letter=letter)
def rewrite(machine: Machine, state: State, letter: Letter) -> Written:
    """The transducer: what it writes for `letter` in `state`, and its next state."""
    if letter == SEED:
        return Written(FILLER, None, Start())
    if letter == FILLER:
        return Written(FILLER, FILLER, state)
    if isinstance(letter, Input):
        arriving = state.arriving if isinstance(state, Ready) else machine.start
        head = None if arriving is None else (arriving, 0)
        return Written(Cell(letter.symbols, head, is_last=True), None, Start())
    if not isinstance(letter, Cell):
        raise TypeError(f"a letter of a row is expected, not {letter!r}")
    return _moved(machine, state, letter)


def _moved(machine: Machine, state: State, letter: Cell) -> Written:
    """What is written for a cell: the one before it, and itself if it is the last."""
    cell, left, right = _after(machine, letter)
    before = state.cell if isinstance(state, Held) else Cell(2 * machine.blank)
    if left:
        before = replace(before, head=(left, 1))
    if isinstance(state, Held) and state.leaving:
        cell = replace(cell, head=(state.leaving, 0))
    if letter.is_last:
        return Written(before, cell, Ready(right))
    return Written(before, FILLER, Held(cell, right))


def _after(machine: Machine, cell: Cell) -> tuple[Cell, str | None, str | None]:
    """The cell after a step, and the state in which the head leaves it to the left or right."""
    state, half = cell.head or ("", 0)
    rule = machine.table.get((state, cell.symbols[half]))
    if rule is None:
        return Cell(cell.symbols, cell.head), None, None
    symbols = cell.symbols[:half] + rule.write + cell.symbols[half + 1 :]
    half += MOVES[rule.move]
    stays = half in (0, 1)
    moved = Cell(symbols, (rule.to, half) if stays else None)
    return moved, rule.to if half < 0 else None, rule.to if half > 1 else None


@takes(machine=Machine)
def rows(machine: Machine, w: str) -> Iterator[list[Letter]]:
    """The rows: row 0 holds `SEED`, row 1 the first `Input`, row t + 2 the tape after t steps."""
    check_string(w, machine.alphabet)
    unread = (Input(w[k : k + 2].ljust(2, machine.blank)) for k in count(0, 2))
    row: list[Letter] = [SEED]
    while True:
        yield row
        state, new = Start(), []
        for letter in row:
            written = rewrite(machine, state, letter)
            second = next(unread) if written.second is None else written.second
            state, new = written.state, [*new, written.first, second]
        row = new


@takes(row=Configuration, now=Configuration)
def shows(row: Configuration, now: Configuration) -> bool:
    """Whether a row's configuration is `now`, as far as its tape has been loaded."""
    left = (row.state, row.left) == (now.state, now.left)
    return left and now.right.startswith(row.right)


@takes(machine=Machine, row=many(letter))
def configuration(machine: Machine, row: Sequence[Letter]) -> Configuration:
    """What a row says of the machine; ValueError if it does not hold one head."""
    cells = [letter for letter in row if isinstance(letter, Cell)]
    heads = [(2 * k + cell.head[1], cell.head[0]) for k, cell in enumerate(cells) if cell.head]
    if len(heads) != 1:
        raise ValueError(f"a row with one head is expected, not with {len(heads)}")
    [(place, state)] = heads
    tape = "".join(cell.symbols for cell in cells)
    left, right = tape[:place], tape[place:]
    return Configuration(state, left.lstrip(machine.blank), right.rstrip(machine.blank))
