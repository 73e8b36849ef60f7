"""Whether a formula says what is meant, at every length: it is held against a specification that
was written otherwise.
"""

import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import count, pairwise, product
from math import prod

from automata.base.exceptions import AutomatonException, RegexException
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from lib.checks import above_zero, between, flag, optional, shown, takes
from lib.formulas.mends import CLUES
from lib.formulas.syntax import Formula, FormulaError, checked_alphabet, truth
from lib.formulas.text import formula_over
from lib.proofs.limits import Deadline, OutOfSteps, OutOfTime, Steps, TooLarge
from lib.proofs.machine import Automaton, Counters, Formulas, Machine, Product
from lib.proofs.rational import Fact, Poly
from lib.proofs.search import Answer, Graph, explored, search
from lib.verdicts import PROVED, UNCHECKED, UNKNOWN, WRONG

STATES, CONTROLS, STEPS, STRINGS = 4_000, 20_000, 30_000_000, 4_096
LARGEST = 100_000  # symbols of a regular expression times the numbers in its braces
VISITS = 5_000_000  # of states, while one is made deterministic
SIGN = re.compile(
    r"(?P<times>[*+?]|\{\d*(?:,\d*)?\})|\[(?P<inside>[^\]]*)\]|\\[dDsSwW]|[|&^().]|"
    r"(?P<symbol>\\?.)",
    re.DOTALL,
)
NEVER = re.compile(r"\{(0*,)?0+\}|\{,?\}")  # automata-lib repeats once what is repeated 0 times
ALONE = re.compile(r"(^|[(|&^])[|&^*+?)](?<!\(\))|[|&^]$")  # where nothing stands beside one
MODULI = (1, 2, 3)  # what registers are divided by, one after the other

Specification = Formula | DFA | Counters | str


def regular(expression: str, alphabet: Sequence[str]) -> DFA:
    """The least complete DFA of a regular expression in automata-lib's signs: | * + ? . {2,3} [ab]
    [^a] and brackets, with & (both) and ^ (shuffled); brackets part two of |, & and ^. Braces whose
    most is 0 are refused: () is the empty string. Blanks say nothing, unless they are symbols.
    FormulaError, which names the place, for no expression over the alphabet, and a too large one.

    A + means one or more of the part before it, and in textbooks it is the |. Where it may be meant
    so it is refused: if a part follows each + between two brackets, as in `(0+1)*`, and no |, ? or
    [ ] tells whose signs these are; and if a blank is before it and a part after it.

    >>> regular("(ab)*", "ab").accepts_input("abab"), regular("(a+b+)+", "ab").accepts_input("aab")
    (True, True)
    """
    symbols = checked_alphabet(alphabet)
    if not isinstance(expression, str) or not expression.strip():
        raise FormulaError(
            f"a regular expression is a text that is not empty, not {expression!r}; () is the "
            "empty string"
        )

    def refused(why: str, place: int) -> FormulaError:
        clues = [said for sign, said in CLUES.items() if sign in expression]
        if re.search(r"\bQ\(|\bcount\b|[=!<>]=", expression):
            clues = ["a formula is read by formula(...)"]
        said = "; ".join([f"{why}, at column {place + 1} of {shown(expression)}", *clues[:1]])
        return FormulaError(f"no regular expression over {', '.join(symbols)}: {said}")

    found = SIGN.finditer(expression)
    signs = [one for one in found if one[0] in symbols or not one[0].isspace()]
    for one in signs:
        if one["symbol"] and one["symbol"][-1] not in symbols:  # which & hides from automata-lib
            raise refused(f"{one['symbol'][-1]!r} is none of these symbols", one.start())
        ranges = re.findall("(.)-(.)", one["inside"] or "")
        ranges += [(int(a), int(b)) for a, b in re.findall(r"^\{(\d{1,9}),(\d{1,9})", one[0])]
        if NEVER.fullmatch(one[0]) or any(first > last for first, last in ranges):
            raise refused(f"{one[0]} is no number of times, or no range", one.start())
        if re.search(r"\\\d", one[0]):
            raise refused("a digit has no \\", one.start())
        # Brackets group where they repeat or choose; alone they may be meant as symbols.
        is_group = one[0] in "()" and re.search(r"^(?!.*\(\)).*(\)[*+?{]|\|)", expression)
        if one[0] in symbols and not (one["symbol"] or is_group or f"\\{one[0]}" in expression):
            raise refused(f"{one[0]} is a symbol, written \\{one[0]}, and a sign", one.start())
    for before, one in pairwise(signs):
        if before["times"] and one[0] in "?+":  # Python matches a+? as little as it can: it is a+
            raise refused(f"brackets part {before[0]} and {one[0]}, as in (a+)?", one.start())
        if before[0] == "^" and one[0] != "(":
            raise refused("a{2} is a power, and ^ shuffles (a)^(b)", before.start())
    joins, sizes = [""], [0]  # of each open bracket; symbols of each side of & and ^
    for one in signs:
        if one[0] in ("(", ")"):
            joins = [*joins, ""] if one[0] == "(" else joins[:-1] or [""]
        elif one[0] in ("|", "&", "^"):
            if joins[-1] not in ("", one[0]):
                raise refused(f"brackets part {joins[-1]} and {one[0]}, as in a|(b&c)", one.start())
            joins[-1], sizes = one[0], [*sizes, 0] if one[0] != "|" else sizes
        elif one["times"] and one[0][0] == "{":
            times = [int(n.lstrip("0")[:7] or 0) for n in re.findall(r"\d+", one[0])]
            sizes[-1] *= max(times)  # of seven digits the first say that they are too many
        elif not one["times"]:
            sizes[-1] += 1
    if len(sizes) > 1 and prod(sizes) > CONTROLS:
        raise refused(f"& and ^ multiply states, here to {prod(sizes):,} of {CONTROLS:,}", 0)
    if prod(sizes) > LARGEST:
        raise refused("its braces repeat too much", 0)
    try:
        nfa = NFA.from_regex("".join(one[0] for one in signs), input_symbols=set(symbols))
    except (AutomatonException, RegexException, ValueError, IndexError) as error:
        raise refused(re.sub(r"<\w+: (.+?)>|\.$", r"\1", str(error)), _place(expression)) from error
    if strange := sorted(nfa.input_symbols - set(symbols)):
        place = expression.find(strange[0])
        raise refused(f"{strange[0]!r} is none of these symbols", place)
    if (plus := _unclear(signs)) is not None:
        raise refused("+ may be meant as or, or as one or more: write a|b, or (a+)b", plus)
    moves, work = nfa.transitions, Steps(VISITS)

    def closed(states: Iterable[int]) -> frozenset:
        """These states, and those that follow without a symbol."""
        waiting, found = [*states], set[int]()
        while waiting:
            if (state := waiting.pop()) not in found:
                work.take(1)
                found.add(state)
                waiting += moves.get(state, {}).get("", ())
        return frozenset(found)

    def step(states: frozenset, symbol: str) -> frozenset:
        return closed(q for p in states for q in moves.get(p, {}).get(symbol, ()))

    finals = frozenset(nfa.final_states)
    start = closed([nfa.initial_state])
    try:
        return determined(start, step, finals.intersection, symbols, shown(expression))
    except OutOfSteps as error:
        raise refused("its braces repeat too much", 0) from error


