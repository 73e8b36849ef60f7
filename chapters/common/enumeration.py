"""The smallest formula for a language: all formulas by size, those that agree on all short strings
taken once, until one agrees with the language; then a proof for every length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from automata.fa.dfa import DFA

from chapters.common.definable import Definable, definable
from lib.checks import between, shown, takes
from lib.formulas.syntax import (
    Formula,
    FormulaError,
    Q,
    Term,
    always,
    checked_alphabet,
    count,
    never,
    once,
    position,
    previous,
)
from lib.proofs import Answer
from lib.proofs.equal import Specification, proved_equal, recognizer
from lib.verdicts import WRONG

LONGEST = {1: 12, 2: 8, 3: 6, 4: 5}  # of the strings that tell formulas apart, by symbols
CONSTANTS = (1, 2)
NUMBERS = np.int16  # sums of counts of any string that a prover finds

Block = tuple[Callable[[int], Any], np.ndarray]  # what row k stands for, and all rows


@dataclass(frozen=True)
class Smallest:
    """`formula` has `size` symbols, counts and connectives; no smaller one of `tried` agrees with
    the language on all strings up to `longest` symbols and on the `parting` ones. `answer` says
    whether it is equal to it. Where no formula that only counts can be equal to it, of any size,
    `none` says why, and `previous` was tried too.
    """

    formula: Formula | None
    size: int
    tried: int
    longest: int
    answer: Answer | None
    parting: tuple[str, ...] = ()
    none: Definable | None = None

    def __str__(self) -> str:
        if self.formula is None:
            back = f"{self.none}; and with previous " if self.none else ""
            strings = f"strings up to length {self.longest}"
            if longer := len(self.parting):
                strings += f" or on {longer} longer one{'s' * (longer > 1)}"
            return f"{back}none up to size {self.size}: {self.tried:,} formulas differ on {strings}"
        proof = f"; {self.answer.kind}" if self.answer else ""
        return f"{self.formula} (size {self.size}, of {self.tried:,} formulas){proof}"


@takes(most=between(1, 20), tried=between(1, 10**9))
def smallest(
    language: Specification | Mapping[str, bool],
    alphabet: Sequence[str],
    most: int = 12,
    tried: int = 3_000_000,
) -> Smallest:
    """The smallest formula of at most `most` parts that agrees with `language`, among at most so
    many `tried`. A language is what `proved_equal` takes, and then the formula is proved equal to
    it; or examples, strings with whether they belong, and then nothing more is claimed.

    Of a DFA it is asked first whether any formula that only counts can be equal to it; if not,
    formulas with `previous` are tried too.

    A symbol, a number, the position, a count, a comparison, `and`, `or`, `not`, `once`, `never`,
    `always`, `previous` and + are a part each. Without totals, `mod`, conditionals, - and !=, and
    with no numbers but 1 and 2.
    """
    symbols = checked_alphabet(alphabet)
    longest = LONGEST.get(len(symbols), 4)
    if isinstance(language, Mapping):
        texts = all(isinstance(w, str) and isinstance(said, bool) for w, said in language.items())
        longest = max([longest, *map(len, language)]) if texts else 0
        if not language or not texts or longest > 14:
            raise FormulaError(
                "examples of at most 14 symbols are expected, with True or False for each, not "
                f"{shown(language)}"
            )
    counting = definable(language, symbols) if isinstance(language, DFA) else None
    none = counting if counting and not counting.exists else None
    parting: list[str] = []
    done = 0
    while True:
        search = Enumeration(symbols, longest, parting, looks_back=none is not None)
        found = _smallest(language, search, most, tried - done)
        done += search.tried
        found = replace(found, tried=done, none=none)
        if found.answer is None or found.answer.kind != WRONG:
            return found
        # Of formulas that no string so far tells apart one alone is kept. It is refuted, and others
        # like it need not be: this string tells them apart, and the search begins anew.
        parting.append(found.answer.counterexample or "")


def _smallest(
    language: Specification | Mapping[str, bool], search: Enumeration, most: int, tried: int
) -> Smallest:
    """The first formula that agrees with the language on the search's strings, by size."""
    wanted, places = _wanted(language, search)
    formula = answer = None
    size = 0
    for size in range(1, most + 1):
        agreeing = (
            formula
            for formula, truth in search.formulas_of(size)
            if np.array_equal(truth[places], wanted)
        )
        formula = next(agreeing, None)
        if formula is not None or search.tried > tried:
            break
    if formula is not None and not isinstance(language, Mapping):
        answer = proved_equal(formula, language, search.alphabet)
    return Smallest(formula, size, search.tried, search.longest, answer, search.parting)


def _wanted(
    language: Specification | Mapping[str, bool], search: Enumeration
) -> tuple[np.ndarray, np.ndarray]:
    """The answers that are wanted, and on which strings."""
    if isinstance(language, Mapping):
        words, accepts = [*language], language.__getitem__
    else:
        words, accepts = [*search.index], recognizer(language, search.alphabet)
    if strange := [w for w in words if w not in search.index]:
        known = ", ".join(search.alphabet)
        raise FormulaError(f"a string over {known} is expected, not {strange[0]!r}")
    return np.array([accepts(w) for w in words]), np.array([search.index[w] for w in words])


