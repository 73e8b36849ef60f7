"""Proofs for every length of constructions that no formula made, read from their rows.

`proved_by_kinds` reads a construction by kinds of token (`kinds`) and asks z3 about what it finds;
`proved_regular` reads one with unique hardmax behind masks as a finite automaton. What is outside
of a class is refused, with the head or the position that is. Both are for no layer normalization.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, islice, product
from math import gcd, lcm, prod
from typing import Any

from automata.fa.dfa import DFA

from lib.checks import above_zero, one_of, optional, takes
from lib.formulas import syntax
from lib.formulas.syntax import Formula
from lib.formulas.text import formula as read
from lib.proofs.equal import regular
from lib.proofs.kinds import KindsReading, Undecided, cases
from lib.proofs.limits import Deadline, OutOfTime, ended
from lib.proofs.rational import Fact, Poly
from lib.proofs.unique import automaton
from lib.transformer.construction import RELATIONS, Construction, read_with
from lib.transformer.exact import UNIQUE, Exact
from lib.transformer.sublayers import Head
from lib.verdicts import PROVED, UNCHECKED, UNKNOWN, WRONG

STEPS, CASES = 5_000_000, 2_000
CVC5_STEPS = "1000000"  # for one question
CVC5_SECONDS = 60  # of computing, for all of a proof
CHECKED, REFUSED = "checked by cvc5", "cvc5 refuses it"
LONGEST, TRIED, MOST = 60, 64, 540  # symbols; strings of a length, and of all, that are tried
WEIGHTS = (Fraction(2), Fraction(10), Fraction(3, 2), Fraction(101, 100))
Condition = Formula | DFA | Poly | str  # of a polynomial: that it is above 0
Open = tuple[KindsReading, list[Fact]]  # a case that z3 does not refute, and what holds there


@dataclass(frozen=True)
class Proof:
    """`kind` is one of the four of `lib.proofs.equal`; `claim` says of what, and `solver` by what.
    What z3 finds is proved if cvc5 refutes each case that z3 refuted. A counterexample was run by
    the exact reader, with E = `weight` where that matters.
    """

    kind: str
    claim: str
    solver: str
    counterexample: str | None = None
    weight: Fraction | None = None


@takes(construction=Construction, attention=one_of(("softmax", "hardmax")))
@takes(seconds=optional(above_zero))
def proved_by_kinds(
    construction: Construction,
    condition: Condition,
    attention: str = "softmax",
    seconds: float | None = None,
) -> Proof:
    """Whether the construction accepts just the strings for which `condition` holds: a formula of
    numbers of tokens, or its text, a DFA to which the order of symbols is nothing, or a polynomial
    in the numbers of symbols ("#1" for that of 1), where it is above 0.

    With softmax it is proved for every c > 0 by which all gains, or logarithms of bases, may be
    multiplied: E > 1 stands for what their common unit weighs, and may depend on n, as n^c does.
    With averaging hardmax gains are nothing. It ends after so many `seconds`. ValueError
    for a construction outside the class: one with a head whose logits or values differ among tokens
    that no position and no sign of a hidden unit told apart, or whose logits for softmax are no
    whole multiples of one unit, or differ by more than 100 of them.
    """
    question = ByKinds(construction, condition, attention, Deadline(seconds))
    claim = f"{construction.name} accepts w iff {question.said}"
    claim += ", for every E > 1" if question.weighs else ""
    try:
        return question.answer(claim, question.cases_where("wrong"))
    except OutOfTime:
        return Proof(UNKNOWN, claim, "the seconds are over")


class ByKinds:
    """Whether a construction and a condition agree, as questions to z3."""

    def __init__(
        self,
        construction: Construction,
        condition: Condition,
        attention: str = "softmax",
        deadline: Deadline | None = None,
    ):
        self.construction, self.attention = construction, attention
        self.deadline = deadline or Deadline()
        if other := construction.attentions(attention) - {attention}:
            raise ValueError(f"heads of {attention} alone are expected, not {min(other)}")
        norms = [layer.ffn.eps for layer in construction.layers if layer.ffn]
        if {read_with(construction, attention).eps, *norms} != {None}:
            raise ValueError(f"layers without a norm are expected in {construction.name}")
        self.condition = _condition(condition, construction.alphabet)
        self.said = "the DFA does" if isinstance(self.condition, DFA) else f"{self.condition}"
        self.said += " > 0" if isinstance(self.condition, Poly) else ""
        looking = [h for layer in construction.layers for h in layer.heads if not h.is_uniform]
        self.weighs = bool(looking) and attention == "softmax"
        self.unit = self._unit(looking) if self.weighs else Fraction(1)
        if not find_spec("z3"):
            raise ImportError("kinds of tokens need z3, which is not installed here")
        self.z3: Any = import_module("z3")  # here, as it takes a while
        self.asked, self.cases = 0, 0
        self.written: dict[Any, Any] = {}
        self.refuted: list[tuple[Sequence[Fact], bool]] = []  # by z3, as real numbers or as whole

    def _unit(self, heads: list[Head]) -> Fraction:
        """The largest number of which all gains are multiples."""
        bases = {head.base for head in heads}
        if len(bases) > 1 or any(base is not None and base <= 1 for base in bases):
            shown = ", ".join(sorted(map(str, bases)))
            raise ValueError(
                f"heads with one base above 1, or with none, are expected in "
                f"{self.construction.name}, not with {shown}"
            )
        gains = [head.gain for head in heads]
        return Fraction(gcd(*(g.numerator for g in gains)), lcm(*(g.denominator for g in gains)))

    def cases_where(
        self, what: str, known: Fact | None = None, given: Formula | None = None
    ) -> Iterator[Open]:
        """The cases that z3 does not refute, of strings for which `given` and what is `known` hold
        and which are decided as `what` says, "right" or "wrong"; with all that holds there.
        """
        waiting = cases(self.construction)
        while waiting:
            case, self.cases = waiting.pop(), self.cases + 1
            if self.cases > CASES:
                raise ValueError(f"{self.construction.name} leads to more than {CASES:,} cases")
            try:
                reading = KindsReading(
                    self.construction, self.attention, self.unit, case, self.is_possible
                )
                if given is not None and not reading.accepts(given):
                    continue
                expected, s = reading.accepts(self.condition), reading.logit().above
            except Undecided as open:
                waiting += case.split(open)
                continue
            facts = [*reading.facts, *([known.at({"n": reading.n})] if known else [])]
            for answer in self._answers(s, expected == (what == "right")):
                if self.is_possible([*facts, answer]):
                    yield reading, [*facts, answer]

    def _answers(self, s: Poly, accepted: bool) -> list[Fact]:
        """What the logit of a string is that is accepted, or is not: one of these."""
        if self.construction.accepting_sign:
            return [Fact(s, ">") if accepted else Fact(-s, ">=")]
        return [Fact(s, "==")] if accepted else [Fact(s, ">"), Fact(s, "<")]

    def is_possible(self, facts: Sequence[Fact]) -> bool:
        """Whether z3 cannot refute the facts; products are asked of reals first, decidably."""
        is_linear = all(fact.poly.degree <= 1 for fact in facts)
        for is_real in (False,) if is_linear else (True, False):
            number = self.z3.Real if is_real else self.z3.Int
            if self.asks(facts, number)[0] == self.z3.unsat:
                self.refuted.append((facts, is_real))
                return False
        return True

    def asks(self, facts: Sequence[Fact], number: Any) -> tuple[Any, Any]:
        """z3's answer, and its solver."""
        self.deadline.look()
        self.asked += 1
        is_real = number is self.z3.Real
        solver = self.z3.SolverFor("QF_NRA") if is_real else self.z3.Solver()
        solver.set("rlimit", STEPS)
        if self.deadline.remaining is not None:
            solver.set("timeout", max(1, int(1000 * self.deadline.remaining)))
        for fact in facts:
            if not (is_real and fact.period):
                if (fact, is_real) not in self.written:
                    self.written[fact, is_real] = _written(fact, is_real, self.z3)
                solver.add(self.written[fact, is_real])
        return solver.check(), solver

    def checked(self) -> str:
        """What cvc5 says of all that z3 refuted: CHECKED if it refutes each, else why not."""
        if not find_spec("cvc5"):
            return "cvc5 is not installed here"
        from cvc5 import pythonic as cvc5

        def asked() -> str:
            for facts, is_real in self.refuted:
                solver = cvc5.SolverFor("QF_NRA") if is_real else cvc5.Solver()
                solver.setOption("rlimit-per", CVC5_STEPS)
                known = (_written(f, is_real, cvc5) for f in facts if not (is_real and f.period))
                solver.add(*known)
                answer = solver.check()
                if answer != cvc5.unsat:
                    return REFUSED if answer == cvc5.sat else "cvc5 gives up"
            return CHECKED

        # cvc5 heeds no limit of its own in some questions: a process of its own can be ended.
        return ended(asked, self.deadline.remaining, CVC5_SECONDS) or "cvc5 gives up"

    def answer(self, claim: str, open: Iterator[Open], known: Fact | None = None) -> Proof:
        """A proof if no case is open, else the shortest counterexample that is found."""
        first = next(open, None)
        weights = WEIGHTS if self.weighs else WEIGHTS[:1]
        tried = islice(self._candidates(chain([first], open), weights), MOST) if first else ()
        wrong = next((pair for pair in tried if self._is_wrong(*pair, known)), None)
        by = f"z3 {self.z3.get_version_string()}, {self.asked} questions, {self.cases} cases"
        if first is None:
            second = self.checked()
            kind = {CHECKED: PROVED, REFUSED: UNKNOWN}.get(second, UNCHECKED)
            return Proof(kind, claim, f"{by}; {second}")
        if wrong is None:
            return Proof(UNKNOWN, claim, f"{by}; no counterexample was found")
        return Proof(WRONG, claim, by, wrong[0], wrong[1] if self.weighs else None)

    def _candidates(
        self, open: Iterable[Open], weights: Sequence[Fraction]
    ) -> Iterator[tuple[str, Fraction]]:
        """Strings, the shortest first: all of the first lengths, then z3's for open cases."""
        alphabet, length = self.construction.alphabet, 0
        while len(alphabet) ** length <= TRIED and length <= LONGEST:
            yield from product(map("".join, product(alphabet, repeat=length)), weights)
            length += 1
        left = list(open)
        for k, weight, (reading, facts) in product(range(length, LONGEST + 1), weights, left):
            tokens = Fact(reading.n - (k + 1 + len(self.construction.end)), "==")
            known = [fact.at({"E": weight}) for fact in (*facts, tokens)]
            found, solver = self.asks(known, self.z3.Int)
            if found == self.z3.sat:
                model = solver.model()
                numbers = {str(x): model[x].as_long() for x in model.decls()}
                if (w := reading.string(k, {**numbers, "E": weight})) is not None:
                    yield w, weight

    def _is_wrong(self, w: str, weight: Fraction, known: Fact | None) -> bool:
        """Whether the exact reader and the condition part on a string, for which that is known."""
        network = self.construction
        if known and not known.holds({"n": len(network.tokens(w)), "E": weight}):
            return False
        if self.weighs:
            layers = []
            for layer in network.layers:
                heads = [replace(x, gain=x.gain / self.unit, base=weight) for x in layer.heads]
                layers.append(replace(layer, heads=heads))
            # E is that weight, whatever the length: log n is not taken a second time.
            reading = replace(read_with(network, self.attention), log_n=False)
            network = replace(network, layers=layers, reading=reading)
        accepts = Exact(network, self.attention).accepts(w)
        if isinstance(self.condition, DFA):
            return accepts is (not self.condition.accepts_input(w))
        if isinstance(self.condition, Poly):
            numbers = {f"#{symbol}": w.count(symbol) for symbol in network.alphabet}
            return accepts is (not Fact(self.condition, ">").holds(numbers))
        return accepts is (not syntax.truth(self.condition, w)[-1])


