"""A decoder that runs a Turing machine on long inputs, with the positions i and 1 alone.

It has one layer, no feed-forward network and no residual connection around its attention to the
encoder, which figure 2 and Proposition 4.3 of Bhattamishra, Patel & Goyal (2020) call necessary.

The output at position P is chosen by those at P - 1 and P/2, rounded down. So every output is read
twice, and each row of letters, a step of the machine, is written as the next, twice as long.

The transducer that rewrites a row reads it once, from left to right, and writes two letters for
each of its own. The last letter of a row stands for one or two symbols of the input: the first
becomes a cell of the tape, and behind it the row's new last letter stands for the other or, if
there is none, for the next two.

Without the residual connection an attention gives one of the encoder's values. So tokens serve as
letters: the encoder numbers, from 1 to N, the pairs (state, letter) that can occur and what they
write, and puts on token k what number k does. Token N + k stands for the input's symbols 2k - 1 and
2k.

Proof, for every input w with |w| + 2 >= 2N. From position p, -|2j - p - 1/2| is largest at one j,
p/2 rounded up, which is (p + 1)/2 rounded down. The attention to the encoder scores token k <= N by
-|k - own - read| and token N + k by -|f k - (m + 1)|, where `own` and f = `fetches` come from the
last output, `read` and the input number m >= 0 from output j. With f = 0, own + read is the number
of a token, scored 0, and the others are scored -1 or less. With f = 1, own + read = -1, so every
k <= N is scored -2 or less, and token N + m + 1 is scored 0; past the end, at m = n - N for the
last token n = |w| + 2, that token is scored -1 and found again. By then both symbols are $, as
2(n - N) >= n. The numbers are such that the token found is what the transducer writes; and
row t + 2 of the transducer holds the machine's tape after t steps, as far as it has been loaded.

On shorter inputs it may fail: tokens that serve as letters are missing. They are finitely many, and
an encoder that looks their answers up might serve them; that is neither built nor proved here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from chapters.common.turing.architecture import (
    IDENTITY,
    SaturatedFFN,
    Sublayer,
    Transformer,
    index,
    one,
)
from chapters.common.turing.machines import Configuration, Machine
from chapters.common.turing.recurrent import BEGIN, END, coordinate, total
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head

# ---- the transducer


@dataclass(frozen=True)
class Cell:
    """A cell of the tape, and the machine's state if the head is there.

    `is_last`: behind it stands an `Input`.
    """

    symbol: str
    head: str | None = None
    is_last: bool = False


@dataclass(frozen=True)
class Input:
    """One or two symbols of the input that no row has held yet, blanks past its end."""

    symbols: str


FILLER, SEED = "filler", "seed"  # a letter that means nothing; the one letter of the first row
Letter = Cell | Input | str


@dataclass(frozen=True)
class State:
    """The state between two letters: before a row, or with a cell in hand, into which the head may
    yet come from the right, or, `at_input`, before an `Input`.

    `leaving` is the machine's state in which the head has gone on to the next cell, None if it has
    not.
    """

    cell: Cell | None = None
    leaving: str | None = None
    at_input: bool = False


START = State()


@dataclass(frozen=True)
class Written:
    """What is written for a letter, and the state after it. `second` None: the next `Input`."""

    first: Letter
    second: Letter | None
    state: State


def rewrite(machine: Machine, state: State, letter: Letter) -> Written:
    """The transducer: what it writes for `letter` in `state`, and its next state."""
    if letter == SEED:
        return Written(FILLER, None, START)
    if letter == FILLER:
        return Written(FILLER, FILLER, state)
    if isinstance(letter, Input):
        arriving = state.leaving if state.at_input else machine.start
        symbol, other = letter.symbols[0], letter.symbols[1:]
        return Written(Cell(symbol, arriving, is_last=True), Input(other) if other else None, START)
    assert isinstance(letter, Cell)
    return _moved(machine, state, letter)


def _moved(machine: Machine, state: State, letter: Cell) -> Written:
    """What is written for a cell: the one before it, and itself if it is the last."""
    before, cell = state.cell or Cell(machine.blank), Cell(letter.symbol, letter.head)
    rule = machine.table.get((letter.head or "", letter.symbol))
    right = None
    if rule:
        cell = Cell(rule.write, rule.to if rule.move == "N" else None)
        right = rule.to if rule.move == "R" else None
        before = replace(before, head=rule.to) if rule.move == "L" else before
    if state.leaving:
        cell = replace(cell, head=state.leaving)
    if letter.is_last:
        return Written(before, cell, State(leaving=right, at_input=True))
    return Written(before, FILLER, State(cell, right))


def shows(row: Configuration, now: Configuration) -> bool:
    """Whether a row's configuration is `now`, as far as its tape has been loaded."""
    left = (row.state, row.left) == (now.state, now.left)
    return left and now.right.startswith(row.right)


