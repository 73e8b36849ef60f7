"""Linear invariants: bounds on forms of the registers that hold at a control of a machine whenever
it is entered, guessed from short strings and weakened until each move keeps them (z3 decides).
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, product
from math import inf
from typing import Any

import z3
from flint import fmpz_mat
from tqdm import tqdm

from lib.proofs.limits import Deadline, Steps
from lib.proofs.machine import AtLeast, Control, Machine, Move, Vector, direction, minus, vector
from lib.proofs.search import Graph, Room, Wrong, reached

SHORT, LONG, SEED = 7, 40, 1  # lengths of the strings from which bounds are guessed
GUESSES = (*range(9), 13, 17, 24)
KEPT = 300  # states of one length
QUESTION = 1_000  # steps that a question costs beside those that z3 counts: it must be written
POINT = 20  # steps that a symbol of a string costs from which bounds are guessed
PATIENCE = 3  # times that a bound is weakened before it is given up, if no guard has one ahead

Said = Any  # a formula of z3's, whose operators have no types of their own
State = tuple[Control, tuple[int, ...]]


def ask(solver: z3.Solver, steps: Steps, deadline: Deadline) -> Any:
    """What the solver answers, within the steps and the time that are left."""
    deadline.look()
    steps.take(QUESTION)
    solver.set("rlimit", steps.left)
    if deadline.left < inf:
        solver.set("timeout", 1 + int(1000 * deadline.left))
    before = _counted(solver)
    answer = solver.check()
    steps.left -= _counted(solver) - before
    return answer


def _counted(solver: z3.Solver) -> int:
    """The steps that z3 has taken since it was loaded."""
    return next((value for name, value in solver.statistics() if name == "rlimit count"), 0)


def found(
    machine: Machine, graph: Graph, wrong: Wrong, steps: Steps, progress: bool = False
) -> tuple[Room, ...] | None:
    """Rooms that the machine never leaves and in which nothing wrong is accepted; None where the
    forms that are tried do not suffice. OutOfSteps where that takes more than `steps`.
    """
    widths = (2, 3) if machine.guesses else (1, 2, 3)
    tried = (Weakening(machine, graph, wrong, width, steps).rooms(progress) for width in widths)
    return next((rooms for rooms in tried if rooms is not None), None)


class Weakening:
    """One search for invariants, of up to `width` registers, beside guards' and constant forms."""

    def __init__(self, machine: Machine, graph: Graph, wrong: Wrong, width: int, steps: Steps):
        self.machine, self.graph, self.wrong = machine, graph, wrong
        self.numbers: list[Any] = [z3.Int(f"x{k}") for k in range(len(machine.registers))]
        self.quotients: list[Any] = [z3.Int(f"q{k}") for k in range(len(machine.registers))]
        self.solver, self.steps = z3.SolverFor("QF_LIA"), steps
        self.forms = sorted(self._forms(width))
        self.bounds: dict[Control, dict[Vector, int]] = {}
        self.tried: dict[tuple[Control, Vector], int] = defaultdict(int)
        self.farthest: dict[Vector, int] = defaultdict(int)  # the least bound that guards ask for
        moves = (machine.moves(control, a) for control in graph.after for a in machine.alphabet)
        for guard in (guard for several in moves for move in several for guard in move.guards):
            for asked in (guard, ~guard):
                least = min(self.farthest[asked.vector], asked.bound)
                self.farthest[asked.vector] = least
        self.written: dict[AtLeast, Said] = {}
        self.order = {control: place for place, control in enumerate(graph.after)}

    def rooms(self, progress: bool = False) -> tuple[Room, ...] | None:
        """The rooms, if these forms suffice."""
        short, longer = self._points()
        for control, points in longer.items():
            if control not in self.graph.safe:
                self.bounds[control] = self._lasting(short[control], points)
        waiting = set(self.bounds)
        zero = [x == 0 for k, x in enumerate(self.numbers) if k not in self.machine.guesses]
        for control in self.machine.starts():
            if control in self.graph.safe:
                continue
            if self._enter(control, [*zero, *self._remainders(control)], None):
                waiting.add(control)  # no point on short strings need have been there
        bar = tqdm(desc="controls", disable=not progress, leave=False)
        while waiting:
            bar.update()
            bar.set_postfix(waiting=len(waiting), refresh=False)
            control = min(waiting, key=self.order.__getitem__)
            waiting.remove(control)
            for symbol in self.machine.alphabet:
                for move in self.machine.moves(control, symbol):
                    if move.control in self.graph.safe:
                        continue
                    if self._enter(move.control, self._inside(control), move):
                        waiting.add(move.control)
        bar.close()
        return self._sound()

    def _forms(self, width: int) -> set[Vector]:
        """What guards ask for, and sums and differences of a few registers."""
        forms = {form for asked in self.graph.asked.values() for form in asked}
        forms |= {((guess, 1),) for guess in self.machine.guesses}
        for size in range(1, width + 1):
            for registers in combinations(range(len(self.numbers)), size):
                for signs in product((1, -1), repeat=size - 1):
                    forms.add(tuple(zip(registers, (1, *signs), strict=True)))
        return forms

    def _points(self) -> tuple[dict[Control, set], dict[Control, set]]:
        """The registers at each control, on short strings, and on longer ones as well."""
        draw = random.Random(SEED)
        short, longer = defaultdict(set), defaultdict(set)
        zeros = (0,) * (len(self.numbers) - len(self.machine.guesses))
        for control in self.machine.starts():
            for guess in product(GUESSES, repeat=len(self.machine.guesses)):
                self.machine.deadline.look()
                start = (control, (*guess, *zeros))
                if self._is_start(*start):
                    self._follow(start, draw, [short, longer] if sum(guess) < 7 else [longer])
        return short, longer

    def _follow(self, start: State, draw: random.Random, kept: list[dict[Control, set]]) -> None:
        """Notes what is reached from a start: all of it at first, then on a few random strings."""
        level = {start}
        for _ in range(SHORT):
            self.steps.take(POINT * len(level) * len(self.machine.alphabet))
            for points in kept:
                for control, registers in level:
                    points[control].add(registers)
            after = {self._next(*state, a) for state in level for a in self.machine.alphabet}
            level = set(draw.sample(sorted(after), min(len(after), KEPT)))
        for _ in range(4):
            self.steps.take(POINT * LONG)
            state, symbol = start, self.machine.alphabet[0]
            for _ in range(LONG):
                if draw.random() < 0.3:
                    symbol = draw.choice(self.machine.alphabet)
                kept[-1][state[0]].add(state[1])
                state = self._next(*state, symbol)

    def _lasting(
        self, short: set[tuple[int, ...]], longer: set[tuple[int, ...]]
    ) -> dict[Vector, int]:
        """The tightest bounds of longer strings that short ones have, or a guard may stop."""
        bounds = self._tightest(longer)
        if not short:
            return bounds
        return {
            form: bound
            for form, bound in bounds.items()
            if bound >= self.farthest.get(form, 0) - 1
            or bound == min(AtLeast(form, 0).value(point) for point in short)
        }

    def _is_start(self, control: Control, registers: tuple[int, ...]) -> bool:
        places = self.machine.congruences.items()
        rest = all(registers[k] % self.machine.period == control[place] for k, place in places)
        return rest and all(bound.holds(registers) for bound in self.machine.known(control))

    def _next(self, control: Control, registers: tuple[int, ...], symbol: str) -> State:
        move = self.machine.step(control, registers, symbol)
        return move.control, tuple(x + d for x, d in zip(registers, move.added, strict=True))

    def _tightest(self, points: set[tuple[int, ...]]) -> dict[Vector, int]:
        """For each form and its negative, and for what is constant, the least value."""
        forms = {*self.forms, *_constant(sorted(points))}
        both = [signed for form in forms for signed in (form, minus(form))]
        least: dict[Vector, int] = {}
        for form in both:
            self.machine.deadline.look()
            least[form] = min(AtLeast(form, 0).value(point) for point in points)
        return least

    def _said(self, bound: AtLeast) -> Said:
        if bound not in self.written:  # to write it costs more than to decide it
            form: Any = z3.Sum([c * self.numbers[register] for register, c in bound.vector])
            self.written[bound] = form >= bound.bound
        return self.written[bound]

    def _remainders(self, control: Control) -> list[Said]:
        said = [*map(self._said, self.machine.known(control))]
        for register, place in self.machine.congruences.items():
            multiple = self.machine.period * self.quotients[register]
            said.append(self.numbers[register] == multiple + control[place])
        return said

    def _inside(self, control: Control) -> list[Said]:
        """What is known of the registers at a control."""
        bounds = self.bounds[control].items()
        return [*(self._said(AtLeast(*pair)) for pair in bounds), *self._remainders(control)]

    def _enter(self, control: Control, known: list[Said], move: Move | None) -> bool:
        """Weakens the bounds at a control until what enters it keeps them; whether any changed."""
        added = move.added if move else (0,) * len(self.numbers)
        changed = False
        self.solver.push()
        self.solver.add(*known, *(self._said(guard) for guard in (move.guards if move else ())))
        while True:
            bounds = self.bounds.get(control)
            claims = [AtLeast(*pair).after(added) for pair in (bounds or {}).items()]
            if bounds is not None and not claims:
                break
            self.solver.push()
            if bounds is not None:
                self.solver.add(z3.Not(z3.And([self._said(claim) for claim in claims])))
            answer = ask(self.solver, self.steps, self.machine.deadline)
            point = self._point(added) if answer == z3.sat else None
            self.solver.pop()
            if answer == z3.unsat:
                break
            changed = True
            if point is None:
                self.bounds[control] = {}
            elif bounds is None:
                self.bounds[control] = self._tightest({point})
            else:
                self.bounds[control] = self._weaker(control, point)
        self.solver.pop()
        return changed

    def _point(self, added: Sequence[int]) -> tuple[int, ...]:
        model = self.solver.model()
        values = [int(str(model.eval(x, model_completion=True))) for x in self.numbers]
        return tuple(x + d for x, d in zip(values, added, strict=True))

    def _weaker(self, control: Control, point: tuple[int, ...]) -> dict[Vector, int]:
        """The bounds without what a point that is entered refutes."""
        kept = {}
        for form, bound in self.bounds[control].items():
            value = AtLeast(form, 0).value(point)
            if value < bound:
                self.tried[control, form] += 1
                is_ahead = value >= self.farthest[form] - 1
                if self.tried[control, form] > PATIENCE and not is_ahead:
                    continue
            kept[form] = min(bound, value)
        return kept

    def _sound(self) -> tuple[Room, ...] | None:
        """The rooms, unless something wrong may be accepted in one of them."""
        for control in self.bounds:
            for symbol in self.machine.alphabet:
                for move in self.machine.moves(control, symbol):
                    if move.matches is None or not self.wrong(move.accepts):
                        continue
                    self.solver.push()
                    asked = (*move.guards, *move.matches)
                    self.solver.add(*self._inside(control), *map(self._said, asked))
                    answer = ask(self.solver, self.steps, self.machine.deadline)
                    self.solver.pop()
                    if answer != z3.unsat:
                        return None
        rooms = [
            Room(control, tuple(AtLeast(*pair) for pair in bounds.items()))
            for control, bounds in self.bounds.items()
        ]
        entered = {c for control in self.bounds for c in self.graph.after[control]}
        left = reached(self.graph.safe & entered.union(self.machine.starts()), self.graph.after)
        return (*rooms, *map(Room, sorted(left)))


def _constant(points: Sequence[tuple[int, ...]]) -> list[Vector]:
    """Forms that have one value on all points, with small coefficients."""
    first, *others = points
    rows = [[x - y for x, y in zip(point, first, strict=True)] for point in others]
    if not rows or not first:
        return []
    kernel, rank = fmpz_mat(rows).nullspace()
    columns = [[int(kernel[i, j]) for i in range(len(first))] for j in range(rank)]
    reduced = fmpz_mat(columns).lll().tolist() if columns else []
    forms = [vector({k: int(c) for k, c in enumerate(row)}) for row in reduced]
    return [direction(form) for form in forms if form]
