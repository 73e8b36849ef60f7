"""Compiling: a formula and a kind of attention in, a transformer with exact weights out.

A formula becomes a form over named coordinates that is 1 where it holds and 0 elsewhere. Counting
is a head with W^Q = 0: the mean over i + 1 positions of a value that is never 1 at CLS is the count
divided by i + 1, and CLS's own share is 1/(i + 1). So a comparison g >= 0 of whole numbers has its
sign in (2g + 1)/(i + 1), which is at least 1/(i + 1) in size.

There are three ways to make 0 or 1 of that sign. With averaging hardmax a head attends to CLS where
2g + 1 > 0 and elsewhere to everything else. With softmax at constant gain it attends to position j
with logit (2g + 1) j ln b / (i + 1): its mean position leaves the middle i/2 by at least
(√b - 1)/(2 (√b + 1)), whatever i and g, and a clip in the feed-forward network makes 0 or 1 of
that. Under layer normalization (eps = 0) everything at a position is clipped to one small size, and
normalization brings it back to one large size.

`previous(φ)` is a head that sees the positions before its own (a strict mask), each with logit j,
and reads there what is 0 or 1 and always 0 at CLS. Hardmax attends to the last of them, i - 1,
alone. With softmax in base b that one weighs b^(i-1), and all before it together less than
b^(i-1)/(b - 1): its share is above 1 - 1/b, so the mean is above 1 - 1/b where φ holds at i - 1,
and below 1/b elsewhere; position 1 sees CLS alone, CLS nothing, and both have the mean 0. A clip at
1/2 makes exactly 0 or 1 of that, at every length, if its slope s has s (1/2 - 1/b) >= 1/2, which is
b (s - 1) >= 2s. Under layer normalization nothing tells i - 1 from other positions: it is refused.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from lib.checks import Number, one_of, rational, takes, text
from lib.constructions.normalization import mirror
from lib.formulas import syntax
from lib.formulas.syntax import And, Compare, Formula, FormulaError, Mod, Not, Or, Previous, Q, Term
from lib.formulas.text import formula_over
from lib.languages import Language
from lib.transformer.construction import Construction, Made, Reading
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

ATTENTIONS = ("hardmax", "softmax", "layer norm")
BASE, SLOPE = 16, 2  # of a softmax comparison: mean positions 3/10 off the middle, clipped at 1/4
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Compiled(Made):
    """A formula over an alphabet, and a transformer for it: `construction`, which recognizes the
    formula's language and says how it must be read. Readers take it as it is: `Encoder(compiled)`.
    """

    formula: Formula
    alphabet: tuple[str, ...]
    attention: str
    base: Fraction
    slope: Fraction
    name: str

    @cached_property
    def construction(self) -> Construction:
        """The transformer. It is no field: what the theorems prove is what the compiler makes."""
        if self.attention == "softmax":
            compiler = Softmax(self.alphabet, self.base, self.slope)
        else:
            compiler = {"hardmax": Hardmax, "layer norm": Normalized}[self.attention](self.alphabet)
        return compiler.construction(self.formula, self.name)

    @property
    def language(self) -> Language:
        """The strings at whose last position the formula holds, by `truth`."""
        return syntax.language(self.formula, self.alphabet)

    @property
    def is_exact(self) -> bool:
        """Whether the theorems of chapter 8 prove it for every length, in exact arithmetic: for
        softmax they need a clip within the mean's least distance from the middle,
        slope (√base - 1)/(√base + 1) >= 1, and where the formula looks at the previous position
        also base (slope - 1) >= 2 slope.
        """
        if self.attention != "softmax":
            return True
        b, s = self.base, self.slope
        compares = s > 1 and b >= ((s + 1) / (s - 1)) ** 2
        return compares and (b * (s - 1) >= 2 * s or not syntax.asks_for(Previous, self.formula))


@takes(attention=one_of(ATTENTIONS), name=text)
def compiled(
    formula: Formula | str,
    alphabet: Iterable[str],
    attention: str = "hardmax",
    base: Number = BASE,
    slope: Number = SLOPE,
    name: str | None = None,
) -> Compiled:
    """A transformer for the strings over `alphabet` at whose end `formula`, or its text, holds.

    `attention` is "hardmax" (the averaging kind), "softmax" (without layer normalization) or "layer
    norm" (softmax under layer normalization with eps = 0); `base` and `slope` are those of the
    softmax comparison. FormulaError for what is no formula over the alphabet, cannot be compiled
    in that way, or takes too many parts, ValueError for another option.
    """
    symbols = syntax.checked_alphabet(alphabet)
    known = formula_over(formula, symbols)
    b, s = rational(base, "a base"), rational(slope, "a slope")
    if b <= 1 or s <= 0:
        raise ValueError(f"a base above 1 and a slope above 0 are expected, not {base}, {slope}")
    made = Compiled(known, symbols, attention, b, s, name or str(known))
    _ = made.construction  # at once, so that what is too large is refused here
    return made


MADE = 5_000  # parts of one transformer


@dataclass
class Draft:
    """A layer in the making. `means`: for each mask, what one head with W^Q = 0 averages."""

    means: dict[str | None, dict[str, Form]] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    hidden: dict[Form, int] = field(default_factory=dict)  # each unit and its place
    out: dict[str, dict[int, int]] = field(default_factory=dict)
    rewrites: tuple[str, ...] = ()

    def units(self, name: str, *units: tuple[int, Form]) -> None:
        """Writes sum c max(0, form) into a coordinate, for each (c, form)."""
        row = self.out.setdefault(name, {})
        for coefficient, form in units:
            place = self.hidden.setdefault(form, len(self.hidden))  # no unit is made twice
            row[place] = row.get(place, 0) + coefficient

    def layer(self) -> Layer:
        """The layer."""
        averaging = [Head(v=means, mask=mask) for mask, means in self.means.items()]
        units = range(len(self.hidden))
        out = {name: [row.get(unit, 0) for unit in units] for name, row in self.out.items()}
        ffn = FFN([*self.hidden], out) if self.hidden else None
        return Layer([*averaging, *self.heads], ffn, self.rewrites)


@dataclass(frozen=True)
class Part:
    """A form, ready from a sublayer on: attention l is 2l - 1, feed-forward 2l, the embedding 0."""

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


MASK = {"(i+1)": "future", "n": None}  # of heads whose means are divided by that


class Compiler(ABC):
    """Makes a construction of a formula, common parts once, everything as early as it can be. Here
    a Boolean is 0 or 1, as it is without layer normalization.
    """

    def __init__(self, alphabet: tuple[str, ...]):
        self.alphabet = alphabet
        self.names: list[str] = []
        self.position: dict[str, Form] = {}
        self.drafts: dict[int, Draft] = {}
        self.made: dict[str, Part] = {}  # by what they stand for
        self._symbols = {token: self.coordinate(token) for token in (*alphabet, "CLS")}

    one = Form(constant=Fraction(1))  # what is 1 everywhere; forms of formulas are 0 or `one`
    reading: Reading  # how what it makes must be read

    @abstractmethod
    def threshold(self, name: str, term: Term) -> Part:
        """1 where the term, a combination of counts, is at least 0."""

    @abstractmethod
    def before(self, name: str, value: Form, layer: int) -> Part:
        """1 where the value, 0 at CLS and readable in that layer, is 1 at the position before."""

    def symbol(self, token: str) -> Form:
        """1 where that token stands."""
        return self._symbols[token]

    def embeddings(self) -> dict[str, Form]:
        """The word embedding of each token."""
        return dict(self._symbols)

    def periodic(self, formula: Mod) -> Form:
        """1 where the position leaves that remainder."""
        return self.encoding(f"[i mod {formula.period}={formula.remainder}]")

    def conjunction(self, name: str, together: Part, number: int) -> Part:
        """1 where all parts are: `together`, their sum, less their number, plus 1, if above 0."""
        layer = together.feed_forward
        self.draft(layer).units(name, (1, together.form - number + 1))
        return Part(self.coordinate(name), 2 * layer)

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
        return self.position.setdefault(formula, self.coordinate(name))

    def without_constant(self, form: Form) -> Form:
        """The form, its constant a multiple of all tokens' coordinates: attention has no bias."""
        tokens = sum((self.symbol(token) for token in self._symbols), start=Form())
        return Form(form.terms) + tokens * form.constant

    def construction(self, formula: Formula, name: str) -> Construction:
        """The transformer: its logit, at the last position, is at least 1/2 in size, in `one`s."""
        output = self._logit(formula)  # makes all parts, and so all names
        layers, words = self.layers(), self.embeddings()
        space = Space(*self.names)
        made = {"name": name, "readout": "last", "reading": self.reading}
        return Construction(space, words, self.position, layers, output, **made)

    def layers(self) -> list[Layer]:
        """The layers, when all parts are made."""
        last = max(self.drafts, default=0)
        return [self.draft(number).layer() for number in range(1, last + 1)]

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
        members = symbol_set(formula, self.alphabet)
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
                together = joined(sum((part.form for part in parts), start=Form()), parts)
                return self.conjunction(f"[{formula}]", together, len(parts))
            case Or(parts):
                return self.boolean(Not(And(tuple(map(negated, parts)))))
            case Mod():
                return Part(self.periodic(formula))
            case Previous(part):
                return self.before(f"[{formula}]", *self.value(part))
            case Compare():
                return self._comparison(formula)
        raise AssertionError(f"{formula!r} was checked when it was made")

    def _comparison(self, compare: Compare) -> Part:
        """g = 0 is g >= 0 and -g >= 0, of which one always holds; g > 0 is g - 1 >= 0."""
        lifted = linear(compare)
        if not isinstance(lifted, Compare):
            return self.boolean(lifted)
        g = lifted.left - lifted.right
        if lifted.sign == "==":
            above, below = self._at_least(g), self._at_least(-g)
            return joined(above.form + below.form - self.one, [above, below])
        if lifted.sign == "!=":
            return self.boolean(Not(Compare(lifted.left, "==", lifted.right)))
        at_least_0 = {">=": g, "<=": -g, ">": g - 1, "<": -g - 1}
        return self._at_least(at_least_0[lifted.sign])

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

    def counted(self, atom: syntax.Atom) -> tuple[Form, int]:
        """What a head averages to get the atom over the number of positions; its first layer."""
        return self.value(atom.formula if isinstance(atom, syntax.Sum) else syntax.Truth(True))

    def value(self, formula: Formula) -> tuple[Form, int]:
        """What a head reads, `one` where the formula holds but 0 at CLS, and its first layer."""
        if at_cls(formula) is None:  # CLS is no symbol, whatever holds there
            formula = And((formula, Or(tuple(map(Q, self.alphabet)))))
        part = self.boolean(formula)
        value = part.form - self.symbol("CLS") if at_cls(formula) else part.form
        return self.without_constant(value), part.attention

    def mean(self, name: str, divisor: str, value: Form, layer: int) -> Part:
        """A coordinate that holds the mean of a value over what a head sees."""
        self.draft(layer).means.setdefault(MASK[divisor], {})[name] = value
        return Part(self.coordinate(name), 2 * layer - 1)

    def atom(self, atom: syntax.Atom, divisor: str) -> Part:
        """A coordinate that holds the atom over its divisor, made once."""
        if isinstance(atom, syntax.Position) and divisor == "n":
            return Part(self.encoding("i/n"))
        name = share(atom, divisor)
        if name not in self.made:
            self.made[name] = self.mean(name, divisor, *self.counted(atom))
        return self.made[name]

    def doubled(self, term: Term, divisor: str) -> Part:
        """(2g + 1) over the divisor, for the term g."""
        name = f"1/{divisor}"
        if name not in self.made:
            self.made[name] = self.mean(name, divisor, self.symbol("CLS"), 1)
        unit = self.made[name]
        atoms = [(self.atom(atom, divisor), c) for atom, c in term.terms]
        form = sum((2 * c * part.form for part, c in atoms), start=Form())
        parts = [unit, *(part for part, _ in atoms)]
        return joined(form + (2 * term.constant + 1) * unit.form, parts)

    def looking_back(self, name: str, value: Form, base: Fraction | None = None) -> Head:
        """A head with logit j at each position j before its own."""
        query, key = self.without_constant(self.one), self.encoding("i")
        return Head({name: value}, query, key, base=base, mask="strict future")

    def alone(self, divisor: str) -> Form:
        """1 at a position that sees no token but CLS, where every count is 0."""
        return self.symbol("CLS") if divisor == "(i+1)" else self.encoding("[n=1]")