def configuration(machine: Machine, row: Sequence[Letter]) -> Configuration:
    """What a row says of the machine."""
    cells = [letter for letter in row if isinstance(letter, Cell)]
    [place] = (k for k, cell in enumerate(cells) if cell.head)
    tape = "".join(cell.symbol for cell in cells)
    left, right = tape[:place].lstrip(machine.blank), tape[place:].rstrip(machine.blank)
    return Configuration(cells[place].head or "", left, right)


# ---- its numbers, and the transformer

Pairs = dict[tuple[State, Letter], Written]


def reachable(machine: Machine) -> Pairs:
    """Every (state, letter) that a row may bring together, with what the transducer writes."""
    written: Pairs = {}
    symbols, blank = machine.alphabet, machine.blank
    # no symbol follows a blank
    ahead = [*product(symbols, symbols), *product(symbols, blank), (blank, blank)]
    inputs = (Input(a + b) for a, b in ahead)
    letters: dict[Letter, None] = dict.fromkeys([SEED, FILLER, *inputs])
    states: dict[State, None] = {START: None}
    size = -1
    while len(written) > size:
        size = len(written)
        for pair in product(list(states), list(letters)):
            if pair not in written and _may_meet(*pair):
                written[pair] = found = rewrite(machine, *pair)
                letters |= dict.fromkeys(filter(None, (found.first, found.second)))
                states[found.state] = None
    return written


def _may_meet(state: State, letter: Letter) -> bool:
    """No row holds two heads; an `Input` is the first cell or comes behind the last."""
    if letter == SEED:
        return state == START
    if isinstance(letter, Input):
        return state.cell is None
    if isinstance(letter, Cell) and state.cell:
        return not (letter.head and (state.cell.head or state.leaving))
    return letter == FILLER or state == START


@dataclass(frozen=True)
class Token:
    """What the encoder writes on one of the first N tokens.

    The next token is the one whose number is `own` + `read`, with `own` of the last output and
    `read` of the output that is read. With `fetches` it is the next token of the input instead;
    `accepts` says that the machine has accepted.
    """

    own: int
    read: int
    fetches: bool = False
    accepts: bool = False


class Alphabet:
    """The tokens' numbers for `machine`: the k-th reachable pair, and behind them each (letter,
    state) that a pair writes second.

    A pair's number is offset[state] + column[letter]. The first columns are those of `Input`s: a
    number of two digits, 0 for the blank. `size` is N, the number of the last token.
    """

    def __init__(self, machine: Machine):
        self.machine, self.pairs = machine, reachable(machine)
        digits = (machine.blank, *machine.alphabet)
        inputs = (Input(a + b) for a, b in product(digits, digits))
        letters = dict.fromkeys([*inputs, *(letter for _, letter in self.pairs)])
        states = dict.fromkeys(state for state, _ in self.pairs)
        self.column = {letter: n for n, letter in enumerate(letters)}
        self.offset = {state: 1 + n * len(letters) for n, state in enumerate(states)}
        seconds = dict.fromkeys((w.second, w.state) for w in self.pairs.values() if w.second)
        behind = 1 + len(states) * len(letters)
        self.second = {pair: k for k, pair in enumerate(seconds, start=behind)}
        first = {
            self.offset[state] + self.column[letter]: self._first(letter, written)
            for (state, letter), written in self.pairs.items()
        }
        second = {
            k: Token(self.offset[state], self.column[letter], accepts=self._accepts(letter))
            for (letter, state), k in self.second.items()
        }
        self.tokens = first | second
        self.size = max(self.tokens)

    def _first(self, letter: Letter, written: Written) -> Token:
        """The token of a pair: `letter` is read twice, so the second time its number is known."""
        read, accepts = self.column[written.first], self._accepts(written.first)
        if written.second is None:
            return Token(-1 - self.column[letter], read, True, accepts)
        number = self.second[written.second, written.state]
        return Token(number - self.column[letter], read, False, accepts)

    def _accepts(self, letter: Letter) -> bool:
        return isinstance(letter, Cell) and letter.head in self.machine.accept


