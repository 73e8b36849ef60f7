"""A formula in, a transformer with exact weights out.

A formula becomes a form over named coordinates that is 1 where it holds and 0 elsewhere. Counting
is a head with W^Q = 0: the mean over i + 1 positions of a value that is never 1 at CLS is the count
divided by i + 1, and CLS's own share is 1/(i + 1). So a comparison g >= 0 of whole numbers has its
sign in (2g + 1)/(i + 1), which is at least 1/(i + 1) in size. The three ways to make 0 or 1 of it
are in `lib.formulas.thresholds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from lib.formulas.simplification import at_cls, conjuncts, is_certain, linear, negated, symbol_set
from lib.formulas.syntax import (
    And,
    Atom,
    Compare,
    Count,
    Formula,
    FormulaError,
    Mod,
    Not,
    Or,
    Q,
    Term,
    Total,
    Truth,
)
from lib.transformer.construction import Construction
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

MADE = 5_000  # parts of one transformer


@dataclass
class Draft:
    """A layer while it is being made. `means` holds, for each mask, what one head with W^Q = 0
    averages.
    """

    means: dict[str | None, dict[str, Form]] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    hidden: list[Form] = field(default_factory=list)
    out: dict[str, dict[int, int]] = field(default_factory=dict)
    rewrites: tuple[str, ...] = ()

    def units(self, name: str, *units: tuple[int, Form]) -> None:
        """Writes sum c max(0, form) into a coordinate, for each (c, form)."""
        row = self.out.setdefault(name, {})
        for coefficient, form in units:
            if form not in self.hidden:
                self.hidden.append(form)
            place = self.hidden.index(form)
            row[place] = row.get(place, 0) + coefficient

    def layer(self) -> Layer:
        """The layer."""
        averaging = [Head(v=means, mask=mask) for mask, means in self.means.items()]
        out = {
            name: [row.get(place, 0) for place in range(len(self.hidden))]
            for name, row in self.out.items()
        }
        ffn = FFN(self.hidden, out) if self.hidden else None
        return Layer([*averaging, *self.heads], ffn, self.rewrites)


@dataclass(frozen=True)
class Part:
    """A form and the sublayer from which on it can be read: attention l is 2l - 1, feed-forward l
    is 2l, the embedding 0.
    """

    form: Form
    ready: int = 0

    @property
    def attention(self) -> int:
        """The first layer whose attention can read it."""
        return (self.ready + 1) // 2 + 1

    @property
    def feed_forward(self) -> int:
        """The first layer whose feed-forward network can read it."""
        return self.ready // 2 + 1


def joined(form: Form, parts: Iterable[Part]) -> Part:
    """A form that is ready when all parts are."""
    return Part(form, max((part.ready for part in parts), default=0))


class Compiler(ABC):
    """Makes a construction of a formula, common parts once, everything as early as it can be."""

    def __init__(self, alphabet: tuple[str, ...]):
        self.alphabet = alphabet
        self.names: list[str] = []
        self.position: dict[str, Form] = {}
        self.drafts: dict[int, Draft] = {}
        self.made: dict[str, Part] = {}  # by what they stand for
        self._symbols = {token: self.coordinate(token) for token in (*alphabet, "CLS")}

    one: Form  # what is 1 at every position; forms of formulas are 0 or `one`

    @abstractmethod
    def symbol(self, token: str) -> Form:
        """1 where that token stands."""

    @abstractmethod
    def embeddings(self) -> dict[str, Form]:
        """The word embedding of each token."""

    @abstractmethod
    def periodic(self, formula: Mod) -> Form:
        """1 where the position leaves that remainder."""

    @abstractmethod
    def conjunction(self, name: str, parts: list[Part]) -> Part:
        """1 where all parts are."""

    @abstractmethod
    def threshold(self, name: str, term: Term) -> Part:
        """1 where the term, a combination of counts, is at least 0."""

    def coordinate(self, name: str) -> Form:
        """A coordinate of that name, made if it is not there."""
        if name not in self.names:
            self.names.append(name)
        return Form(((name, Fraction(1)),))

    def draft(self, layer: int) -> Draft:
        """The layer of that number."""
        return self.drafts.setdefault(layer, Draft())

    def encoding(self, formula: str) -> Form:
        """A coordinate that holds a position encoding."""
        name = formula if len(formula) > 1 else f"position {formula}"  # "i" may be a symbol
        self.position.setdefault(formula, self.coordinate(name))
        return self.position[formula]

    def without_constant(self, form: Form) -> Form:
        """The form with its constant written as a multiple of all tokens' coordinates together:
        attention has no bias.
        """
        tokens = sum((self.symbol(token) for token in self._symbols), start=Form())
        return Form(form.terms) + tokens * form.constant

    def construction(self, formula: Formula, name: str) -> Construction:
        """The transformer: its logit, read at the last position, is 1/2 or more where the formula
        holds and -1/2 or less elsewhere, in units of `one`.
        """
        output = self._logit(formula)
        self.finish()
        layers = [
            self.draft(number).layer() for number in range(1, max(self.drafts, default=0) + 1)
        ]
        return Construction(
            Space(*self.names),
            self.embeddings(),
            self.position,
            layers,
            output,
            name,
            readout="last",
        )

    @abstractmethod
    def finish(self) -> None:
        """What is left to do when all parts are made."""

    def _logit(self, formula: Formula) -> Form:
        """A conjunction or disjunction at the root is a threshold of the output itself."""
        match formula:
            case Not(part):
                return -self._logit(part)
            case And():
                forms = [self.boolean(part).form for part in conjuncts(formula)]
                return sum(forms, start=Form()) - self.one * len(forms) + self.one / 2
            case Or(parts):
                return -self._logit(And(tuple(map(negated, parts))))
        return self.boolean(formula).form - self.one / 2

    def boolean(self, formula: Formula) -> Part:
        """The form that is `one` where the formula holds and 0 elsewhere."""
        if len(self.made) > MADE:
            raise FormulaError(f"a formula too large to compile: at most {MADE} parts are made")
        key = str(formula)
        if key not in self.made:
            self.made[key] = self._boolean(formula)
        return self.made[key]

    def _boolean(self, formula: Formula) -> Part:
        members = symbol_set(formula, (*self.alphabet, "CLS"))
        if members is not None:
            if len(members) == len(self.alphabet) + 1:
                return Part(self.one)
            return Part(sum((self.symbol(token) for token in members), start=Form()))
        match formula:
            case Not(part):
                inner = self.boolean(part)
                return Part(self.one - inner.form, inner.ready)
            case And():
                parts = [self.boolean(part) for part in conjuncts(formula)]
                return self.conjunction(f"[{formula}]", parts)
            case Or(parts):
                return self.boolean(Not(And(tuple(map(negated, parts)))))
            case Mod():
                return Part(self.periodic(formula))
            case Compare():
                return self._comparison(formula)
        raise AssertionError(f"{formula!r} was checked when it was made")

    def _comparison(self, compare: Compare) -> Part:
        """g = 0 is g >= 0 and -g >= 0, of which one always holds; g > 0 is g - 1 >= 0."""
        lifted = linear(compare)
        if not isinstance(lifted, Compare):
            return self.boolean(lifted)
        g = lifted.left - lifted.right
        match lifted.sign:
            case "==":
                above, below = self._at_least(g), self._at_least(-g)
                return joined(above.form + below.form - self.one, [above, below])
            case "!=":
                return self.boolean(Not(Compare(lifted.left, "==", lifted.right)))
            case ">=":
                return self._at_least(g)
            case "<=":
                return self._at_least(-g)
            case ">":
                return self._at_least(g - 1)
        return self._at_least(-g - 1)

    def _at_least(self, g: Term) -> Part:
        """1 where g >= 0; what counts cannot change needs no head."""
        if is_certain(g):
            return Part(self.one)
        if is_certain(-g - 1):
            return Part(Form())
        key = f"[{g} >= 0]"
        if key not in self.made:
            self.made[key] = self.threshold(key, g)
        return self.made[key]

    def counted(self, atom: Atom) -> tuple[Form, int]:
        """What a head averages so that the mean is the atom divided by the number of positions,
        and the first layer in which it can.
        """
        formula = atom.formula if isinstance(atom, (Count, Total)) else Truth(True)
        if at_cls(formula) is None:  # CLS is not counted, whatever holds there
            formula = And((formula, Or(tuple(map(Q, self.alphabet)))))
        part = self.boolean(formula)
        value = part.form - self.symbol("CLS") if at_cls(formula) else part.form
        return self.without_constant(value), part.attention
