"""A construction read on strings of every length at once, by kinds of token.

Tokens of one kind have equal vectors wherever a head reads them, so that a sum over tokens is one
over kinds, each times its number of tokens. Everything is then a fraction of polynomials in these
numbers and in E = e^c, what one unit of logit weighs. What the numbers leave open (the sign of a
hidden unit, a tie, whether a position is even) splits the tokens of a kind, or the whole case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from typing import Any

from automata.fa.dfa import DFA

from lib.checks import Number
from lib.formulas import syntax
from lib.formulas.compilation import linear
from lib.formulas.syntax import And, Compare, Formula, Mod, Not, Or, Q, Truth
from lib.proofs import rational
from lib.proofs.rational import HERE, ZERO, E, Fact, Poly, Value, affine, poly, total, value
from lib.transformer.construction import RELATIONS, Construction, position
from lib.transformer.space import Form
from lib.transformer.sublayers import FFN, Head

Vector = dict[str, Value | None]  # None: what depends on the order of the tokens before
Row = list[Value | None]
SIGNS = {1: ">", 0: "==", -1: "<"}
LAST = syntax.Position()
POWER = 100  # of E, beyond which no solver comes to an end


@dataclass(frozen=True)
class Kind:
    """`number` tokens, each at a position i for which the facts hold; `place` is that position."""

    token: str
    place: Poly
    number: Poly
    facts: tuple[Fact, ...] = ()
    residues: tuple[tuple[int, int], ...] = ()  # periods, and what i leaves when divided by them

    @property
    def names(self) -> set[str]:
        """What it speaks of."""
        return set().union(
            *(x.names for x in (self.place, self.number, *(f.poly for f in self.facts)))
        )

    def stands_at(self, i: int, values: Mapping[str, Number]) -> bool:
        """Whether one of its tokens may stand at a position, for these values of its names."""
        known = {**values, "i": i}
        return self.place.at(known).constant == i and all(f.holds(known) for f in self.facts)

    def where(self, fact: Fact, number: Poly) -> Kind:
        """Those of its tokens for which a fact holds as well."""
        residues = self.residues
        if fact.period and (rest := (HERE - fact.poly).constant) is not None:
            residues += ((fact.period, int(rest) % fact.period),)
        if (place := fact.place) is None:
            return replace(self, number=number, facts=(*self.facts, fact), residues=residues)
        facts = tuple(known.at({"i": place}) for known in self.facts)
        return Kind(self.token, place, number, facts, residues)


class Undecided(Exception):
    """What is known leaves these answers open: about tokens of a kind, or about the whole case."""

    def __init__(self, kind: Kind | None, answers: Sequence[Fact]):
        self.kind, self.answers = kind, answers


@dataclass(frozen=True)
class Case:
    """Strings with tokens of these kinds, CLS first and a single last token last if it `ends` so;
    the facts are about numbers of tokens, and `settled` holds what they were found to imply.
    """

    kinds: tuple[Kind, ...]
    facts: tuple[Fact, ...]
    ends: bool
    settled: dict[Any, int] = field(default_factory=dict, compare=False)
    made: int = 0

    def split(self, open: Undecided) -> list[Case]:
        """The cases in which that is decided."""
        if open.kind is None:
            return [self._with(facts=(*self.facts, answer)) for answer in open.answers]
        if not open.answers:
            return [self._without(open.kind)]
        numbers = [rational.variable(f"part {self.made + k}") for k in range(len(open.answers) - 1)]
        numbers.append(open.kind.number - total(numbers))
        parts = [open.kind.where(fact, x) for fact, x in zip(open.answers, numbers, strict=True)]
        kinds = [p for kind in self.kinds for p in (parts if kind == open.kind else [kind])]
        facts = (*self.facts, *(Fact(x, ">=") for x in numbers))
        return [self._with(kinds=tuple(kinds), facts=facts, made=self.made + len(parts) - 1)]

    def _with(self, **changed: Any) -> Case:
        return replace(self, settled=dict(self.settled), **changed)

    def _without(self, empty: Kind) -> Case:
        """The case without a kind that has no tokens. Its number, 0, is added to a related one, so
        that sums over kinds are spelled as before.
        """
        kinds = [kind for kind in self.kinds if kind != empty]
        related = [kind for kind in kinds if kind.token == empty.token and kind.facts]
        for kind in sorted(related, key=lambda k: k.residues != empty.residues)[:1]:
            kinds[kinds.index(kind)] = replace(kind, number=kind.number + empty.number)
        return self._with(kinds=tuple(kinds), facts=(*self.facts, Fact(empty.number, "==")))


def cases(construction: Construction) -> list[Case]:
    """All strings: by their last symbol, if the logit is read there."""
    symbols, cls, weighs = construction.alphabet, Kind("CLS", poly(0), poly(1)), Fact(E - 1, ">")
    numbers = {symbol: rational.variable(f"#{symbol}") for symbol in symbols}
    m = total(numbers.values())  # these symbols stand at 1..m
    facts = (weighs, *(Fact(x, ">=") for x in numbers.values()))
    within = (Fact(HERE, ">"), Fact(m + 1 - HERE, ">"))
    free = [Kind(symbol, HERE, number, within) for symbol, number in numbers.items()]
    if construction.readout == "CLS" and not construction.end:
        return [Case((cls, *free), facts, False)]
    last = [Kind(token, m + 1, poly(1)) for token in construction.end or symbols]
    empty = [] if construction.end else [Case((cls,), (weighs,), False)]
    return [*empty, *(Case((cls, *free, kind), facts, True) for kind in last)]


class KindsReading:
    """A construction on the strings of one case; what is open is raised as `Undecided`. `possible`
    says whether some numbers satisfy facts, and `unit` is the logit that weighs E.
    """

    def __init__(
        self,
        construction: Construction,
        attention: str,
        unit: Fraction,
        case: Case,
        possible: Callable[[Sequence[Fact]], bool],
    ):
        self.construction, self.attention, self.unit = construction, attention, unit
        self.case, self.kinds, self.possible = case, case.kinds, possible
        self.symbols = [kind for kind in self.kinds if kind.token in construction.alphabet]
        self.n = total(kind.number for kind in self.kinds)
        self.facts = case.facts
        for kind in self.kinds:
            if "i" not in kind.place and not all(map(self._holds, kind.facts)):
                raise Undecided(kind, [])
        free = [kind for kind in self.symbols if kind.facts]
        self.facts += (*self._of_places(free), *self._of_residues(free))

    def sign(self, asked: Poly, kind: Kind | None = None) -> int:
        """1, 0 or -1, where the facts imply it."""
        if (c := asked.constant) is not None:
            return (c > 0) - (c < 0)
        return [*SIGNS][self._decided([Fact(asked, sign) for sign in SIGNS.values()], kind)]

    def residue(self, asked: Poly, period: int, kind: Kind | None = None) -> int:
        """The remainder when a whole number is divided by the period."""
        if (c := asked.constant) is not None:
            return int(c) % period
        return self._decided([Fact(asked - r, "==", period) for r in range(period)], kind)

    def _decided(self, answers: list[Fact], kind: Kind | None) -> int:
        """Which answer holds: just one does."""
        local = kind if kind and "i" in answers[0].poly else None
        known = local.facts if local else ()
        key = (tuple(answers), known)
        if key not in self.case.settled:
            open = [a for a in answers if self.possible([*self.facts, *known, a])]
            if len(open) != 1 or (local and open[0].place):  # a place that is found is put in
                raise Undecided(local, open)
            self.case.settled[key] = answers.index(open[0])
        return self.case.settled[key]

    def _holds(self, fact: Fact) -> bool:
        if fact.period:
            return self.residue(fact.poly, fact.period) == 0
        return RELATIONS[fact.sign](self.sign(fact.poly), 0)

    def _of_places(self, free: list[Kind]) -> list[Fact]:
        """A place holds one token, of some kind if there is a kind for each symbol."""
        groups: dict[Any, list[Kind]] = {}
        for kind in free:
            if "i" not in kind.place:
                groups.setdefault((kind.place, kind.facts), []).append(kind)
        return [
            Fact(
                -total(kind.number for kind in kinds) + 1,
                "==" if {kind.token for kind in kinds} == {*self.construction.alphabet} else ">=",
            )
            for kinds in groups.values()
        ]

    def _of_residues(self, free: list[Kind]) -> list[Fact]:
        """Of 1..m, floor((m + p - r)/p) positions leave r > 0 by p, and floor(m/p) leave 0."""
        m, facts = total(kind.number for kind in free), []
        for p in {p for kind in free for p, _ in kind.residues}:
            for r in range(p) if all(p in dict(kind.residues) for kind in free) else ():
                those = total(kind.number for kind in free if (p, r) in kind.residues)
                rest = m + (p - r if r else 0) - those * p
                facts += [Fact(rest, ">="), Fact(-rest + p - 1, ">=")]
        return facts

    def string(self, length: int, values: Mapping[str, Number]) -> str | None:
        """A string of that length, each token where its kind may stand; `values` are those of the
        names, 0 where there is none. None where no place is left for a token.
        """
        known = dict.fromkeys(set().union(*(kind.names for kind in self.symbols)), 0) | {**values}
        waiting = []
        for kind in self.symbols:
            number = int(kind.number.at(known).constant or 0)
            places = [i for i in range(1, length + 1) if kind.stands_at(i, known)]
            waiting.append((places, number, kind.token))
        taken: dict[int, str] = {}
        # Who can stand in the fewest places chooses first.
        for places, number, token in sorted(waiting, key=lambda one: len(one[0])):
            free = [i for i in places if i not in taken][:number]
            taken.update(dict.fromkeys(free, token))
        return "".join(taken[i] for i in sorted(taken)) if len(taken) == length else None

    def logit(self) -> Value:
        """The logit. From the last attention on, only the token that is read goes on."""
        layers = self.construction.layers
        last = max((number for number, layer in enumerate(layers) if layer.heads), default=-1)
        readout = len(self.kinds) - 1 if self.construction.readout == "last" else 0
        vectors = list(map(self._embedded, self.kinds))
        for number, layer in enumerate(layers):
            after = list(map(dict, vectors))
            for q in range(len(vectors)) if number < last else [readout]:
                for h, head in enumerate(layer.heads, start=1):
                    written = self._attended(f"head {number + 1}.{h}", head, q, vectors)
                    _add(after[q], zip((name for name, _ in head.v), written, strict=True))
                if layer.ffn:
                    _add(after[q], self._fed(layer.ffn, after[q], self.kinds[q]))
            vectors = after
        return self._settled(affine(self.construction.output, vectors[readout]), "the logit")

    def _embedded(self, kind: Kind) -> Vector:
        def ask(asked: Poly, period: int = 0) -> int:
            return self.residue(asked, period, kind) if period else self.sign(asked, kind)

        vector: Vector = {}
        _add(vector, ((x, value(c)) for x, c in dict(self.construction.word)[kind.token].terms))
        for formula, form in self.construction.position:
            try:
                found = position(formula)(Value(kind.place, (), ask), Value(self.n, (), ask))
            except TypeError as error:
                raise self._refused(f"{formula!r} is no fraction in i and n") from error
            _add(vector, ((name, value(found) * c) for name, c in form.terms))
        return vector

    def _fed(self, ffn: FFN, vector: Vector, kind: Kind) -> Iterable[tuple[str, Value | None]]:
        """What the feed-forward network adds: each hidden unit is active for the kind or is not."""
        units: Vector = {}
        for k, form in enumerate(ffn.hidden):
            x = affine(form, vector)
            units[str(k)] = ZERO if x is not None and self.sign(x.above, kind) <= 0 else x
        rows, biases = dict(ffn.out), dict(ffn.bias)
        for name in ffn.writes:
            terms = tuple(zip(units, rows.get(name, ())))
            yield name, affine(Form(terms, biases.get(name, Fraction(0))), units)

    def _seen(self, head: Head, q: int) -> list[int] | None:
        """The kinds that a query sees; None where that depends on the order of the tokens."""
        kinds = list(range(len(self.kinds)))
        if head.mask is None:
            return kinds
        if q and not (self.case.ends and q == kinds[-1]):
            return None
        return kinds[: q + (head.mask == "future")]

    def _attended(self, where: str, head: Head, q: int, vectors: list[Vector]) -> Row:
        """What a head gives to the tokens of a kind, a value for each row."""
        seen = self._seen(head, q)
        if not seen:
            return [None if seen is None else ZERO for _ in head.v]
        logits = {k: self._scored(where, head, vectors[q], vectors[k]) for k in seen}
        if self.attention == "hardmax":
            weights = {k: self.kinds[k].number for k in self._largest(logits, self.kinds[q])}
        else:
            weights = self._soft(where, logits)
        found: Row = []
        for name, form in head.v:
            what = f"{where}: what it averages into {name!r}"
            values = {k: self._settled(affine(form, vectors[k]), what) for k in weights}
            found.append(_mean(weights, values))
        return found

    def _scored(self, where: str, head: Head, query: Vector, key: Vector) -> Value:
        """The logit of a key, in which of the logarithm of a base hardmax sees the sign."""
        score = ZERO
        for q, k in zip(head.q, head.k, strict=True) if not head.is_uniform else ():
            x = self._known(affine(q, query), f"{where}: the query {q}")
            if x.above.terms:
                key_ = self._settled(affine(k, key), f"{where}: the key {k}")
                score = score + x * key_ * head.gain
        turned = head.base if self.attention == "hardmax" and head.base is not None else 2
        return score * ((turned > 1) - (turned < 1))

    def _soft(self, where: str, logits: dict[int, Value]) -> dict[int, Poly]:
        """What the tokens of each kind weigh: E to their logit, over the smallest power."""
        powers: dict[int, int] = {}
        for k, x in logits.items():
            power = None if x.below or x.above.constant is None else x.above.constant / self.unit
            if power is None or power.denominator != 1:
                raise self._refused(
                    f"{where}: the logit {x} of {self.kinds[k].token!r} is no whole number"
                )
            powers[k] = int(power)
        least = min(powers.values())
        if max(powers.values()) - least > POWER:
            raise self._refused(f"{where}: logits differ by more than {POWER} units")
        return {k: prod([E] * (p - least), start=self.kinds[k].number) for k, p in powers.items()}

    def _largest(self, logits: dict[int, Value], query: Kind) -> list[int]:
        """The kinds that are there and have the largest logit."""
        best: list[int] = []
        for k, x in logits.items():
            if self.sign(self.kinds[k].number) > 0:
                sign = self.sign((x + logits[best[0]] * -1).above, query) if best else 1
                best = [k] if sign > 0 else [*best, k] if sign == 0 else best
        return best

    def _known(self, x: Value | None, what: str) -> Value:
        if x is None:
            raise self._refused(f"{what} depends on the order of the tokens before")
        return x

    def _settled(self, x: Value | None, what: str) -> Value:
        """A value that is the same at all tokens of a kind."""
        known = self._known(x, what)
        if any("i" in part for part in (known.above, *known.below)):
            raise self._refused(f"{what} is {known}, which differs among the tokens of one kind")
        return known

    def _refused(self, why: str) -> ValueError:
        return ValueError(f"{self.construction.name} cannot be read by kinds of token: {why}")

    def accepts(self, condition: Formula | DFA | Poly) -> bool:
        """Whether the condition accepts the strings of the case."""
        if isinstance(condition, DFA):
            return self._state(condition) in condition.final_states
        if isinstance(condition, Poly):
            counted = {a: self._counted(syntax.Count(Q(a))) for a in self.construction.alphabet}
            return self.sign(condition.at({f"#{a}": x for a, x in counted.items()})) > 0
        return self._truth(condition)

    def _truth(self, formula: Formula, kind: Kind | None = None) -> bool:
        """Whether a formula holds at the tokens of a kind or, without one, at the last position."""
        match formula:
            case Truth(known):
                return known
            case Q(symbol) if kind:
                return kind.token == symbol
            case Not(part):
                return not self._truth(part, kind)
            case And(parts):
                return all(self._truth(part, kind) for part in parts)
            case Or(parts):
                return any(self._truth(part, kind) for part in parts)
            case Mod(period, remainder):
                return self.residue(self._counted(LAST, kind), period, kind) == remainder
            case Compare():
                plain = linear(formula)
                if not isinstance(plain, Compare):
                    return self._truth(plain, kind)
                g = plain.left - plain.right
                terms = (self._counted(atom, kind) * c for atom, c in g.terms)
                return RELATIONS[plain.sign](self.sign(total(terms) + g.constant, kind), 0)
        raise ValueError(f"{formula} is no condition on numbers of tokens and on their positions")

    def _counted(self, atom: syntax.Atom, kind: Kind | None = None) -> Poly:
        match atom:
            case syntax.Position():
                return kind.place if kind else total(k.number for k in self.symbols)
            case syntax.Sum(formula) if kind is None:
                return total(k.number for k in self.symbols if self._truth(formula, k))
        raise ValueError(f"{atom} is no number of tokens that kinds tell")

    def _state(self, dfa: DFA) -> Any:
        """Where a DFA ends that ignores the order of symbols: the moves of each run into a loop."""
        state = dfa.initial_state
        for symbol in self.construction.alphabet:
            path = [state]
            while (state := dfa.transitions[path[-1]][symbol]) not in path:
                path.append(state)
            loop, x = path.index(state), self._counted(syntax.Count(Q(symbol)))
            small = next((r for r in range(loop) if self.sign(x - r) == 0), None)
            far = loop + self.residue(x - loop, len(path) - loop) if small is None else small
            state = path[far]
        return state


def _mean(weights: dict[int, Poly], values: dict[int, Value]) -> Value:
    """The mean of values, each the same at all tokens of a kind, which weigh so much together."""
    one, *others = values.values()
    if all((x.above, x.below) == (one.above, one.below) for x in others):
        return one
    above = sum((x * Value(weights[k]) for k, x in values.items()), start=ZERO)
    return above * Value(poly(1), (total(weights.values()),))


def _add(vector: Vector, written: Iterable[tuple[str, Value | None]]) -> None:
    """The residual connection."""
    for name, x in written:
        y = vector.get(name, ZERO)
        vector[name] = None if x is None or y is None else y + x
