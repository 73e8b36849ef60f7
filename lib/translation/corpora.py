"""Pairs of sentences by name: copying, counting, a generated pair of languages, and translations
from a folder of files.

A sentence is a string of words with spaces between. What is generated comes from a seed and needs
no file.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from lib.checks import positive, whole


@dataclass(frozen=True)
class Pairs:
    """Sentences and what is to be made of them, one for one."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]

    def __post_init__(self):
        if len(self.sources) != len(self.targets):
            raise ValueError(
                f"as many targets as sources are expected, not {len(self.targets)} and {len(self.sources)}"
            )

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, chosen: slice | Sequence[int]) -> Pairs:
        numbers = range(len(self))[chosen] if isinstance(chosen, slice) else chosen
        return Pairs(
            tuple(self.sources[i] for i in numbers), tuple(self.targets[i] for i in numbers)
        )


@dataclass(frozen=True)
class Corpus:
    """Pairs to train on, to validate on, and to test on, the last by name; `ends_source`: an end
    symbol follows each source.
    """

    train: Pairs
    validation: Pairs
    tests: Mapping[str, Pairs]
    ends_source: bool = True


def short_to_long(corpus: Corpus) -> Corpus:
    """Trains on sources of at most the training sources' median number of words, tests on those of
    more (Chiang & Cholak 2022, 5.4).
    """
    middle = median([len(source.split()) for source in corpus.train.sources])

    def part(pairs: Pairs, is_short: bool) -> Pairs:
        return pairs[
            [
                i
                for i, source in enumerate(pairs.sources)
                if (len(source.split()) <= middle) == is_short
            ]
        ]

    return replace(
        corpus,
        train=part(corpus.train, True),
        validation=part(corpus.validation, True),
        tests={name: part(pairs, False) for name, pairs in corpus.tests.items()},
    )


# ---- copying and counting (Bhattamishra et al. 2020, section 5)

TRAINED_LENGTHS = (5, 12)
TESTED_LENGTHS = ((5, 12), (13, 15), (16, 20), (21, 25), (26, 30))  # figure 3
HIGHEST, COUNTED = 100, 5


def copy(
    seed: int = 0, words: int = 500, train: int = 40_000, test: int = 1000, text: Path | None = None
) -> Corpus:
    """Sentences to be copied: `train` of 5-12 words, and `test` of each length in `TESTED_LENGTHS`.

    Words are drawn by Zipf's law in Mandelbrot's form, the r-th of `words` with a probability
    proportional to 1/(r + 2.7), and lengths uniformly. With `text` the sentences are lines of that
    file, shuffled; words beyond its `words` most frequent ones become "<unk>". ValueError where the
    file holds too few sentences of some length.
    """
    draw, groups = (
        np.random.default_rng(whole(seed, "a seed")),
        (TRAINED_LENGTHS, TRAINED_LENGTHS, *TESTED_LENGTHS),
    )
    sizes = [
        positive(size, "a number of sentences")
        for size in (train, test, *(test for _ in TESTED_LENGTHS))
    ]
    positive(words, "a number of words")
    parts = (
        _zipf(draw, groups, sizes, words)
        if text is None
        else _lines_of(text, draw, groups, sizes, words)
    )
    train_, validation, *tests = (Pairs(tuple(part), tuple(part)) for part in parts)
    return Corpus(
        train_,
        validation,
        {f"{low}-{high}": pairs for (low, high), pairs in zip(TESTED_LENGTHS, tests)},
    )


def _zipf(
    draw: np.random.Generator, groups: Sequence[tuple[int, int]], sizes: Sequence[int], words: int
) -> list[list[str]]:
    weight = 1 / (np.arange(1, words + 1) + 2.7)
    names = np.array([f"w{rank}" for rank in range(1, words + 1)])
    drawn = []
    for (low, high), size in zip(groups, sizes):
        lengths = draw.integers(low, high, size=size, endpoint=True)
        chosen = names[draw.choice(words, size=lengths.sum(), p=weight / weight.sum())]
        drawn.append([" ".join(part) for part in np.split(chosen, lengths.cumsum()[:-1])])
    return drawn


