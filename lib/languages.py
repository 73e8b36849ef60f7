"""The formal languages of the book: membership, enumeration and seeded sampling. Exact and free of any transformer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np


@dataclass(frozen=True)
class Language:
    """A set of strings over `alphabet`, given by a predicate that sees valid strings only.

    >>> PARITY.contains("0111"), "10" in FIRST
    (True, True)
    """

    name: str
    predicate: Callable[[str], bool]
    alphabet: tuple[str, ...] = ("0", "1")

    def contains(self, w: str) -> bool:
        """Whether w is in the language; ValueError for a symbol outside the alphabet, TypeError for no string."""
        return self.predicate(check_string(w, self.alphabet))

    __contains__ = contains

    def errors(self, strings: Iterable[str], accepted: Iterable[bool | None]) -> list[str]:
        """The strings decided wrongly, `accepted` being one answer a string; None (undecided) counts as wrong.

        >>> PARITY.errors(["1", "11"], [True, True])
        ['11']
        """
        return [w for w, answer in zip(strings, accepted, strict=True) if answer is None or bool(answer) != self.contains(w)]

    def all_strings(self, length: int) -> Iterator[str]:
        """Every string of exactly `length` symbols, in lexicographic order.

        >>> list(FIRST.all_strings(2))
        ['00', '01', '10', '11']
        """
        return map("".join, product(self.alphabet, repeat=whole(length, "a length")))

    def sample(self, length: int, size: int, seed: int) -> list[str]:
        """`size` strings of exactly `length` symbols, uniform and independent; the same seed gives the same strings.

        >>> PARITY.sample(length=4, size=2, seed=0)
        ['1110', '0000']
        """
        draws = np.random.default_rng(whole(seed, "a seed")).integers(
            len(self.alphabet), size=(whole(size, "a number of strings"), whole(length, "a length")))
        return ["".join(row) for row in np.array(self.alphabet)[draws]]

    def __repr__(self) -> str:
        return self.name


def check_string(w: str, alphabet: tuple[str, ...]) -> str:
    """`w` itself if it is a string over `alphabet`; ValueError for another symbol, TypeError for no string."""
    if not isinstance(w, str):
        raise TypeError(f"a string over {{{', '.join(alphabet)}}} is expected, not {w!r}")
    for i, symbol in enumerate(w, start=1):
        if symbol not in alphabet:
            raise ValueError(f"symbol {symbol!r} at position {i} is not in the alphabet {{{', '.join(alphabet)}}}")
    return w


def whole(value: int, what: str) -> int:
    """`value` if it is an integer that is at least 0; otherwise ValueError with its name."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"{what} must be an integer that is at least 0, not {value!r}")
    return int(value)


def positive(value: int, what: str) -> int:
    """`value` if it is an integer that is at least 1; otherwise ValueError with its name."""
    if whole(value, what) == 0:
        raise ValueError(f"{what} must be at least 1, not 0")
    return int(value)


PARITY = Language("PARITY", lambda w: w.count("1") % 2 == 1)
FIRST = Language("FIRST", lambda w: w.startswith("1"))
ONE = Language("ONE", lambda w: w.count("1") == 1)
