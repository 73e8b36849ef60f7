"""Formulas and specifications as machines that read a string: a finite control, whole numbers that
a symbol changes by constants, and guards, which are linear inequalities between these numbers.

What a formula asks of a prefix is a few counts. A count that meets constants alone is not needed
beyond the largest of them, so it is a part of the control; counts that meet one another are
`registers`. A `total` inside a count is guessed before the first symbol and never changes: what is
accepted is compared only where each guess was right.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, product
from math import gcd, inf, lcm

from lib.checks import an, mapping, one_of, takes
from lib.formulas import syntax
from lib.formulas.compilation import linear, symbol_set
from lib.formulas.syntax import Compare, Count, Formula, Previous, Term, Total, Truth, every, truth
from lib.proofs.limits import Deadline, TooLarge
from lib.transformer.construction import RELATIONS

MOVES = 4_096  # of one control with one symbol
WRITTEN = 4_096  # comparisons of one formula without conditionals

written = lru_cache(10_000)(str)  # what is asked for by name is asked for often

Control = tuple[int, ...]
Vector = tuple[tuple[int, int], ...]  # registers with their coefficients, none of which is 0


def vector(form: Mapping[int, int]) -> Vector:
    """A linear form of the registers, by register."""
    return tuple(sorted((register, c) for register, c in form.items() if c))


def minus(form: Vector) -> Vector:
    """The negative of a linear form."""
    return tuple((register, -c) for register, c in form)


def direction(form: Vector) -> Vector:
    """One vector for a form and its negative."""
    return form if form[0][1] > 0 else minus(form)


@dataclass(frozen=True)
class AtLeast:
    """An inequality: the linear form `vector` of the registers is at least `bound`."""

    vector: Vector
    bound: int

    def value(self, registers: Sequence[int]) -> int:
        """The form's value."""
        return sum(c * registers[register] for register, c in self.vector)

    def holds(self, registers: Sequence[int]) -> bool:
        """Whether these numbers satisfy it."""
        return self.value(registers) >= self.bound

    def after(self, added: Sequence[int]) -> AtLeast:
        """What has to hold before `added` is added, for this to hold then."""
        return AtLeast(self.vector, self.bound - self.value(added))

    def __invert__(self) -> AtLeast:
        return AtLeast(minus(self.vector), 1 - self.bound)


@dataclass(frozen=True)
class Move:
    """What reading a symbol does where all `guards` hold: the next control, what is added to each
    register, and which of the compared descriptions accept the prefix that now ends. `matches` are
    what must hold for the guesses to be right, if the string ends here; None if they are wrong.
    """

    control: Control
    added: tuple[int, ...]
    accepts: tuple[bool, ...]
    guards: tuple[AtLeast, ...] = ()
    matches: tuple[AtLeast, ...] | None = ()


@dataclass(frozen=True)
class ControlPart:
    """One thing that a control knows. `kind` is "up to": a count is `value`, or at least that if it
    is the cap `of`; "modulo": it leaves `value` when divided by `of`; or "state": one of `of`.
    """

    kind: str
    name: str
    value: int
    of: int


