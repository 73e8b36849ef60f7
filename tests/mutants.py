"""Mutates random places of `lib`, one at a time and in a copy of the tree, and says which of these
mutants the tests notice:

    .venv/bin/python -m tests.mutants --number 100 --seed 1

Quick tests are run that import the mutated file by name, or stand in its room; with --thorough also
slow tests and chapters, those that import it, its room, or a file that imports it. A mutant is
killed where one of them fails, or takes far too long.
"""

from __future__ import annotations

import argparse
import ast
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
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import ROOT
from tests.places import Place, places

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__", ".partial", ".*cache")
MEMORY = 12 << 30  # bytes that a mutant may ask for
TOO_LONG = 1800  # seconds
KILLED, NO_TESTS = (1, 2, -signal.SIGKILL), 5  # how pytest ends


def relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def drawn(number: int, seed: int) -> list[Place]:
    """Places of `lib`, each as likely as any other."""
    files = sorted((ROOT / "lib").rglob("*.py"))
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


def steps(path: str, thorough: bool) -> Iterator[list[str]]:
    """What pytest is given for a file of `lib`, step by step."""
    name = module(path)
    room = name.split(".")[1]
    named = importing({name}, "tests/**/test_*.py")
    beside = [file for file in sorted(ROOT.glob(f"tests/{room}/test_*.py")) if file not in named]
    quick = [relative(file) for file in (*named, *beside)]
    if ">>>" in (ROOT / path).read_text(encoding="utf-8"):
        quick.insert(0, f"tests/test_imports.py::test_doctests[{name}]")
    if quick:
        yield ["-m", "not browser and not book and not slow", *quick]
    if thorough:
        users = importing({name}, "lib/**/*.py")
        near = {name, f"lib.{room}", *(module(relative(file)) for file in users)}
        if slow := importing(near, "tests/**/test_*.py"):
            yield ["-m", "slow and not browser and not book", *map(relative, slow)]
        if pages := importing(near, "chapters/*.py"):
            yield ["--nbmake", *(relative(page.with_suffix(".ipynb")) for page in pages)]


def ended(tree: Path, arguments: list[str]) -> tuple[int, str]:
    """How pytest ends in a copy of the tree, and what it prints."""
    with (tree.parent / "printed.txt").open("w+", encoding="utf-8") as printed:
        running = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "--tb=line", *arguments],
            cwd=tree,
            # Python would take what it compiled of another mutant of the same second and size.
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        with suppress(subprocess.TimeoutExpired):
            running.wait(TOO_LONG)
        with suppress(ProcessLookupError):  # and all that it has started
            os.killpg(running.pid, signal.SIGKILL)
        status = running.wait()
        printed.seek(0)
        return status, printed.read()


def killer(tree: Path, place: Place, thorough: bool) -> str | None:
    """The test that notices a mutant, None where it survives."""
    file = tree / place.path
    text = file.read_bytes()
    file.write_bytes(place.mutated(text))
    try:
        for arguments in steps(place.path, thorough):
            status, printed = ended(tree, arguments)
            if status in KILLED:
                named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", printed, re.MULTILINE)
                return named[1] if named else f"status {status} of {arguments[-1]}"
            if status not in (0, NO_TESTS):
                raise RuntimeError(f"pytest ends with {status}:\n{printed[-2000:]}")
    finally:
        file.write_bytes(text)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Says which mutants of lib the tests notice.")
    parser.add_argument("--number", type=int, default=100, help="how many are drawn (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--only", type=int, nargs="+", help="of those, these alone: 1 is the first")
    parser.add_argument("--thorough", action="store_true", help="run slow tests and chapters too")
    given = parser.parse_args()
    fates: Counter[bool] = Counter()
    with TemporaryDirectory() as folder:
        tree = shutil.copytree(ROOT, Path(folder) / "tree", ignore=NOT_COPIED)
        for number, place in enumerate(drawn(given.number, given.seed), start=1):
            if given.only and number not in given.only:
                continue
            begun = time.monotonic()
            by = killer(tree, place, given.thorough)
            fates[by is not None] += 1
            fate = f"killed by {by}" if by else "SURVIVED"
            print(f"{number} {place}: {fate} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{fates[True]} of {fates.total()} killed")


if __name__ == "__main__":
    main()
