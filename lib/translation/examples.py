"""Pairs of sentences as symbols, in batches of like lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.checks import an, between, flag, many, number, optional, takes
from lib.translation.corpora import Pairs
from lib.translation.model import BOS, EOS, LONGEST, PAD
from lib.translation.vocabulary import Subwords, Vocabulary, Words


def above_one(value: float, what: str) -> float:
    """`value` if it is a number above 1; otherwise ValueError with its name."""
    if not number(value, what) > 1:
        raise ValueError(f"{what} must be above 1, not {value!r}")
    return float(value)


@dataclass(frozen=True)
class Examples:
    """Pairs as symbols: each source (n,), each target (m,) with BOS before it and EOS behind."""

    sources: list[Tensor]
    targets: list[Tensor]

    @classmethod
    @takes(pairs=Pairs, vocabulary=an(Words, Subwords), ends_source=flag)
    def of(cls, pairs: Pairs, vocabulary: Vocabulary, ends_source: bool) -> Examples:
        """ValueError where there is no pair, or one that is empty or longer than positions are
        encoded.
        """
        if not len(pairs):
            raise ValueError("at least one pair of sentences is expected")
        sources = [numbers + [EOS] * ends_source for numbers in vocabulary.encode(pairs.sources)]
        targets = [[BOS, *numbers, EOS] for numbers in vocabulary.encode(pairs.targets)]
        for place, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
            if not (source and max(len(source), len(target)) <= LONGEST):
                raise ValueError(
                    f"pair {place} has {len(source)} source and {len(target)} target symbols: "
                    f"1 to {LONGEST} are expected"
                )
        return cls(
            [torch.tensor(part) for part in sources], [torch.tensor(part) for part in targets]
        )

    @property
    def mean_length(self) -> float:
        """The mean number of symbols in a source, its end symbol with it: what the encoder's
        attention and the decoder's attention to it see.
        """
        return float(np.mean([len(source) for source in self.sources]))

    @takes(tokens=between(1), seed=many(between(0, 2**63)), bucket=optional(above_one))
    def batches(
        self, tokens: int, seed: Sequence[int], bucket: float | None = None
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """All pairs in random order, those of like lengths together: padded source (B, n), target
        (B, m), B m about `tokens`.

        Pairs are sorted by their target's length, then by their source's. With `bucket`, targets
        whose lengths differ by less than that factor count as alike, so that sources are too; from
        one bucket to the next the sources rise and fall in turn, as a batch may hold the end of one
        and the beginning of the next.
        """
        draw = np.random.default_rng(seed)
        source_lengths = np.array([len(source) for source in self.sources])
        lengths = np.array([len(target) for target in self.targets])
        ties = draw.random(len(lengths))
        if bucket is None:
            order = np.lexsort([ties, source_lengths, lengths])
        else:
            buckets = np.floor(np.log(lengths) / np.log(bucket))
            in_turn = np.where(buckets % 2 == 0, source_lengths, -source_lengths)
            order = np.lexsort([ties, in_turn, buckets])
        groups, start, longest = [], 0, 0
        for end, place in enumerate(order):
            longest = max(longest, lengths[place])
            if end > start and (end + 1 - start) * longest > tokens:
                groups.append(order[start:end])
                start, longest = end, lengths[place]
        groups.append(order[start:])
        for chosen in draw.permutation(len(groups)):
            group = groups[chosen]
            yield (
                _padded([self.sources[i] for i in group]),
                _padded([self.targets[i] for i in group]),
            )


@takes(examples=Examples, tokens=between(1), bucket=optional(above_one))
def padding_share(examples: Examples, tokens: int, bucket: float | None = None) -> float:
    """The share of padding among all symbols, of both sides, in batches of about `tokens` target
    symbols.
    """
    sides = [side for batch in examples.batches(tokens, [0], bucket) for side in batch]
    padding = sum(int((side == PAD).sum()) for side in sides)
    return padding / sum(side.numel() for side in sides)


def _padded(sequences: list[Tensor]) -> Tensor:
    """Symbols (B, the longest), with `PAD` on the right."""
    return pad_sequence(sequences, batch_first=True, padding_value=PAD)
