"""Turing machines, and their compilation to recurrent networks that keep the tape in two rational
numbers.

A machine is a table of rules; `stack_rnn` compiles it after Siegelmann & Sontag, as Theorem 3.1 and
B.1 of Bhattamishra, Patel & Goyal (2020) use it. There is no transformer here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from lib.checks import check_string
from lib.transformer.space import Form, Space
from lib.turing.recurrent import BEGIN, END, RNN, Vector, coordinate, pairs, total

MOVES = {"L": -1, "N": 0, "R": 1}
STUCK = "stuck"  # the unit that says: no rule applies


@dataclass(frozen=True)
class Rule:
    """In `state`, reading `read`: write `write`, move L, N or R, go to `to`."""

    state: str
    read: str
    write: str
    move: str
    to: str

    def __str__(self) -> str:
        return f"{self.state} {self.read} -> {self.write} {self.move} {self.to}"


@dataclass(frozen=True)
class Configuration:
    """A state, the tape to the `left` of the head and the tape from the head on to the `right`,
    without outer blanks.
    """

    state: str
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.left}[{self.state}]{self.right}"


@dataclass(frozen=True)
class Machine:
    """A deterministic Turing machine with one tape, infinite both ways, that starts at the first
    symbol of its input.

    It accepts in a state of `accept`, and halts without accepting where no rule applies. A state
    that no rule leaves must be named in `accept` or `reject`. `alphabet` holds the input symbols:
    by default all that rules read or write but the blank. ValueError, naming the rule, for a table
    that is no such machine.
    """

    rules: tuple[Rule, ...]
    start: str
    accept: tuple[str, ...]
    blank: str = "_"
    alphabet: tuple[str, ...] | None = None
    reject: tuple[str, ...] = ()
    name: str = "a machine"

    def __post_init__(self):
        for field in ("rules", "accept", "reject"):
            value = getattr(self, field)
            object.__setattr__(self, field, (value,) if isinstance(value, str) else tuple(value))
        if not self.rules:
            raise ValueError("a machine needs at least one rule")
        written = dict.fromkeys(symbol for rule in self.rules for symbol in (rule.read, rule.write))
        inputs = (
            (symbol for symbol in written if symbol != self.blank)
            if self.alphabet is None
            else self.alphabet
        )
        object.__setattr__(self, "alphabet", tuple(inputs))
        self._check_rules()
        for symbol in (self.blank, *self.alphabet):
            _check_symbol(symbol, "the blank" if symbol == self.blank else "an input symbol")
        if self.blank in self.alphabet:
            raise ValueError(f"the blank {self.blank!r} cannot be an input symbol")

    def _check_rules(self) -> None:
        leaves, first = {rule.state for rule in self.rules}, {}
        for number, rule in enumerate(self.rules, start=1):
            where = f"rule {number} ({rule})"
            for symbol in (rule.read, rule.write):
                _check_symbol(symbol, where)
            if rule.move not in MOVES:
                raise ValueError(f"{where} moves {rule.move!r}: L, N or R is expected")
            if rule.state in (*self.accept, *self.reject):
                raise ValueError(f"{where} leaves {rule.state!r}, in which the machine halts")
            if (rule.state, rule.read) in first:
                raise ValueError(
                    f"{where} makes the machine nondeterministic: rule {first[rule.state, rule.read]} "
                    f"reads {rule.read!r} in {rule.state!r} too"
                )
            first[rule.state, rule.read] = number
            if rule.to not in {*leaves, *self.accept, *self.reject}:
                raise ValueError(
                    f"{where} goes to {rule.to!r}, which no rule leaves: name it in accept or reject, or correct it"
                )
        if self.start not in {*leaves, *self.reject}:
            raise ValueError(
                f"no rule leaves the first state, {self.start!r}; the states are {', '.join(self.states)}"
            )

    @staticmethod
    def parse(text: str, accept: str | Iterable[str] = "accept", **options: object) -> Machine:
        """The machine with one rule a line, "state read -> write move state"; it starts in the
        state of the first rule.

        What follows a ; is a comment. `options` are the other fields of a machine.

        >>> print(*Machine.parse("A _ -> 1 R accept").run(""))
        [A] 1[accept]
        """
        rules = []
        for number, line in enumerate(text.splitlines(), start=1):
            if words := line.split(";")[0].split():
                if len(words) != 6 or words[2] != "->":
                    raise ValueError(
                        f"line {number}, {line.strip()!r}, is no rule: 'state read -> write move state' is expected"
                    )
                rules.append(Rule(*words[:2], *words[3:]))
        accept = (accept,) if isinstance(accept, str) else tuple(accept)
        return Machine(
            tuple(rules), **{"start": rules[0].state if rules else "", "accept": accept, **options}
        )

    @staticmethod
    def compact(text: str, name: str = "a machine") -> Machine:
        """A machine in the notation of busy beavers: states A, B, ... apart by "_", in each what to
        do on 0, on 1, ...; "---" for no rule.

        The blank is 0 and Z the accepting state: "1RB---_0LA1RZ" holds A 0 -> 1 R B, B 0 -> 0 L A
        and B 1 -> 1 R Z.
        """
        rules = []
        for state, row in zip("ABCDEFGHIJKLMNOPQRSTUVWXY", text.split("_")):
            if len(row) % 3:
                raise ValueError(
                    f"state {state} has {row!r}: three characters for each symbol are expected"
                )
            cells = [row[i : i + 3] for i in range(0, len(row), 3)]
            rules += [
                Rule(state, str(read), *cell) for read, cell in enumerate(cells) if cell != "---"
            ]
        return Machine(tuple(rules), start="A", accept=("Z",), blank="0", name=name)

    @staticmethod
    def from_dtm(dtm: object, name: str = "a machine") -> Machine:
        """The machine of automata-lib's `DTM`. ValueError for its nondeterministic and many-tape
        relatives.
        """
        rules = []
        for state, row in dtm.transitions.items():
            for read, result in row.items():
                if not isinstance(read, str) or not isinstance(result, tuple):
                    raise ValueError(
                        f"one tape and one rule at a time are expected, not {result!r} in state {state!r} on {read!r}"
                    )
                to, write, move = result
                rules.append(Rule(str(state), read, write, move, str(to)))
        silent = (
            {*map(str, dtm.states)} - {rule.state for rule in rules} - {*map(str, dtm.final_states)}
        )
        return Machine(
            tuple(rules),
            str(dtm.initial_state),
            tuple(sorted(map(str, dtm.final_states))),
            dtm.blank_symbol,
            tuple(sorted(dtm.input_symbols)),
            tuple(sorted(silent)),
            name,
        )

    @cached_property
    def table(self) -> dict[tuple[str, str], Rule]:
        """The rules by state and symbol read."""
        return {(rule.state, rule.read): rule for rule in self.rules}

    @property
    def states(self) -> tuple[str, ...]:
        """The states, the first first."""
        return tuple(
            dict.fromkeys(
                [self.start, *(rule.state for rule in self.rules), *self.reject, *self.accept]
            )
        )

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tape alphabet Γ, the blank first."""
        return tuple(
            dict.fromkeys(
                [
                    self.blank,
                    *self.alphabet,
                    *(s for rule in self.rules for s in (rule.read, rule.write)),
                ]
            )
        )

    @property
    def base(self) -> int:
        """B, the smallest power of two that is at least 2|Γ|."""
        return 1 << (2 * len(self.symbols) - 1).bit_length()

    def rule(self, configuration: Configuration) -> Rule | None:
        """The rule that applies, or None: the machine halts."""
        return self.table.get((configuration.state, configuration.right[:1] or self.blank))

    def run(self, w: str) -> Iterator[Configuration]:
        """Every configuration from the first to that in which the machine halts, by the rules
        alone.
        """
        now: Configuration | None = Configuration(self.start, "", check_string(w, self.alphabet))
        while now:
            yield now
            now = self._after(now)

    def _after(self, now: Configuration) -> Configuration | None:
        if (rule := self.rule(now)) is None:
            return None
        left, right = now.left, rule.write + now.right[1:]
        if rule.move == "R":
            left, right = left + right[0], right[1:]
        elif rule.move == "L":
            left, right = left[:-1], (left[-1:] or self.blank) + right
        return Configuration(rule.to, left.lstrip(self.blank), right.rstrip(self.blank))


