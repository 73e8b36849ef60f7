"""Stored runs of a test's own, by the command, in processes that can be stopped at any moment."""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lib.book import reproduce as reproducing
from lib.experiment import Experiment

FORKED = multiprocessing.get_context("fork")  # a child knows the library: it starts at once
GOES_ON = "what was finished is kept, and the same command goes on from there"


def squares(size: int, measure: Callable[..., dict]) -> Experiment:
    """An experiment with a configuration for each x below `size`."""
    return Experiment([{"x": x} for x in range(size)], [{"x": 7}], measure, lambda c, r: True)


class Command:
    """`python -m lib.reproduce ARGUMENTS`, begun in a child that stores in `results`; `before` is
    called there first.
    """

    def __init__(self, results: Path, *arguments: str, before: Callable[[], object] = bool):
        said, says = os.pipe()
        self.results, self.said, self.arguments, self.before = results, said, arguments, before
        self.child = FORKED.Process(target=self._run, args=(says,))
        self.child.start()
        os.close(says)

    def _run(self, says: int) -> None:
        os.setsid()
        os.dup2(says, 1)
        os.dup2(says, 2)
        sys.stdout = sys.stderr = open(says, "w")
        reproducing.RESULTS = self.results
        sys.argv = ["reproduce", *self.arguments]
        self.before()
        reproducing.main()

    @property
    def kept(self) -> list[Path]:
        """The files of the configurations that are kept."""
        folder = self.results / ".partial" / self.arguments[0]
        return sorted(folder.glob("[!.]*.json"))

    def end(self, seconds: float = 60) -> tuple[int, str]:
        """Waits for its end: the exit code, and the last line that it says."""
        self.child.join(timeout=seconds)
        assert self.child.exitcode is not None, f"it takes more than {seconds} seconds"
        os.set_blocking(self.said, False)
        said = os.read(self.said, 10**6).decode()
        os.close(self.said)
        assert "Traceback" not in said, said
        return self.child.exitcode, re.split(r"[\r\n]+", said.strip())[-1]


def timeless(path: Path) -> str:
    """A stored run without its times, and without the seal that covers them."""
    text = re.sub(r'"seal": "\w+"', '"seal": ""', path.read_text())
    return re.sub(r'"seconds": [0-9.]+', '"seconds": 0', text)


def undisturbed(name: str) -> str:
    """What an undisturbed run stores, without its times."""
    with tempfile.TemporaryDirectory() as folder:
        return finished(name, Path(folder) / "results")


def finished(name: str, results: Path) -> str:
    """What the command then stores, without its times; it leaves nothing else there."""
    code, said = Command(results, name, "--jobs", "1").end()
    assert code == 0, said
    left = {path.name for path in results.rglob("*") if path.is_file()}
    assert left == {f"{name}.json", f"{name}.lock"}
    return timeless(results / f"{name}.json")


def wait_for(happened: Callable[[], bool], seconds: float = 60) -> None:
    """Waits until something has happened."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"it did not happen in {seconds} seconds"
        time.sleep(0.001)
