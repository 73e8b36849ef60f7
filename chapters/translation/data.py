"""Pairs of sentences, read from a folder or made up; and the same as symbols, in batches of like
lengths. A sentence is a string of words with spaces between.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from chapters.translation.model import BOS, EOS, PAD, UNK
from record.runs import read_yaml

RESERVED = ("<pad>", "<s>", "</s>", "<unk>")
COUNTED = 5  # numbers that follow one
SOURCES = read_yaml(Path(__file__).with_suffix(".yaml"))
Pairs = list[tuple[str, str]]  # sentences, each with what should be made of it


@dataclass(frozen=True)
class Corpus:
    """Pairs to train on, to validate on, and to test on, by name; whether sources have an end."""

    train: Pairs
    validation: Pairs
    tests: Mapping[str, Pairs]
    ends_source: bool = True


def fingerprint(corpus: Corpus) -> str:
    """A hash of every sentence, by which a stored run names the data that it is from."""
    parts = (corpus.train, corpus.validation, *corpus.tests.values())
    text = "\n".join(line for pairs in parts for side in zip(*pairs) for line in side)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- what is read from a folder


def names(pair: str) -> list[str]:
    """The names of a pair's files: the two languages of each part."""
    source = SOURCES[pair]
    parts = (source["train"], source["validation"], source["test"])
    return [f"{part}.{language}" for part in parts for language in source["languages"]]


def from_folder(pair: str, folder: Path) -> Corpus:
    """The translations of `pair`, one of `SOURCES`, without pairs that are empty on one side.
    ValueError for a broken file or unequal numbers of lines, FileNotFoundError for missing files.
    """
    paths = located(names(pair), SOURCES[pair]["origin"], folder)
    parts = []
    for source, target in zip(paths[::2], paths[1::2], strict=True):
        sides = [read_lines(source), read_lines(target)]
        if len(sides[0]) != len(sides[1]):
            raise ValueError(f"{source} has {len(sides[0])} lines, {target} has {len(sides[1])}")
        parts.append([pair for pair in zip(*sides, strict=True) if all(pair)])
    train, validation, test = parts
    return Corpus(train, validation, {"test": test})


def located(names: list[str], origin: str, folder: Path) -> list[Path]:
    """These files in `folder`, plain or as .gz; FileNotFoundError, with their origin, if not."""
    found = []
    for name in names:
        there = [*filter(Path.is_file, (folder / name, folder / f"{name}.gz"))]
        if not there:
            which = f"the files {', '.join(names)}, each plain or as .gz, are expected"
            raise FileNotFoundError(f"{folder} lacks {name}: {which}: they come from {origin}")
        found.append(there[0])
    return found


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, or a .gz of one, stripped; ValueError for a broken or empty one."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="\n") as file:
            lines = [line.strip() for line in file]
    except (OSError, EOFError, UnicodeError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as text: {error}") from error
    if not any(lines):
        raise ValueError(f"{path} holds no line")
    return lines


# ---- what is made up


def counting() -> Corpus:
    """A number from 1 to 100, to be followed by the next five: each ten times to train on, and once
    to test on (Bhattamishra et al. 2020, section 5, and the README of their code). No end symbol
    follows a source: the encoder is given a single input, as in proposition 4.3.
    """
    once = [(f"{n}", " ".join(f"{n + j}" for j in range(1, COUNTED + 1))) for n in range(1, 101)]
    return Corpus(10 * once, once, {"all": once}, ends_source=False)


def made_up() -> Corpus:
    """300 sentences of 3 to 29 made-up words, to be reversed: at hand wherever a run is checked."""
    draw = np.random.default_rng(0)
    sizes = draw.integers(3, 30, size=300)
    words = [[f"w{number}" for number in draw.integers(50, size=size)] for size in sizes]
    pairs = [(" ".join(line), " ".join(line[::-1])) for line in words]
    return Corpus(pairs, pairs[:30], {"test": pairs[:30]})


# ---- symbols


class Words:
    """Every word of the pairs, on either side, is a symbol; any other is `UNK`."""

    def __init__(self, pairs: Pairs):
        words = {word for pair in pairs for line in pair for word in line.split()}
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


def subwords(pairs: Pairs, size: int) -> SentencePieceProcessor:
    """`size` subwords, fewer if there are no more, of both sides of the pairs together: byte-pair
    encoding (Sennrich et al. 2016).
    """
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=chain(*zip(*pairs)),
        model_writer=model,
        vocab_size=size,
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
    return SentencePieceProcessor(model_proto=model.getvalue())


Vocabulary = Words | SentencePieceProcessor
Batches = Iterator[tuple[Tensor, ...]]  # padded sources (B, n), targets (B, m)


class Examples:
    """Pairs as symbols: each source (n,), each target (m,) with BOS before it and EOS after it; and
    the mean length of a source, which the encoder's attention sees.
    """

    def __init__(self, pairs: Pairs, vocabulary: Vocabulary, ends_source: bool):
        sources, targets = map(vocabulary.encode, map(list, zip(*pairs, strict=True)))
        self.sources = [torch.tensor(numbers + [EOS] * ends_source) for numbers in sources]
        self.targets = [torch.tensor([BOS, *numbers, EOS]) for numbers in targets]
        self.mean_length = float(np.mean([*map(len, self.sources)]))

    def batches(
        self,
        tokens: int,
        seed: Sequence[int],
        bucket: float | None = None,
        pairs: int | None = None,
    ) -> Batches:
        """All pairs in random order, those of like lengths together, B m about `tokens`. With
        `pairs` so many at once, of any lengths.

        Pairs are sorted by their target's length, then by their source's. With `bucket`, targets
        whose lengths differ by less than that factor count as alike, so that sources are too; from
        one bucket to the next the sources rise and fall in turn, as a batch may hold the end of one
        and the beginning of the next.
        """
        draw = np.random.default_rng(seed)
        if pairs is not None:
            order = draw.permutation(len(self.sources))
            groups = np.split(order, range(pairs, len(order), pairs))
        else:
            groups = self._alike(tokens, draw, bucket)
            groups = [groups[chosen] for chosen in draw.permutation(len(groups))]
        for group in groups:
            sides = ([side[i] for i in group] for side in (self.sources, self.targets))
            yield tuple(pad_sequence(side, batch_first=True, padding_value=PAD) for side in sides)

    def _alike(
        self, tokens: int, draw: np.random.Generator, bucket: float | None
    ) -> list[np.ndarray]:
        """The numbers of pairs of like lengths, of about `tokens` target symbols."""
        first, second = (np.array([*map(len, side)]) for side in (self.targets, self.sources))
        lengths, ties = first, draw.random(len(first))
        if bucket is not None:
            first = np.floor(np.log(lengths) / np.log(bucket))
            second = np.where(first % 2 == 0, second, -second)
        order = np.lexsort([ties, second, first])
        groups, start, longest = [], 0, 0
        for end, place in enumerate(order):
            longest = max(longest, lengths[place])
            if end > start and (end + 1 - start) * longest > tokens:
                groups.append(order[start:end])
                start, longest = end, lengths[place]
        return [*groups, order[start:]]
