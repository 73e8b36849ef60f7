"""Pairs of sentences: what a corpus is, how it is split by length, and the hash that names it.

A sentence is a string of words with spaces between.

Sentences as numbers: whole words, or subwords by sentencepiece.

Pairs of sentences as symbols, in batches of like lengths.

Copying and counting, the tasks of Bhattamishra et al. 2020, section 5, drawn from a seed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from statistics import median

import numpy as np
import torch
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.checks import (
    an,
    between,
    flag,
    hold,
    many,
    number,
    optional,
    positive,
    shown,
    takes,
    text,
    whole,
)
from lib.translation.model import BOS, EOS, LONGEST, PAD, UNK


@takes(path=an(str, Path))
def read_lines(path: str | Path) -> list[str]:
    """The lines of a text file, or of a .gz of one, stripped. ValueError, with its name, for one
    that cannot be read or holds none.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            raw = gzip.decompress(raw)
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as text: {error}") from error
    lines = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if lines == [""]:
        raise ValueError(f"{path} holds no line")
    return lines


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


RESERVED = ("<pad>", "<s>", "</s>", "<unk>")


class Words:
    """Every word of the pairs, on either side, is a symbol; any other is `UNK`."""

    @takes(pairs=Pairs)
    def __init__(self, pairs: Pairs):
        words = {word for line in chain(pairs.sources, pairs.targets) for word in line.split()}
        self.symbols = (*RESERVED, *sorted(words - {*RESERVED}))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.symbols)}

    def __len__(self) -> int:
        return len(self.symbols)

    @takes(sentences=many(text))
    def encode(self, sentences: Sequence[str]) -> list[list[int]]:
        return [[self._numbers.get(word, UNK) for word in line.split()] for line in sentences]

    @takes(numbers=many(between(0)))
    def decode(self, numbers: Sequence[int]) -> str:
        _check_symbols(numbers, len(self))
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
                vocab_size=positive(size, "a number of subwords"),
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
    @takes(model=an(bytes))
    def of_model(cls, model: bytes) -> Subwords:
        """Those of a model of sentencepiece, as `model` gives it; ValueError for other bytes."""
        found = cls.__new__(cls)
        found._pieces = SentencePieceProcessor()
        try:
            found._pieces.load_from_serialized_proto(model)
        except RuntimeError as error:
            raise ValueError(f"a model of sentencepiece is expected, not {shown(model)}") from error
        return found

    @property
    def model(self) -> bytes:
        """The subwords as sentencepiece writes them."""
        return self._pieces.serialized_model_proto()

    def __len__(self) -> int:
        return self._pieces.vocab_size()

    @takes(sentences=many(text))
    def encode(self, sentences: Sequence[str]) -> list[list[int]]:
        try:
            return self._pieces.encode(list(sentences))
        except TypeError as error:
            raise ValueError(
                f"sentences that UTF-8 can hold are expected, not {shown(sentences)}"
            ) from error

    @takes(numbers=many(between(0)))
    def decode(self, numbers: Sequence[int]) -> str:
        _check_symbols(numbers, len(self))
        return self._pieces.decode([int(number) for number in numbers])


def _check_symbols(numbers: Sequence[int], size: int) -> None:
    """ValueError for a number that no symbol of a vocabulary of that size has."""
    if len(numbers) and max(numbers) >= size:
        raise ValueError(f"numbers of {size} symbols are expected, not {max(numbers)}")


Vocabulary = Words | Subwords


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


TRAINED_LENGTHS = (5, 12)
TESTED_LENGTHS = ((5, 12), (13, 15), (16, 20), (21, 25), (26, 30))  # figure 3
HIGHEST = 100  # number to count from
COUNTED = 5  # numbers that follow it

Lengths = Sequence[tuple[int, int]]  # the fewest and the most words of each group of sentences


