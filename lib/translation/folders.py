"""Translations from a folder of files: which pairs there are, where their files come from, and
reading them.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lib.translation.corpora import Corpus, Pairs


@dataclass(frozen=True)
class PairSource:
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


SOURCES: Mapping[str, PairSource] = {
    "multi30k": PairSource(
        ("de", "en"),
        "train",
        "val",
        "test_2016_flickr",
        "https://github.com/multi30k/dataset, folder data/task1/raw (*.gz)",
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
        "https://nlp.stanford.edu/projects/nmt/data/iwslt15.en-vi/",
    ),
}


def source_of(pair: str) -> PairSource:
    """The files of that pair; ValueError, with those that there are, for another."""
    if pair not in SOURCES:
        raise ValueError(f"no pair {pair!r}; there are {', '.join(SOURCES)}")
    return SOURCES[pair]


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
            f"{', '.join(source.names())}, each plain or as .gz, come from {source.origin}"
        )
    return paths


def _plain_or_packed(folder: Path, name: str) -> Path | None:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


def from_folder(pair: str, folder: Path) -> Corpus:
    """The translations of `pair` in `folder`.

    ValueError for an unknown pair, a file that cannot be read, an empty line or files of unequal
    numbers of lines; FileNotFoundError for missing files.
    """
    paths = files(pair, folder)
    train, validation, test = (
        _read_pairs(source, target) for source, target in zip(paths[::2], paths[1::2], strict=True)
    )
    return Corpus(train, validation, {"test": test})


def _read_pairs(source: Path, target: Path) -> Pairs:
    """The sentences of two files, one for one."""
    sources, targets = read_lines(source), read_lines(target)
    for path, lines in ((source, sources), (target, targets)):
        if "" in lines:
            raise ValueError(f"line {lines.index('') + 1} of {path} is empty")
    if len(sources) != len(targets):
        raise ValueError(f"{source} has {len(sources)} lines, {target} has {len(targets)}")
    return Pairs(tuple(sources), tuple(targets))


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, or of a .gz of one, stripped. ValueError, with its name, for one
    that cannot be read or holds none.
    """
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            raw = gzip.decompress(raw)
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as text: {error}") from error
    lines = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if lines == [""]:
        raise ValueError(f"{path} holds no line")
    return lines
