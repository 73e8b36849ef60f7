"""The formal languages of the book: membership, enumeration and seeded sampling. Exact and free of
any transformer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product, takewhile

import numpy as np

from lib import checks

Accepts = Callable[[list[str]], Sequence[bool | None]]  # of a list of strings, an answer each
POISSON_RATE = 1.5  # of the number of 1s in ONE's strings: Nowak et al. 2022, appendix B.2
RUNS = 9  # symbols of the longest run of equal ones that is drawn
TRIED = 100  # strings of each kind among which members and others are looked for


def few_ones(size: int, length: int, draw: np.random.Generator) -> np.ndarray:
    """Strings with a Poisson number of 1s at uniform places: 0/1, (size, length). Appendix B.2."""
    ones = np.minimum(draw.poisson(POISSON_RATE, size), length)
    order = draw.random((size, length)).argsort(axis=1).argsort(axis=1)
    return (order < ones[:, None]).astype(np.int64)


def near_palindromes(size: int, length: int, draw: np.random.Generator) -> np.ndarray:
    """Uniform palindromes, a symbol of every other flipped, never the middle: 0/1, (size, length).

    Strings of length 0 and 1 stay as they are. Nowak et al. 2022, appendix B.3.
    """
    half = length // 2
    left = draw.integers(2, size=(size, length - half))
    symbols = np.hstack([left, left[:, :half][:, ::-1]])
    if half:
        flipped, place = draw.integers(2, size=size), draw.integers(2 * half, size=size)
        symbols[np.arange(size), place + (place >= half) * (length % 2)] ^= flipped
    return symbols


def near_dyck(size: int, length: int, draw: np.random.Generator) -> np.ndarray:
    """Uniform strings of Dyck-1, one in four of them rotated and another one with a symbol flipped,
    as 0 for "(" and 1 for ")" of shape (size, length).

    A string of an odd length ends in another ")". The well-bracketed ones are found by the cycle
    lemma: of the rotations of m + 1 closing and m opening brackets one is well-bracketed but for
    its last symbol (Dvoretzky & Motzkin 1947).
    """
    half = length // 2
    row = np.repeat([0, 1], [half, half + 1])
    rows = draw.permuted(np.tile(row, (size, 1)), axis=1)
    lowest = (1 - 2 * rows).cumsum(axis=1).argmin(axis=1)
    places = (lowest[:, None] + 1 + np.arange(2 * half + 1)) % (2 * half + 1)
    symbols = np.take_along_axis(rows, places, axis=1)[:, :length]
    if half:
        kind = draw.integers(4, size=size)
        turn, place = draw.integers(length, size=(2, size))
        turned = (np.arange(length) + (turn * (kind == 3))[:, None]) % length
        symbols = np.take_along_axis(symbols, turned, axis=1)
        symbols[np.arange(size), place] ^= kind == 2
    return symbols


def is_dyck(w: str) -> bool:
    """Whether brackets are well-nested: as many closed as opened, and never more before."""
    depths = [*accumulate((1 if symbol == "(" else -1 for symbol in w), initial=0)]
    return depths[-1] == 0 and min(depths) == 0


def by_length(strings: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Which strings have each length, and their symbols' code points, (strings, length)."""
    lengths = np.fromiter(map(len, strings), int)
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        alike = "".join(strings[place] for place in places.tolist())
        text = alike.encode("utf-32-le", "surrogatepass")
        yield places, np.frombuffer(text, "<u4").reshape(len(places), length)


@dataclass(frozen=True)
class Sample:
    """What was seen of the strings of some lengths: how many of each kind were read, those that are
    decided incorrectly, and how many not at all. Nothing is proved of strings that were not drawn.
    """

    strings: dict[str, int]
    wrong: dict[str, tuple[str, ...]]
    undecided: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(
            f"{kind}: of {self.strings[kind]:,} strings {len(wrong):,} are decided incorrectly"
            + (f", the first {wrong[0]}" if wrong else "")
            + (f", {left:,} not at all" if (left := self.undecided.get(kind)) else "")
            for kind, wrong in self.wrong.items()
        )