class Hardmax(Compiler):
    """By averaging hardmax: exact in rationals."""

    reading = Reading("hardmax")

    def threshold(self, name: str, term: Term) -> Part:
        divisor = divisor_of(term)
        query = self.doubled(term, divisor)
        cls = self.symbol("CLS")
        head = Head({name: cls}, query.form, cls, mask=MASK[divisor])
        self.draft(query.attention).heads.append(head)
        form = self.coordinate(name)
        if term.constant < 0:
            form = form - self.alone(divisor)
        return Part(form, 2 * query.attention - 1)

    def before(self, name: str, value: Form, layer: int) -> Part:
        self.draft(layer).heads.append(self.looking_back(name, value))
        return Part(self.coordinate(name), 2 * layer - 1)


class Softmax(Compiler):
    """By softmax with logits in base `base`, clipped with slope `slope`: exact at every length
    where base >= ((slope + 1)/(slope - 1))^2 and, for `previous`, base (slope - 1) >= 2 slope.
    """

    reading = Reading("softmax")

    def __init__(self, alphabet: tuple[str, ...], base: Fraction, slope: Fraction):
        super().__init__(alphabet)
        self.base, self.slope = base, slope

    def threshold(self, name: str, term: Term) -> Part:
        divisor = divisor_of(term)
        query = self.doubled(term, divisor)
        j = self.encoding("i")
        middle = (j if divisor == "(i+1)" else self.encoding("n-1")) / 2
        mean = f"mean j for {name}"
        head = Head({mean: j}, query.form, j, base=self.base, mask=MASK[divisor])
        self.draft(query.attention).heads.append(head)
        decided = self.alone(divisor) * (1 if term.constant >= 0 else -1)
        off = self.slope * (self.coordinate(mean) - middle) + decided
        return self.clipped(name, off, query.attention)

    def before(self, name: str, value: Form, layer: int) -> Part:
        nearly = f"nearly {name}"
        self.draft(layer).heads.append(self.looking_back(nearly, value, self.base))
        return self.clipped(name, self.slope * (self.coordinate(nearly) - HALF), layer)

    def clipped(self, name: str, off: Form, layer: int) -> Part:
        """1 where the form is 1/2 or more, 0 where it is -1/2 or less, a line between."""
        self.draft(layer).units(name, (1, off + HALF), (-1, off - HALF))
        return Part(self.coordinate(name), 2 * layer)


