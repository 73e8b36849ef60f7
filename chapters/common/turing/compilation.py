"""Turing machines compiled to recurrent networks that keep the tape in two rational numbers.

The construction is Siegelmann & Sontag's, as Theorem 3.1 and B.1 of Bhattamishra, Patel & Goyal
(2020) use it. The tape is two stacks: Ψ₁ = Σ 2a_i B^-i with a_1, a_2, ... the numbers of the
symbols at the head and to its right, Ψ₂ likewise to its left. The blank has number 0, so an empty
tape is 0.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice

from chapters.common.turing.machines import MOVES, Configuration, Machine
from chapters.common.turing.recurrent import RNN, Number, Vector, coordinate, total
from lib.transformer.space import Form, Space

STACKS = ("Ψ₁", "Ψ₂")
ONE = Form((), Fraction(1))
STUCK = "stuck"  # the unit that says: no rule applies

Units = dict[str, Form]  # what the units of a group compute of those before them


def stack_rnn(machine: Machine, one_step: bool = False, base: int | None = None) -> RNN:
    """An RNN that runs `machine`, four of its steps a step of the machine (Theorem B.1).

    h holds the state, one-hot, and the two stacks. Four groups of units hand on to one another, the
    others being 0 meanwhile: read the tops, choose the rule, move, merge. With `one_step` the same
    four are the layers of g, and a step of the RNN is a step of the machine. `base` replaces the
    machine's B, and is at least 2|Γ| - 1. ValueError for states whose units would have one name.
    """
    B = base or machine.base
    load, read, choose = _load(machine, B), _read(machine, B), _choose(machine)
    move = _move(machine, B)
    merge = _merge(machine, move)
    Space(*merge, *load, *read, *choose, *move)  # raises where two units have one name

    layers = [merge | load | read | choose | move]
    if one_step:  # the groups as the layers of one g, which hand on what has been loaded
        hold = {name: coordinate(name) for name in load}
        kept = {name: form for name, form in hold.items() if name not in ("start", "tape")}
        layers = [load | read, hold | choose, hold | move, merge | kept]
    inputs = [f"x={a}" for a in machine.alphabet]
    embedding = dict(zip(machine.alphabet, map(coordinate, inputs), strict=True))
    halts = [name for name in (*map(_q, machine.accept), STUCK) if name in merge]
    return RNN(Space(*inputs or ["x"]), embedding, layers, halts)


def _q(state: str) -> str:
    """The unit of a state."""
    return f"q={state}"


def _tops(machine: Machine, stack: str) -> list[str]:
    """The units that say: the symbol on top of the stack has a number of at least 1, 2, ..."""
    return [f"{stack}≥{j}" for j in range(1, len(machine.symbols))]


def _situations(machine: Machine) -> dict[tuple[str, str], str]:
    """The units that say: it is this state, which does not accept, and this symbol at the head."""
    active = [state for state in machine.states if state not in machine.accept]
    return {(state, a): f"{state},{a}" for state in active for a in machine.symbols}


def _digit(machine: Machine, symbol: str) -> int:
    return 2 * machine.symbols.index(symbol)


def _load(machine: Machine, B: int) -> Units:
    """The units that read the input: "place" is B^-i before symbol i, "load" what has been read;
    the first $ clears both and gives "start" and "tape".
    """
    on, place, reading, load = map(coordinate, ("on", "place", "reading", "load"))
    x = {a: coordinate(f"x={a}") for a in machine.alphabet}
    symbol = total(x.values())
    digits = {f"digit={a}": _digit(machine, a) * place + x[a] - 1 for a in machine.alphabet}
    loaded = load + total(map(coordinate, digits))
    return {
        "on": ONE,
        "reading": 1 - on + symbol,
        "place": (1 - 2 * on + symbol + place) / B,
        **digits,
        "load": loaded + symbol - 1,
        "start": reading - symbol,
        "tape": loaded - symbol,
    }


def _read(machine: Machine, B: int) -> Units:
    """The state and the stacks, kept; and whether the symbol on top of a stack has a number of at
    least j: B Ψ - (2j - 1) is then at least 1, else at most 0.
    """
    units = {f"{name}′": coordinate(name) for name in (*map(_q, machine.states), *STACKS)}
    for stack in STACKS:
        for j, name in enumerate(_tops(machine, stack), start=1):
            units[name] = B * coordinate(stack) - (2 * j - 1)
    return units


def _choose(machine: Machine) -> Units:
    """For each state that does not accept and each symbol whether it is this state and this symbol
    at the head; the tops and the stacks are kept.
    """
    # every number is at least 0, none |Γ|
    at_least = [ONE, *map(coordinate, _tops(machine, "Ψ₁")), Form()]
    units = {}
    for (state, a), name in _situations(machine).items():
        n = machine.symbols.index(a)
        units[name] = coordinate(f"{_q(state)}′") + at_least[n] - at_least[n + 1] - 1
    units |= {f"{top}′": coordinate(top) for stack in STACKS for top in _tops(machine, stack)}
    return units | {f"{stack}″": coordinate(f"{stack}′") for stack in STACKS}


def _move(machine: Machine, B: int) -> Units:
    """The next state, or that no rule applies; and for each direction the stacks after a move, 0
    where the rule moves in another.
    """
    chosen = {here: coordinate(name) for here, name in _situations(machine).items()}
    applies = {rule: chosen.pop((rule.state, rule.read)) for rule in machine.rules}
    units = {
        f"{_q(state)}″": total(form for rule, form in applies.items() if rule.to == state)
        for state in machine.states
    }
    if chosen:  # those that have no rule
        units[f"{STUCK}″"] = total(chosen.values())
    for direction in MOVES:
        moving = {rule: form for rule, form in applies.items() if rule.move == direction}
        if moving:
            written = total(_digit(machine, rule.write) * form for rule, form in moving.items())
            for stack, moved in zip(STACKS, _shifted(machine, B, direction, written), strict=True):
                units[f"{stack} {direction}"] = moved + total(moving.values()) - 1
    return units


def _shifted(machine: Machine, B: int, direction: str, written: Form) -> tuple[Form, Form]:
    """Ψ₁ and Ψ₂ when the digit at the head is `written` over and the head moves."""
    # the digit on top of each stack, twice the number of its symbol
    top, left_top = (
        total(2 * coordinate(f"{name}′") for name in _tops(machine, stack)) for stack in STACKS
    )
    left = coordinate("Ψ₂″")
    right = B * coordinate("Ψ₁″") - top  # of the head
    here = (written + right) / B  # the head's cell and all to its right
    if direction == "R":
        return right, (written + left) / B
    if direction == "L":
        return (left_top + here) / B, B * left - left_top
    return here, left


def _merge(machine: Machine, move: Units) -> Units:
    """The state and the stacks, from whichever direction they come; or from the input, once."""
    handed_on = [*map(_q, machine.states), STUCK]
    units = {name: coordinate(f"{name}″") for name in handed_on if f"{name}″" in move}
    units[_q(machine.start)] += coordinate("start")
    for stack in STACKS:
        units[stack] = total(coordinate(name) for name in move if name.startswith(f"{stack} "))
    units["Ψ₁"] += coordinate("tape")
    return units


def configurations(
    machine: Machine, rnn: RNN, w: str, states: Iterable[Vector]
) -> Iterator[Configuration]:
    """The machine's configurations, read off the hidden states of its RNN, or off those of a
    transformer that simulates it. ValueError where one that should hold one does not.
    """
    period, first = (4, len(w) + 3) if len(rnn.layers) == 1 else (1, len(w) + 2)
    for t, h in islice(enumerate(states), first, None, period):
        value = dict(zip(rnn.hidden.names, h, strict=False))  # a transformer's y holds more than h
        if value.get(STUCK) == 1:
            return
        held = [state for state in machine.states if value[_q(state)] == 1]
        if len(held) != 1:
            raise ValueError(f"h_{t} holds no state of the machine")
        right, left = (_unpacked(value[stack], machine.symbols, machine.base) for stack in STACKS)
        yield Configuration(held[0], left[::-1], right)


def _unpacked(stack: Number, symbols: tuple[str, ...], B: int) -> str:
    """The symbols of a stack from its top."""
    result = []
    while stack:
        digit = int((stack * B).floor())
        result.append(symbols[digit // 2])
        stack = stack * B - digit
    return "".join(result)
