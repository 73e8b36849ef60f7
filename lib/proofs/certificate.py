"""Certificates: a proof as data, and a check of it that shares nothing with what found it. What
formulas mean is written anew for another solver, from their syntax, and cvc5 is asked whether the
rooms are entered at the start, never left, and hold no string on which the two descriptions part.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from cvc5.pythonic import (
    And,
    BoolVal,
    If,
    Int,
    IntVal,
    Not,
    Or,
    SMTException,
    SolverFor,
    Sum,
    unknown,
    unsat,
)

from lib.checks import takes
from lib.formulas import syntax
from lib.formulas.syntax import (
    Compare,
    Conditional,
    Count,
    Formula,
    Mod,
    Position,
    Previous,
    Q,
    Term,
    Total,
    Truth,
)
from lib.formulas.text import formula as read
from lib.proofs.answer import Answer
from lib.proofs.limits import Deadline
from lib.proofs.machine import EVERY, Automaton, Counters, Formulas, Machine, Product
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
        raise ValueError(
            f"a certificate is expected, as `certificate` makes it: {error}"
        ) from error


def gaps(said: dict, deadline: Deadline | None = None) -> Iterator[str]:
    """What a certificate leaves unproved, a sentence each. GaveUp where cvc5 gives up on a
    question, OutOfTime after the `deadline`.
    """
    proof = SolverProof(said, deadline or Deadline())
    if amiss := proof.amiss():
        yield amiss
        return
    if not proof.implies([*proof.start(proof.now)], proof.rooms(proof.now)):
        yield "a start lies in no room"
    empty = [*proof.start(proof.now), *proof.start(proof.next), *proof.right_guesses()]
    if not proof.implies(empty, [proof.agree(None)]):
        yield "the descriptions part on the empty string"
    for number in range(len(said["rooms"])):
        for symbol in said["alphabet"]:
            known = [*proof.inside(number), *proof.twins(proof.now), *proof.step(number, symbol)]
            if not proof.implies(known, proof.rooms_after(number, symbol)):
                yield f"room {number} is left by {symbol!r}"
            if said["twins"] and not proof.implies(known, [And(*proof.twins(proof.next))]):
                yield f"in room {number} two names of one count part at {symbol!r}"
            if not proof.implies([*known, *proof.right_guesses()], [proof.agree(symbol)]):
                yield f"in room {number} the descriptions part at {symbol!r}"


class GaveUp(Exception):
    """cvc5 gives up on a question: it does not settle it within its steps."""


class SolverProof:
    """What a certificate says, in cvc5's terms: whole numbers before and after a symbol."""

    def __init__(self, said: dict, deadline: Deadline):
        self.said, self.alphabet, self.deadline = said, said["alphabet"], deadline
        self.solver = SolverFor("QF_LIA")
        self.solver.setOption("rlimit-per", STEPS)
        self.formulas = [read(text, self.alphabet) for text in said["formulas"]]
        self.counts: dict[str, Formula] = {}
        self.before: dict[str, Formula] = {}  # what is asked of the symbol before
        for formula in self.formulas:
            self._note(formula)
        self._note(EVERY)
        for text in said["twins"].values():
            is_look = text.startswith("previous(")
            self._note(read(text if is_look else f"{text} >= 0", self.alphabet))
        guessed = {name for formula in self.formulas for name in self._guessed(formula)}
        spoken = {name for room in said["rooms"] for name in _names(room)}
        self.guesses = sorted(guessed | {name for name in spoken if name.startswith("total(")})
        specification = said.get("specification", {})
        self.counters = specification.get("counters", [])
        names = [*self.counts, *self.before, *self.guesses, *self.counters, "state"]
        self.has_one_name_each = len({*names}) == len(names)
        # No name that a certificate brings can make two of these one.
        self.now = {name: Int(f"now {name}") for name in names}
        self.next = {name: Int(f"next {name}") for name in names}
        for guess in self.guesses:
            self.next[guess] = self.now[guess]
        self.strange = sorted(spoken - {*names})

    @cached_property
    def after(self) -> list[Said]:
        """Each room after the symbol."""
        return self.rooms(self.next)

    def _note(self, thing: Formula | syntax.Atom) -> None:
        """Notes each sum as a count of its formula, and each look at the symbol before."""
        self.before |= {str(look): look.part for look in syntax.every(Previous, thing)}
        sums = syntax.every(syntax.Sum, thing)
        self.counts |= {str(Count(one.formula)): one.formula for one in sums}

    def _guessed(self, thing: Formula | Term | syntax.Atom, is_counted: bool = False) -> set[str]:
        """The totals that are guessed: those inside of a count, a total or a look back."""
        inside = is_counted or isinstance(thing, syntax.Sum | Previous)
        names = {name for part in syntax.parts(thing) for name in self._guessed(part, inside)}
        if isinstance(thing, Total) and is_counted:
            names.add(self._guess(thing))
        return names

    def _guess(self, total: Total) -> str:
        """A guessed total by the name under which it is counted."""
        name = str(Count(total.formula))
        return f"total{self.said['twins'].get(name, name)[5:]}"

    def amiss(self) -> str | None:
        """Why what is said cannot be read as two descriptions, if so: it would prove anything."""
        kinds = ("count(", "previous(")
        if not self.has_one_name_each:
            return "two things have one name"
        if self.strange or not {f"count{guess[5:]}" for guess in self.guesses} <= {*self.counts}:
            return f"a room speaks of what nothing counts: {(self.strange or self.guesses)[0]}"
        if not all(
            one.startswith(kinds) and two.startswith(kinds)
            for one, two in self.said["twins"].items()
        ):
            return "names of one count are expected to be counts"
        for part in (part for room in self.said["rooms"] for part in room["knows"]):
            is_state, divides = part["kind"] == "state", part["kind"] == "modulo"
            if is_state != (part["name"] == "state") or (divides and part["of"] < 1):
                return f"a room cannot know {part}"
        said = self.said.get("specification")
        if not isinstance(self.said["implies"], bool):
            return "whether it is an implication is expected to be True or False"
        if not said:
            return None
        if {*said} not in ({"rows", "finals"}, {"moves", "finals", "counters"}):
            return "a specification has rows and finals, or moves, finals and counters"
        added = [move[1] for moves in said.get("moves", []) for move in moves if move]
        if not all(len(xs) == len(self.counters) and all(map(syntax.is_whole, xs)) for xs in added):
            return "a move adds a whole number to each counter"
        rows = said.get("rows") or [
            [0 if move is None else move[0] for move in moves] for moves in said.get("moves", [])
        ]
        if not rows:
            return "a specification has a state in which it starts"
        states = {*range(len(rows))}
        leads = all(len(row) == len(self.alphabet) and {*row} <= states for row in rows)
        ends = all(syntax.is_whole(q) and q in states for q in said["finals"])
        return None if leads and ends else "the specification leads to no state of its own"

    def implies(self, known: Sequence[Said], cases: Sequence[Said]) -> bool:
        """Whether one of the cases always holds where all that is known does."""
        self.deadline.look()
        self.solver.push()
        self.solver.add(*known, Not(Or(*cases, BoolVal(False))))
        answer = self.solver.check()
        self.solver.pop()
        if answer == unknown:
            raise GaveUp
        return answer == unsat

    def start(self, at: dict[str, Said]) -> list[Said]:
        """Nothing is counted yet; a guess is any number that is at least 0."""
        return [x >= 0 if name in self.guesses else x == 0 for name, x in at.items()]

    def rooms(self, at: dict[str, Said]) -> list[Said]:
        """Each room as a formula."""
        return [
            And(
                *(self._known(part, at[part["name"]]) for part in room["knows"]),
                *self._bounds(room, at),
                BoolVal(True),
            )
            for room in self.said["rooms"]
        ]

    def inside(self, number: int) -> list[Said]:
        """That one room, as what is known: a remainder then needs a quotient, whichever it is,
        which is less for cvc5 to find than a division.
        """
        room, known = self.said["rooms"][number], []
        for place, part in enumerate(room["knows"]):
            x = self.now[part["name"]]
            if part["kind"] == "modulo":
                known.append(x == part["of"] * Int(f"quotient of part {place}") + part["value"])
            else:
                known.append(self._known(part, x))
        return [*known, *self._bounds(room, self.now)]

    def _bounds(self, room: dict, at: dict[str, Said]) -> list[Said]:
        return [
            Sum([c * at[name] for name, c in form.items()]) >= bound
            for form, bound in room["bounds"]
        ]

    def rooms_after(self, number: int, symbol: str) -> list[Said]:
        """The rooms that agree with what is sure after a symbol: the specification's state, what a
        guess leaves, and the position. That one of these is entered proves no less.
        """
        sure = self._sure(self.said["rooms"][number], symbol)
        return [
            formula
            for room, formula in zip(self.said["rooms"], self.after, strict=True)
            if sure.items() <= {_key(part): part["value"] for part in room["knows"]}.items()
        ]

    def _states(self, number: int) -> list[int]:
        """The state of the specification that a room knows, if it knows one."""
        states = range(len(self.said["specification"]["rows"]))
        parts = self.said["rooms"][number]["knows"]
        return [
            part["value"] for part in parts if part["kind"] == "state" and part["value"] in states
        ]

    def _sure(self, room: dict, symbol: str) -> dict[tuple[str, str], int]:
        rows = self.said.get("specification", {}).get("rows")
        sure = {}
        for part in room["knows"]:
            if part["kind"] == "state" and rows and part["value"] in range(len(rows)):
                sure[_key(part)] = rows[part["value"]][self.alphabet.index(symbol)]
            elif part["kind"] == "modulo" and part["name"] in self.guesses:
                sure[_key(part)] = part["value"]
            elif part["kind"] == "modulo" and part["name"] == POSITION:
                sure[_key(part)] = (part["value"] + 1) % part["of"]
        return sure

    def _known(self, part: dict, x: Said) -> Said:
        if part["kind"] == "modulo":
            return x % part["of"] == part["value"]
        if part["kind"] == "up to" and part["value"] == part["of"]:
            return x >= part["value"]
        return x == part["value"]

    def twins(self, at: dict[str, Said]) -> list[Said]:
        """Counts are counts, and those that differ in words alone are equal."""
        equal = [at[one] == at[other] for one, other in self.said["twins"].items()]
        return [*(at[name] >= 0 for name in (*self.counts, *self.guesses)), *equal]

    def step(self, number: int, symbol: str) -> list[Said]:
        """What a symbol changes in a room."""
        counted = [
            self.next[name] == self.now[name] + If(self.truth(formula, symbol), 1, 0)
            for name, formula in self.counts.items()
        ]
        held = [
            self.next[name] == If(self.truth(formula, symbol), 1, 0)
            for name, formula in self.before.items()
        ]
        return [*counted, *held, *self._specified(number, symbol)]

    def _specified(self, number: int, symbol: str) -> list[Said]:
        """What a symbol does to the specification's state and counters in a room. Where the room
        knows the state of a DFA, the other states need not be written.
        """
        said, now, later = self.said.get("specification"), self.now, self.next
        place = self.alphabet.index(symbol)
        if not said:
            return [later["state"] == 0]
        if "rows" in said:
            states = self._states(number) or range(len(said["rows"]))
            cases = [
                And(now["state"] == q, later["state"] == said["rows"][q][place]) for q in states
            ]
            return [Or(*cases)]
        number = len(said["moves"])
        same = [later[name] == now[name] for name in self.counters]
        cases = [And(now["state"] >= number, later["state"] == now["state"], *same)]
        for q, moves in enumerate(said["moves"]):
            dead = And(later["state"] == number + q * len(self.alphabet) + place, *same)
            if moves[place] is None:
                cases.append(And(now["state"] == q, dead))
                continue
            target, added = moves[place]
            fits = And(
                *(
                    now[name] + x >= 0
                    for name, x in zip(self.counters, added, strict=True)
                    if x < 0
                ),
                BoolVal(True),
            )
            changed = [
                later[name] == now[name] + x for name, x in zip(self.counters, added, strict=True)
            ]
            cases.append(And(now["state"] == q, fits, later["state"] == target, *changed))
            cases.append(And(now["state"] == q, Not(fits), dead))
        return [Or(*cases)]

    def right_guesses(self) -> list[Said]:
        """Each guess is what has been counted."""
        return [self.next[f"count{guess[5:]}"] == self.next[guess] for guess in self.guesses]

    def agree(self, symbol: str | None) -> Said:
        """Whether the two descriptions agree on the string that ends here."""
        answers = [self.truth(formula, symbol, is_last=True) for formula in self.formulas]
        said = self.said.get("specification")
        if said:
            is_final = Or(*(self.next["state"] == q for q in said["finals"]), BoolVal(False))
            answers.append(And(is_final, *(self.next[name] == 0 for name in self.counters)))
        left, right = answers
        return Or(Not(left), right) if self.said["implies"] else left == right

    def truth(self, formula: Formula, symbol: str | None, is_last: bool = False) -> Said:
        """Whether a formula holds at the symbol that is read; in the last, totals are counts."""
        match formula:
            case Q(asked):
                return BoolVal(asked == symbol)
            case Truth(value):
                return BoolVal(value)
            case Mod(period, remainder):
                return self.next[POSITION] % period == remainder
            case Previous():
                return self.now[str(formula)] >= 1
            case syntax.Not(part):
                return Not(self.truth(part, symbol, is_last))
            case syntax.And(several):
                return And(*(self.truth(part, symbol, is_last) for part in several), BoolVal(True))
            case syntax.Or(several):
                return Or(*(self.truth(part, symbol, is_last) for part in several), BoolVal(False))
            case Compare(left, sign, right):
                sides = (self.value(side, symbol, is_last) for side in (left, right))
                return RELATIONS[sign](*sides)
        raise AssertionError(f"{formula!r} was checked when it was made")

    def value(self, term: Term, symbol: str | None, is_last: bool) -> Said:
        """The value of a term at the symbol that is read."""
        found = IntVal(term.constant)
        for atom, c in term.terms:
            found = found + c * self._atom(atom, symbol, is_last)
        return found

    def _atom(self, atom: syntax.Atom, symbol: str | None, is_last: bool) -> Said:
        match atom:
            case Position():
                return self.next[POSITION]
            case Conditional(condition, then, otherwise):
                values = (self.value(side, symbol, is_last) for side in (then, otherwise))
                return If(self.truth(condition, symbol, is_last), *values)
            case Total() if not is_last:
                return self.next[self._guess(atom)]
            case syntax.Sum(formula):
                return self.next[str(Count(formula))]
        raise AssertionError(f"{atom!r} is no atom")


def _key(part: dict) -> tuple[str, str]:
    return part["kind"], part["name"]


def _names(room: dict) -> set[str]:
    """What a room speaks of."""
    return {part["name"] for part in room["knows"]} | {
        name for form, _ in room["bounds"] for name in form
    }