def determined(
    start: object,
    step: Callable[..., object],
    accepts: Callable[..., object],
    alphabet: Sequence[str],
    name: str,
    look: Callable[[], None] = lambda: None,
) -> DFA:
    """The least complete DFA of a machine that is given by its steps; `look` looks at the time."""
    names, rows, waiting = {start: 0}, {}, [start]
    while waiting:
        look()
        state, row = waiting.pop(), {}
        for symbol in alphabet:
            after = step(state, symbol)
            if after not in names:
                names[after] = len(names)
                waiting.append(after)
            row[symbol] = names[after]
        rows[names[state]] = row
        if len(names) > CONTROLS:
            raise FormulaError(f"a machine of at most {CONTROLS:,} states is expected, not {name}")
    finals = {name for state, name in names.items() if accepts(state)}
    return DFA(
        states=set(rows),
        input_symbols=set(alphabet),
        transitions=rows,
        initial_state=0,
        final_states=finals,
    ).minify()


def _place(expression: str) -> int:
    """Where an expression that is none goes wrong."""
    if alone := ALONE.search(expression):
        return alone.end() - 1
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(re.sub(r"&|(?<!\[)\^", "|", expression))
    except re.error as error:
        return error.pos or 0
    return 0


def _unclear(signs: list[re.Match]) -> int | None:
    """Where a + may be meant as |, as `regular` says."""
    brackets: list[list[int | None]] = [[]]  # in each: where, None for a clear one
    opened = [brackets[0]]
    for before, one, after in zip([None, *signs], signs, [*signs[1:], None]):
        if one[0] == "+" and before:
            is_infix = after and not after["times"] and after[0] not in "|&^)"
            if is_infix and before.end() < one.start():
                return one.start()
            opened[-1].append(one.start() if is_infix else None)
        elif one[0] == "(":
            brackets.append([])
            opened.append(brackets[-1])
        elif one[0] == ")":
            opened.pop()
    if any(one[0][0] in "|?[" for one in signs):
        return None
    return next((pluses[0] for pluses in brackets if pluses and None not in pluses), None)