def _check_symbol(symbol: str, where: str) -> None:
    if (
        not isinstance(symbol, str)
        or len(symbol) != 1
        or symbol in (BEGIN, END)
        or symbol.isspace()
    ):
        raise ValueError(
            f"{where}: a symbol is one visible character other than {BEGIN} and {END}, not {symbol!r}"
        )


def stack_rnn(machine: Machine, one_step: bool = False, base: int | None = None) -> RNN:
    """An RNN that runs `machine`, four of its steps a step of the machine (Theorem B.1).

    h holds the state, one-hot, and the tape as two stacks: Ψ₁ = Σ 2a_i B^-i with a_1, a_2, ... the
    numbers of the symbols at the head and to its right, Ψ₂ likewise to its left. The blank has
    number 0, so an empty tape is 0. Four groups of units hand on to one another, the others being 0
    meanwhile: read the tops, choose the rule, move, merge. With `one_step` the same four are the
    layers of g, and a step of the RNN is a step of the machine. `base` replaces the machine's B; at
    least 2|Γ| - 1 is needed.
    """
    B, Γ, q, c = machine.base if base is None else base, machine.symbols, "q={}".format, coordinate
    if B < 2 * len(Γ) - 1:
        raise ValueError(
            f"a base of at least {2 * len(Γ) - 1} is needed for {len(Γ)} symbols, not {base!r}"
        )
    stacks, thresholds = ("Ψ₁", "Ψ₂"), range(1, len(Γ))
    tops = [f"{stack}≥{j}" for stack in stacks for j in thresholds]
    chosen = {
        (state, a): machine.table.get((state, a))
        for state in machine.states
        if state not in machine.accept
        for a in Γ
    }

    load = _loading(machine, B)
    read = (
        {f"{q(state)}′": c(q(state)) for state in machine.states}
        | {f"{stack}′": c(stack) for stack in stacks}
        | {f"{stack}≥{j}": B * c(stack) - (2 * j - 1) for stack in stacks for j in thresholds}
    )
    choose = {
        f"{state},{a}": c(f"{q(state)}′") + _is(Γ.index(a), "Ψ₁", thresholds) - 1
        for state, a in chosen
    }
    choose |= {f"{name}′": c(name) for name in tops} | {
        f"{stack}″": c(f"{stack}′") for stack in stacks
    }

    def sum_of(which, weight=lambda rule: 1) -> Form:
        return total(
            weight(rule) * c(f"{state},{a}") for (state, a), rule in chosen.items() if which(rule)
        )

    move = {
        f"{q(state)}″": sum_of(lambda rule: rule and rule.to == state) for state in machine.states
    }
    move |= {f"{STUCK}″": sum_of(lambda rule: rule is None)} if None in chosen.values() else {}
    top = {stack: total(2 * c(f"{stack}≥{j}′") for j in thresholds) for stack in stacks}
    rest = {stack: B * c(f"{stack}″") - top[stack] for stack in stacks}
    for direction in MOVES:
        moves = sum_of(lambda rule: rule and rule.move == direction)
        wrote = sum_of(
            lambda rule: rule and rule.move == direction, lambda rule: 2 * Γ.index(rule.write)
        )
        here = (
            wrote + rest["Ψ₁"]
        ) / B  # the head's cell, with what was written, and all to its right
        new = {
            "R": (rest["Ψ₁"], (wrote + c("Ψ₂″")) / B),
            "N": (here, c("Ψ₂″")),
            "L": ((top["Ψ₂"] + here) / B, rest["Ψ₂"]),
        }
        if moves.terms:
            move |= {
                f"{stack} {direction}": value + moves - 1
                for stack, value in zip(stacks, new[direction])
            }
    merge = {
        q(state): c(f"{q(state)}″") + (c("start") if state == machine.start else 0)
        for state in machine.states
    }
    merge |= {STUCK: c(f"{STUCK}″")} if f"{STUCK}″" in move else {}
    merge |= {
        stack: total(c(name) for name in move if name.startswith(f"{stack} "))
        + (c("tape") if stack == "Ψ₁" else 0)
        for stack in stacks
    }

    groups = (
        _composed(load, read, choose, move, merge)
        if one_step
        else [merge | load | read | choose | move]
    )
    inputs = Space(*(f"x={a}" for a in machine.alphabet)) if machine.alphabet else Space("x")
    return RNN(
        inputs,
        tuple((a, c(f"x={a}")) for a in machine.alphabet),
        tuple(map(pairs, groups)),
        tuple(name for name in (*map(q, machine.accept), STUCK) if name in merge),
    )


