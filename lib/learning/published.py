"""The random strings behind the records of Nowak et al. 2022, in the order they were drawn.

A run draws from Python's `random` and, for ONE's number of 1s, from NumPy's old generator, both
with the same seed. Training and test strings come from the same generators in turn: an epoch draws
101 strings to train on and 101 to test on, and uses 100 of each.

Source: github.com/giacomocamposampiero/palindrome-transformer, at commit 681d35d.
"""

from __future__ import annotations

from random import Random

import numpy as np

from lib.checks import positive
from lib.languages import POISSON_RATE

SEEDS = (477, 653, 720, 497, 112, 350, 246, 634, 307, 655)
SEEDS += (51, 737, 876, 611, 139, 291, 558, 47, 396, 210)
USED = 100  # strings of an epoch
DRAWN = 101  # strings that are drawn for it
END_TAG = 3  # the code of the tag that only PALINDROME has
LANGUAGES = ("FIRST", "PARITY", "ONE", "PALINDROME")


class Coins:
    """Fair bits in the order in which `Random(seed).randrange(2)` gives them.

    Python takes the first two bits of a 32-bit word as a number, and draws again if it is 2 or 3.
    """

    def __init__(self, seed: int):
        *key, position = Random(seed).getstate()[1]
        self.words = np.random.RandomState()
        self.words.set_state(("MT19937", np.array(key, dtype=np.uint32), position, 0, 0.0))
        self.left = np.zeros(0, dtype=np.int8)

    def __call__(self, size: int) -> np.ndarray:
        """The next `size` bits, int8."""
        bits = self.left
        while len(bits) < size:
            missing = size - len(bits)
            words = self.words.randint(1 << 32, size=2 * missing + 64, dtype=np.uint32)
            numbers = (words >> 30).astype(np.int8)
            bits = np.concatenate([bits, numbers[numbers < 2]])
        self.left = bits[size:]
        return bits[:size]


class PublishedStrings:
    """The strings of one run, a hundred at a time.

    With `shortest`, each string has a length of its own, uniform between that and the length asked
    for. ValueError for a language that the records do not have.
    """

    def __init__(self, language: str, seed: int, shortest: int | None = None):
        if language not in LANGUAGES:
            raise ValueError(f"a language of {', '.join(LANGUAGES)} is expected, not {language!r}")
        self.language = language
        self.shortest = shortest
        is_uniform = language in ("FIRST", "PARITY") and shortest is None
        self.coins = Coins(seed) if is_uniform else None
        self.draw = Random(seed)
        self.counts = np.random.RandomState(seed)

    def __call__(self, length: int) -> np.ndarray:
        """The next hundred strings as 0/1 of shape (100, longest), -1 behind each one's end; the
        end tag of a palindrome is a 3.
        """
        positive(length, "a length")
        if self.coins is not None:
            return self.coins(DRAWN * length).reshape(DRAWN, length)[:USED]
        drawn = [self.string(length) for _ in range(DRAWN)]
        return _padded(drawn[:USED])

    def string(self, length: int) -> list[int]:
        """The next string, as 0/1."""
        if self.shortest is not None:
            length = self.draw.randrange(self.shortest, length + 1)
        if self.language == "ONE":
            return self._few_ones(length)
        if self.language == "PALINDROME":
            return self._near_palindrome(length)
        return [self.draw.randrange(2) for _ in range(length)]

    def _few_ones(self, length: int) -> list[int]:
        ones = min(length, int(self.counts.poisson(POISSON_RATE)))
        w = [0] * length
        for place in self.draw.sample(range(length), ones):
            w[place] = 1
        return w

    def _near_palindrome(self, length: int) -> list[int]:
        """A palindrome of an even number of symbols, with one flip in every other one.

        An odd length loses its middle symbol, as it did when the records were made.
        """
        half = [self.draw.randrange(2) for _ in range(length // 2)]
        w = half + half[::-1]
        if self.draw.randrange(2) and w:
            place = self.draw.randrange(len(w))
            w[place] = 1 - w[place]
        return [*w, END_TAG]


def _padded(strings: list[list[int]]) -> np.ndarray:
    """The strings as rows, -1 behind each one's end."""
    longest = max(map(len, strings))
    return np.array([w + [-1] * (longest - len(w)) for w in strings], dtype=np.int8)