@dataclass
class Machine(ABC):
    """`registers` are named; those in `guesses` start with any number that is at least 0, others
    with 0. `congruences` names registers whose remainder by `period` stands in the control; `mixed`
    names those that meet constants as well as one another. Moves are made until the `deadline`.
    """

    alphabet: tuple[str, ...]
    registers: tuple[str, ...] = ()
    guesses: tuple[int, ...] = ()
    congruences: dict[int, int] = field(default_factory=dict)  # register: its place in the control
    period: int = 1
    mixed: tuple[str, ...] = ()
    deadline: Deadline = field(default_factory=Deadline)
    _moves: dict[tuple[Control, str], list[Move]] = field(default_factory=dict, repr=False)

    def starts(self) -> Iterator[Control]:
        """The controls before the first symbol: this one, or others, perhaps very many."""
        yield (0,)

    @abstractmethod
    def made(self, control: Control, symbol: str) -> Iterator[Move]:
        """The moves with this symbol: exactly one has guards that all hold."""

    @abstractmethod
    def accepts_nothing(self) -> tuple[bool, ...]:
        """Which of the compared descriptions accept the empty string."""

    @abstractmethod
    def said(self, control: Control) -> list[ControlPart]:
        """A control by the names of its parts."""

    def known(self, control: Control) -> tuple[AtLeast, ...]:
        """What a control says of the guesses."""
        return ()

    def moves(self, control: Control, symbol: str) -> list[Move]:
        """`made`, but once; TooLarge where one step has too many."""
        key = control, symbol
        if key not in self._moves:
            moves = []
            for move in self.made(control, symbol):
                self.deadline.look()
                moves.append(move)
                if len(moves) > MOVES:
                    raise TooLarge(f"more than {MOVES:,} moves with one symbol")
            self._moves[key] = moves
        return self._moves[key]

    def step(self, control: Control, registers: Sequence[int], symbol: str) -> Move:
        """The move that is made with these numbers."""
        moves = self.moves(control, symbol)
        return next(m for m in moves if all(guard.holds(registers) for guard in m.guards))


class Asked(Exception):
    """A step asks for an inequality that its branch has not decided."""


