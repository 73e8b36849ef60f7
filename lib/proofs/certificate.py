"""Certificates: a proof as data, and a check of it that shares nothing with what found it. What
formulas mean is written anew for another solver, from their syntax, and cvc5 is asked whether the
rooms are entered at the start, never left, and hold no string on which the two descriptions part.
Where a room knows numbers, what follows from these alone is computed, and cvc5 is asked the rest.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import cache
from math import ceil
from typing import Any

from cvc5.pythonic import And, If, Int, Not, SMTException, SolverFor, unknown, unsat

from lib.checks import takes
from lib.formulas import syntax
from lib.formulas.syntax import Count, Formula, Term
from lib.formulas.text import formula as read
from lib.proofs.limits import Deadline
from lib.proofs.machine import EVERY, Automaton, Counters, Formulas, Machine, Product
from lib.proofs.search import Answer
from lib.transformer.construction import RELATIONS

STEPS = "300000"  # of cvc5's, for one question
Said = Any  # a formula or a number of cvc5's, whose operators have no types of their own
POSITION = str(EVERY)


@takes(answer=Answer)
def certificate(answer: Answer) -> dict:
    """The proof that an answer holds, as data: what was compared, and the rooms, each with what its
    control knows and the bounds that hold there. ValueError for an answer without a proof.
    """
    if answer.rooms is None or answer.machine is None:
        raise ValueError(f"an answer with a proof is expected, not {answer}")
    machine, said = answer.machine, claim(answer.machine, answer.implies)
    said["twins"] = {o: t for o, t in sorted(_formulas(machine).twins.items()) if o != t}
    said["rooms"] = [
        {
            "knows": [asdict(part) for part in machine.said(room.control)],
            "bounds": [
                [{machine.registers[k]: c for k, c in bound.vector}, bound.bound]
                for bound in (*machine.known(room.control), *room.bounds)
            ],
        }
        for room in answer.rooms
    ]
    return said


def claim(machine: Machine, implies: bool) -> dict:
    """What a certificate says is proved of a machine: what is compared, over which symbols."""
    left = _formulas(machine)
    said: dict = {"alphabet": "".join(left.alphabet), "implies": implies}
    said["formulas"] = [str(formula) for formula in left.originals]
    if isinstance(machine, Product):
        assert isinstance(machine.right, Automaton | Counters)
        said["specification"] = machine.right.data()
    return said


def _formulas(machine: Machine) -> Formulas:
    """The part of a machine that reads formulas."""
    left = machine.left if isinstance(machine, Product) else machine
    assert isinstance(left, Formulas)
    return left


def is_proof(said: dict) -> bool:
    """Whether a certificate proves what it says, by cvc5 alone; False also where cvc5 gives up."""
    try:
        return next(gaps(said), None) is None
    except GaveUp:
        return False
    except (AttributeError, IndexError, KeyError, RuntimeError, SMTException, TypeError) as error:
        raise ValueError(f"a certificate is expected, as certificate makes it: {error}") from error


def gaps(said: dict, deadline: Deadline | None = None) -> Iterator[str]:
    """What a certificate leaves unproved, a sentence each; it may raise GaveUp or OutOfTime."""
    proof = SolverProof(said, deadline or Deadline())
    if amiss := proof.amiss():
        yield amiss
        return
    proof.start()
    if not proof.implies(proof.is_in_a_room()):
        yield "a start lies in no room"
    if not proof.implies(proof.agree(None), *proof.right_guesses()):
        yield "the descriptions part on the empty string"
    for number in range(len(said["rooms"])):
        proof.enter(number)
        for symbol in said["alphabet"]:
            proof.read(symbol)
            if not proof.implies(proof.is_in_a_room()):
                yield f"room {number} is left by {symbol!r}"
            if not proof.implies(proof.are_twins(proof.after)):
                yield f"in room {number} two names of one count part at {symbol!r}"
            if not proof.implies(proof.agree(symbol), *proof.right_guesses()):
                yield f"in room {number} the descriptions part at {symbol!r}"


class GaveUp(Exception):
    """cvc5 gives up on a question: it does not settle it within its steps."""


def negated(x: Said) -> Said:
    """What holds where this does not."""
    return not x if isinstance(x, bool) else Not(x)


def all_of(several: Iterable[Said]) -> Said:
    """Whether all hold; those that are known are no part of what is asked."""
    open_ones = []
    for x in several:
        if x is False:
            return False
        if x is not True:
            open_ones.append(x)
    return And(*open_ones) if len(open_ones) > 1 else next(iter(open_ones), True)


def any_of(several: Iterable[Said]) -> Said:
    """Whether at least one holds."""
    return negated(all_of(map(negated, several)))


def chosen(condition: Said, then: Said, otherwise: Said) -> Said:
    """One of two numbers."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    return If(condition, then, otherwise)


