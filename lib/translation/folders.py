"""Translations from a folder of files: which pairs there are, where their files come from, and
reading them.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lib.checks import an, shown, takes, text
from lib.translation.corpora import Corpus, Pairs


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