@dataclass(frozen=True)
class Branch:
    """The inequalities that one branch of a step has decided, as least and greatest values."""

    ranges: Mapping[Vector, tuple[float, float]]
    guards: tuple[AtLeast, ...] = ()

    def is_positive(self, form: Mapping[int, int], constant: int) -> bool:
        """Whether the form plus the constant is at least 0; Asked where that is open."""
        scale = gcd(*form.values())
        if not scale:
            return constant >= 0
        asked = AtLeast(vector({r: c // scale for r, c in form.items()}), -(constant // scale))
        least, greatest = self.range(asked.vector)
        if least >= asked.bound or greatest < asked.bound:
            return least >= asked.bound
        raise Asked(asked)

    def range(self, form: Vector) -> tuple[float, float]:
        """The least and the greatest value that a form can have here."""
        least, greatest = self.ranges.get(direction(form), (-inf, inf))
        return (least, greatest) if form == direction(form) else (-greatest, -least)

    def where(self, guard: AtLeast) -> Branch:
        """The branch in which the guard holds as well."""
        least, greatest = self.range(guard.vector)
        ends = max(least, guard.bound), greatest
        form = direction(guard.vector)
        ends = ends if form == guard.vector else (-ends[1], -ends[0])
        return Branch({**self.ranges, form: ends}, (*self.guards, guard))


def branches(
    step: Callable[[Branch], Move], ranges: Mapping[Vector, tuple[float, float]] | None = None
) -> Iterator[Move]:
    """All moves of a step, which is run anew for both answers to each inequality it asks for. Of
    some forms it is known beforehand between which numbers they lie.
    """
    waiting = [Branch(ranges or {})]
    while waiting:
        branch = waiting.pop()
        try:
            yield replace(step(branch), guards=branch.guards)
        except Asked as asked:
            [guard] = asked.args
            waiting += [branch.where(~guard), branch.where(guard)]


EVERY = Count(Truth(True))  # the position, as a count


class Formulas(Machine):
    """The machine of one or more formulas, which share their counts. With `modulo` the control also
    knows what each register leaves when divided by that; `capped`, it knows each count that meets a
    constant up to the largest of these, though it meets other counts as well.
    """

    def __init__(
        self,
        formulas: Sequence[Formula],
        alphabet: Sequence[str],
        modulo: int = 1,
        deadline: Deadline | None = None,
        capped: bool = False,
    ):
        self.deadline, self._written = deadline or Deadline(), 0
        self.twins: dict[str, str] = {}  # each sum as it is written, and as it is counted here
        self.alphabet, self.splits, self.originals = tuple(alphabet), False, formulas
        self.formulas = [self._simple(formula, outermost=True) for formula in formulas]
        if self._overlap():
            self.splits = True
            self.formulas = [self._simple(formula, outermost=True) for formula in formulas]
        comparisons = [c for formula in self.formulas for c in every(Compare, formula)]
        atoms = [atom for compare in comparisons for atom, _ in compare.left.terms]
        guessed = {str(atom): atom for atom in atoms if isinstance(atom, Total)}
        matching = [Count(atom.formula) for atom in guessed.values()]
        counts = {str(atom): atom for atom in (*atoms, *matching) if isinstance(atom, Count)}
        self.matching = [*map(str, matching)]
        self.counts = sorted(counts.values(), key=lambda atom: (syntax.depth(atom), str(atom)))
        of_counts = counts.keys() - {*self.matching}
        self.caps = {key: cap for key, cap in _caps(comparisons).items() if key in of_counts}
        joint = [c.left.terms for c in comparisons if len(c.left.terms) > 1]
        shared = {str(atom) for terms in joint for atom, _ in terms}
        mixed = sorted(shared & {*self.caps})
        for key in mixed if not capped else ():
            del self.caps[key]
        counted = (str(c) for c in self.counts if str(c) in shared or str(c) not in self.caps)
        names = [*guessed, *counted]
        self.place = {name: place for place, name in enumerate(names)}
        self.small = [str(count) for count in self.counts if str(count) in self.caps]
        looks = [look for formula in self.formulas for look in every(Previous, formula)]
        self.before = list({str(look): look.part for look in looks}.items())
        periods = [m.period for formula in self.formulas for m in every(syntax.Mod, formula)]
        self.clock = lcm(*periods)  # of the position, for Mod
        factors = [abs(c) for compare in comparisons if guessed for _, c in compare.left.terms]
        period = lcm(modulo, *([self.clock, *factors] if guessed else []))
        some = [*guessed, *self.matching, *([str(EVERY)] if str(EVERY) in self.place else [])]
        tracked = names if modulo > 1 else some
        self.tracked = list(dict.fromkeys(tracked)) if period > 1 else []
        self.signed = sorted({form for c in comparisons if (form := self._guessed(c))})
        offset = len(self.small) + len(self.before) + 1 + len(self.signed)
        places = {self.place[name]: offset + k for k, name in enumerate(self.tracked)}
        read = tuple(alphabet), tuple(names), tuple(range(len(guessed)))
        super().__init__(*read, places, period, tuple(mixed), self.deadline)
        self.leaning = [found for c in comparisons if (found := self._leaning(c))]

    def _guessed(self, compare: Compare) -> Vector:
        """The guesses in a comparison, as a form with coprime coefficients, the first above 0."""
        terms = {self.place[str(a)]: c for a, c in compare.left.terms if isinstance(a, Total)}
        scale = gcd(*terms.values()) * (-1 if terms and terms[min(terms)] < 0 else 1)
        return vector({register: c // scale for register, c in terms.items()})

    def _simple(self, formula: Formula, outermost: bool) -> Formula:
        """The formula without conditionals, each comparison one of a term with 0, and the position
        a count. A total outside of all counts is counted: the formula is read at the last position.
        """
        match formula:
            case syntax.Not(part):
                return syntax.Not(self._simple(part, outermost))
            case Previous(part):
                found = Previous(self._simple(part, outermost=False))
                self.twins[str(formula)] = str(found)
                return found
            case syntax.Several(several):
                return type(formula)(tuple(self._simple(part, outermost) for part in several))
            case Compare():
                self.deadline.look()
                self._written += 1
                if self._written > WRITTEN:
                    raise TooLarge(f"more than {WRITTEN:,} comparisons")
                plain = linear(formula)
                if not isinstance(plain, Compare):
                    return self._simple(plain, outermost)
                g = plain.left - plain.right
                atoms = tuple((x, c) for atom, c in g.terms for x in self._counted(atom, outermost))
                left = Term(atoms, g.constant)
                always = set() if outermost else _of_positions(left, plain.sign)
                return Truth(*always) if len(always) == 1 else Compare(left, plain.sign, Term())
        return formula

    def _counted(self, atom: syntax.Atom, outermost: bool) -> list[syntax.Sum]:
        """What an atom is the sum of: itself, or the totals of single symbols."""
        if isinstance(atom, syntax.Position):
            return [EVERY]
        assert isinstance(atom, syntax.Sum)
        inside = self._simple(atom.formula, outermost=False)
        kind = Total if isinstance(atom, Total) and not outermost else Count
        several = self._symbols(inside) if kind is Total and self.splits else None
        parts = map(syntax.Q, several) if several else [inside]
        found: list[syntax.Sum] = [kind(part) for part in parts]
        own, counted = str(Count(atom.formula)), " + ".join(str(Count(x.formula)) for x in found)
        # A count is not split as its total may be, of which this says something still.
        self.twins[own] = self.twins.get(own, own) if counted == own else counted
        return found

    def _symbols(self, formula: Formula) -> list[str]:
        """The symbols at which a formula holds that asks for symbols alone."""
        return [a for a in symbol_set(formula, self.alphabet) or [] if a != "CLS"]

    def _overlap(self) -> bool:
        """Whether the totals of some symbols are guessed twice, together with those of others. As
        many numbers are not free, each symbol's total is guessed instead, which are.
        """
        guessed = {str(t): t for formula in self.formulas for t in every(Total, formula)}
        several = [a for t in guessed.values() for a in self._symbols(t.formula)]
        return len(several) > len({*several})

    def starts(self) -> Iterator[Control]:
        """A control for each remainder of the guesses and each sign of their forms."""
        zeros = [0] * (len(self.small) + len(self.before) + 1)
        places = [k for k, name in enumerate(self.tracked) if self.place[name] in self.guesses]
        for sign in product((-1, 0, 1), repeat=len(self.signed)):
            for number in range(self.period ** len(places)):  # a digit for each remainder
                residues = [0] * len(self.tracked)
                for place in places:
                    number, residues[place] = divmod(number, self.period)
                yield (*zeros, *sign, *residues)

    def known(self, control: Control) -> tuple[AtLeast, ...]:
        _, _, _, signs, _ = self._split(control)
        known = [AtLeast(vector({guess: 1}), 0) for guess in self.guesses]
        for form, sign in zip(self.signed, signs, strict=True):
            positive, negative = AtLeast(form, 1), ~AtLeast(form, 0)
            known += {1: [positive], 0: [~positive, ~negative], -1: [negative]}[sign]
        return tuple(known)

    def accepts_nothing(self) -> tuple[bool, ...]:
        return tuple(truth(formula, "")[-1] for formula in self.originals)

    def made(self, control: Control, symbol: str) -> Iterator[Move]:
        _, _, _, signs, _ = self._split(control)
        # What signs say of forms in which counts are only added to guesses, or only subtracted.
        ranges: dict[Vector, tuple[float, float]] = {}
        for form, guessed, positive in self.leaning:
            sign = signs[self.signed.index(guessed)]
            if sign * positive >= 0:
                ranges[form] = (float(sign), inf) if positive > 0 else (-inf, float(sign))
        return branches(lambda branch: self._step(control, symbol, branch), ranges)

    def _leaning(self, compare: Compare) -> tuple[Vector, Vector, int] | None:
        """The form of a comparison, its first factor above 0, its guesses, its counts' sign."""
        terms = {self.place[str(a)]: c for a, c in compare.left.terms if str(a) in self.place}
        guessed = self._guessed(compare)
        if not guessed:
            return None
        scale = gcd(*terms.values()) * (-1 if terms[min(terms)] < 0 else 1)
        form = {register: c // scale for register, c in terms.items()}
        counted = {c > 0 for register, c in form.items() if register not in self.guesses}
        return (vector(form), guessed, 1 if True in counted else -1) if len(counted) == 1 else None

    def said(self, control: Control) -> list[ControlPart]:
        small, before, clock, _, residues = self._split(control)
        return [
            *(ControlPart("up to", name, value, self.caps[name]) for name, value in small.items()),
            *(ControlPart("up to", name, value, 1) for name, value in before.items()),
            *([ControlPart("modulo", str(EVERY), clock, self.clock)] if self.clock > 1 else []),
            *(ControlPart("modulo", name, r, self.period) for name, r in residues.items()),
        ]

    def _split(
        self, control: Control
    ) -> tuple[dict[str, int], dict[str, int], int, tuple[int, ...], dict[str, int]]:
        """Small counts, what held before, the position's remainder, guesses' signs, remainders."""
        left = iter(control)
        small = dict(zip(self.small, left))
        held = dict(zip((name for name, _ in self.before), left))
        clock, signs = next(left), tuple(islice(left, len(self.signed)))
        return small, held, clock, signs, dict(zip(self.tracked, left, strict=True))

    def _step(self, control: Control, symbol: str, branch: Branch) -> Move:
        small, before, clock, signs, residues = self._split(control)
        clock, added = (clock + 1) % self.clock, [0] * len(self.registers)
        reading = FormulaStep(self, symbol, clock, small, before, branch, added)
        for count in self.counts:
            name = written(count)
            is_full = small.get(name) == self.caps.get(name, -1)
            if is_full and name not in self.place:
                continue  # what meets constants alone is not counted beyond the largest of them
            if reading.truth(count.formula):
                small.update({name: small[name] + 1} if name in small and not is_full else {})
                if name in self.place:
                    added[self.place[name]] += 1
        for name in residues:
            residues[name] = (residues[name] + added[self.place[name]]) % self.period
        accepts = tuple(reading.truth(formula) for formula in self.formulas)
        held = [int(reading.truth(part)) for _, part in self.before]
        after = (*small.values(), *held, clock, *signs, *residues.values())
        return Move(after, tuple(added), accepts, (), self._matches(residues, added))

    def _matches(
        self, residues: dict[str, int], added: Sequence[int]
    ) -> tuple[AtLeast, ...] | None:
        """What must hold of the registers before the symbol for each guess to be right after it."""
        found: list[AtLeast] = []
        for guess, name in zip(self.guesses, self.matching, strict=True):
            if residues.get(self.registers[guess]) != residues.get(name):
                return None
            equal = AtLeast(vector({guess: 1, self.place[name]: -1}), 0)
            found += [equal.after(added), replace(equal, vector=minus(equal.vector)).after(added)]
        return tuple(found)


@dataclass
class FormulaStep:
    """One step of `machine` in one branch: what has been counted so far."""

    machine: Formulas
    symbol: str
    clock: int
    small: dict[str, int]
    before: dict[str, int]
    branch: Branch
    added: list[int]

    def truth(self, formula: Formula) -> bool:
        """Whether it holds at the symbol that is read. What the control decides is asked first."""
        match formula:
            case syntax.Q(symbol):
                return symbol == self.symbol
            case Truth(value):
                return value
            case syntax.Mod(period, remainder):
                return self.clock % period == remainder
            case syntax.Not(part):
                return not self.truth(part)
            case Previous():
                return bool(self.before[written(formula)])
            case syntax.Several(several):
                decisive = type(formula).__name__ == "Or"
                undecided: Asked | None = None
                for part in several:
                    try:
                        if self.truth(part) == decisive:
                            return decisive
                    except Asked as asked:
                        undecided = undecided or asked
                if undecided:
                    raise undecided
                return not decisive
            case Compare(left, sign, _):
                return self._compared(left, sign)
        raise AssertionError(f"{formula!r} was checked when it was made")

    def _compared(self, g: Term, sign: str) -> bool:
        """Whether the term stands in that relation to 0."""
        form: dict[int, int] = {}
        constant = g.constant
        for atom, c in g.terms:
            name = written(atom)
            if name in self.small and len(g.terms) == 1:
                constant += c * self.small[name]
            else:
                place = self.machine.place[name]
                form[place] = form.get(place, 0) + c
                constant += c * self.added[place]
        if not any(form.values()):
            return RELATIONS[sign](constant, 0)
        at_least = self.branch.is_positive
        negative = {register: -c for register, c in form.items()}
        if sign in ("==", "!="):
            equal = at_least(form, constant) and at_least(negative, -constant)
            return equal == (sign == "==")
        form, constant = (form, constant) if sign[0] == ">" else (negative, -constant)
        return at_least(form, constant if sign[1:] else constant - 1)


def _of_positions(left: Term, sign: str) -> set[bool]:
    """What a comparison with the position alone says at all symbols, if the second settles it."""
    match left.terms:
        case ((atom, c),) if str(atom) == str(EVERY) and -left.constant // c <= 1:
            return {RELATIONS[sign](c * place + left.constant, 0) for place in (1, 2)}
    return set()


def _caps(comparisons: Sequence[Compare]) -> dict[str, int]:
    """For each count that meets a constant, a number beyond which such comparisons are settled."""
    caps: dict[str, int] = {}
    for compare in comparisons:
        if len(compare.left.terms) == 1:  # no other count
            [(atom, c)] = compare.left.terms
            beyond = max(0, -compare.left.constant // c + 1)
            caps[str(atom)] = max(caps.get(str(atom), 0), beyond)
    return caps


class Counters(Machine):
    """A counter machine that never asks for its counters: `moves` gives for a state and a symbol
    the next state and what is added to each counter, and what it does not give rejects for good, as
    a counter below 0 does. It accepts in `finals` if all counters are 0 (Greibach 1978). ValueError
    for a symbol outside the alphabet, or a final state that no move names.
    """

    @takes(moves=an(Mapping))
    def __init__(
        self,
        moves: Mapping[tuple[str, str], tuple[str, Mapping[str, int]]],
        start: str,
        finals: Sequence[str],
        alphabet: Sequence[str],
    ):
        states = [start, *(state for state, _ in moves), *(state for state, _ in moves.values())]
        self.states = list(dict.fromkeys(states))
        for (_, symbol), (_, added) in moves.items():
            one_of(tuple(alphabet))(symbol, "a symbol of a move")
            mapping(int)(added, "what a move adds")
        one_of([state for state, _ in moves] or [start])(start, "the start, from which moves lead,")
        for state in finals:  # of a name alone, each letter would be one
            one_of(self.states)(state, "a final state")
        ends = [*(state for state, _ in moves), *finals]
        for state, _ in moves.values():
            one_of(ends)(state, "a next state, from which moves lead or which is final,")
        counters = sorted({name for _, added in moves.values() for name in added})
        self.steps, self.finals = dict(moves), frozenset(finals)
        super().__init__(tuple(alphabet), tuple(counters))

    def over(self, alphabet: Sequence[str]) -> Counters:
        """The same machine, with its symbols in that order."""
        return Counters(self.steps, self.states[0], [*self.finals], alphabet)

    def accepts_nothing(self) -> tuple[bool, ...]:
        return (self.states[0] in self.finals,)

    def accepts(self, w: str) -> bool:
        """Whether it accepts a string over its alphabet."""
        control, registers = (0,), (0,) * len(self.registers)
        [answer] = self.accepts_nothing()
        for symbol in w:
            move = self.step(control, registers, symbol)
            control, [answer] = move.control, move.accepts
            registers = tuple(x + d for x, d in zip(registers, move.added, strict=True))
        return answer

    def made(self, control: Control, symbol: str) -> Iterator[Move]:
        return branches(lambda branch: self._step(control, symbol, branch))

    def _step(self, control: Control, symbol: str, branch: Branch) -> Move:
        """A dead control remembers where it died: what is so for good depends on that."""
        [place] = control
        here = len(self.states) + place * len(self.alphabet) + self.alphabet.index(symbol)
        is_dead = place >= len(self.states)
        dead = Move((place if is_dead else here,), (0,) * len(self.registers), (False,))
        if is_dead or (led := self._written(self.states[place], symbol)) is None:
            return dead
        target, added = led
        if not all(branch.is_positive({k: 1}, x) for k, x in enumerate(added) if x < 0):
            return dead
        are_0 = (branch.is_positive({k: -1}, -x) for k, x in enumerate(added))
        accepts = self.states[target] in self.finals and all(are_0)
        return Move((target,), tuple(added), (accepts,))

    def said(self, control: Control) -> list[ControlPart]:
        size = len(self.states) * (1 + len(self.alphabet))
        return [ControlPart("state", "state", control[0], size)]

    def data(self) -> dict:
        """The machine in a certificate: where symbols lead from each state, and what they add."""
        moves = [[self._written(q, symbol) for symbol in self.alphabet] for q in self.states]
        finals = [place for place, state in enumerate(self.states) if state in self.finals]
        return {"moves": moves, "finals": finals, "counters": list(self.registers)}

    def _written(self, state: str, symbol: str) -> list | None:
        if (state, symbol) not in self.steps:
            return None
        target, changes = self.steps[state, symbol]
        return [self.states.index(target), [changes.get(name, 0) for name in self.registers]]


class Automaton(Machine):
    """A complete DFA: `rows[state]` holds the next state for each symbol, and state 0 starts."""

    def __init__(
        self, rows: Sequence[Sequence[int]], finals: frozenset[int], alphabet: Sequence[str]
    ):
        super().__init__(alphabet=tuple(alphabet))
        self.rows, self.finals = rows, finals

    def accepts_nothing(self) -> tuple[bool, ...]:
        return (0 in self.finals,)

    def made(self, control: Control, symbol: str) -> Iterator[Move]:
        state = self.rows[control[0]][self.alphabet.index(symbol)]
        yield Move((state,), (), (state in self.finals,))

    def said(self, control: Control) -> list[ControlPart]:
        return [ControlPart("state", "state", control[0], len(self.rows))]

    def data(self) -> dict:
        """The DFA as a certificate writes it."""
        return {"rows": [list(row) for row in self.rows], "finals": sorted(self.finals)}


class Product(Machine):
    """Two machines that read the same string."""

    def __init__(self, left: Machine, right: Machine):
        self.left, self.right = left, right
        shift = len(left.registers)
        guesses = left.guesses + tuple(shift + guess for guess in right.guesses)
        own = left.congruences, left.period, left.mixed, left.deadline
        super().__init__(left.alphabet, left.registers + right.registers, guesses, *own)
        self.cut = len(next(left.starts()))

    def starts(self) -> Iterator[Control]:
        return (a + b for a in self.left.starts() for b in self.right.starts())

    def accepts_nothing(self) -> tuple[bool, ...]:
        return self.left.accepts_nothing() + self.right.accepts_nothing()

    def made(self, control: Control, symbol: str) -> Iterator[Move]:
        shift = len(self.left.registers)
        for left in self.left.moves(control[: self.cut], symbol):
            for right in self.right.moves(control[self.cut :], symbol):
                guards = [*left.guards]
                for guard in right.guards:
                    form = tuple((shift + register, c) for register, c in guard.vector)
                    guards.append(AtLeast(form, guard.bound))
                both, added = left.control + right.control, left.added + right.added
                accepts = left.accepts + right.accepts
                yield Move(both, added, accepts, tuple(guards), left.matches)

    def known(self, control: Control) -> tuple[AtLeast, ...]:
        return self.left.known(control[: self.cut])

    def said(self, control: Control) -> list[ControlPart]:
        return self.left.said(control[: self.cut]) + self.right.said(control[self.cut :])
