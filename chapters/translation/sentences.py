"""The sentences that are translated: of pairs of languages that are read from a folder, and of a
made-up pair; and what is done with a corpus before it is trained on.
"""

import gzip
import hashlib
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from chapters.translation.data import Corpus, Pairs
from lib.checks import an, takes
from record.runs import read_yaml

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
NOUNS, VERBS, ADJECTIVES, PLACES = 60, 30, 20, 3
# Article and the ending of adjectives in the target, by whether the noun is in the plural and by
# its gender.
AGREEMENT = {
    (False, 0): ("lo", "o"),
    (False, 1): ("la", "a"),
    (True, 0): ("los", "os"),
    (True, 1): ("las", "as"),
}

Phrase = tuple[str, str]  # in the source and in the target


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
        """The names of the files, the two of a part one after the other."""
        return [
            f"{part}.{language}"
            for part in (self.train, self.validation, self.test)
            for language in self.languages
        ]


SOURCES = {
    pair: PairSource(**source)
    for pair, source in read_yaml(Path(__file__).with_suffix(".yaml")).items()
}


@takes(folder=an(str, Path))
def from_folder(pair: str, folder: Path) -> Corpus:
    """The translations of `pair`, one of `SOURCES`, in `folder`.

    ValueError for a file that cannot be read, an empty line (but to train on, of a pair that has
    such gaps) or files of unequal numbers of lines; FileNotFoundError for missing files.
    """
    paths = files(pair, folder)
    train, validation, test = (
        _read_pairs(source, target, may_lack=SOURCES[pair].has_gaps and part == 0)
        for part, (source, target) in enumerate(zip(paths[::2], paths[1::2], strict=True))
    )
    return Corpus(train, validation, {"test": test})


def files(pair: str, folder: Path) -> list[Path]:
    """The files of `pair` in `folder`."""
    return located(pair, SOURCES[pair].names(), SOURCES[pair].origin, folder)


def located(what: str, names: list[str], origin: str, folder: Path) -> list[Path]:
    """The files of these names in `folder`, plain or with .gz. FileNotFoundError, with where they
    come from, if one is missing.
    """
    found: dict[str, Path] = {}
    for name in names:
        for path in (Path(folder) / name, Path(folder) / f"{name}.gz"):
            if path.is_file():
                found.setdefault(name, path)
    if missing := [name for name in names if name not in found]:
        raise FileNotFoundError(
            f"{what} in {folder} lacks {', '.join(missing)}: the files {', '.join(names)}, each "
            f"plain or as .gz, are expected: they come from {origin}"
        )
    return [*found.values()]


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


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, or of a .gz of one, stripped. ValueError, with its name, for one
    that cannot be read or holds none.
    """
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            raw = gzip.decompress(raw)
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as text: {error}") from error
    # not splitlines, which parts a line where a sentence holds U+2028
    lines = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if lines == [""]:
        raise ValueError(f"{path} holds no line")
    return lines


# ---- what is done with a corpus


def short_to_long(corpus: Corpus, most: int | None = None) -> Corpus:
    """Trains on sources of at most `most` words, tests on those of more; without it, `most` is the
    median of the training sources (Chiang & Cholak 2022, 5.4).

    The paper parts at 20 tokens, its median. On tst2013, sources of more than 20 words hold two
    thirds of all words, where Table 1 prints three quarters of all tokens, on both sides: the paper
    seems to count subwords of the source. `most` counts words of the source.
    """
    longest = most
    if longest is None:
        longest = median([len(source.split()) for source in corpus.train.sources])

    def part(pairs: Pairs, is_short: bool) -> Pairs:
        lengths = [len(source.split()) for source in pairs.sources]
        return pairs[[i for i, words in enumerate(lengths) if (words <= longest) == is_short]]

    return replace(
        corpus,
        train=part(corpus.train, True),
        validation=part(corpus.validation, True),
        tests={name: part(pairs, False) for name, pairs in corpus.tests.items()},
    )


def without_longer(corpus: Corpus, longest: int) -> Corpus:
    """Trains on the pairs of at most so many words on either side; tests and validation stay."""
    lengths = [
        max(len(source.split()), len(target.split()))
        for source, target in zip(corpus.train.sources, corpus.train.targets, strict=True)
    ]
    return replace(
        corpus, train=corpus.train[[i for i, words in enumerate(lengths) if words <= longest]]
    )


def fingerprint(corpus: Corpus) -> str:
    """A hash of every sentence of a corpus, by which a stored run names the data that it is
    from.
    """
    parts = (corpus.train, corpus.validation, *corpus.tests.values())
    text = "\n".join(line for pairs in parts for line in (*pairs.sources, *pairs.targets))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- the made-up pair


def generated(seed: int = 0, train: int = 4000, test: int = 300) -> Corpus:
    """A made-up pair of languages, in which translating takes more than a dictionary.

    The source says subject, object, places, verb; adjectives follow their noun, a plural and the
    object are endings of the noun. The target says subject, verb, object, places; articles and
    adjectives stand before the noun and agree with its gender and number, the verb agrees with its
    subject. Sentences are clauses joined by "and", with up to two adjectives to a noun and up to
    two places.
    """
    draw = np.random.default_rng(seed)
    pairs: dict[str, str] = {}
    grammar = _Grammar()
    while len(pairs) < train + 2 * test:  # no sentence twice: none of the tests is trained on
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
