"""Copying and counting, the tasks of Bhattamishra et al. 2020, section 5, drawn from a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.checks import (
    an,
    between,
    optional,
    positive,
    takes,
    whole,
)
from lib.translation.corpora import Corpus, Pairs
from lib.translation.folders import read_lines

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