def _written(fact: Fact, is_real: bool, solver: Any) -> Any:
    """A fact in a solver's terms, z3's or cvc5's. Whole numbers that differ do so by 1 or more,
    and real ones in their place are held to that. Terms are sorted, because a set's order changes
    from one start of Python to the next, and with it whether cvc5 takes a second or forever.
    """
    scale = lcm(*(c.denominator for _, c in fact.poly.terms))
    number = solver.Real if is_real else solver.Int
    x = solver.IntVal(0)
    for names, c in sorted(fact.poly.terms):
        factors = (solver.Real(name) if name == "E" else number(name) for name in names)
        x = x + prod(factors, start=int(c * scale))
    if fact.period:
        return x % (fact.period * scale) == 0
    if fact.sign in ("<", ">") and "E" not in fact.poly:
        return x >= 1 if fact.sign == ">" else x <= -1
    return RELATIONS[fact.sign](x, 0)


def _condition(condition: Condition, alphabet: tuple[str, ...]) -> Formula | DFA | Poly:
    """A condition, read and checked; a DFA must not care for the order of symbols."""
    if isinstance(condition, str):
        return read(condition, alphabet)
    if isinstance(condition, Poly):
        if condition.names - {f"#{symbol}" for symbol in alphabet}:
            known = f"a polynomial in #{', #'.join(alphabet)}"
            raise ValueError(f"{known} is expected, not {condition}")
        return condition
    if not isinstance(condition, DFA):
        return syntax.checked(condition)
    whole = _over(condition, alphabet)
    if pair := _in_order(whole, alphabet):
        a, b = pair
        raise ValueError(f"a DFA in which {a}{b} and {b}{a} lead to one state is expected")
    return whole