class Candidates(NamedTuple):
    """Formulas or terms of one size, each with its values on all strings: a row of `values`."""

    things: list[Any]
    values: np.ndarray


class Enumeration:
    """Formulas and terms by size, each with its values at the end of every short string; of those
    with the same values the first.
    """

    def __init__(
        self,
        alphabet: tuple[str, ...],
        longest: int,
        parting: Sequence[str] = (),
        looks_back: bool = False,
    ):
        self.alphabet, self.longest, self.parting = alphabet, longest, tuple(parting)
        self.looks_back = looks_back  # whether `previous` is among them
        short = ["".join(w) for n in range(longest + 1) for w in product(alphabet, repeat=n)]
        beginnings = [w[:n] for w in parting for n in range(longest + 1, len(w) + 1)]
        strings = [*short, *dict.fromkeys(beginnings)]
        self.index = {w: place for place, w in enumerate(strings)}
        lengths = np.array([len(w) for w in strings])
        self.before = np.array([self.index[w[:-1]] for w in strings])
        self.levels = [np.flatnonzero(lengths == n) for n in range(1, int(lengths.max()) + 1)]
        self.last = np.array([w[-1:] for w in strings])
        self.lengths = lengths.astype(NUMBERS)
        self.formulas: dict[int, Candidates] = {}
        self.terms: dict[int, Candidates] = {}
        self.seen: set[bytes] = set()
        self.tried = 0

    def formulas_of(self, size: int) -> Iterator[tuple[Formula, np.ndarray]]:
        """The new formulas of a size, as they are found; then the terms of that size are made."""
        found: list[tuple[Formula, np.ndarray]] = []
        for formula in self._new(b"formula", self._formulas(size)):
            found.append(formula)
            yield formula
        self.formulas[size] = self._made(found, bool)
        self.terms[size] = self._made([*self._new(b"term", self._terms(size))], NUMBERS)

    def _made(self, found: list, kind: type) -> Candidates:
        rows = [values for _, values in found] or np.zeros((0, len(self.last)), kind)
        return Candidates([thing for thing, _ in found], np.array(rows))

    def _new(self, kind: bytes, blocks: Iterator[Block]) -> Iterator[tuple]:
        """What has other values than everything before it."""
        for make, values in blocks:
            self.tried += len(values)
            packed = np.packbits(values, axis=1) if values.dtype == bool else values
            for k, row in enumerate(packed):
                key = kind + row.tobytes()
                if key not in self.seen:
                    self.seen.add(key)
                    yield make(k), values[k]

    def _formulas(self, size: int) -> Iterator[Block]:
        if size == 1:
            yield lambda k: Q(self.alphabet[k]), np.array([self.last == a for a in self.alphabet])
            return
        before = self.formulas[size - 1]
        counts = self._counted(before.values)
        yield lambda k: ~before.things[k], ~before.values
        yield lambda k: once(before.things[k]), counts >= 1
        yield lambda k: never(before.things[k]), counts == 0
        yield lambda k: always(before.things[k]), counts == self.lengths
        if self.looks_back:
            earlier = before.values[:, self.before] & (self.lengths > 1)
            yield lambda k: previous(before.things[k]), earlier
        for left, values, right in self._pairs(self.terms, size):
            yield lambda k, a=left, b=right: a > b.things[k], values > right.values
            yield lambda k, a=left, b=right: a >= b.things[k], values >= right.values
        for left, values, right in self._pairs(self.terms, size, either=True):
            yield lambda k, a=left, b=right: a == b.things[k], values == right.values
        for left, values, right in self._pairs(self.formulas, size, either=True):
            yield lambda k, a=left, b=right: a & b.things[k], values & right.values
            yield lambda k, a=left, b=right: a | b.things[k], values | right.values

    def _terms(self, size: int) -> Iterator[Block]:
        if size == 1:
            constants = [np.full(len(self.last), constant, NUMBERS) for constant in CONSTANTS]
            yield lambda k: position, self.lengths[None]
            yield lambda k: Term(constant=CONSTANTS[k]), np.array(constants)
            return
        before = self.formulas[size - 1]
        yield lambda k: count(before.things[k]), self._counted(before.values)
        for left, values, right in self._pairs(self.terms, size, either=True):
            yield lambda k, a=left, b=right: a + b.things[k], values + right.values

    def _pairs(
        self, made: dict[int, Candidates], size: int, either: bool = False
    ) -> Iterator[tuple]:
        """Each thing made, with all whose size and its own add up to one less than `size`; the
        smaller one first, where `either` order says the same.
        """
        for first in range(1, (size + 1) // 2 if either else size - 1):
            left, right = made[first], made[size - 1 - first]
            for thing, values in zip(left.things, left.values, strict=True):
                yield thing, values, right

    def _counted(self, values: np.ndarray) -> np.ndarray:
        """At how many positions of each string the values hold: one more than before its end."""
        counts = np.zeros(values.shape, NUMBERS)
        for level in self.levels:
            counts[:, level] = counts[:, self.before[level]] + values[:, level]
        return counts