class Normalized(Compiler):
    """By layer normalization with eps = 0: a Boolean is 1 or -1, in a unit that all coordinates of
    a position share, and forms of formulas are 0 or that unit.
    """

    reading = Reading("softmax", eps=0)

    def __init__(self, alphabet: tuple[str, ...]):
        super().__init__(alphabet)
        self.one = self.coordinate("one")
        self._written = dict.fromkeys(self.names, 0)  # coordinates of size 1: since which layer
        self._signs: dict[int, list[tuple[str, Form]]] = {}  # what each layer takes the sign of

    def symbol(self, token: str) -> Form:
        return self._is_positive(self._symbols[token])

    def embeddings(self) -> dict[str, Form]:
        return {
            token: self.one + sum((c if c is own else -c for c in self._symbols.values()), Form())
            for token, own in self._symbols.items()
        }

    def periodic(self, formula: Mod) -> Form:
        form = self.encoding(f"2*[i mod {formula.period}={formula.remainder}]-1")
        self._written[form.names[0]] = 0
        return self._is_positive(form)

    def conjunction(self, name: str, together: Part, number: int) -> Part:
        h = 2 * together.form - (2 * number - 1) * self.one
        return self._sign(together.feed_forward, name, h)

    def threshold(self, name: str, term: Term) -> Part:
        divisor = divisor_of(term)
        if divisor == "n" and any(isinstance(atom, syntax.Position) for atom, _ in term.terms):
            raise FormulaError(
                f"{name}: under layer normalization the position is not compared with totals; "
                "compile for hardmax or softmax"
            )
        counted = [(atom, *self.counted(atom), c) for atom, c in term.terms]
        layer = max((earliest for _, _, earliest, _ in counted), default=1)
        unit = self.mean(f"1/{divisor}", divisor, self.symbol("CLS"), layer)
        h = (2 * term.constant + 1) * unit.form
        for atom, value, _, c in counted:
            h = h + 2 * c * self.mean(share(atom, divisor), divisor, value, layer).form
        return self._sign(layer, name, h)

    def before(self, name: str, value: Form, layer: int) -> Part:
        raise FormulaError(
            f"{name}: under layer normalization all coordinates of a position have one size, and "
            "none tells the previous position from others; compile for hardmax or softmax"
        )

    def construction(self, formula: Formula, name: str) -> Construction:
        """The mirrored construction: the mean of every vector is 0."""
        return mirror(super().construction(formula, name))

    def layers(self) -> list[Layer]:
        for layer, signs in self._signs.items():  # what else a layer holds is known only now
            self._clip(self.draft(layer), layer, signs)
        return super().layers()

    def _is_positive(self, form: Form) -> Form:
        return (form + self.one) / 2

    def _sign(self, layer: int, name: str, h: Form) -> Part:
        """A coordinate for the sign of h, which is at least the smallest unit in size."""
        self._signs.setdefault(layer, []).append((name, h))
        self._written[name] = layer
        return Part(self._is_positive(self.coordinate(name)), 2 * layer)

    def _clip(self, draft: Draft, layer: int, signs: list[tuple[str, Form]]) -> None:
        """Writes each sign in the smallest unit w, max(0, 2h + w) - max(0, 2h - w) - w; where
        there are counts, also takes every other coordinate to that size, and counts to 0.
        """
        small = [name for means in draft.means.values() for name in means]
        # Of the two units that may be here 1/n is the smaller one: n > i.
        w = next((self.coordinate(f"1/{d}") for d in ("n", "(i+1)") if f"1/{d}" in small), self.one)
        for name, h in signs:
            draft.units(name, (1, 2 * h + w), (-1, 2 * h - w), (-1, w))
        if small:
            old = [name for name, since in self._written.items() if since < layer]
            for name in old:
                x = self.coordinate(name)
                draft.units(name, (1, 2 * x + w), (-1, 2 * x - w), (-1, w), (-1, x), (1, -x))
            for name in small:
                draft.units(name, (-1, self.coordinate(name)))
            draft.rewrites = (*old, *small)