@takes(implies=flag, states=between(1, 10**7), steps=between(1, 2**32 - 1), progress=flag)
@takes(seconds=optional(above_zero), check=flag)
def proved_equal(
    formula: Formula | str,
    specification: Specification,
    alphabet: Sequence[str],
    implies: bool = False,
    states: int = STATES,
    steps: int = STEPS,
    seconds: float | None = None,
    check: bool = True,
    progress: bool = False,
) -> Answer:
    """Whether `formula`, or its text, accepts just the strings over `alphabet` that `specification`
    accepts: a DFA, another formula or its text, or `Counters`. With `implies`, whether it accepts
    none but these.

    A search over at most so many `states` of both machines together finds the shortest
    counterexample, or closes, which is a proof. A formula with a total inside a count, or with too
    large a machine, is held against all strings of up to some length instead. Then z3 looks for
    linear invariants, also with what registers leave when divided by 2 and by 3. All that takes at
    most so many `steps`, of which about a million fit into a second.

    What either finds is proved only when cvc5 has checked its certificate; without `check`, or
    where cvc5 gives up, it is `UNCHECKED`. Everything together ends after so many `seconds`.
    "unknown" where all fail: there are such formulas, whatever one tries (Yang and others 2026).
    FormulaError for what is no formula over the alphabet, ValueError for another specification.
    """
    known = checked_alphabet(alphabet)
    question = Question(
        formula_over(formula, known), specification, known, implies, Deadline(seconds)
    )
    answer = question.answer(states, Steps(steps), progress)
    return question.checked(answer, check) if answer.rooms is not None else answer


@dataclass
class Question:
    """Whether a formula and a specification part on a string; `tried` says on which they do not."""

    formula: Formula
    specification: Specification
    alphabet: tuple[str, ...]
    implies: bool
    deadline: Deadline
    tried: str = "the empty string alone was tried"

    def is_wrong(self, accepts: tuple[bool, ...]) -> bool:
        """Whether these two answers are not as they should be."""
        left, right = accepts
        return left > right if self.implies else left != right

    def answer(self, states: int, steps: Steps, progress: bool) -> Answer:
        """A counterexample, an unchecked proof, or neither."""
        most = steps.left
        try:
            machine = self.machine()
            if self.is_wrong(machine.accepts_nothing()):
                return Answer(WRONG, "the first string tried", "")
            refuted = self._by_strings() if machine.guesses else None
            return refuted or self._by_machine(machine, states, steps, progress)
        except TooLarge as size:
            why = f"the machine has {size}"
        except OutOfSteps:
            why = f"no proof was found within {most:,} steps"
        except OutOfTime:
            why = "the seconds are over"
        return Answer(UNKNOWN, f"{self.tried}; {why}")

    def machine(self, modulo: int = 1, capped: bool = False) -> Machine:
        """Both descriptions as one machine."""
        both = self.formula, self.specification, self.alphabet
        return machine_of(*both, modulo, self.deadline, capped)

    def _by_strings(self) -> Answer | None:
        """A counterexample among the shortest strings, some thousand, read directly."""
        accepts, number = recognizer(self.specification, self.alphabet), 0
        for length in count():
            number += len(self.alphabet) ** length
            if number > STRINGS:
                return None
            for w in map("".join, product(self.alphabet, repeat=length)):
                self.deadline.look()
                if self.is_wrong((truth(self.formula, w)[-1], accepts(w))):
                    return self._refuted(w)
            self.tried = _tried(length)

    def _by_machine(self, machine: Machine, states: int, steps: Steps, progress: bool) -> Answer:
        try:
            graph = explored(machine, self.is_wrong, CONTROLS, steps)
        except (OutOfSteps, TooLarge):
            if not machine.guesses and (refuted := self._by_strings()):
                return refuted
            raise
        if not machine.guesses:
            if found := self._by_search(machine, graph, states, progress):
                return found
            with suppress(TooLarge):
                if machine.mixed:  # what a constant settles for good asks for no other count
                    capped = self.machine(capped=True)
                    graph = explored(capped, self.is_wrong, CONTROLS, steps)
                    if found := self._by_search(capped, graph, states, progress):
                        return found
        return self._by_invariants(machine, steps, progress)

    def _by_search(
        self, machine: Machine, graph: Graph, states: int, progress: bool
    ) -> Answer | None:
        """A counterexample, or a proof if the search closes."""
        found, rooms, length = search(machine, graph, self.is_wrong, states, progress)
        if found is not None:
            return self._refuted(found)
        if rooms is not None:
            how = f"a search closed at {len(rooms):,} state{'s' * (len(rooms) > 1)}"
            return Answer(UNCHECKED, how, None, rooms, machine, self.implies)
        self.tried = _tried(length)
        return None

    def _refuted(self, w: str) -> Answer:
        return Answer(WRONG, _tried(len(w) - 1), w)

    def _by_invariants(self, machine: Machine, steps: Steps, progress: bool) -> Answer:
        if not find_spec("z3"):
            return Answer(UNKNOWN, f"{self.tried}; invariants need z3, which is not installed here")
        from lib.proofs.invariants import found as invariants

        kinds = [(modulo, False) for modulo in MODULI] + [(1, True)] * bool(machine.mixed)
        for kind in kinds:
            machine = self.machine(*kind)
            graph = explored(machine, self.is_wrong, CONTROLS, steps)
            if rooms := invariants(machine, graph, self.is_wrong, steps, progress):
                how = f"linear invariants at {len(rooms):,} controls, found by z3"
                return Answer(UNCHECKED, how, None, rooms, machine, self.implies)
        return Answer(UNKNOWN, f"{self.tried}; no linear invariant was found")

    def checked(self, answer: Answer, check: bool) -> Answer:
        """The answer, proved if cvc5 takes its certificate, and unknown if it refuses that."""
        if not check:
            return answer
        if not find_spec("cvc5"):
            return replace(answer, how=f"{answer.how}; cvc5 is not installed here")
        from lib.proofs.certificate import GaveUp, certificate, gaps

        try:
            refusal = next(gaps(certificate(answer), self.deadline), None)
        except FormulaError as error:  # the certificate cannot be read again
            return replace(answer, how=f"{answer.how}; {error}")
        except GaveUp:
            return replace(answer, how=f"{answer.how}; cvc5 gives up")
        except OutOfTime:
            return replace(answer, how=f"{answer.how}; the seconds are over")
        if refusal is None:
            return replace(answer, kind=PROVED, how=f"{answer.how}, checked by cvc5")
        return Answer(UNKNOWN, f"{self.tried}; cvc5 refuses what was found: {refusal}")


