"""Pairs of sentences, and the same as symbols, in batches of like lengths.

A sentence is a string of words with spaces between. Its symbols are whole words, or subwords by
sentencepiece.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from chapters.translation.model import BOS, EOS, LONGEST, PAD, UNK
from lib.checks import between, flag, hold, many, shown, takes, text

RESERVED = ("<pad>", "<s>", "</s>", "<unk>")
HIGHEST = 100  # number to count from
COUNTED = 5  # numbers that follow it


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
        numbers = range(len(self))[chosen] if isinstance(chosen, slice) else chosen
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


def counting() -> Corpus:
    """A number from 0 to 100, to be followed by the next five: all of them to train on, and all to
    test on (Bhattamishra et al. 2020, section 5).

    No end symbol follows a source: the encoder is given a single input, as in proposition 4.3.
    """
    numbers = range(HIGHEST + 1)
    pairs = Pairs(
        tuple(map(str, numbers)),
        tuple(" ".join(str(n + j) for j in range(1, COUNTED + 1)) for n in numbers),
    )
    return Corpus(pairs, pairs, {"all": pairs}, ends_source=False)


class Words:
    """Every word of the pairs, on either side, is a symbol; any other is `UNK`."""

    @takes(pairs=Pairs)
    def __init__(self, pairs: Pairs):
        words = {word for line in chain(pairs.sources, pairs.targets) for word in line.split()}
        self.symbols = (*RESERVED, *sorted(words - {*RESERVED}))
        self._numbers = {word: number for number, word in enumerate(self.symbols)}

    def __len__(self) -> int:
        return len(self.symbols)

    def encode(self, sentences: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence's words."""
        return [[self._numbers.get(word, UNK) for word in line.split()] for line in sentences]

    def decode(self, numbers: Sequence[int]) -> str:
        """The sentence of the words with these numbers."""
        return " ".join(self.symbols[number] for number in numbers)


class Subwords:
    """`size` subwords, fewer if there are no more, of both sides of the pairs together: byte-pair
    encoding (Sennrich et al. 2016).
    """

    @takes(pairs=Pairs, size=between(1, 10**6))
    def __init__(self, pairs: Pairs, size: int):
        model = io.BytesIO()
        try:
            SentencePieceTrainer.train(
                sentence_iterator=chain(pairs.sources, pairs.targets),
                model_writer=model,
                vocab_size=int(size),
                model_type="bpe",
                character_coverage=1.0,
                hard_vocab_limit=False,
                num_threads=1,
                minloglevel=2,
                pad_id=PAD,
                bos_id=BOS,
                eos_id=EOS,
                unk_id=UNK,
            )
        except RuntimeError as error:
            raise ValueError(
                f"no {size} subwords can be learned from these {len(pairs)} pairs: {error}"
            ) from error
        self._pieces = SentencePieceProcessor(model_proto=model.getvalue())

    @classmethod
    def of_model(cls, model: bytes) -> Subwords:
        """Those of a model of sentencepiece, as `model` gives it; RuntimeError for other bytes."""
        found = cls.__new__(cls)
        found._pieces = SentencePieceProcessor()
        found._pieces.load_from_serialized_proto(model)
        return found

    @property
    def model(self) -> bytes:
        """The subwords as sentencepiece writes them."""
        return self._pieces.serialized_model_proto()

    def __len__(self) -> int:
        return self._pieces.vocab_size()

    def encode(self, sentences: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence's subwords; ValueError for what UTF-8 cannot hold."""
        try:
            return self._pieces.encode(list(sentences))
        except TypeError as error:
            raise ValueError(
                f"sentences that UTF-8 can hold are expected, not {shown(sentences)}"
            ) from error

    def decode(self, numbers: Sequence[int]) -> str:
        """The sentence of the subwords with these numbers."""
        return self._pieces.decode(list(numbers))


Vocabulary = Words | Subwords


@dataclass(frozen=True)
class Examples:
    """Pairs as symbols: each source (n,), each target (m,) with BOS before it and EOS behind."""

    sources: list[Tensor]
    targets: list[Tensor]

    @classmethod
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

    def batches(
        self,
        tokens: int,
        seed: Sequence[int],
        bucket: float | None = None,
        pairs: int | None = None,
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """All pairs in random order, those of like lengths together: padded source (B, n), target
        (B, m), B m about `tokens`. With `pairs` so many at once, of any lengths.

        Pairs are sorted by their target's length, then by their source's. With `bucket`, targets
        whose lengths differ by less than that factor count as alike, so that sources are too; from
        one bucket to the next the sources rise and fall in turn, as a batch may hold the end of one
        and the beginning of the next.
        """
        draw = np.random.default_rng(seed)
        if pairs is not None:
            order = draw.permutation(len(self.sources)).tolist()
            for start in range(0, len(order), pairs):
                group = order[start : start + pairs]
                yield _padded(self.sources, group), _padded(self.targets, group)
            return
        source_lengths = np.array([len(source) for source in self.sources])
        lengths = np.array([len(target) for target in self.targets])
        ties = draw.random(len(lengths))
        first, second = lengths, source_lengths
        if bucket is not None:
            first = np.floor(np.log(lengths) / np.log(bucket))
            second = np.where(first % 2 == 0, source_lengths, -source_lengths)
        order = np.lexsort([ties, second, first])
        groups, start, longest = [], 0, 0
        for end, place in enumerate(order):
            longest = max(longest, lengths[place])
            if end > start and (end + 1 - start) * longest > tokens:
                groups.append(order[start:end])
                start, longest = end, lengths[place]
        groups.append(order[start:])
        for chosen in draw.permutation(len(groups)):
            group = groups[chosen]
            yield _padded(self.sources, group), _padded(self.targets, group)


def _padded(sequences: list[Tensor], group: Sequence[int]) -> Tensor:
    """The symbols of a group of sequences (B, the longest), with `PAD` on the right."""
    chosen = [sequences[i] for i in group]
    return pad_sequence(chosen, batch_first=True, padding_value=PAD)