class SolverProof:
    """A certificate in cvc5's terms: numbers `now` and `later`; those known are Python's."""

    def __init__(self, said: dict, deadline: Deadline):
        self.said, self.alphabet, self.deadline = said, said["alphabet"], deadline
        self.solver = SolverFor("QF_LIA")
        self.solver.setOption("rlimit-per", STEPS)
        self.formulas = [read(text, self.alphabet) for text in said["formulas"]]
        self.counts: dict[str, Formula] = {}
        self.before: dict[str, Formula] = {}  # what is asked of the symbol before
        for thing in (*self.formulas, EVERY):
            self._note(thing)
        self.twins = {name: self._twin(text) for name, text in said["twins"].items()}
        guessed = {name for formula in self.formulas for name in self._guessed(formula)}
        self.parted = {part["name"] for room in said["rooms"] for part in room["knows"]}
        bounds = (form for room in said["rooms"] for form, _ in room["bounds"])
        spoken = self.parted.union(*bounds)
        self.guesses = sorted(guessed | {name for name in spoken if name.startswith("total(")})
        self.specification = said.get("specification", {})
        self.counters = self.specification.get("counters", [])
        rows = [[[q, []] for q in row] for row in self.specification.get("rows", [])]
        self.moves = self.specification.get("moves", rows)
        names = [*self.counts, *self.before, *self.guesses, *self.counters, "state"]
        self.has_one_name_each = len({*map(str, names)}) == len(names)  # as letters have them
        # No name that a certificate brings can make two of these one.
        self.letters = {name: Int(f"now {name}") for name in names}
        self.strange = sorted(spoken - {*names})
        self.contradicted = cache(self._contradicted)

    def _note(self, thing: Formula | Term | syntax.Atom) -> None:
        """Notes each sum as a count of its formula, and each look at the symbol before."""
        self.before |= {str(look): look.part for look in syntax.every(syntax.Previous, thing)}
        sums = syntax.every(syntax.Sum, thing)
        self.counts |= {str(Count(one.formula)): one.formula for one in sums}

    def _twin(self, text: str) -> dict[str, int]:
        """What is equal to a count or a look back, as factors of such."""
        if text.startswith("previous("):
            self._note(read(text, self.alphabet))
            return {text: 1}
        compared = read(f"{text} >= 0", self.alphabet)
        self._note(compared)
        match compared:
            case syntax.Compare(Term(terms=terms, constant=0)) if all(
                isinstance(atom, Count) for atom, _ in terms
            ):
                return {str(atom): c for atom, c in terms}
        raise TypeError(f"{text} is no sum of counts")

    def _guessed(self, thing: Formula | Term | syntax.Atom, is_counted: bool = False) -> set[str]:
        """The totals that are guessed: those inside of a count, a total or a look back."""
        inside = is_counted or isinstance(thing, syntax.Sum | syntax.Previous)
        names = {name for part in syntax.parts(thing) for name in self._guessed(part, inside)}
        if isinstance(thing, syntax.Total) and is_counted:
            names |= {*self._guess(thing)}
        return names

    def _guess(self, total: syntax.Total) -> dict[str, int]:
        """A guessed total, as factors of those under whose names it is counted."""
        name = str(Count(total.formula))
        return {f"total{twin[5:]}": c for twin, c in self.twins.get(name, {name: 1}).items()}

    def amiss(self) -> str | None:
        """Why what is said cannot be read as two descriptions, if so: it would prove anything."""
        kinds = ("count(", "previous(")
        if not self.has_one_name_each:
            return "two things have one name"
        if self.strange or not {f"count{guess[5:]}" for guess in self.guesses} <= {*self.counts}:
            return f"a room speaks of what nothing counts: {(self.strange or self.guesses)[0]}"
        if not all(name.startswith(kinds) for pair in self.said["twins"].items() for name in pair):
            return "names of one count are expected to be counts"
        for part in (part for room in self.said["rooms"] for part in room["knows"]):
            is_state, divides = part["kind"] == "state", part["kind"] == "modulo"
            if is_state != (part["name"] == "state") or (divides and part["of"] < 1):
                return f"a room cannot know {part}"
        for room in self.said["rooms"]:
            numbers = [part[key] for part in room["knows"] for key in ("value", "of")]
            numbers += [x for form, bound in room["bounds"] for x in (*form.values(), bound)]
            if not all(map(syntax.is_whole, numbers)):
                raise TypeError(f"what a room knows is said in whole numbers, not {numbers}")
        said = self.specification
        if not isinstance(self.said["implies"], bool):
            return "whether it is an implication is expected to be True or False"
        if not said:
            return None
        if {*said} not in ({"rows", "finals"}, {"moves", "finals", "counters"}):
            return "a specification has rows and finals, or moves, finals and counters"
        if not self.moves:
            return "a specification has a state in which it starts"
        moves = [move for row in self.moves for move in row if move is not None]
        if not all(
            len(xs) == len(self.counters) and all(map(syntax.is_whole, xs)) for _, xs in moves
        ):
            return "a move adds a whole number to each counter"
        states = [*said["finals"], *(target for target, _ in moves)]
        leads = all(syntax.is_whole(q) and q in range(len(self.moves)) for q in states)
        is_complete = all(len(row) == len(self.alphabet) for row in self.moves)
        return None if leads and is_complete else "the specification leads to no state of its own"

    def implies(self, claim: Said, *more: Said) -> bool:
        """Whether it always holds where all that is known does, and `more`."""
        asked = [*self.inside, *more, negated(claim)]
        if any(x is False for x in asked):
            return True
        self.deadline.look()
        if self.deadline.remaining is not None:
            self.solver.setOption("tlimit-per", ceil(1000 * self.deadline.remaining))
        self.solver.push()
        self.solver.add(*(x for x in asked if x is not True))
        answer = self.solver.check()
        self.solver.pop()
        if answer == unknown:
            raise GaveUp
        return answer == unsat

    def start(self) -> None:
        """Nothing is counted yet; a guess is any number that is at least 0."""
        guesses = {name: self.letters[name] for name in self.guesses}
        self.later: dict[str, Said] = dict.fromkeys(self.letters, 0) | guesses
        self.now, self.remainders = self.later, {}
        self.inside = [x >= 0 for x in guesses.values()]

    def enter(self, number: int) -> None:
        """What is known in a room. cvc5 finds a remainder's quotient before it divides."""
        room = self.said["rooms"][number]
        residues = [part for part in room["knows"] if part["kind"] == "modulo"]
        exact = {part["name"]: part["value"] for part in room["knows"] if not _is_open(part)}
        self.remainders = {(part["name"], part["of"]): part["value"] for part in residues}
        self.now = self.letters | exact
        for one, factors in self.twins.items():
            if all(isinstance(self.now[name], int) for name in factors):
                self.now[one] = sum(c * self.now[name] for name, c in factors.items())
        others = [part for part in room["knows"] if part not in residues]
        self.inside = [_fits(part, self.now[part["name"]]) for part in others]
        for place, part in enumerate(residues):
            multiple = part["of"] * Int(f"quotient {place}")
            self.inside.append(self.now[part["name"]] == multiple + part["value"])
        self.inside += self._bounds(room, self.now.__getitem__)
        self.inside += (self.now[name] >= 0 for name in (*self.counts, *self.guesses))
        self.inside.append(self.are_twins(self.now.__getitem__))

    def are_twins(self, at: Callable[[str], Said]) -> Said:
        """Whether those are equal that differ in words alone."""
        return all_of(
            at(one) == sum(c * at(name) for name, c in factors.items())
            for one, factors in self.twins.items()
        )

    def read(self, symbol: str) -> None:
        """A symbol is read in the room."""
        self.deadline.look()
        self.symbol, self.held = symbol, {}
        self.later = {guess: self.now[guess] for guess in self.guesses} | self._specified(symbol)

    def after(self, name: str) -> Said:
        """What a name stands for after the symbol."""
        if name not in self.later:
            earlier = self.now[name] if name in self.counts else 0
            self.later[name] = earlier + chosen(self._holds(name), 1, 0)
        return self.later[name]

    def _holds(self, name: str) -> Said:
        """Whether what is counted, or asked of the symbol before, holds at the symbol."""
        if name not in self.held:
            formula = self.counts[name] if name in self.counts else self.before[name]
            self.held[name] = self.truth(formula, self.symbol)
        return self.held[name]

    def is_in_a_room(self) -> Said:
        """Whether one of the rooms is entered, of those that no known number contradicts."""
        values = {name: self.after(name) for name in self.parted}
        closed = {
            room
            for name, x in values.items()
            if isinstance(x, int)
            for room in self.contradicted(name, x)
        }
        rooms = enumerate(self.said["rooms"])
        return any_of(self._entered(room) for k, room in rooms if k not in closed)

    def _contradicted(self, name: str, x: int) -> list[int]:
        """The rooms of which a number is none."""
        return [
            number
            for number, room in enumerate(self.said["rooms"])
            if not all(_fits(part, x) for part in room["knows"] if part["name"] == name)
        ]

    def _entered(self, room: dict) -> Said:
        fits = all_of(map(self._fits_later, room["knows"]))
        return fits if fits is False else all_of([fits, *self._bounds(room, self.after)])

    def _fits_later(self, part: dict) -> Said:
        """Whether a part of a room is so after the symbol; known remainders need no division."""
        name, value, of = part["name"], part["value"], part["of"]
        rest = self.remainders.get((name, of)) if part["kind"] == "modulo" else None
        if rest is None or not (name in self.counts or name in self.guesses):
            return _fits(part, self.after(name))
        counts = name in self.counts and self._holds(name)
        same, more = rest % of == value, (rest + 1) % of == value
        return any_of([all_of([counts, more]), all_of([negated(counts), same])])

    def _bounds(self, room: dict, at: Callable[[str], Said]) -> Iterator[Said]:
        for form, bound in room["bounds"]:
            yield sum(c * at(name) for name, c in form.items()) >= bound

    def _specified(self, symbol: str) -> dict[str, Said]:
        """What a symbol makes of the specification's state and counters."""
        state, place = self.now["state"], self.alphabet.index(symbol)
        now = {name: self.now[name] for name in self.counters}
        found = {"state": state, **now}
        for q, moves in enumerate(self.moves):
            is_here, dead = state == q, len(self.moves) + q * len(self.alphabet) + place
            if is_here is False:
                continue
            found["state"] = chosen(is_here, dead, found["state"])
            target, added = moves[place] or (dead, [0] * len(now))
            changed = {name: now[name] + x for name, x in zip(now, added, strict=True)}
            falls = [name for name, x in zip(now, added, strict=True) if x < 0]
            goes = all_of([is_here, *(changed[name] >= 0 for name in falls)])
            for name, x in {"state": target, **changed}.items():
                found[name] = chosen(goes, x, found[name])
        return found

    def right_guesses(self) -> list[Said]:
        """Each guess is what has been counted."""
        return [self.after(f"count{x[5:]}") == self.after(x) for x in self.guesses]

    def agree(self, symbol: str | None) -> Said:
        """Whether the two descriptions agree on the string that ends here."""
        answers = [self.truth(formula, symbol, is_last=True) for formula in self.formulas]
        if said := self.specification:
            is_final = any_of(self.after("state") == q for q in said["finals"])
            answers.append(all_of([is_final, *(self.after(x) == 0 for x in self.counters)]))
        left, right = answers
        implied = any_of([negated(left), right])
        return (
            implied if self.said["implies"] else all_of([implied, any_of([left, negated(right)])])
        )

    def truth(self, formula: Formula, symbol: str | None, is_last: bool = False) -> Said:
        """Whether a formula holds at the symbol that is read; in the last, totals are counts."""
        match formula:
            case syntax.Q(asked):
                return asked == symbol
            case syntax.Truth(value):
                return value
            case syntax.Mod(period, remainder):
                return self._fits_later(
                    {"kind": "modulo", "name": POSITION, "value": remainder, "of": period}
                )
            case syntax.Previous():
                return self.now[str(formula)] >= 1
            case syntax.Not(part):
                return negated(self.truth(part, symbol, is_last))
            case syntax.And(several):
                return all_of(self.truth(part, symbol, is_last) for part in several)
            case syntax.Or(several):
                return any_of(self.truth(part, symbol, is_last) for part in several)
            case syntax.Compare(left, sign, right):
                sides = (self.value(side, symbol, is_last) for side in (left, right))
                return RELATIONS[sign](*sides)
        raise AssertionError(f"{formula!r} was checked when it was made")

    def value(self, term: Term, symbol: str | None, is_last: bool) -> Said:
        """The value of a term at the symbol that is read."""
        found: Said = term.constant
        for atom, c in term.terms:
            found = found + c * self._atom(atom, symbol, is_last)
        return found

    def _atom(self, atom: syntax.Atom, symbol: str | None, is_last: bool) -> Said:
        match atom:
            case syntax.Position():
                return self.after(POSITION)
            case syntax.Conditional(condition, then, otherwise):
                values = (self.value(side, symbol, is_last) for side in (then, otherwise))
                return chosen(self.truth(condition, symbol, is_last), *values)
            case syntax.Total() if not is_last:
                return sum(c * self.after(name) for name, c in self._guess(atom).items())
            case syntax.Sum(formula):
                return self.after(str(Count(formula)))
        raise AssertionError(f"{atom!r} is no atom")


def _is_open(part: dict) -> bool:
    """Whether a part of a room leaves open which number is meant."""
    return part["kind"] == "modulo" or (part["kind"] == "up to" and part["value"] == part["of"])


def _fits(part: dict, x: Said) -> Said:
    """Whether a number is as a part of a room says."""
    if part["kind"] == "modulo":
        return x % part["of"] == part["value"]
    return x >= part["value"] if _is_open(part) else x == part["value"]
