"""Turing machines as tables of rules, their runs, and the machines that chapter 6 runs, which stand
in `machines.yaml`. There is no network here: `compilation` makes one of a machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from chapters.common.turing.recurrent import BEGIN, END
from lib.checks import check_string, text
from lib.transformer.sublayers import members

MOVES = {"L": -1, "N": 0, "R": 1}


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
    """A state, the tape to the `left` of the head, and from the head on, without outer blanks."""

    state: str
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.left}[{self.state}]{self.right}"


class Machine:
    """A deterministic Turing machine with one tape, infinite both ways, that starts at the first
    symbol of its input.

    It accepts in a state of `accept`, and halts without accepting where no rule applies. A state
    that no rule leaves must be named in `accept` or `reject`. `alphabet` holds the input symbols:
    by default all that rules read or write but the blank. TypeError for what is no rule, and
    ValueError, naming the rule, for a table that is no such machine.

    `states` begin with the first, and `symbols`, the tape alphabet Γ, with the blank. `base` is B,
    the smallest power of two that is at least 2|Γ|.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        start: str,
        accept: str | Iterable[str] = "accept",
        blank: str = "_",
        alphabet: Iterable[str] | None = None,
        reject: str | Iterable[str] = (),
        name: str = "a machine",
    ):
        self.rules = members(Rule, rules, "a rule")
        self.start, self.blank, self.name = start, blank, name
        self.accept, self.reject = (members(str, some, "a state") for some in (accept, reject))
        active = [rule.state for rule in self.rules]
        self.states = tuple(dict.fromkeys([start, *active, *self.reject, *self.accept]))
        written = dict.fromkeys(symbol for rule in self.rules for symbol in (rule.read, rule.write))
        if alphabet is None:
            alphabet = [symbol for symbol in written if symbol != blank]
        self.alphabet = tuple(alphabet)
        self.symbols = tuple(dict.fromkeys([blank, *self.alphabet, *written]))
        self.base = 1 << (2 * len(self.symbols) - 1).bit_length()
        self.table = {(rule.state, rule.read): rule for rule in self.rules}
        self._check({*active}, {*self.accept, *self.reject})

    def _check(self, active: set[str], halting: set[str]) -> None:
        first: dict[tuple[str, str], int] = {}
        for number, rule in enumerate(self.rules, start=1):
            where = f"rule {number} ({rule})"
            for symbol in (rule.read, rule.write):
                _check_symbol(symbol, where)
            if rule.move not in MOVES:
                raise ValueError(f"{where} moves {rule.move!r}: L, N or R is expected")
            if rule.state in halting:
                raise ValueError(f"{where} leaves {rule.state!r}, in which the machine halts")
            if rule.to not in active | halting:
                raise ValueError(
                    f"{where} goes to {rule.to!r}, which no rule leaves: "
                    "name it in accept or reject, or correct it"
                )
            same = first.setdefault((rule.state, rule.read), number)
            if same != number:
                raise ValueError(
                    f"{where} makes the machine nondeterministic: rule {same} reads "
                    f"{rule.read!r} in {rule.state!r} too"
                )
        if self.start not in {*active, *self.reject}:
            raise ValueError(
                f"no rule leaves the first state, {self.start!r}; the states are "
                f"{', '.join(self.states)}"
            )
        _check_symbol(self.blank, "the blank")
        for symbol in self.alphabet:
            _check_symbol(symbol, "an input symbol")
            if self.alphabet.count(symbol) > 1:
                raise ValueError(f"different input symbols are expected: {symbol!r} stands twice")
        if self.blank in self.alphabet:
            raise ValueError(f"the blank {self.blank!r} cannot be an input symbol")

    @staticmethod
    def parse(rules: str, start: str | None = None, **more: Any) -> Machine:
        """The machine with one rule a line, "state read -> write move state"; by default it starts
        in the state of the first rule. `more` is as for `Machine`.

        What follows a ; is a comment. ValueError for a line that is no rule.

        >>> print(*Machine.parse("A _ -> 1 R accept").run(""))
        [A] 1[accept]
        """
        table = []
        for number, line in enumerate(text(rules, "rules").splitlines(), start=1):
            words = line.split(";")[0].split()
            if not words:
                continue
            if len(words) != 6 or words[2] != "->":
                raise ValueError(
                    f"line {number}, {line.strip()!r}, is no rule: "
                    "'state read -> write move state' is expected"
                )
            state, read, _, write, move, to = words
            table.append(Rule(state, read, write, move, to))
        if not table:
            raise ValueError("a machine needs at least one rule")
        return Machine(table, table[0].state if start is None else start, **more)

    def run(self, w: str) -> Iterator[Configuration]:
        """Every configuration to that in which the machine halts, by the rules alone."""
        now = Configuration(self.start, "", check_string(w, self.alphabet))
        yield now
        while rule := self.table.get((now.state, now.right[:1] or self.blank)):
            left, right = now.left, rule.write + now.right[1:]
            if rule.move == "R":
                left, right = left + right[0], right[1:]
            elif rule.move == "L":
                left, right = left[:-1], (left[-1:] or self.blank) + right
            now = Configuration(rule.to, left.lstrip(self.blank), right.rstrip(self.blank))
            yield now


def _check_symbol(symbol: str, where: str) -> None:
    is_character = isinstance(symbol, str) and len(symbol) == 1
    if not is_character or symbol in (BEGIN, END) or symbol.isspace():
        raise ValueError(
            f"{where}: a symbol is one visible character other than {BEGIN} and {END}, "
            f"not {symbol!r}"
        )


_TABLES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
PROGRAMS = tuple(Machine.parse(name=name, **table) for name, table in _TABLES.items())
INCREMENT, ABC, PALINDROMES, MULTIPLY, BUSY_BEAVER_4, CHAMPION_5 = PROGRAMS
