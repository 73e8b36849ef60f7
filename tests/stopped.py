"""Stored runs of a test's own, by the command, in processes that can be stopped at any moment."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from joblib import wrap_non_picklable_objects

from record import reproduce as reproducing
from record.experiment import Experiment
from record.experiments import experiment
from tests.toys import named

# A process of its own forks the children: they know the library, so they start at once, and share
# no lock with the tests, or with a child that was killed while it held one.
try:
    SERVER = multiprocessing.get_context("forkserver")
except ValueError:
    pytest.skip("this system forks no processes", allow_module_level=True)
SERVER.set_forkserver_preload(["tests.stopped"])
GOES_ON = "what was finished is kept, and the same command goes on from there"


def squares(size: int, measure: Callable[..., dict]) -> Experiment:
    """An experiment with a configuration for each x below `size`."""
    return Experiment(
        [{"x": x} for x in range(size)], [{"x": 7}], measure, lambda c, r, in_full: True
    )


def _run(
    results: Path,
    arguments: tuple[str, ...],
    toy: Experiment,
    before: Callable[[], object],
    says: Connection,
) -> None:
    """What a child does, and says into that connection."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests ignore Ctrl-C
    os.dup2(says.fileno(), 1)
    os.dup2(says.fileno(), 2)
    sys.stdout = sys.stderr = open(says.fileno(), "w", encoding="utf-8", closefd=False)
    named(arguments[0], toy)
    reproducing.RESULTS = results
    sys.argv = ["reproduce", *arguments]
    before()
    reproducing.main()


class Command:
    """`python -m record.reproduce ARGUMENTS`, begun in a child that stores in `results`; `before`
    is called there first. The experiment is what the first argument names here.
    """

    def __init__(self, results: Path, *arguments: str, before: Callable[[], object] = bool):
        self.said, says = SERVER.Pipe(duplex=False)
        self.results, self.arguments = results, arguments
        run = wrap_non_picklable_objects(
            partial(_run, results, arguments, experiment(arguments[0]), before), keep_wrapper=False
        )
        self.child = SERVER.Process(target=run, args=(says,))
        self.child.start()
        says.close()

    @property
    def group(self) -> int:
        """The group of its processes."""
        assert self.child.pid is not None
        return self.child.pid

    @property
    def kept(self) -> list[Path]:
        """The files of the configurations that are kept."""
        folder = self.results / ".partial" / self.arguments[0]
        return sorted(folder.glob("[!.]*.json"))

    def end(self, seconds: float = 60) -> tuple[int, str]:
        """Waits for its end: the exit code, and the last line that it says."""
        self.child.join(timeout=seconds)
        assert self.child.exitcode is not None, f"it takes more than {seconds} seconds"
        os.set_blocking(self.said.fileno(), False)
        said = os.read(self.said.fileno(), 10**6).decode()
        self.said.close()
        assert "Traceback" not in said, said
        return self.child.exitcode, re.split(r"[\r\n]+", said.strip())[-1]


def timeless(path: Path) -> str:
    """A stored run without its times, and without the seal that covers them."""
    text = re.sub(r'"seal": "\w+"', '"seal": ""', path.read_text(encoding="utf-8"))
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
