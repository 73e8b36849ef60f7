"""Stored runs: what experiments gave that take longer than a chapter's minute."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = ROOT / "chapters"
RESULTS = ROOT / "record" / "results"
# The loader in C reads the same, ten times as fast, where PyYAML was built with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def record_page(chapter: str) -> str:
    """The page that makes a chapter's claims: its record, or the page itself where it has none."""
    page = f"record_{chapter}"
    return page if (CHAPTERS / f"{page}.py").exists() else chapter


def folder(page: str) -> str:
    """The folder of `chapters` in which the code and data of a page stand, or of its record.

    >>> folder("record_04_log_n_scaling"), folder("note_bounded_dyck"), folder("scorecard")
    ('log_n_scaling', 'bounded_dyck', 'scorecard')
    """
    return re.sub(r"^(record_)?(\d\d_|note_)?", "", page)


def criteria_of(page: str) -> Path:
    """The file with the rows that are a page's own, and what is constant in its claims."""
    return CHAPTERS / folder(page) / "claims.yaml"


def claiming() -> list[str]:
    """The pages that make claims, or whose records do, by name."""
    pages = {path.stem.removeprefix("record_") for path in CHAPTERS.glob("*.py")}
    return sorted(page for page in pages if criteria_of(page).exists())


@dataclass(frozen=True)
class Stored:
    """A stored run: `results` pairs configurations with what they gave; `made` is when and how."""

    name: str
    results: list[dict]
    made: dict

    @property
    def minutes(self) -> float:
        """How long it took, the times of all its configurations added up."""
        return sum(row["seconds"] for row in self.results) / 60

    def by(self, *names: str) -> dict[Any, dict]:
        """What each configuration gave, by what it says under these names."""
        said = itemgetter(*names)
        return {said(row["configuration"]): row["result"] for row in self.results}

    @property
    def source(self) -> str:
        """How the chapters name where a number came from."""
        made = self.made
        return f"loaded: {made['date']}, {made['device']}, {len(self.results)} configurations"


def stored(name: str) -> Stored:
    """The stored run `name`; ValueError, with the command that makes it, if there is none."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        command = f"make it with `python -m record.reproduce {name}`"
        raise ValueError(f"there is no stored run {name!r}: {command}")
    data = read_json(path)
    return Stored(name, data["results"], data["made"])


def stored_runs() -> list[Stored]:
    """Every stored run, by name."""
    return [stored(path.stem) for path in sorted(RESULTS.glob("*.json")) if path.stem != "rows"]


def read_json(path: Path) -> Any:
    """What a file of JSON holds; ValueError, with its name, for one that is broken."""
    return _read(path, json.loads)


def read_yaml(path: Path) -> dict:
    """What a file of YAML holds; ValueError, with its name, for one that is broken."""
    return _read(path, partial(yaml.load, Loader=LOADER))


def _read(path: Path, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, in a new folder too; OSError, and the old file, if it cannot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:  # a device without room does not say of which file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, data: object) -> None:
    """Writes `data` to `path` as a whole or not at all."""
    text = re.sub(r"\[[^][{}]*\]", _on_one_line, json.dumps(data, ensure_ascii=False, indent=1))
    write_whole(path, f"{text}\n".encode())


def _on_one_line(match: re.Match[str]) -> str:
    """A list of numbers without its line breaks; JSON escapes those inside strings."""
    if "\n" not in match[0]:
        return match[0]
    return re.sub(r"\s*\n\s*", " ", match[0]).replace("[ ", "[").replace(" ]", "]")