def _lines_of(
    text: Path,
    draw: np.random.Generator,
    groups: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    words: int,
) -> list[list[str]]:
    lines = [line.split() for line in read_lines(Path(text))]
    known = {
        word for word, _ in Counter(word for line in lines for word in line).most_common(words)
    }
    left = [
        " ".join(word if word in known else "<unk>" for word in lines[i])
        for i in draw.permutation(len(lines))
    ]
    drawn = []
    for (low, high), size in zip(groups, sizes):
        fitting = [number for number, line in enumerate(left) if low <= len(line.split()) <= high][
            :size
        ]
        if len(fitting) < size:
            raise ValueError(
                f"{text} has {len(fitting)} lines of {low} to {high} words left where {size} are needed"
            )
        drawn.append([left[number] for number in fitting])
        left = [line for number, line in enumerate(left) if number not in set(fitting)]
    return drawn


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


# ---- a generated pair of languages

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
NOUNS, VERBS, ADJECTIVES, PLACES = 60, 30, 20, 3


def generated(seed: int = 0, train: int = 4000, test: int = 300) -> Corpus:
    """A made-up pair of languages, in which translating takes more than a dictionary.

    The source says subject, object, places, verb; adjectives follow their noun, a plural and the
    object are endings of the noun. The target says subject, verb, object, places; articles and
    adjectives stand before the noun and agree with its gender and number, the verb agrees with its
    subject. Sentences are clauses joined by "and", with up to two adjectives to a noun and up to
    two places.
    """
    draw = np.random.default_rng(whole(seed, "a seed"))
    total = positive(train, "a number of sentences") + 2 * positive(test, "a number of sentences")
    pairs: dict[str, str] = {}
    grammar = _Grammar()
    while len(pairs) < total:  # no sentence twice: none of the tests is trained on
        source, target = grammar.sentence(draw)
        pairs.setdefault(source, target)
    every = Pairs(tuple(pairs), tuple(pairs.values()))
    return Corpus(every[:train], every[train : train + test], {"test": every[train + test :]})