@dataclass(frozen=True)
class Language:
    """A set of strings over `alphabet`, given by a predicate that sees valid strings only.

    `symbols(size, length, draw)` draws random strings as rows of indices into the alphabet; None
    for uniform ones. `predicates`, where there is one, answers many strings at once. `definition`
    says the same to a prover: a formula or a regular expression, as text.

    >>> PARITY.contains("0111"), "10" in FIRST
    (True, True)
    """

    name: str
    predicate: Callable[[str], bool]
    alphabet: tuple[str, ...] = ("0", "1")
    symbols: Callable[[int, int, np.random.Generator], np.ndarray] | None = None
    predicates: Callable[[Sequence[str]], Sequence[bool]] | None = None
    definition: str | None = None

    def __post_init__(self):
        of_symbols = checks.optional(checks.function)
        checks.hold(self, name=checks.text, predicate=checks.function, symbols=of_symbols)
        checks.hold(self, predicates=of_symbols, definition=checks.optional(checks.text))
        if isinstance(self.alphabet, str):
            object.__setattr__(self, "alphabet", tuple(self.alphabet))
        checks.hold(self, alphabet=checks.many(checks.text))
        for symbol in self.alphabet:
            if len(symbol) != 1:
                raise ValueError(f"a symbol must be a single character, not {symbol!r}")

    def contains(self, w: str) -> bool:
        """Whether w is in the language; ValueError for another symbol, TypeError for no string."""
        [is_member] = self._said([checks.check_string(w, self.alphabet)])
        return is_member

    __contains__ = contains

    def over(self, alphabet: Sequence[str]) -> Language:
        """The language itself; ValueError unless these are its symbols, in any order."""
        if sorted(self.alphabet) != sorted(alphabet):
            raise ValueError(
                f"a language over {', '.join(alphabet)} is expected, not {self.name} over "
                f"{', '.join(self.alphabet) or 'no symbols'}"
            )
        return self

    def errors(self, strings: Iterable[str], accepted: Iterable[bool | None]) -> list[str]:
        """The strings decided incorrectly, `accepted` being one answer a string; None (undecided)
        counts as wrong.

        >>> PARITY.errors(["1", "11"], [True, True])
        ['11']
        """
        for what, things in (("strings", strings), ("accepted", accepted)):
            if not isinstance(things, Iterable):
                raise TypeError(f"{what} must be a list, not {things!r}")
        words, answers = list(strings), list(accepted)
        if len(words) != len(answers):
            raise ValueError(
                f"one answer for each string is expected, not {len(answers)}, {accepted!r}, for "
                f"{len(words)}, {strings!r}"
            )
        for answer in answers:
            checks.optional(checks.flag)(answer, "an answer that is not None")
        checks.check_strings(words, self.alphabet)
        return [
            w
            for w, answer, is_member in zip(words, answers, self._said(words), strict=True)
            if answer is None or bool(answer) != is_member
        ]

    def _said(self, words: list[str]) -> list[bool]:
        """Which of them are in the language; TypeError unless each answer is True or False."""
        meant = [*(self.predicates(words) if self.predicates else map(self.predicate, words))]
        if len(meant) != len(words):
            count = f"{len(meant)} for {len(words)}"
            raise ValueError(f"{self.name}: one answer for each string is expected, not {count}")
        says = f"the answer of {self.name} to"
        return [checks.flag(x, f"{says} {w!r}") for w, x in zip(words, meant, strict=True)]

    @checks.takes(length=checks.between(0))
    def all_strings(self, length: int) -> Iterator[str]:
        """Every string of exactly `length` symbols, in lexicographic order.

        >>> list(FIRST.all_strings(2))
        ['00', '01', '10', '11']
        """
        return map("".join, product(self.alphabet, repeat=length))

    @checks.takes(length=checks.between(0), size=checks.between(0))
    def sample(self, length: int, size: int, seed: int) -> list[str]:
        """`size` independent strings of exactly `length` symbols; the same seed gives the same
        strings.

        They are uniform, but for languages that uniform strings would hardly ever hit: ONE and
        PALINDROME (Nowak et al. 2022, appendix B), Dyck-1 and copying.

        >>> PARITY.sample(length=4, size=2, seed=0)
        ['1110', '0000']
        """
        draw = np.random.default_rng(checks.whole(seed, "a seed"))
        if self.symbols is None:
            drawn = draw.integers(len(self.alphabet), size=(size, length))
        else:
            drawn = self.symbols(size, length, draw)
        return ["".join(row) for row in np.array(self.alphabet)[drawn]]

    def kinds(self, length: int, size: int, draw: np.random.Generator) -> dict[str, list[str]]:
        """`size` strings of each kind: as `sample` draws them; in runs; and neighbours, which
        differ in one symbol and of which one is a member, where both are met.
        """
        rows = self.sample(length, size, int(draw.integers(2**31)))
        found = {"drawn": rows, "in runs": [self._in_runs(length, draw) for _ in range(size)]}
        met = [*found["drawn"][:TRIED], *found["in runs"][:TRIED]]
        members = [w for w in met if self.predicate(w)]
        others = [w for w in met if not self.predicate(w)]
        found["neighbours"] = []
        while members and others and len(found["neighbours"]) < size:
            member, other = str(draw.choice(members)), str(draw.choice(others))
            found["neighbours"] += self._neighbours(member, other, draw.permutation(length))
        return found

    def _in_runs(self, length: int, draw: np.random.Generator) -> str:
        runs = draw.integers(1, RUNS, length, endpoint=True)
        symbols = draw.choice([*self.alphabet], length)
        return "".join(a * n for a, n in zip(symbols.tolist(), runs.tolist(), strict=True))[:length]

    def _neighbours(self, member: str, other: str, order: np.ndarray) -> tuple[str, str]:
        """On a way from a member to another string, one symbol at a time in that order, two strings
        next to each other between which the answer changes: by bisection.
        """
        first, last = 0, len(order)

        def between_them(steps: int) -> str:
            mixed = [*member]
            for place in order[:steps].tolist():
                mixed[place] = other[place]
            return "".join(mixed)

        while last - first > 1:
            middle = (first + last) // 2
            is_in = self.predicate(between_them(middle))
            first, last = (middle, last) if is_in else (first, middle)
        return between_them(first), between_them(last)

    @checks.takes(accepts=checks.function, shortest=checks.between(1), longest=checks.between(1))
    @checks.takes(each=checks.between(1, 10**6), seed=checks.between(0, 2**63))
    def sampled(
        self,
        accepts: Accepts,
        shortest: int,
        longest: int,
        each: int = 100,
        seed: int = 0,
        is_over: Callable[[int], bool] = lambda length: False,
    ) -> Sample:
        """Holds what decides strings against `each` strings of each of the `kinds` and of each
        length from `shortest` to `longest`, or before the first that `is_over`. ValueError for no
        length.
        """
        if shortest > longest:
            raise ValueError(f"a longest length of at least {shortest} is expected, not {longest}")
        draw = np.random.default_rng(seed)
        strings, undecided = Counter[str](), Counter[str]()
        wrong = defaultdict[str, tuple[str, ...]](tuple)
        for length in takewhile(lambda n: not is_over(n), range(shortest, longest + 1)):
            for kind, words in self.kinds(length, each, draw).items():
                if words:
                    answers = [*accepts(words)]
                    errors = self.errors(words, answers)
                    open_ = {w for w, answer in zip(words, answers) if answer is None}
                    known = [w for w in errors if w not in open_]
                    strings[kind] += len(words)
                    wrong[kind] += (*known,)
                    undecided[kind] += len(errors) - len(known)
        return Sample({**strings}, {**wrong}, {**undecided})

    def __repr__(self) -> str:
        return self.name


PARITY = Language("PARITY", lambda w: w.count("1") % 2 == 1, definition="0*1(0*10*1)*0*")
FIRST = Language("FIRST", lambda w: w.startswith("1"), definition='once(Q("1") and position == 1)')
ONE = Language(
    "ONE", lambda w: w.count("1") == 1, symbols=few_ones, definition='count(Q("1")) == 1'
)
PALINDROME = Language("PALINDROME", lambda w: w == w[::-1], symbols=near_palindromes)
MAJORITY = Language(
    "MAJORITY", lambda w: 2 * w.count("1") > len(w), definition='count(Q("1")) > count(Q("0"))'
)
DYCK_1 = Language(
    "Dyck-1",
    is_dyck,
    ("(", ")"),
    near_dyck,
    definition='count(Q("(")) == count(Q(")")) and never(count(Q(")")) > count(Q("(")))',
)
