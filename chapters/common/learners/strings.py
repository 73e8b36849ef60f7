"""Strings as a learner meets them: one token for each symbol, or, where positions allow it, four
weighted tokens.

With no position encoding beyond [i=1], the positions from 2 on differ in their symbol only.
Attention cannot tell m equal tokens from one token whose attention logit is larger by log m, so a
string *is* four tokens: CLS, its first symbol, a 0 that stands for all later 0s and a 1 that stands
for all later 1s. Its length enters as a number: 10^9 symbols cost what 10 cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, lgamma, log, sqrt

import numpy as np
import torch
from torch import Tensor

from lib import languages
from lib.checks import check_string
from lib.languages import POISSON_RATE, Language

CLS = 2  # the code of CLS; those of "0" and "1" are 0 and 1
DEVIATIONS = 7  # counts further than that many standard deviations from the mean are left out
MOST_COUNTS = 400


@dataclass(frozen=True)
class Batch:
    """Strings for each member of an ensemble, padded to T tokens.

    `symbols` (members or 1, B, T) holds codes; `position` (members or 1, B, T) the positions i;
    `log_count` (members or 1, B, T) is the log of how many tokens each one stands for, -inf for
    padding; `n` (members or 1, B) is how many tokens there are, |w| + 1 without an end tag;
    `is_quotient` says whether a token may stand for several positions.
    """

    symbols: Tensor
    position: Tensor
    log_count: Tensor
    n: Tensor
    is_quotient: bool = False

    def __getitem__(self, strings: slice) -> Batch:
        """These strings of every member."""
        names = ("symbols", "position", "log_count", "n")
        return replace(self, **{name: getattr(self, name)[:, strings] for name in names})


def tokens(strings: Sequence[str]) -> Batch:
    """Strings of 0 and 1, of any lengths, as one token a symbol."""
    codes = [np.array([*map(int, check_string(w, ("0", "1")))], np.int64) for w in strings]
    return spelled(side_by_side(codes)[None])


def spelled(codes: np.ndarray) -> Batch:
    """Strings from codes of shape (members, B, longest), -1 behind each one's end."""
    codes = np.pad(codes, ((0, 0), (0, 0), (1, 0)), constant_values=CLS)
    is_token = codes >= 0
    return Batch(
        torch.from_numpy(np.where(is_token, codes, 0)),
        torch.arange(codes.shape[-1]).expand(1, *codes.shape[1:]),
        torch.from_numpy(np.where(is_token, 0.0, -np.inf)),
        torch.from_numpy(is_token.sum(-1)),
    )


