"""Sentences as numbers: whole words, or subwords by sentencepiece."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from lib.checks import an, between, many, positive, shown, takes, text
from lib.translation.corpora import Pairs
from lib.translation.model import BOS, EOS, PAD, UNK

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
