"""Pairs of sentences: what a corpus is, how it is split by length, and the hash that names it.

A sentence is a string of words with spaces between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from lib.checks import (
    between,
    flag,
    hold,
    many,
    optional,
    takes,
    text,
)


@dataclass(frozen=True)
class Pairs:
    """Sentences and what is to be made of them, one for one."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]

    def __post_init__(self):
        hold(self, sources=many(text), targets=many(text))
        if len(self.sources) != len(self.targets):
            raise ValueError(
                "as many targets as sources are expected, "
                f"not {len(self.targets)} and {len(self.sources)}"
            )

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, chosen: slice | Sequence[int]) -> Pairs:
        if isinstance(chosen, slice):
            numbers = range(len(self))[chosen]
        else:
            numbers = many(between(0, len(self) - 1))(chosen, "pairs")
        sources = tuple(self.sources[i] for i in numbers)
        targets = tuple(self.targets[i] for i in numbers)
        return Pairs(sources, targets)


@dataclass(frozen=True)
class Corpus:
    """Pairs to train on, to validate on, and to test on, the last by name; `ends_source`: an end
    symbol follows each source.
    """

    train: Pairs
    validation: Pairs
    tests: Mapping[str, Pairs]
    ends_source: bool = True

    def __post_init__(self):
        hold(self, train=Pairs, validation=Pairs, tests=Mapping, ends_source=flag)
        many(text)([*self.tests], "the names of tests")
        many(Pairs)([*self.tests.values()], "tests")


@takes(corpus=Corpus, most=optional(between(1)))
def short_to_long(corpus: Corpus, most: int | None = None) -> Corpus:
    """Trains on sources of at most `most` words, tests on those of more; without it, `most` is the
    median of the training sources (Chiang & Cholak 2022, 5.4).

    The paper parts at 20 tokens, its median. On tst2013, sources of more than 20 words hold two
    thirds of all words, where Table 1 prints three quarters of all tokens, on both sides: the paper
    seems to count subwords of the source. `most` counts words of the source.
    """
    middle = median([len(source.split()) for source in corpus.train.sources])
    longest = middle if most is None else most

    def part(pairs: Pairs, is_short: bool) -> Pairs:
        lengths = [len(source.split()) for source in pairs.sources]
        return pairs[[i for i, words in enumerate(lengths) if (words <= longest) == is_short]]

    return replace(
        corpus,
        train=part(corpus.train, True),
        validation=part(corpus.validation, True),
        tests={name: part(pairs, False) for name, pairs in corpus.tests.items()},
    )


@takes(corpus=Corpus, longest=between(1))
def without_longer(corpus: Corpus, longest: int) -> Corpus:
    """Trains on the pairs of at most so many words on either side; tests and validation stay."""
    lengths = [
        max(len(source.split()), len(target.split()))
        for source, target in zip(corpus.train.sources, corpus.train.targets, strict=True)
    ]
    return replace(
        corpus, train=corpus.train[[i for i, words in enumerate(lengths) if words <= longest]]
    )


@takes(corpus=Corpus)
def fingerprint(corpus: Corpus) -> str:
    """A hash of every sentence of a corpus, by which a stored run names the data that it is
    from.
    """
    parts = (corpus.train, corpus.validation, *corpus.tests.values())
    text = "\n".join(line for pairs in parts for line in (*pairs.sources, *pairs.targets))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