def _tried(length: int) -> str:
    return f"all strings up to length {length} were tried"


def machine_of(
    formula: Formula,
    specification: Specification,
    alphabet: tuple[str, ...],
    modulo: int = 1,
    deadline: Deadline | None = None,
    capped: bool = False,
) -> Machine:
    """Both descriptions as the machine that a proof is about, with `proved_equal`'s errors."""
    known = alphabet, modulo, deadline, capped
    if isinstance(specification, str | Formula):
        return Formulas([formula, formula_over(specification, alphabet)], *known)
    other = _other(specification, alphabet, deadline)
    return Product(Formulas([formula], *known), other)


def _other(
    specification: DFA | Counters, alphabet: tuple[str, ...], deadline: Deadline | None = None
) -> Automaton | Counters:
    """A specification that is a machine."""
    match specification:
        case DFA():
            return automaton(specification, alphabet, deadline)
        case Counters() if sorted(specification.alphabet) == sorted(alphabet):
            return specification.over(alphabet)
        case Counters():
            raise ValueError(
                f"a machine over {', '.join(alphabet)} is expected, not over "
                f"{', '.join(specification.alphabet)}"
            )
    raise ValueError(f"a formula, its text, a DFA or Counters is expected, not {specification!r}")


def automaton(dfa: DFA, alphabet: tuple[str, ...], deadline: Deadline | None = None) -> Automaton:
    """A DFA as a machine, states in the order of first visit; ValueError for another alphabet."""
    _hold_symbols(dfa, alphabet)
    complete = dfa.to_complete()
    names = {complete.initial_state: 0}
    waiting = deque(names)
    rows: list[list[int]] = []
    while waiting:
        if deadline is not None:
            deadline.look()
        row = complete.transitions[waiting.popleft()]
        for state in (row[a] for a in alphabet):
            if state not in names:
                names[state] = len(names)
                waiting.append(state)
        rows.append([names[row[a]] for a in alphabet])
    finals = frozenset(k for state, k in names.items() if state in complete.final_states)
    return Automaton(rows, finals, alphabet)


def _hold_symbols(dfa: DFA, alphabet: tuple[str, ...]) -> None:
    """ValueError for a DFA over other symbols."""
    if dfa.input_symbols != set(alphabet):
        raise ValueError(
            f"a DFA over {', '.join(map(repr, alphabet))} is expected, not over "
            f"{', '.join(sorted(map(repr, dfa.input_symbols)))}"
        )


def recognizer(
    specification: Specification | Poly, alphabet: tuple[str, ...]
) -> Callable[[str], bool]:
    """What decides a string by a specification, read directly; by a polynomial in the numbers of
    symbols, by whether it is above 0.
    """
    match specification:
        case str() | Formula():
            formula = formula_over(specification, alphabet)
            return lambda w: truth(formula, w)[-1]
        case DFA():
            _hold_symbols(specification, alphabet)
            return specification.accepts_input
        case Poly():
            above = Fact(specification, ">")
            return lambda w: above.holds({f"#{a}": w.count(a) for a in alphabet})
    other = _other(specification, alphabet)
    assert isinstance(other, Counters)
    return other.accepts