def quotient(first: np.ndarray, rest: np.ndarray, length: np.ndarray | int) -> Batch:
    """Strings as four weighted tokens, by their first symbol, the number of 1s after it and their
    length >= 1: of shape (members, B), or that broadcasts to it.
    """
    first, rest, length = np.broadcast_arrays(first, rest, length)
    one = np.ones_like(first)
    symbols = np.stack([CLS * one, first, 0 * one, one], axis=-1)
    counts = np.stack([one, one, length - 1 - rest, rest], axis=-1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        log_count = np.log(counts)
    return Batch(
        torch.from_numpy(symbols.astype(np.int64)),
        torch.tensor([0, 1, 2, 2]).expand(1, first.shape[-1], 4),
        torch.from_numpy(log_count),
        torch.from_numpy(length + 1),
        is_quotient=True,
    )


Counts = tuple[np.ndarray, np.ndarray]  # first symbols and numbers of later 1s
Weighted = tuple[np.ndarray, np.ndarray, np.ndarray]  # the same, and a probability


def uniform_counts(length: np.ndarray, draw: np.random.Generator) -> Counts:
    """Uniform random strings of the given lengths, by their counts."""
    return draw.integers(2, size=length.shape), draw.binomial(length - 1, 0.5)


def uniform_distribution(length: int) -> Weighted:
    """All 2^length strings by their counts, with their binomial probabilities, but for tails of
    1e-11. Where more than `MOST_COUNTS` counts are left, evenly spaced ones stand for all: what is
    averaged with these weights changes slowly over a bell curve, where such a sum converges fast.
    """
    m, reach = length - 1, DEVIATIONS * sqrt(length) / 2
    rest = np.arange(max(0, floor(m / 2 - reach)), min(m, ceil(m / 2 + reach)) + 1)
    ratios = np.log(m - rest[:-1]) - np.log(rest[1:])  # C(m, k+1) / C(m, k) = (m - k) / (k + 1)
    log_weight = np.concatenate([[0.0], np.cumsum(ratios)])
    thinned = slice(None, None, max(1, len(rest) // MOST_COUNTS))
    rest = rest[thinned]
    weight = np.exp(log_weight - log_weight.max())[thinned]
    first = np.repeat([0, 1], len(rest))
    return first, np.tile(rest, 2), np.tile(weight / weight.sum() / 2, 2)


def poisson_counts(length: np.ndarray, draw: np.random.Generator) -> Counts:
    """Strings with a Poisson number of 1s at uniform places (Nowak et al. 2022, appendix B.2)."""
    ones = np.minimum(draw.poisson(POISSON_RATE, size=length.shape), length)
    first = (draw.random(length.shape) < ones / length).astype(np.int64)
    return first, ones - first


def poisson_distribution(length: int) -> Weighted:
    """The probabilities of those counts, but for a tail of 1e-18."""
    drawn = np.arange(30)
    log_factorial = np.array([lgamma(k + 1.0) for k in drawn])
    poisson = np.exp(drawn * log(POISSON_RATE) - POISSON_RATE - log_factorial)
    first = np.repeat([0, 1], len(drawn))
    ones = np.tile(np.minimum(drawn, length), 2)
    probability = np.tile(poisson, 2) * np.where(first == 1, ones, length - ones) / length
    possible = probability > 0
    rest = (ones - first)[possible]
    return first[possible], rest, probability[possible] / probability.sum()


@dataclass(frozen=True)
class Task:
    """A language that knows a string by its first symbol and its number of later 1s: `draw` gives
    random strings, `distribution` all of them with their probabilities, and `label` says by these
    and the lengths which are in the language.
    """

    language: Language
    draw: Callable[[np.ndarray, np.random.Generator], Counts]
    distribution: Callable[[int], Weighted]
    label: Callable[[np.ndarray, np.ndarray, np.ndarray | int], np.ndarray]


@dataclass(frozen=True)
class OrderTask:
    """A language that depends on the order of symbols: its strings are drawn by the language
    itself, at lengths that `multiple_of` divides, and have no quotient.
    """

    language: Language
    multiple_of: int = 1

    def draw(self, length: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """Random strings of the given lengths, or the next that it has below, as the codes of their
        symbols of shape (strings, longest), -1 behind each one's end.
        """
        symbols = self.language.symbols
        if symbols is None:
            raise ValueError(f"{self.language.name} has no way of drawing its strings")
        length = length - length % self.multiple_of
        codes = np.full((len(length), length.max()), -1)
        for n in np.unique(length):
            rows = np.flatnonzero(length == n)
            codes[rows, :n] = symbols(len(rows), n, draw)
        return np.where(codes >= CLS, codes + 1, codes)

    def label(self, codes: np.ndarray) -> np.ndarray:
        """Which strings, -1 behind their ends, are in the language: (members, B)."""
        symbols = np.array([*self.language.alphabet[:CLS], "", *self.language.alphabet[CLS:]])
        strings = [["".join(symbols[row[row >= 0]]) for row in rows] for rows in codes]
        return np.array([[self.language.contains(w) for w in group] for group in strings])


def copies(size: int, length: int, draw: np.random.Generator) -> np.ndarray:
    """Strings w#u with a uniform w and u a proper prefix of it, of uniform length, as 0, 1 and 2
    for "#" of shape (size, length).
    """
    copied = draw.integers(max(length, 2) // 2, size=size)[:, None]
    mark = length - 1 - copied
    w, place = draw.integers(2, size=(size, length)), np.arange(length)
    copy = np.take_along_axis(w, np.maximum(place - mark - 1, 0), axis=1)
    return np.select([place < mark, place == mark], [w, np.int64(2)], copy)


def copies_a_1(w: str) -> bool:
    """Whether w is x#u with u a proper prefix of x that a 1 follows there."""
    x, mark, u = w.partition("#")
    return bool(mark) and x.startswith(u + "1")


# One step of a copy as a language: x#u with u a proper prefix of x, of which x has a 1 next.
COPYING = Language("copying", copies_a_1, ("0", "1", "#"), copies)
UNIFORM = (uniform_counts, uniform_distribution)
POISSON = (poisson_counts, poisson_distribution)
TASKS: dict[str, Task | OrderTask] = {
    task.language.name: task
    for task in (
        OrderTask(languages.PALINDROME),
        Task(languages.FIRST, *UNIFORM, lambda first, rest, n: first == 1),
        Task(languages.PARITY, *UNIFORM, lambda first, rest, n: (first + rest) % 2 == 1),
        Task(languages.ONE, *POISSON, lambda first, rest, n: first + rest == 1),
        Task(languages.MAJORITY, *UNIFORM, lambda first, rest, n: 2 * (first + rest) > n),
        OrderTask(languages.DYCK_1, multiple_of=2),
        OrderTask(COPYING),
    )
}


def last_first(batch: Batch) -> Batch:
    """The strings with their last token in front: attention knows positions, but no order."""
    i, n = torch.arange(batch.symbols.shape[-1]), batch.n[..., None]
    order = torch.where(i < n, (i - 1) % n, i)
    rows = order.expand_as(batch.symbols)
    symbols, log_count = (part.gather(-1, rows) for part in (batch.symbols, batch.log_count))
    return replace(batch, symbols=symbols, log_count=log_count, position=order)


def side_by_side(parts: Sequence[np.ndarray], value: int = -1) -> np.ndarray:
    """Arrays (..., length) in one, (parts, ..., longest), with `value` behind the shorter ones."""
    longest = max(part.shape[-1] for part in parts)
    padded = np.full((len(parts), *parts[0].shape[:-1], longest), value, parts[0].dtype)
    for place, part in zip(padded, parts):
        place[..., : part.shape[-1]] = part
    return padded


def arranged(first: np.ndarray, rest: np.ndarray, length: np.ndarray, uniform: np.ndarray) -> Batch:
    """Strings with these counts and lengths, (members, B), whose later 1s stand where the numbers
    `uniform`, (members, B, as many or more), are least.
    """
    is_token = np.arange(1, length.max()) < length[..., None]
    place = np.where(is_token, uniform[..., : is_token.shape[-1]], np.inf)
    rank = place.argsort(axis=-1).argsort(axis=-1)
    later = np.where(is_token, rank < rest[..., None], -1)
    return spelled(np.concatenate([first[..., None], later], axis=-1))
