"""Three ways to make a Boolean of a comparison whose sign stands in a number as small as 1/(i + 1).

With averaging hardmax a head attends to CLS where 2g + 1 > 0 and elsewhere to everything else. With
softmax at constant gain it attends to position j with logit (2g + 1) j ln b / (i + 1): its mean
position leaves the middle i/2 by at least (√b - 1)/(2 (√b + 1)), whatever i and g, and a clip in
the feed-forward network makes 0 or 1 of that. Under layer normalization (eps = 0) everything at a
position is clipped to one small size, and normalization brings it back to one large size.
"""

from __future__ import annotations

from fractions import Fraction

from lib.constructions.normalization import mirror
from lib.formulas.compilation import Compiler, Draft, Part, joined
from lib.formulas.simplification import scale
from lib.formulas.syntax import Atom, Formula, FormulaError, Mod, Position, Term
from lib.transformer.construction import Construction
from lib.transformer.space import Form
from lib.transformer.sublayers import Head

MASK = {"(i+1)": "future", "n": None}  # of heads whose means are divided by that


class _Plain(Compiler):
    """Without layer normalization: a Boolean is 0 or 1."""

    one = Form(constant=Fraction(1))

    def symbol(self, token: str) -> Form:
        return self._symbols[token]

    def embeddings(self) -> dict[str, Form]:
        return dict(self._symbols)

    def periodic(self, formula: Mod) -> Form:
        return self.encoding(f"[i mod {formula.period}={formula.remainder}]")

    def conjunction(self, name: str, parts: list[Part]) -> Part:
        """max(0, sum of the parts less their number, plus 1)."""
        together = joined(sum((part.form for part in parts), start=Form()), parts)
        layer = together.feed_forward
        self.draft(layer).units(name, (1, together.form - len(parts) + 1))
        return Part(self.coordinate(name), 2 * layer)

    def finish(self) -> None:
        """Nothing: every part is whole when it is made."""

    def mean(self, name: str, divisor: str, value: Form, layer: int) -> Part:
        """A coordinate that holds the mean of a value over what a head sees."""
        self.draft(layer).means.setdefault(MASK[divisor], {})[name] = value
        return Part(self.coordinate(name), 2 * layer - 1)

    def atom(self, atom: Atom, divisor: str) -> Part:
        """A coordinate that holds the atom over its divisor, made once."""
        if isinstance(atom, Position) and divisor == "n":
            return Part(self.encoding("i/n"))
        name = f"{'i' if isinstance(atom, Position) else atom}/{divisor}"
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

    def alone(self, divisor: str) -> Form:
        """1 at a position that sees no token but CLS, where every count is 0."""
        return self.symbol("CLS") if divisor == "(i+1)" else self.encoding("[n=1]")


class Hardmax(_Plain):
    """By averaging hardmax: exact in rationals."""

    def threshold(self, name: str, term: Term) -> Part:
        divisor = scale(term)
        query = self.doubled(term, divisor)
        cls = self.symbol("CLS")
        head = Head({name: cls}, query.form, cls, mask=MASK[divisor])
        self.draft(query.attention).heads.append(head)
        form = self.coordinate(name)
        if term.constant < 0:
            form = form - self.alone(divisor)
        return Part(form, 2 * query.attention - 1)


class Softmax(_Plain):
    """By softmax with logits in base `base`, clipped with slope `slope`: exact at every length
    where base >= ((slope + 1)/(slope - 1))^2.
    """

    def __init__(self, alphabet: tuple[str, ...], base: Fraction, slope: Fraction):
        super().__init__(alphabet)
        self.base, self.slope = base, slope

    def threshold(self, name: str, term: Term) -> Part:
        divisor = scale(term)
        query = self.doubled(term, divisor)
        j = self.encoding("i")
        middle = (j if divisor == "(i+1)" else self.encoding("n-1")) / 2
        mean = f"mean j for {name}"
        head = Head({mean: j}, query.form, j, base=self.base, mask=MASK[divisor])
        draft = self.draft(query.attention)
        draft.heads.append(head)
        decided = self.alone(divisor) * (1 if term.constant >= 0 else -1)
        off = self.slope * (self.coordinate(mean) - middle) + decided
        half = Fraction(1, 2)
        draft.units(name, (1, off + half), (-1, off - half))
        return Part(self.coordinate(name), 2 * query.attention)


class Normalized(Compiler):
    """By layer normalization with eps = 0: a Boolean is 1 or -1, in a unit that all coordinates of
    a position share, and forms of formulas are 0 or that unit.
    """

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

    def conjunction(self, name: str, parts: list[Part]) -> Part:
        together = joined(sum((part.form for part in parts), start=Form()), parts)
        h = 2 * together.form - (2 * len(parts) - 1) * self.one
        return self._sign(together.feed_forward, name, h)

    def threshold(self, name: str, term: Term) -> Part:
        divisor = scale(term)
        if divisor == "n" and any(isinstance(atom, Position) for atom, _ in term.terms):
            raise FormulaError(
                f"{name}: under layer normalization the position is not compared with totals; "
                "compile for hardmax or softmax"
            )
        counted = [(atom, *self.counted(atom), c) for atom, c in term.terms]
        layer = max((earliest for _, _, earliest, _ in counted), default=1)
        means = self.draft(layer).means.setdefault(MASK[divisor], {})
        means[f"1/{divisor}"] = self.symbol("CLS")
        h = (2 * term.constant + 1) * self.coordinate(f"1/{divisor}")
        for atom, value, _, c in counted:
            counts = f"{'i' if isinstance(atom, Position) else atom}/{divisor}"
            means[counts] = value
            h = h + 2 * c * self.coordinate(counts)
        return self._sign(layer, name, h)

    def construction(self, formula: Formula, name: str) -> Construction:
        """The mirrored construction: the mean of every vector is 0."""
        return mirror(super().construction(formula, name))

    def finish(self) -> None:
        for layer, signs in self._signs.items():
            self._clip(self.draft(layer), layer, signs)

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