def negated(formula: Formula) -> Formula:
    """Not `formula`, without a double negation."""
    return formula.part if isinstance(formula, Not) else Not(formula)


def conjuncts(formula: Formula) -> list[Formula]:
    """The parts of a conjunction, those of conjunctions in it among them.

    >>> conjuncts(Q("a") & (Q("b") & ~(Q("c") | Q("d"))))
    [Q('a'), Q('b'), not Q('c'), not Q('d')]
    """
    match formula:
        case And(several):
            return [part for inner in several for part in conjuncts(inner)]
        case Not(Or(several)):
            return [part for inner in several for part in conjuncts(negated(inner))]
        case Not(Not(part)):
            return conjuncts(part)
    return [formula]


def symbol_set(formula: Formula, alphabet: tuple[str, ...]) -> list[str] | None:
    """The tokens, CLS last, at which a formula of symbols alone holds; None for other formulas."""
    if not syntax.asks_for_symbols_alone(formula):
        return None
    holding = [symbol for symbol in alphabet if syntax.truth(formula, symbol)[-1]]
    return [*holding, "CLS"] if syntax.truth(formula, "")[-1] else holding


def at_cls(formula: Formula) -> bool | None:
    """Whether a formula holds at CLS, where counts are 0; None where that depends on totals."""
    if not syntax.asks_for(syntax.Total, formula):
        return syntax.truth(formula, "")[-1]  # the same at CLS of every string
    match formula:
        case Not(part):
            inside = at_cls(part)
            return None if inside is None else not inside
        case Previous():
            return False
        case And(several):
            values = [at_cls(part) for part in several]
            if False in values:
                return False
            return None if None in values else True
        case Or(several):
            return at_cls(Not(And(tuple(map(negated, several)))))
    return None


