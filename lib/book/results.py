"""Stored runs: what experiments gave that take longer than a chapter's minute, sealed when made."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.display import Markdown

from lib.checks import an, many, run, shown, takes, text
from lib.files import write_whole

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
RESULTS = CHAPTERS / "results"


@dataclass(frozen=True)
class Stored:
    """A stored run: `results` pairs each configuration with what it gave; `made` says when, where
    and with what.
    """

    name: str
    results: list[dict]
    made: dict

    @property
    def minutes(self) -> float:
        """How long it took, the times of all its configurations added up."""
        return sum(row["seconds"] for row in self.results) / 60

    @property
    def source(self) -> str:
        """How the chapters name where a number came from."""
        made = self.made
        return f"loaded: {made['date']}, {made['device']}, {len(self.results)} configurations"


def seal(*parts: object) -> str:
    """A hash of everything in a stored run: of its values, not of how they are written."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@takes(name=text)
def stored(name: str) -> Stored:
    """The stored run `name`.

    ValueError, with the command that makes it, if there is none, or if it is not what was stored.
    """
    path = RESULTS / f"{name}.json"
    command = f"make it with `python -m lib.reproduce {name}`"
    if not path.exists():
        raise ValueError(f"there is no stored run {name!r}: {command}")
    data = read_json(path)
    if data.get("seal") != seal(data.get("results"), data.get("made")):
        raise ValueError(f"the stored run {name!r} was changed after it was made: {command}")
    return Stored(name, data["results"], data["made"])


def store(name: str, results: list[dict], made: dict, folder: Path | None = None) -> None:
    """Writes a stored run and its seal to `folder`, by default the book's."""
    path = (RESULTS if folder is None else folder) / f"{name}.json"
    write_json(path, {"made": made, "seal": seal(results, made), "results": results})


def stored_runs() -> list[Stored]:
    """Every stored run, by name."""
    return [stored(path.stem) for path in sorted(RESULTS.glob("*.json")) if path.stem != "rows"]


def read_json(path: Path, kind: type = dict) -> Any:
    """What a file of JSON holds; ValueError, with its name, for one that is broken or holds no
    object (with `kind` list, no list).
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not the JSON that is expected: {error}") from error
    if not isinstance(data, kind):
        raise ValueError(f"{path} must hold a {kind.__name__}, not {shown(data)}")
    return data


def write_json(path: Path, data: object) -> None:
    """Writes `data` to `path` as a whole or not at all."""
    text = re.sub(r"\[[^][{}]*\]", _on_one_line, json.dumps(data, ensure_ascii=False, indent=1))
    write_whole(path, f"{text}\n".encode())


def _on_one_line(match: re.Match[str]) -> str:
    """A list of numbers without its line breaks. JSON escapes those inside strings, so strings stay
    as they are.
    """
    if "\n" not in match[0]:
        return match[0]
    return re.sub(r"\s*\n\s*", " ", match[0]).replace("[ ", "[").replace(" ]", "]")


@takes(head=many(text), body=run)
def markdown_table(head: Sequence[str], body: Iterable[Sequence[object]]) -> Markdown:
    """A Markdown table; bars inside cells are escaped, so that |w| can stand in one. ValueError for
    a row that has not a cell for each word of the head.
    """
    rows = list(body)
    for row in rows:
        if len(an(list, tuple)(row, "each row of body")) != len(head):
            raise ValueError(f"a row of {len(head)} cells is expected, not {shown(row)}")

    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"

    return Markdown("\n".join([line(head), line("---" for _ in head), *map(line, rows)]))


@takes(name=text)
def glue(name: str, value: object) -> None:
    """Names a value for the prose of the book; outside the book's build (in Colab, say) it does
    nothing.
    """
    try:
        from myst_nb import glue as insert
    except ImportError:
        return
    insert(name, value, display=False)
