"""Whether a formula says what is meant, at every length: it is held against a specification that
was written otherwise.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import product

from automata.base.exceptions import AutomatonException, RegexException
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from lib.checks import between, flag, takes
from lib.formulas.syntax import Formula, FormulaError, checked, checked_alphabet, symbols, truth
from lib.formulas.text import formula as read
from lib.proofs.machine import Automaton, Counters, Formulas, Machine, Product
from lib.proofs.search import Room, Wrong, explored, search

PROVED, REFUTED, UNKNOWN = "proved for every length", "wrong", "unknown"
STATES, CONTROLS, STEPS, STRINGS = 4_000, 20_000, 10_000_000, 4_096
SIGN = re.compile(r"(?P<times>[*+?]|\{\d*(?:,\d*)?\})|\[(?P<inside>[^\]]*)\]|\\.|.", re.DOTALL)
MODULI = (1, 2, 3)  # what registers are divided by, one after the other

Specification = Formula | DFA | Counters | str


@dataclass(frozen=True)
class Answer:
    """`kind` is one of the three above. A counterexample is the shortest string on which the two
    descriptions part. `rooms` are a proof: what can be reached, and `machine` reads them.
    """

    kind: str
    how: str
    counterexample: str | None = None
    rooms: tuple[Room, ...] | None = None
    machine: Machine | None = field(default=None, repr=False, compare=False)
    implies: bool = False

    def __str__(self) -> str:
        if self.counterexample is None:
            return f"{self.kind}: {self.how}"
        shown = repr(self.counterexample) if self.counterexample else "the empty string"
        return f"{self.kind}: {shown} is the shortest string on which they part; {self.how}"


def regular(expression: str, alphabet: Sequence[str]) -> DFA:
    """The least complete DFA of a regular expression in automata-lib's signs: | * + ? . {2,3} [ab]
    [^a] and brackets, with & (both) and ^ (shuffled), which bind as | does, from left to right. A +
    means one or more of the part before it; some papers write + for |. FormulaError for what is no
    expression over the alphabet.

    >>> regular("(ab)*", "ab").accepts_input("abab")
    True
    """
    known = set(checked_alphabet(alphabet))
    if not isinstance(expression, str):
        raise FormulaError(f"a regular expression is a text, not {expression!r}")
    try:
        nfa = NFA.from_regex(expression, input_symbols=known)
    except (AutomatonException, RegexException, ValueError, IndexError) as error:
        plus = "; + means one or more of the part before it, and | means or" * ("+" in expression)
        raise FormulaError(
            f"no regular expression over {', '.join(alphabet)}: {expression!r}{plus}"
        ) from error
    if strange := sorted(nfa.input_symbols - known):
        raise FormulaError(
            f"{expression!r} has the symbol {strange[0]!r}, which is none of {', '.join(alphabet)}"
        )
    nfa = NFA.from_regex(_without_none(expression), input_symbols=known)
    return DFA.from_nfa(nfa).minify().to_complete()


def _without_none(expression: str) -> str:
    """The expression with () for each part that is repeated 0 times: automata-lib repeats it once.
    FormulaError for braces without a number and for a range that runs backwards.
    """
    found: list[str] = []
    opened: list[int] = []  # where brackets begin
    start = 0  # of the last part
    for match in SIGN.finditer(expression):
        sign, times, inside = match[0], match["times"], match["inside"] or ""
        if times in ("{}", "{,}") or any(a > b for a, b in re.findall("(.)-(.)", inside)):
            raise FormulaError(
                f"{sign} in {expression!r} is not understood: braces hold a number, as in {{2,3}}, "
                "and a range in brackets ascends"
            )
        if times and re.fullmatch(r"\{(0*,)?0+\}", times):
            found[start:] = ["()"]
            continue
        if sign == "(":
            opened.append(len(found))
        if not times:
            start = opened.pop() if sign == ")" else len(found)
        found.append(sign)
    return "".join(found)


@takes(implies=flag, states=between(1, 10**7), steps=between(1, 2**32 - 1), progress=flag)
def proved_equal(
    formula: Formula | str,
    specification: Specification,
    alphabet: Sequence[str],
    implies: bool = False,
    states: int = STATES,
    steps: int = STEPS,
    progress: bool = False,
) -> Answer:
    """Whether `formula`, or its text, accepts just the strings over `alphabet` that `specification`
    accepts: a DFA, another formula or its text, or `Counters`. With `implies`, whether it accepts
    none but these.

    Tried in this order: a search over at most so many `states` of both machines together, which
    finds the shortest counterexample or closes; linear invariants, by z3 with at most `steps` of
    its own a question, then with what registers leave when divided by 2 and by 3. A formula with a
    total inside a count is first held against all strings to some length. "unknown" where all fail:
    there are such formulas, whatever one tries (Yang and others 2026). FormulaError for what is no
    formula over the alphabet, ValueError for another specification.
    """
    known = checked_alphabet(alphabet)
    stated = _formula(formula, known)

    def wrong(accepts: tuple[bool, ...]) -> bool:
        return accepts[0] > accepts[1] if implies else accepts[0] != accepts[1]

    machine = machine_of(stated, specification, known)
    if wrong(machine.accepts_nothing()):
        return Answer(REFUTED, "the first string tried", "")
    graph = explored(machine, wrong, CONTROLS)
    if graph is None:
        return Answer(UNKNOWN, f"the machine has more than {CONTROLS:,} controls")
    if machine.guesses:
        found, length = _shortest(stated, specification, wrong, known)
    else:
        searched = search(machine, graph, wrong, states, progress)
        found, length = searched.counterexample, searched.length
        if searched.rooms is not None:
            number = len(searched.rooms)
            how = f"a search closed at {number:,} state{'s' * (number > 1)}"
            return Answer(PROVED, how, None, searched.rooms, machine, implies)
    tried = f"all strings to length {length - (found is not None)} were tried"
    if found is not None:
        return Answer(REFUTED, tried, found)
    if not find_spec("z3"):
        return Answer(UNKNOWN, f"{tried}; invariants need z3, which is not installed here")
    from lib.proofs.invariants import found as invariants

    for modulo in MODULI:
        machine = machine_of(stated, specification, known, modulo)
        graph = explored(machine, wrong, CONTROLS)
        rooms = graph and invariants(machine, graph, wrong, steps, progress)
        if rooms:
            how = f"linear invariants at {len(rooms)} controls, found by z3"
            return Answer(PROVED, how, None, rooms, machine, implies)
    return Answer(UNKNOWN, f"{tried}; no linear invariant was found")


def _formula(formula: Formula | str, alphabet: tuple[str, ...]) -> Formula:
    known = read(formula, alphabet) if isinstance(formula, str) else checked(formula)
    if strange := sorted(symbols(known) - set(alphabet)):
        raise FormulaError(
            f"unknown symbol {strange[0]!r} in {known} (the alphabet is {', '.join(alphabet)})"
        )
    return known


def machine_of(
    formula: Formula, specification: Specification, alphabet: tuple[str, ...], modulo: int = 1
) -> Machine:
    """A formula and a specification together, as the machine that a proof is about; the errors are
    those of `proved_equal`.
    """
    if isinstance(specification, str | Formula):
        return Formulas([formula, _formula(specification, alphabet)], alphabet, modulo)
    return Product(Formulas([formula], alphabet, modulo), _other(specification, alphabet))


def _other(specification: DFA | Counters, alphabet: tuple[str, ...]) -> Automaton | Counters:
    """A specification that is a machine."""
    match specification:
        case DFA():
            return automaton(specification, alphabet)
        case Counters() if sorted(specification.alphabet) == sorted(alphabet):
            return specification
        case Counters():
            raise ValueError(
                f"a machine over {', '.join(alphabet)} is expected, not over "
                f"{', '.join(specification.alphabet)}"
            )
    raise ValueError(
        f"a specification is a formula, its text, a DFA or Counters, not {specification!r}"
    )


def automaton(dfa: DFA, alphabet: tuple[str, ...]) -> Automaton:
    """An automata-lib DFA as a machine, its states in the order in which strings find them;
    ValueError if it reads another alphabet.
    """
    if dfa.input_symbols != set(alphabet):
        raise ValueError(
            f"a DFA over {', '.join(alphabet)} is expected, not over "
            f"{', '.join(sorted(map(str, dfa.input_symbols)))}"
        )
    complete = dfa.to_complete()
    names = [complete.initial_state]
    for state in names:
        after = (complete.transitions[state][a] for a in alphabet)
        names += dict.fromkeys(other for other in after if other not in names)
    rows = [[names.index(complete.transitions[q][a]) for a in alphabet] for q in names]
    finals = frozenset(k for k, state in enumerate(names) if state in complete.final_states)
    return Automaton(rows, finals, alphabet)


def recogniser(specification: Specification, alphabet: tuple[str, ...]) -> Callable[[str], bool]:
    """What decides a string by a specification, read directly."""
    match specification:
        case str() | Formula():
            formula = _formula(specification, alphabet)
            return lambda w: truth(formula, w)[-1]
        case DFA():
            automaton(specification, alphabet)  # holds its alphabet against this one
            return specification.accepts_input
    other = _other(specification, alphabet)
    assert isinstance(other, Counters)
    return other.accepts


def _shortest(
    formula: Formula, specification: Specification, wrong: Wrong, alphabet: tuple[str, ...]
) -> tuple[str | None, int]:
    """The shortest string, of some thousand, on which the two part, read directly, and its length;
    or None, and to which length all were tried.
    """
    accepts = recogniser(specification, alphabet)
    tried, length = 0, 0
    while (tried := tried + len(alphabet) ** length) <= STRINGS:
        for w in map("".join, product(alphabet, repeat=length)):
            if wrong((truth(formula, w)[-1], accepts(w))):
                return w, length
        length += 1
    return None, length - 1