def _is(number: int, stack: str, thresholds: range) -> Form:
    """1 where the symbol on top of the stack has this number, 0 where it has another."""
    reached = (
        coordinate(f"{stack}≥{number}") if number in thresholds else Form((), Fraction(number == 0))
    )
    return reached - (coordinate(f"{stack}≥{number + 1}") if number + 1 in thresholds else 0)


def _loading(machine: Machine, B: int) -> dict[str, Form]:
    """The units that read the input: "place" is B^-i before symbol i, "load" what has been read;
    the first $ clears both and gives "start" and "tape".
    """
    c, symbol = coordinate, total(coordinate(f"x={a}") for a in machine.alphabet)
    digits = {
        f"digit={a}": 2 * machine.symbols.index(a) * c("place") + c(f"x={a}") - 1
        for a in machine.alphabet
    }
    loaded = c("load") + total(map(c, digits))
    return {
        "on": Form((), Fraction(1)),
        "reading": 1 - c("on") + symbol,
        "place": (1 - 2 * c("on") + symbol + c("place")) / B,
        **digits,
        "load": loaded + symbol - 1,
        "start": c("reading") - symbol,
        "tape": loaded - symbol,
    }


def _composed(load: dict, read: dict, choose: dict, move: dict, merge: dict) -> list[dict]:
    """The four groups as the four layers of one g, through which what has been loaded is handed on."""
    hold = {name: coordinate(name) for name in load}
    kept = {name: form for name, form in hold.items() if name not in ("start", "tape")}
    return [load | read, hold | choose, hold | move, merge | kept]