def is_certain(g: Term) -> bool:
    """Whether a combination of counts is at least 0 whatever the counts are."""
    grows = all(c >= 0 and not isinstance(atom, syntax.Conditional) for atom, c in g.terms)
    return grows and g.constant >= 0


def linear(compare: Compare) -> Formula:
    """The comparison itself or, if it has a conditional, the two between which that decides."""
    g = compare.left - compare.right
    for atom, coefficient in g.terms:
        if isinstance(atom, syntax.Conditional):
            rest, zero = g - Term(((atom, coefficient),)), Term()
            then = Compare(rest + atom.then * coefficient, compare.sign, zero)
            otherwise = Compare(rest + atom.otherwise * coefficient, compare.sign, zero)
            return Or((And((atom.condition, then)), And((negated(atom.condition), otherwise))))
    return compare


def divisor_of(term: Term) -> str:
    """What atoms are divided by: "(i+1)" for counts, "n" for totals; FormulaError for both."""
    kinds: set[type] = {type(atom) for atom, _ in term.terms} - {syntax.Position}
    if len(kinds) > 1:
        raise FormulaError(
            f"{term}: a count, which attention divides by i + 1, and a total, which it divides by "
            f"n, cannot be compared"
        )
    return "n" if kinds == {syntax.Total} else "(i+1)"


def share(atom: syntax.Atom, divisor: str) -> str:
    """The name of the coordinate that holds an atom over its divisor."""
    return f"{'i' if isinstance(atom, syntax.Position) else atom}/{divisor}"
