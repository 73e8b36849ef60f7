"""Whether a regular language has a counting formula at all, and one of them if it has.

Counting formulas are made of `Q`, `count`, `position`, comparisons, `and`, `or`, `not`, and what
these spell (`once`, `never`, `always`, `min`, `max`, `if`): C-RASP. Neither `total` nor `previous`
nor `mod` is among them. Yang, Veseli and others (2026) were the first to decide this; the proof of
what is done here is in the note *Is there a formula at all?*
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count as numbers

from automata.fa.dfa import DFA
from flint import fmpz_mat

from lib.checks import flag, shown, takes
from lib.formulas.syntax import (
    And,
    Formula,
    Or,
    Q,
    Term,
    Truth,
    checked_alphabet,
    count,
    truth,
)
from lib.proofs.equal import automaton
from lib.proofs.limits import TooLarge

LONGEST = 50_000  # characters of a formula that is spelled
Edge = tuple[int, str]  # a state, and the symbol that is read there
Potential = dict[int, int]  # a number for each state of a component


@dataclass(frozen=True)
class Definable:
    """Whether there is a counting formula. Where there is none, `twins` are strings x, z and u: x
    and xz lead into one component, where counting does not tell them apart, and just one of xu and
    xzu belongs.
    """

    walk: Walk
    rounds: list[list[Potential]]
    twins: tuple[str, str, str] | None

    @property
    def exists(self) -> bool:
        """Whether there is one."""
        return self.twins is None

    @cached_property
    def formula(self) -> Formula | None:
        """A formula, where there is one that has at most 50,000 characters and can be printed."""
        return Spelling(self.walk, self.rounds).formula() if self.exists else None

    def __str__(self) -> str:
        if self.twins:
            x, z, u = self.twins
            return (
                f"no counting formula: in the long run no count tells {x or 'ε'} from {x + z}, but "
                f"of {x + u or 'ε'} and {x + z + u} just one belongs"
            )
        if self.formula is None:
            return "a counting formula, too long to be written out"
        text = str(self.formula)
        said = text if len(text) < 200 else f"of {len(text):,} characters"
        return f"a counting formula: {said}"


@takes(sees_last=flag)
def definable(language: DFA, alphabet: Sequence[str], sees_last: bool = True) -> Definable:
    """Whether a counting formula accepts just the strings that the DFA `language` accepts.

    A formula is asked at the last symbol, which it sees. Without `sees_last` it may only compare
    counts when it answers, as in the table of Yang, Veseli and others.

    >>> from lib.proofs import regular
    >>> print(definable(regular("(ab|bbaa)*", "ab"), "ab"))
    a counting formula: of 1,849 characters
    >>> print(definable(regular("(11)*", "1"), "1"))
    no counting formula: in the long run no count tells ε from 1, but of 1 and 11 just one belongs
    """
    if not isinstance(language, DFA):
        raise ValueError(f"a DFA is expected, as regular(...) makes it, not {shown(language)}")
    walk = Walk(language, checked_alphabet(alphabet), sees_last)
    rounds = [walk.rounds(component) for component in walk.components]
    twins = map(walk.twins, walk.components, rounds)
    return Definable(walk, rounds, next(filter(None, twins), None))


class Walk:
    """The automaton of a language. If a formula sees the last symbol, two states are one when they
    agree on each continuation of at least one symbol, and the last edge says what is accepted.
    """

    def __init__(self, language: DFA, alphabet: tuple[str, ...], sees_last: bool):
        least = automaton(language.minify(), alphabet)
        self.alphabet = alphabet
        self.accepts_nothing = 0 in least.finals
        kinds: dict[tuple[int, ...] | int, int] = {}
        block = [
            kinds.setdefault(tuple(row) if sees_last else state, len(kinds))
            for state, row in enumerate(least.rows)
        ]
        self.finals = set() if sees_last else {block[state] for state in least.finals}
        self.next: dict[Edge, int] = {}
        self.accepted: set[Edge] = set()
        for state, row in enumerate(least.rows):
            for symbol, to in zip(alphabet, row, strict=True):
                self.next[block[state], symbol] = block[to]
                if to in least.finals:
                    self.accepted.add((block[state], symbol))
        beyond = {state: {to for (to,), _ in self._found(state)} for state in kinds.values()}
        alike = {
            tuple(sorted(other for other in beyond[state] if state in beyond[other]))
            for state in beyond
        }
        # in an order in which every string passes them
        self.components = sorted(
            map(list, alike), key=lambda states: (-len(beyond[states[0]]), states)
        )

    def _found(self, *start: int) -> Iterator[tuple[tuple[int, ...], str]]:
        """Where strings lead from one or more states, nearest first, each with the first of the
        shortest strings that lead there.
        """
        strings, waiting = {start: ""}, deque([start])
        while waiting:
            states = waiting.popleft()
            yield states, strings[states]
            for symbol in self.alphabet:
                to = tuple(self.next[state, symbol] for state in states)
                if to not in strings:
                    strings[to] = strings[states] + symbol
                    waiting.append(to)

    def edges(self, component: Iterable[int]) -> list[Edge]:
        """All edges that begin in a component."""
        return [(state, symbol) for state in component for symbol in self.alphabet]

    def rounds(self, component: list[int]) -> list[Potential]:
        """What counting finds out about the state of a component, round after round: the first
        round knows the symbols, each further one what the round before it told.
        """
        levels = [dict.fromkeys(component, 0)]
        while True:
            found = self._potential(component, levels[-1])
            if len(set(found.values())) == len(set(levels[-1].values())):
                return levels[1:]
            levels.append(found)

    def _potential(self, component: list[int], known: Potential) -> Potential:
        """A number h for each state, such that the step h(to) - h(from) depends only on the symbol
        and on what is known of the state. It tells apart all states that such numbers can.
        """
        column = {state: k for k, state in enumerate(component)}
        steps: dict[tuple[int, str], list[int]] = {}
        equations = [[1, *[0] * (len(component) - 1)]]  # h is 0 at the first state
        for state, symbol in self.edges(component):
            to = self.next[state, symbol]
            if to not in column:
                continue
            step = [0] * len(component)
            step[column[to]] += 1
            step[column[state]] -= 1
            first = steps.setdefault((known[state], symbol), step)
            equations.append([a - b for a, b in zip(step, first, strict=True)])
        kernel, rank = fmpz_mat(equations).nullspace()
        basis = fmpz_mat([[kernel[i, j] for i in range(len(column))] for j in range(rank)])
        rows = [[int(x) for x in row] for row in basis.lll().tolist()] if rank else []
        vectors = list(zip(*rows, strict=True)) if rank else [()] * len(component)
        for base in numbers(1):  # some combination of the numbers tells apart what all of them do
            values = [sum(x * base**k for k, x in enumerate(vector)) for vector in vectors]
            if len(set(values)) == len(set(vectors)):
                return dict(zip(component, values, strict=True))
        raise AssertionError

    def twins(self, component: list[int], levels: list[Potential]) -> tuple[str, str, str] | None:
        """For two states of a component that have the same number in every round: x to the first,
        z from there to the other, and u, which only one of them accepts.
        """
        seen: dict[int, int] = {}
        for other in component:
            one = seen.setdefault(levels[-1][other] if levels else 0, other)
            if one != other:
                x = next(w for (to,), w in self._found(0) if to == one)
                z = next(w for (to,), w in self._found(one) if to == other)
                return x, z, self._parting(one, other)
        return None

    def _parting(self, one: int, other: int) -> str:
        """A shortest string on which two states disagree, of at least one symbol where a formula
        sees the last one.
        """
        if (one in self.finals) != (other in self.finals):
            return ""
        return next(
            w + symbol
            for (left, right), w in self._found(one, other)
            for symbol in self.alphabet
            if ((left, symbol) in self.accepted) != ((right, symbol) in self.accepted)
        )


class Spelling:
    """The formula of a language in all of whose components counting tells the states apart. It is
    spelled component by component, in the order in which a string passes them.
    """

    def __init__(self, walk: Walk, rounds: list[list[Potential]]):
        self.walk = walk
        self.rounds = rounds
        self.entries: dict[int, list[Formula]] = defaultdict(list)  # edges into a state from above
        refused = {to for edge, to in walk.next.items() if edge not in walk.accepted}
        self.good = set(walk.next.values()) - refused
        self.alive = self.good | {state for state, _ in walk.accepted}
        for component in reversed(walk.components):
            if any(walk.next[edge] in self.alive for edge in walk.edges(component)):
                self.alive.update(component)

    def formula(self) -> Formula | None:
        """All accepted edges together; None where that has more than 50,000 characters."""
        spelled: list[Formula] = []
        try:
            for component, levels in zip(self.walk.components, self.rounds, strict=True):
                if self.alive & set(component):
                    spelled += self._component(component, levels)
            whole = _either(spelled)
            if truth(whole, "")[-1] != self.walk.accepts_nothing:
                empty = count(Truth(True)) == 0
                whole = _either([whole, empty]) if self.walk.accepts_nothing else whole & ~empty
            return _short(whole)
        except (TooLarge, RecursionError):
            return None

    def _component(self, component: list[int], levels: list[Potential]) -> list[Formula]:
        """What is accepted in a component; what leaves it is put down where it enters."""
        edges = {edge: self.walk.next[edge] for edge in self.walk.edges(component)}
        entered = _either([edge for state in component for edge in self.entries[state]])
        is_first = 0 in component
        came = Truth(True) if is_first else count(entered) >= 1
        inside = came if is_first else count(came) >= 2  # before this symbol
        told, value = self._told(edges, levels, inside)
        leaving = [edge for edge, to in edges.items() if to not in component]
        left = count(_all([inside, self._any_of({edge: told[edge] for edge in leaving})]))
        stayed = [left == 0] if leaving else []
        spelled = []
        for edge, to in edges.items():
            here = self._any_of({edge: told[edge]})
            if edge in leaving:
                taken = _all([here, count(left >= 1) == 1])  # with this symbol, for the first time
                if to in self.alive:
                    self.entries[to].append(taken)
            else:
                taken = _all([inside, here, *stayed])
            if edge in self.walk.accepted and to not in self.good:
                spelled.append(taken)
        if good := [state for state in component if state in self.good]:
            there = _either([value == levels[-1][state] for state in good]) if levels else came
            spelled.append(_all([came, *stayed, *([there] if len(good) < len(component) else [])]))
        return spelled

    def _told(
        self, edges: dict[Edge, int], levels: list[Potential], inside: Formula
    ) -> tuple[dict[Edge, Formula], Term]:
        """What tells that a symbol is a given edge of a component, as long as the string stays in
        it, and the number of the last round after this symbol.
        """
        known = dict.fromkeys((state for state, _ in edges), 0)
        told: dict[Edge, Formula] = dict.fromkeys(edges, Truth(True))
        value = Term()
        for h in levels:
            steps = {(known[p], a): h[to] - h[p] for (p, a), to in edges.items() if to in h}
            step = {(p, a): steps.get((known[p], a), 0) for p, a in edges}
            value = Term(constant=h.get(0, 0))
            for state in h:
                for entry in self.entries[state]:
                    value += h[state] * count(entry)
            for size in sorted({*step.values()} - {0}, key=lambda size: (abs(size), -size)):
                taken = self._any_of({edge: told[edge] for edge in edges if step[edge] == size})
                value += size * count(_all([inside, taken]))
            after = {edge: h[edge[0]] + step[edge] for edge in edges}
            finer = {}
            for edge, coarse in told.items():
                alike = {p for p, a in edges if a == edge[1] and after[p, a] == after[edge]}
                is_clear = len({h[state] for state in alike}) == 1
                finer[edge] = _all([Truth(True) if is_clear else coarse, value == after[edge]])
            known, told = h, finer
        return told, value

    def _any_of(self, told: dict[Edge, Formula]) -> Formula:
        """That the symbol at hand is one of these edges, given what tells each of them."""
        symbols: dict[str, tuple[Formula, set[str]]] = {}
        for (_, symbol), formula in told.items():
            symbols.setdefault(str(formula), (formula, set()))[1].add(symbol)
        every = len(self.walk.alphabet)
        return _either(
            [
                formula
                if len(group) == every
                else _all([_either([Q(a) for a in sorted(group)]), formula])
                for formula, group in symbols.values()
            ]
        )


def _short(formula: Formula) -> Formula:
    """The formula, if it has at most 50,000 characters."""
    if len(str(formula)) > LONGEST:
        raise TooLarge(f"more than {LONGEST} characters")
    return formula


def _all(formulas: list[Formula]) -> Formula:
    """Their conjunction, without what always holds."""
    said = [formula for formula in formulas if not (isinstance(formula, Truth) and formula.value)]
    flat = [part for f in said for part in (f.parts if isinstance(f, And) else (f,))]
    return _short(flat[0] if len(flat) == 1 else And(tuple(flat)) if flat else Truth(True))


def _either(formulas: list[Formula]) -> Formula:
    """Their disjunction, each part once."""
    said = [formula for formula in formulas if not isinstance(formula, Truth) or formula.value]
    parts = list({str(formula): formula for formula in said}.values())
    return _short(parts[0] if len(parts) == 1 else Or(tuple(parts)) if parts else Truth(False))