def configurations(
    machine: Machine, rnn: RNN, w: str, states: Iterable[Vector], base: int | None = None
) -> Iterator[Configuration]:
    """The machine's configurations, read off the hidden states of its RNN, or off those of a
    transformer that simulates it.

    `base` is that with which the RNN was made. ValueError where a hidden state that should hold one
    does not.
    """
    names = rnn.hidden.names
    period, first = (4, len(w) + 3) if len(rnn.layers) == 1 else (1, len(w) + 2)
    B = machine.base if base is None else base
    for t, h in enumerate(states):
        if t < first or (t - first) % period:
            continue
        value = dict(zip(names, h))
        if value.get(STUCK) == 1:
            return
        [state] = [state for state in machine.states if value[f"q={state}"] == 1] or [None]
        if state is None:
            raise ValueError(f"h_{t} holds no state of the machine")
        left, right = (_symbols(value[stack], machine.symbols, B) for stack in ("Ψ₂", "Ψ₁"))
        yield Configuration(state, left[::-1], right)


def _symbols(stack, symbols: tuple[str, ...], B: int) -> str:
    """The symbols of a stack from its top."""
    found = []
    while stack:
        digit = int((stack * B).floor())
        found.append(symbols[digit // 2])
        stack = stack * B - digit
    return "".join(found)
