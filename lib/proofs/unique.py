"""Constructions with unique hardmax behind masks as finite automata: what a head finds depends on
which keys it has seen, in the order in which each stood first, or last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, lcm
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple

from automata.fa.dfa import DFA

from lib.checks import one_of, takes
from lib.proofs.equal import determined
from lib.proofs.limits import Deadline
from lib.proofs.rational import is_period
from lib.transformer.construction import Construction, depends_on_length, position, read_with
from lib.transformer.exact import UNIQUE, ZERO, Affine, FeedForward, Value, Vector, attended
from lib.transformer.space import exactly
from lib.transformer.sublayers import FFN, Head

STATES = 5_000


@takes(construction=Construction, ties=one_of(UNIQUE))
def automaton(construction: Construction, ties: str, deadline: Deadline | None = None) -> DFA:
    """The least DFA of a construction with unique hardmax behind masks, read at the last token.
    ValueError for another, and more than some thousand states; OutOfTime after the `deadline`.
    """
    machine = UniqueHardmax(construction, ties)
    how = machine.start(), machine.step, machine.accepts, construction.alphabet, construction.name
    return determined(*how, (deadline or Deadline()).look)


Seen = tuple[tuple[tuple[Value, ...], tuple[Value, ...]], ...]  # keys and values, in order


class State(NamedTuple):
    """What a prefix leaves: its length until these repeat, what heads saw, the logit's sign."""

    length: int
    seen: tuple[Seen, ...]
    sign: int


class UniqueHardmax:
    """A construction as a machine that reads one token after another. Of tokens with one key it
    remembers the first, or the last, which is the only one that a head can choose.
    """

    def __init__(self, construction: Construction, ties: str):
        self.construction, self.ties = construction, ties
        for number, layer in enumerate(construction.layers, start=1):
            if layer.ffn and layer.ffn.eps is not None:
                raise self.refused(f"layer {number} normalizes, and what it writes is no rational")
            for h, head in enumerate(layer.heads, start=1):
                if head.attention not in (None, ties):
                    raise self.refused(f"head {number}.{h} is {head.attention}, not {ties}")
                if head.mask is None:
                    raise self.refused(f"head {number}.{h} has no mask")
        if construction.readout != "last":
            raise self.refused("its logit is read at CLS")
        if read_with(construction, ties).eps is not None:
            raise self.refused("it is read with layer normalization")
        self.first, self.period = 0, 1  # positions from `first` on repeat
        for formula, _ in construction.position:
            self._note(formula)

    def refused(self, why: str) -> ValueError:
        """The error for what is outside of the class."""
        return ValueError(f"{self.construction.name} cannot be read as a finite automaton: {why}")

    def _note(self, formula: str) -> None:
        """Asks a position encoding, at all places until they repeat, what it asks for."""
        if depends_on_length(formula):
            raise self.refused(f"the position {formula!r} depends on the number of tokens")
        i = 0
        while i < self.first + self.period:
            place = Place(i)
            try:
                is_told = position(formula)(place, None) is not place
            except TypeError:  # it asks for what a place does not tell
                is_told = False
            if not is_told:
                raise self.refused(f"the position {formula!r} does not repeat")
            self.first = max(self.first, place.first)
            self.period, i = lcm(self.period, place.period), i + 1
            if self.first + self.period > STATES:
                raise self.refused(f"the position {formula!r} repeats late")

    def start(self) -> State:
        """The state after CLS."""
        heads = [head for layer in self.construction.layers for head in layer.heads]
        return self.step(State(0, tuple(() for _ in heads), 0), "CLS")

    def accepts(self, state: State) -> bool:
        """Whether the string that ends here is accepted."""
        for token in self.construction.end:
            state = self.step(state, token)
        return state.sign == self.construction.accepting_sign

    def step(self, state: State, token: str) -> State:
        """One token more."""
        vector = self._embedded(token, state.length)
        before, seen = iter(state.seen), []
        for layer in self.construction.layers:
            after = dict(vector)
            for head in layer.heads:
                earlier = next(before)
                seen.append(self._kept(head, earlier, vector))
                shown = earlier if head.mask == "strict future" else seen[-1]
                for (name, _), x in zip(head.v, self._chosen(head, shown, vector), strict=True):
                    after[name] = after.get(name, ZERO) + x
            vector = FeedForward(layer.ffn or FFN((), {}))(after)
        s = Affine(self.construction.output)(vector)
        i = state.length + 1
        i = i if i < self.first + self.period else self.first
        return State(i, tuple(seen), (s > 0) - (s < 0))

    def _embedded(self, token: str, i: int) -> Vector:
        form = dict(self.construction.word)[token]
        for formula, row in self.construction.position:
            form = form + row * position(formula)(Fraction(i), Fraction(i + 1))
        return {name: exactly(c) for name, c in form.terms}

    def _kept(self, head: Head, seen: Seen, vector: Vector) -> Seen:
        key = tuple(Affine(form)(vector) for form in head.k)
        entry = key, tuple(Affine(form)(vector) for _, form in head.v)
        if self.ties == "leftmost":
            return seen if any(known == key for known, _ in seen) else (*seen, entry)
        return (*(pair for pair in seen if pair[0] != key), entry)

    def _chosen(self, head: Head, seen: Seen, vector: Vector) -> Sequence[Value]:
        if not seen:
            return [ZERO] * len(head.v)
        query = [Affine(form * head.gain)(vector) for form in head.q]
        logits = [sum((x * y for x, y in zip(query, key)), start=ZERO) for key, _ in seen]
        bases = [] if head.base is None else [exactly(head.base)]
        return attended(self.ties, bases, logits, [values for _, values in seen])


def _compared(holds: Callable[[int, Fraction], bool]) -> Callable[[Place, Fraction], bool]:
    """The method of a position that compares it with a number."""

    def compare(self: Place, other: Fraction) -> bool:
        if not isinstance(other, Fraction):
            raise TypeError
        self.first = max(self.first, floor(other) + 1)
        return holds(self.i, other)

    return compare


class Place:
    """A position that remembers which remainders and comparisons a formula asked it for."""

    def __init__(self, i: int):
        self.i, self.first, self.period = i, 0, 1

    def __mod__(self, period: Fraction) -> Fraction:
        if not is_period(period):
            raise TypeError
        self.period = lcm(self.period, int(period))
        return self.i % period

    __lt__, __le__, __eq__ = map(_compared, (lt, le, eq))  # type: ignore
    __gt__, __ge__, __ne__ = map(_compared, (gt, ge, ne))  # type: ignore
