"""What is kept of a stored run until it is whole: each measured configuration, sealed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from lib.book.results import seal, write_json
from lib.files import remove_leftovers


@dataclass(frozen=True)
class Kept:
    """The measured configurations in a folder, of one device and one code."""

    folder: Path
    device: str
    code: str

    @property
    def checkpoints(self) -> Path:
        """A folder for what a configuration itself goes on from."""
        return self.folder / f"checkpoints-{_digest(f'{self.code} {self.device}')}"

    def keep(self, row: dict) -> None:
        """Keeps a configuration with what it gave."""
        write_json(self._path(row["configuration"]), {"seal": seal(row), "row": row})

    def row(self, configuration: dict) -> dict:
        """A configuration with what it gave; FileNotFoundError where it is not kept, ValueError
        where what is there is broken.
        """
        path = self._path(configuration)
        data = json.loads(path.read_bytes())
        row = data.get("row") if isinstance(data, dict) else None
        if not row or data.get("seal") != seal(row) or row["configuration"] != configuration:
            raise ValueError(f"{path} is not what was kept there: remove it")
        return row

    def has(self, configuration: dict) -> bool:
        """Whether that configuration is kept, and whole."""
        try:
            return bool(self.row(configuration))
        except (FileNotFoundError, ValueError):
            return False

    def _path(self, configuration: dict) -> Path:
        key = json.dumps([configuration, self.device, self.code], sort_keys=True)
        return self.folder / f"{_digest(key)}.json"


def _digest(text: str) -> str:
    """A hash of a text, short enough for a file's name."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def kept_of(name: str, results: Path) -> Iterator[Path]:
    """The folder in which a stored run is kept until it is whole, for one process at a time; it is
    removed when that process is done with it.

    BlockingIOError where another process makes the same run.
    """
    folder = results / ".partial" / name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder.with_suffix(".lock"), timeout=0):
            remove_leftovers(results / f"{name}.json")
            yield folder
            shutil.rmtree(folder, ignore_errors=True)
    except Timeout as error:
        raise BlockingIOError(
            f"another process is making {name}: wait for its end, or stop it"
        ) from error