@takes(
    seed=between(0, 2**63),
    words=between(1),
    train=between(1),
    test=between(1),
    text=optional(an(str, Path)),
)
def copy(
    seed: int = 0, words: int = 500, train: int = 40_000, test: int = 1000, text: Path | None = None
) -> Corpus:
    """Sentences to be copied: `train` of 5-12 words, and `test` of each length in `TESTED_LENGTHS`.

    Words are drawn by Zipf's law in Mandelbrot's form, the r-th of `words` with a probability
    proportional to 1/(r + 2.7), and lengths uniformly. With `text` the sentences are lines of that
    file, shuffled; words beyond its `words` most frequent ones become "<unk>". ValueError where the
    file holds too few sentences of some length.
    """
    draw = np.random.default_rng(whole(seed, "a seed"))
    positive(train, "a number of sentences")
    positive(test, "a number of sentences")
    positive(words, "a number of words")
    lengths = (TRAINED_LENGTHS, TRAINED_LENGTHS, *TESTED_LENGTHS)
    sizes = [train, test, *(test for _ in TESTED_LENGTHS)]
    if text is None:
        groups = _zipf(draw, lengths, sizes, words)
    else:
        groups = _lines_of(Path(text), draw, lengths, sizes, words)
    trained, validation, *tests = (Pairs(tuple(group), tuple(group)) for group in groups)
    names = [f"{low}-{high}" for low, high in TESTED_LENGTHS]
    return Corpus(trained, validation, dict(zip(names, tests, strict=True)))


def _zipf(
    draw: np.random.Generator, lengths: Lengths, sizes: Sequence[int], words: int
) -> list[list[str]]:
    """So many sentences of each group, their words drawn by Zipf's law."""
    weight = 1 / (np.arange(1, words + 1) + 2.7)
    names = np.array([f"w{rank}" for rank in range(1, words + 1)])
    groups = []
    for (low, high), size in zip(lengths, sizes, strict=True):
        drawn = draw.integers(low, high, size=size, endpoint=True)
        chosen = names[draw.choice(words, size=drawn.sum(), p=weight / weight.sum())]
        sentences = np.split(chosen, drawn.cumsum()[:-1])
        groups.append([" ".join(sentence) for sentence in sentences])
    return groups


def _lines_of(
    text: Path, draw: np.random.Generator, lengths: Lengths, sizes: Sequence[int], words: int
) -> list[list[str]]:
    """So many lines of a text in each group, no line twice."""
    left = _shuffled_lines(text, draw, words)
    groups = []
    for (low, high), size in zip(lengths, sizes, strict=True):
        fitting = [i for i, line in enumerate(left) if low <= len(line.split()) <= high]
        if len(fitting) < size:
            raise ValueError(
                f"{text} has {len(fitting)} lines of {low} to {high} words left "
                f"where {size} are needed"
            )
        chosen = fitting[:size]
        groups.append([left[i] for i in chosen])
        taken = set(chosen)
        left = [line for i, line in enumerate(left) if i not in taken]
    return groups


def _shuffled_lines(text: Path, draw: np.random.Generator, words: int) -> list[str]:
    """The lines of a text in random order, with "<unk>" for all but its `words` most frequent
    words.
    """
    lines = [line.split() for line in read_lines(text)]
    counts = Counter(word for line in lines for word in line)
    known = {word for word, _ in counts.most_common(words)}
    order = draw.permutation(len(lines))
    return [" ".join(word if word in known else "<unk>" for word in lines[i]) for i in order]


def counting() -> Corpus:
    """A number from 0 to 100, to be followed by the next five: all of them to train on, and all to
    test on.

    No end symbol follows a source: the encoder is given a single input, as in proposition 4.3.
    """
    numbers = range(HIGHEST + 1)
    pairs = Pairs(
        tuple(map(str, numbers)),
        tuple(" ".join(str(n + j) for j in range(1, COUNTED + 1)) for n in numbers),
    )
    return Corpus(pairs, pairs, {"all": pairs}, ends_source=False)
