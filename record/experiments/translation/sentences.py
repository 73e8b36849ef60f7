"""A generated pair of languages, in which translating takes more than a dictionary.

Translations from a folder of files: which pairs there are, where their files come from, and
reading them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.checks import an, between, positive, shown, takes, text, whole
from lib.translation.data import Corpus, Pairs, read_lines

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
NOUNS, VERBS, ADJECTIVES, PLACES = 60, 30, 20, 3
MOST = 10**6  # sentences to train on or to test on
# Article and the ending of adjectives in the target, by whether the noun is in the plural and by
# its gender.
AGREEMENT = {
    (False, 0): ("lo", "o"),
    (False, 1): ("la", "a"),
    (True, 0): ("los", "os"),
    (True, 1): ("las", "as"),
}

Phrase = tuple[str, str]  # in the source and in the target


@takes(train=between(1, MOST), test=between(1, MOST))
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
    """The two languages: one dictionary, the same for all their sentences."""

    def __init__(self):
        draw = np.random.default_rng(0)
        stems = list(dict.fromkeys("".join(draw.choice(SYLLABLES, size=2)) for _ in range(400)))
        middle = len(stems) // 2
        self._words = zip(stems[:middle], stems[middle:], strict=False)
        self.nouns = self._next(NOUNS)
        self.verbs = self._next(VERBS)
        self.adjectives = self._next(ADJECTIVES)
        self.places = self._next(PLACES)

    def _next(self, size: int) -> list[Phrase]:
        """So many words of both languages that have no meaning yet."""
        return [next(self._words) for _ in range(size)]

    def sentence(self, draw: np.random.Generator) -> Phrase:
        clauses = [self.clause(draw) for _ in range(1 + draw.binomial(2, 0.3))]
        source = " ke ".join(source for source, _ in clauses)
        target = " und ".join(target for _, target in clauses)
        return source, target

    def clause(self, draw: np.random.Generator) -> Phrase:
        (subject, its_target), is_plural = self.phrase(draw, "")
        (object_, object_target), _ = self.phrase(draw, "n")
        verb, verb_target = self.verbs[draw.integers(VERBS)]
        places = [self.place(draw) for _ in range(draw.binomial(2, 0.3))]
        source = [subject, object_, *(place for place, _ in places), verb]
        agreeing = verb_target + ("en" if is_plural else "et")
        target = [its_target, agreeing, object_target, *(place for _, place in places)]
        return " ".join(source), " ".join(target)

    def place(self, draw: np.random.Generator) -> Phrase:
        """A phrase with the word that says where: behind it in the source, before it in the
        target.
        """
        (source, target), _ = self.phrase(draw, "n")
        after, before = self.places[draw.integers(PLACES)]
        return f"{source} {after}", f"{before} {target}"

    def phrase(self, draw: np.random.Generator, ending: str) -> tuple[Phrase, bool]:
        """A noun with its adjectives in both languages, and whether it is in the plural."""
        number = int(draw.integers(NOUNS))
        is_plural = bool(draw.random() < 0.4)
        noun, noun_target = self.nouns[number]
        size = draw.binomial(2, 0.3)
        chosen = draw.choice(ADJECTIVES, size=size, replace=False)
        adjectives = [self.adjectives[i] for i in chosen]
        article, agreeing = AGREEMENT[is_plural, number % 2]
        source = [noun + ("li" if is_plural else "") + ending, *(word for word, _ in adjectives)]
        before = [word + agreeing for _, word in reversed(adjectives)]
        target = [article, *before, noun_target + ("s" if is_plural else "")]
        return (" ".join(source), " ".join(target)), is_plural


@dataclass(frozen=True)
class PairSource:
    """Where a corpus comes from: its two languages, the names of its files without the language,
    and their origin.

    With `has_gaps` some lines to train on are empty on one side, and such a pair is left out. A
    stored run quotes sentences only where the corpus `is_quotable`.
    """

    languages: tuple[str, str]
    train: str
    validation: str
    test: str
    origin: str
    has_gaps: bool = False
    is_quotable: bool = False

    def names(self) -> list[str]:
        return [
            f"{part}.{language}"
            for part in (self.train, self.validation, self.test)
            for language in self.languages
        ]


SOURCES: Mapping[str, PairSource] = {
    "multi30k": PairSource(
        ("de", "en"),
        "train",
        "val",
        "test_2016_flickr",
        "https://github.com/multi30k/dataset, folder data/task1/raw (*.gz)",
        is_quotable=True,
    ),
    "iwslt14": PairSource(
        ("de", "en"),
        "train",
        "valid",
        "test",
        "https://github.com/facebookresearch/fairseq, examples/translation/prepare-iwslt14.sh, "
        "which writes them to iwslt14.tokenized.de-en/tmp",
    ),
    "iwslt15": PairSource(
        ("en", "vi"),
        "train",
        "tst2012",
        "tst2013",
        "https://nlp.stanford.edu/projects/nmt/data/iwslt15.en-vi/, or its first lines of train; "
        "the texts are those of TED's talks (CC BY-NC-ND 4.0)",
        has_gaps=True,
    ),
    "ted": PairSource(
        ("en", "fr"),
        "train",
        "dev",
        "test",
        "talks of TED in English and French, https://wit3.fbk.eu (CC BY-NC-ND 4.0), the text "
        "alone, a segment a line",
    ),
}


@takes(pair=text)
def source_of(pair: str) -> PairSource:
    """The files of that pair; ValueError, with those that there are, for another."""
    if pair not in SOURCES:
        raise ValueError(f"no pair {shown(pair)}; there are {', '.join(SOURCES)}")
    return SOURCES[pair]


@takes(folder=an(str, Path))
def files(pair: str, folder: Path) -> list[Path]:
    """The files of `pair` in `folder`, plain or with .gz. FileNotFoundError, with where they come
    from, if one is missing.
    """
    source = source_of(pair)
    paths, missing = [], []
    for name in source.names():
        path = _plain_or_packed(Path(folder), name)
        if path is None:
            missing.append(name)
        else:
            paths.append(path)
    if missing:
        raise FileNotFoundError(
            f"{pair} in {folder} lacks {', '.join(missing)}: the files "
            f"{', '.join(source.names())}, each plain or as .gz, are expected: "
            f"they come from {source.origin}"
        )
    return paths


def _plain_or_packed(folder: Path, name: str) -> Path | None:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


@takes(folder=an(str, Path))
def from_folder(pair: str, folder: Path) -> Corpus:
    """The translations of `pair` in `folder`.

    ValueError for an unknown pair, a file that cannot be read, an empty line (but to train on, of
    a pair that has such gaps) or files of unequal numbers of lines; FileNotFoundError for missing
    files.
    """
    paths, has_gaps = files(pair, folder), source_of(pair).has_gaps
    train, validation, test = (
        _read_pairs(source, target, may_lack=has_gaps and part == 0)
        for part, (source, target) in enumerate(zip(paths[::2], paths[1::2], strict=True))
    )
    return Corpus(train, validation, {"test": test})


def _read_pairs(source: Path, target: Path, may_lack: bool) -> Pairs:
    """The sentences of two files, one for one; where pairs `may_lack` a side, without those."""
    sources, targets = read_lines(source), read_lines(target)
    if len(sources) != len(targets):
        raise ValueError(f"{source} has {len(sources)} lines, {target} has {len(targets)}")
    pairs = Pairs(tuple(sources), tuple(targets))
    if may_lack:
        return pairs[[i for i, pair in enumerate(zip(sources, targets)) if all(pair)]]
    for path, lines in ((source, sources), (target, targets)):
        if "" in lines:
            raise ValueError(f"line {lines.index('') + 1} of {path} is empty")
    return pairs