def is_commutative(dfa: DFA, alphabet: Sequence[str]) -> bool:
    """Whether a DFA over that alphabet answers by how often each symbol occurs, in any order."""
    return _in_order(_over(dfa, tuple(alphabet)), alphabet) is None


def _in_order(whole: DFA, alphabet: Sequence[str]) -> tuple[str, str] | None:
    """Two symbols whose order matters to a complete DFA, if there are such."""
    move = whole.transitions
    for q, a, b in product(whole.states, alphabet, alphabet):
        if move[move[q][a]][b] != move[move[q][b]][a]:
            return a, b
    return None


def _over(dfa: DFA, alphabet: tuple[str, ...]) -> DFA:
    """The least complete DFA; ValueError if it reads another alphabet."""
    if not isinstance(dfa, DFA) or dfa.input_symbols != set(alphabet):
        raise ValueError(f"a DFA over {', '.join(map(repr, alphabet))} is expected, not {dfa!r}")
    return dfa.minify().to_complete()


@takes(construction=Construction, ties=one_of(UNIQUE))
def proved_regular(
    construction: Construction, language: DFA | str, ties: str, deadline: Deadline | None = None
) -> Proof:
    """Whether the construction, read with unique hardmax that breaks ties to the "leftmost" or the
    "rightmost" token, accepts just the strings of a language: a DFA, or a regular expression.
    """
    alphabet = construction.alphabet
    other = regular(language, alphabet) if isinstance(language, str) else language
    other, found = _over(other, alphabet), automaton(construction, ties, deadline)
    claim = f"{construction.name}, {ties}, accepts "
    claim += f"the strings of {language}" if isinstance(language, str) else "what the DFA does"
    by = f"a search that closed, minimized to {len(found.states)} states by automata-lib"
    difference = found.symmetric_difference(other)
    if not difference.final_states:
        return Proof(PROVED, claim, by)
    return Proof(WRONG, claim, by, next(iter(difference)))
