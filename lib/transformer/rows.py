"""A construction as text that a person types and reads, one statement a line.

>>> from lib.constructions import first
>>> print(to_rows(first(c=2)), end="")
name: FIRST
<BLANKLINE>
word 0: 0
word 1: 1
word CLS: CLS
position [i=1]: [i=1]
<BLANKLINE>
layer
feed-forward
  h1 = [i=1] - "0" - CLS
  [w₁=1] <- h1
<BLANKLINE>
layer
head gain 2
  q: CLS
  k: [i=1]
  s <- [w₁=1] - 1/2·[i=1]
<BLANKLINE>
output: s

Indentation, blank lines and what follows # say nothing. Coordinates are those that are written, in
that order, unless a line such as `coordinates: a, b` lists them; what is read must be among them. A
sum has spaces around its signs; 2·x, 2*x and 2 x are the same, () is the empty sum. Any name may
stand in double quotes, and one with a space, a comma or a quote in it or a sign before it must. In
hidden units, what these write and the output, a number alone is a number, elsewhere the coordinate
of that name; "1" is always the coordinate, (1) always the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from lib.checks import takes
from lib.transformer.construction import Construction
from lib.transformer.space import Form
from lib.transformer.spelling import joined, quoted, quoted_in_sum, times
from lib.transformer.statements import ACCEPTS, UNNAMED, Reader
from lib.transformer.sublayers import FFN, Head, Layer

LONGEST = 500_000  # characters of a text
KEY = "[!$-9;-~¡-῿⁰-⿿]+(?: [!$-9;-~¡-῿⁰-⿿]+)*"  # of a row, without quotes
TITLE = "[!$-~¡-῿⁰-⿿]+(?: [!$-~¡-῿⁰-⿿]+)*"  # a construction's name, without quotes


def from_rows(text: str) -> Construction:
    """The construction that a text spells; ValueError, which names the line, if it spells none."""
    if not isinstance(text, str):
        raise TypeError(f"a construction as text is expected, not {text!r}")
    if len(text) > LONGEST:
        raise ValueError(f"a text of at most {LONGEST} characters is expected, not of {len(text)}")
    return Reader(re.split("\r\n|\r|\n", text)).construction()


@takes(construction=Construction)
def to_rows(construction: Construction) -> str:
    """The text of a construction, from which `from_rows` makes an equal one."""
    return "".join(f"{line}\n" for line in _Writer(construction).lines())


class _Writer:
    """The lines of a construction."""

    def __init__(self, construction: Construction):
        self.construction = construction
        self.place = {x: place for place, x in enumerate(construction.space.names)}

    def lines(self) -> Iterator[str]:
        """One after the other."""
        c = self.construction
        if c.name != UNNAMED:
            yield f"name: {quoted(c.name, TITLE)}"
        if [*dict.fromkeys(self._written())] != [*c.space.names]:
            yield f"coordinates: {', '.join(map(quoted, c.space.names))}"
        yield ""
        for kind, rows in (("word", c.word), ("position", c.position)):
            for key, form in rows:
                yield f"{kind} {quoted(key, KEY)}: {self._form(form)}"
        for layer in c.layers:
            yield from ("", *self._layer(layer))
        yield from ("", f"output: {self._form(c.output, is_affine=True)}")
        if c.readout != "CLS":
            yield f"read: {c.readout}"
        if c.activation != "sigmoid":
            yield f"accept: {next(text for text, a in ACCEPTS.items() if a == c.activation)}"

    def _written(self) -> Iterator[str]:
        """The coordinates in the order in which the text writes them."""
        for _, form in (*self.construction.word, *self.construction.position):
            yield from (x for x, _ in self._ordered(form))
        for layer in self.construction.layers:
            for head in layer.heads:
                yield from (x for x, _ in head.v)
            if layer.ffn:
                yield from layer.ffn.writes

    def _layer(self, layer: Layer) -> Iterator[str]:
        yield "layer"
        if layer.rewrites:
            yield f"rewrites: {', '.join(map(quoted, layer.rewrites))}"
        for head in layer.heads:
            yield from self._head(head)
        if layer.ffn:
            yield from self._ffn(layer.ffn)

    def _head(self, head: Head) -> Iterator[str]:
        gain = f" gain {head.gain}" if head.gain != 1 else ""
        base = f" base {head.base}" if head.base is not None else ""
        yield f"head{gain}{base}" + (f" mask {head.mask}" if head.mask else "")
        for kind, forms in (("q", head.q), ("k", head.k)):
            yield from (f"  {kind}: {self._form(form)}" for form in forms)
        yield from (f"  {quoted(x)} <- {self._form(form)}" for x, form in head.v)

    def _ffn(self, ffn: FFN) -> Iterator[str]:
        """A bias stands behind its row, unless the biases have an order of their own."""
        yield "feed-forward"
        for number, form in enumerate(ffn.hidden, start=1):
            yield f"  h{number} = {self._form(form, is_affine=True)}"
        bias, out = dict(ffn.bias), dict(ffn.out)
        in_order = [x for x in ffn.writes if x in bias] == [*bias]
        for x, row in ffn.out:
            terms = [(c, times(c, f"h{number}")) for number, c in enumerate(row, start=1) if c]
            behind = [(bias[x], str(abs(bias[x])))] if x in bias and in_order else []
            yield f"  {quoted(x)} <- {joined([*(terms or [(Fraction(0), '()')]), *behind])}"
        for x, b in ffn.bias:
            if not (in_order and x in out):
                yield f"  {quoted(x)} <- {b}"

    def _ordered(self, form: Form) -> list[tuple[str, Fraction]]:
        """Its terms in the order of the space, but a positive one first."""
        terms = sorted(form.terms, key=lambda term: self.place[term[0]])
        first = [term for term in terms if term[1] > 0][:1]
        return [*first, *(term for term in terms if term not in first)]

    def _form(self, form: Form, is_affine: bool = False) -> str:
        spelled = quoted_in_sum if is_affine else quoted
        pieces = [(c, times(c, spelled(x))) for x, c in self._ordered(form)]
        if form.constant:
            size = str(abs(form.constant))
            pieces.append((form.constant, f"({size})" if size in self.place else size))
        return joined(pieces)