class _Grammar:
    """The two languages: one dictionary, the same whatever is said in it."""

    def __init__(self):
        draw = np.random.default_rng(0)
        stems = list(dict.fromkeys("".join(draw.choice(SYLLABLES, size=2)) for _ in range(400)))
        source, target = (iter(stems[start:]) for start in (0, len(stems) // 2))
        self.nouns, self.verbs, self.adjectives, self.places = (
            [(next(source), next(target)) for _ in range(size)]
            for size in (NOUNS, VERBS, ADJECTIVES, PLACES)
        )

    def sentence(self, draw: np.random.Generator) -> tuple[str, str]:
        clauses = [self.clause(draw) for _ in range(1 + draw.binomial(2, 0.3))]
        return tuple(f" {word} ".join(part) for word, part in zip(("ke", "und"), zip(*clauses)))

    def clause(self, draw: np.random.Generator) -> tuple[str, str]:
        (subject, a, is_plural), (object_, b, _) = self.phrase(draw, ""), self.phrase(draw, "n")
        verb, says = self.verbs[draw.integers(VERBS)]
        where, there = [], []
        for _ in range(draw.binomial(2, 0.3)):
            (at, c, _), (after, before) = self.phrase(draw, "n"), self.places[draw.integers(PLACES)]
            where.append(f"{at} {after}")
            there.append(f"{before} {c}")
        return " ".join([subject, object_, *where, verb]), " ".join(
            [a, says + ("en" if is_plural else "et"), b, *there]
        )

    def phrase(self, draw: np.random.Generator, ending: str) -> tuple[str, str, bool]:
        """A noun with its adjectives in both languages, and whether it is in the plural."""
        number, is_plural = int(draw.integers(NOUNS)), bool(draw.random() < 0.4)
        (noun, means), gender = self.nouns[number], number % 2
        chosen = [
            self.adjectives[i]
            for i in draw.choice(ADJECTIVES, size=draw.binomial(2, 0.3), replace=False)
        ]
        there = " ".join(
            [noun + ("li" if is_plural else "") + ending, *(word for word, _ in chosen)]
        )
        article, agrees = (
            ("las", "as")
            if is_plural and gender
            else ("los", "os")
            if is_plural
            else ("la", "a")
            if gender
            else ("lo", "o")
        )
        return (
            there,
            " ".join(
                [
                    article,
                    *(word + agrees for _, word in reversed(chosen)),
                    means + ("s" if is_plural else ""),
                ]
            ),
            is_plural,
        )


# ---- translations from a folder


@dataclass(frozen=True)
class Source:
    """Where a corpus comes from: its two languages, the names of its files without the language,
    and their origin.
    """

    languages: tuple[str, str]
    train: str
    validation: str
    test: str
    origin: str

    def names(self) -> list[str]:
        return [
            f"{part}.{language}"
            for part in (self.train, self.validation, self.test)
            for language in self.languages
        ]


SOURCES: Mapping[str, Source] = {
    "multi30k": Source(
        ("de", "en"),
        "train",
        "val",
        "test_2016_flickr",
        "https://github.com/multi30k/dataset, folder data/task1/raw (*.gz)",
    ),
    "iwslt14": Source(
        ("de", "en"),
        "train",
        "valid",
        "test",
        "https://github.com/facebookresearch/fairseq, examples/translation/prepare-iwslt14.sh, which writes them to "
        "iwslt14.tokenized.de-en/tmp",
    ),
    "iwslt15": Source(
        ("en", "vi"),
        "train",
        "tst2012",
        "tst2013",
        "https://nlp.stanford.edu/projects/nmt/data/iwslt15.en-vi/",
    ),
}


def source_of(pair: str) -> Source:
    """The files of that pair; ValueError, with those that there are, for another."""
    if pair not in SOURCES:
        raise ValueError(f"no pair {pair!r}; there are {', '.join(SOURCES)}")
    return SOURCES[pair]


def files(pair: str, folder: Path) -> list[Path]:
    """The files of `pair` in `folder`, plain or with .gz. FileNotFoundError, with where they come
    from, if one is missing.
    """
    asked, folder = source_of(pair), Path(folder)
    found = {
        name: [path for path in (folder / name, folder / f"{name}.gz") if path.is_file()][:1]
        for name in asked.names()
    }
    if missing := [name for name, paths in found.items() if not paths]:
        raise FileNotFoundError(
            f"{pair} in {folder} lacks {', '.join(missing)}: the files {', '.join(asked.names())}, each plain or "
            f"as .gz, come from {asked.origin}"
        )
    return [path for [path] in found.values()]


def from_folder(pair: str, folder: Path) -> Corpus:
    """The translations of `pair` in `folder`.

    ValueError for an unknown pair, a file that cannot be read, an empty line or files of unequal
    numbers of lines; FileNotFoundError for missing files.
    """
    parts = []
    paths = iter(files(pair, folder))
    for one, other in zip(paths, paths):
        sides = read_lines(one), read_lines(other)
        for path, lines in zip((one, other), sides):
            if "" in lines:
                raise ValueError(f"line {lines.index('') + 1} of {path} is empty")
        if len(sides[0]) != len(sides[1]):
            raise ValueError(f"{one} has {len(sides[0])} lines, {other} has {len(sides[1])}")
        parts.append(Pairs(*map(tuple, sides)))
    return Corpus(parts[0], parts[1], {"test": parts[2]})


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, or of a .gz of one, stripped. ValueError, with its name, for one
    that cannot be read or holds none.
    """
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as text: {error}") from error
    lines = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if lines == [""]:
        raise ValueError(f"{path} holds no line")
    return lines


def fingerprint(corpus: Corpus) -> str:
    """A hash of every sentence of a corpus, by which a stored run names the data that it is from."""
    parts = (corpus.train, corpus.validation, *corpus.tests.values())
    text = "\n".join(line for pairs in parts for line in (*pairs.sources, *pairs.targets))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
