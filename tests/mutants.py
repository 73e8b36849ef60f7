"""Mutates random places of `lib`, one at a time and in a copy of the tree, and says which of these
mutants the tests notice:

    .venv/bin/python -m tests.mutants --number 100 --seed 1

Quick tests are run that import the mutated file by name, then those of its room; with --thorough
also slow tests and chapters, those that import it, its room, or a file that imports it. A mutant is
killed where one of them fails, or takes far longer than without it. With --times FILE, what the
tests take without a mutant is read from that file, and kept there.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import ROOT
from tests.places import Place, places

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__", ".partial", ".*cache")
QUICK = ("-m", "not browser and not book and not slow")
SLOW = ("-m", "slow and not browser and not book")
MEMORY = 12 << 30  # bytes that a mutant may ask for
TOO_LONG, BESIDE = 5, 120  # times what is needed without a mutant, and seconds beside that
FAILED, NO_TESTS = (1, 2), 5  # how pytest ends


def relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def drawn(number: int, seed: int, folder: str = "lib") -> list[Place]:
    """Places of a folder of `lib`, each as likely as any other."""
    files = sorted((ROOT / folder).rglob("*.py"))
    every = [place for file in files for place in places(relative(file), file.read_bytes())]
    return random.Random(seed).sample(every, number)


@cache
def imported(path: Path) -> frozenset[str]:
    """What a file imports by name, itself or through another file of the tests."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    helpers = {ROOT / f"{name.replace('.', '/')}.py" for name in found if name[:6] == "tests."}
    return frozenset(found.union(*(imported(file) for file in helpers - {path} if file.exists())))


def module(path: str) -> str:
    """The name by which a file is imported."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def importing(names: set[str], pattern: str) -> list[Path]:
    """The files of the tree that import one of these by name."""
    return sorted(file for file in ROOT.glob(pattern) if names & imported(file))


class Suite:
    """The tests of a copy of the tree, and the seconds that each file of them needs unmutated."""

    def __init__(self, tree: Path, times: Path | None = None, thorough: bool = False):
        self.tree, self.times, self.thorough = tree, times, thorough
        self.writings = 0
        self.seconds: dict[str, float] = {}
        if times is not None and times.exists():
            self.seconds = json.loads(times.read_text(encoding="utf-8"))

    def ended(self, arguments: list[str], limit: float | None = None) -> tuple[int, str]:
        """How pytest ends, and what it prints; -SIGKILL after `limit` seconds."""
        options = ["-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
        with (self.tree.parent / "printed.txt").open("w+", encoding="utf-8") as printed:
            running = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options, *arguments],
                cwd=self.tree,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            )
            with suppress(subprocess.TimeoutExpired):
                running.wait(limit)
            with suppress(ProcessLookupError, PermissionError):  # and all that it has started
                os.killpg(running.pid, signal.SIGKILL)
            status = running.wait()
            printed.seek(0)
            return status, printed.read()

    def needs(self, file: Path, *how: str) -> float:
        """The seconds that a file needs unmutated; 0 where it has no test of this kind."""
        arguments = [*how, relative(file)]
        key = " ".join(arguments)
        if key not in self.seconds:
            begun = time.monotonic()
            status, printed = self.ended(arguments)
            if status not in (0, NO_TESTS):
                raise RuntimeError(f"{key} fails without a mutant:\n{printed[-2000:]}")
            self.seconds[key] = round(time.monotonic() - begun, 1) if status == 0 else 0.0
            if self.times is not None:
                self.times.write_text(json.dumps(self.seconds, indent=1), encoding="utf-8")
        return self.seconds[key]

    def steps(self, path: str) -> Iterator[tuple[list[str], float]]:
        """What pytest is given for a file of `lib`, step by step, and the seconds that it needs."""
        name = module(path)
        room = name.split(".")[1]
        named = importing({name}, "tests/**/test_*.py")
        beside = sorted(ROOT.glob(f"tests/{room}/test_*.py"))
        quick = {file: self.needs(file, *QUICK) for file in {*named, *beside}}
        files = [file for file in quick if quick[file]]
        files.sort(key=lambda file: (file not in named, quick[file], file))
        first = [relative(file) for file in files]
        if ">>>" in (ROOT / path).read_text(encoding="utf-8"):
            first.insert(0, f"tests/test_imports.py::test_doctests[{name}]")
        if first:
            yield [*QUICK, *first], sum(quick.values())
        if self.thorough:
            users = importing({name}, "lib/**/*.py")
            near = {name, f"lib.{room}", *(module(relative(file)) for file in users)}
            for how, pattern in ((SLOW, "tests/**/test_*.py"), (("--nbmake",), "chapters/*.py")):
                for file in importing(near, pattern):
                    tested = file.with_suffix(".ipynb") if how != SLOW else file
                    if seconds := self.needs(tested, *how):
                        yield [*how, relative(tested)], seconds

    @contextmanager
    def mutated(self, place: Place) -> Iterator[None]:
        """Has a mutant stand in the copy."""
        file = self.tree / place.path
        text = file.read_bytes()
        self.write(file, place.mutated(text))
        try:
            yield
        finally:
            self.write(file, text)

    def write(self, file: Path, text: bytes) -> None:
        """Python takes what it compiled where a file's time, in seconds, and its size are the same:
        each writing has a second of its own.
        """
        self.writings += 1
        file.write_bytes(text)
        os.utime(file, (self.writings, self.writings))

    def killer(self, place: Place) -> str | None:
        """The test that notices a mutant, None where it survives."""
        for arguments, seconds in self.steps(place.path):
            with self.mutated(place):
                status, printed = self.ended(arguments, TOO_LONG * seconds + BESIDE)
            if status == -signal.SIGKILL:
                return f"too long, or too much memory: {arguments[-1]}"
            if status in FAILED or status < 0:
                named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", printed, re.MULTILINE)
                return named[1] if named else f"status {status} of {arguments[-1]}"
            if status not in (0, NO_TESTS):
                raise RuntimeError(f"pytest ends with {status}:\n{printed[-2000:]}")
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Says which mutants of lib the tests notice.")
    parser.add_argument("--number", type=int, default=100, help="how many are drawn (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--only", type=int, nargs="+", help="of those, these alone: 1 is the first")
    parser.add_argument("--thorough", action="store_true", help="run slow tests and chapters too")
    parser.add_argument("--times", type=Path, help="a file for the seconds that tests need")
    given = parser.parse_args()
    chosen = list(enumerate(drawn(given.number, given.seed), start=1))
    if given.only:
        chosen = [(number, place) for number, place in chosen if number in given.only]
    kinds: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    with TemporaryDirectory() as folder:
        tree = shutil.copytree(ROOT, Path(folder) / "tree", ignore=NOT_COPIED)
        suite = Suite(tree, given.times, given.thorough)
        for number, place in chosen:
            begun = time.monotonic()
            killer = suite.killer(place)
            kinds[killer is not None][place.kind] += 1
            fate = f"killed by {killer}" if killer else "SURVIVED"
            print(f"{number} {place}: {fate} ({time.monotonic() - begun:.0f} s)", flush=True)
    killed, survived = kinds[True], kinds[False]
    for kind in sorted(killed + survived):
        print(f"{kind}: {killed[kind]} of {killed[kind] + survived[kind]} killed")
    print(f"all: {killed.total()} of {killed.total() + survived.total()} killed")


if __name__ == "__main__":
    main()