def doubling(machine: Machine) -> Transformer:
    """A transformer that halts on an input of 2N - 2 symbols or more if and only if `machine`
    accepts it; of shorter ones nothing is said.

    N is the size of its `Alphabet`; what is attended to is said at the head of this file.
    """
    alphabet = Alphabet(machine)
    N, digits = alphabet.size, len(machine.alphabet) + 1
    S = Space("own", "read", "fetches", "accepts", "k", "read of j", "k of j",
              "x", "left", "right", "min(i,N)", "[i>N]", "i", "1")  # fmt: skip
    own, read, fetches, accepts, number, read_j, number_j, x, left, right, near, far, i, unit = S

    def hears(side: str, shift: int) -> Sublayer:
        """Token i attends to token 2(i - N) + shift: for i > N to a symbol, else to #."""
        return Sublayer(Head(q=[2 * i + (shift - 2 * N) * unit, unit], k=[-unit, i], v={side: x}))

    k = i - near  # the number of the two symbols for which token i stands, 0 for the first N
    look = Head(q=[i + unit / 2, unit], k=[-unit, 2 * i], v={"read of j": read, "k of j": number})
    choose = Head(
        q=[unit, -own - read_j, fetches, -number_j - unit],
        k=[near - N * far, unit - far, k, far],
        v={
            "own": own,
            "read": read + digits * left + right,
            "fetches": fetches,
            "accepts": accepts,
            "k": k,
        },
    )
    return Transformer(
        S,
        {BEGIN: Form(), **{a: n * x for n, a in enumerate(machine.alphabet, start=1)}, END: Form()},
        {index: i, one: unit},
        encoder=[(hears("left", 0), IDENTITY), (hears("right", 1), Sublayer(_numbering(alphabet)))],
        decoder=[(Sublayer(look), Sublayer(choose, residual=False), IDENTITY)],
        seed=alphabet.offset[START] * own + alphabet.column[SEED] * read,
        halts=("accepts",),
    )


def _numbering(alphabet: Alphabet) -> SaturatedFFN:
    """The encoder's network: the units sigma(i - k + 1) = [i >= k] write its `Token` on token k."""
    N, tokens = alphabet.size, alphabet.tokens
    reached = {k: f"i≥{k}" for k in range(1, N + 2)}
    behind = coordinate(reached[N + 1])

    def written(name: str) -> Form:
        values = [int(getattr(tokens[k], name)) if k in tokens else 0 for k in range(1, N + 1)]
        steps = zip(reached.values(), [*values, 0], [0, *values], strict=True)
        return total((now - before) * coordinate(unit) for unit, now, before in steps)

    hidden = {unit: coordinate("i") - (k - 1) for k, unit in reached.items()}
    out = {name: written(name) for name in ("own", "read", "fetches", "accepts")}
    out["own"] += alphabet.offset[START] * behind
    out |= {"min(i,N)": total(map(coordinate, reached.values())) - behind, "[i>N]": behind}
    return SaturatedFFN([hidden], out)


def letters(alphabet: Alphabet, w: str) -> Iterator[Letter]:
    """The letters that the outputs stand for, y_0 first, on an input of 2N - 2 symbols or more."""
    named = {column: letter for letter, column in alphabet.column.items()}
    model = replace(doubling(alphabet.machine), halts=())
    place = model.space.names.index("read")
    return (named[int(y[place])] for y in model.outputs(w))
