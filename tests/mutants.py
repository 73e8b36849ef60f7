"""Mutates random places of `lib`, one at a time and in a copy of the tree, and says which of these
mutants the quick tests notice:

    .venv/bin/python -m tests.mutants --number 100 --seed 1

A number, a sign, a product, a comparison, `and` or `or`, or two arguments are changed, but nothing
in an annotation, a decorator or a text. Tests are run that import the mutated file by name, or
stand in its room. A mutant is killed where one of them fails, or takes far too long.
"""

import argparse
import ast
import os
import random
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from record.experiment import imported_names
from tests import ROOT

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__", ".partial", ".*cache")
MEMORY = 12 << 30  # bytes that a mutant may ask for
TOO_LONG = 1800  # seconds
OTHERS: dict[type, type] = {  # what comes in an operator's place
    **{ast.Add: ast.Sub, ast.Sub: ast.Add},
    **{ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And},
}
NOT_SWAPPED = {"max", "min", "gcd", "lcm", "isinstance"}  # the same, or never a program


def visited(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, without annotations, decorators and messages."""
    if isinstance(node, (ast.JoinedStr, ast.Raise)):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from visited(child)


def changes(tree: ast.AST) -> Iterator[tuple[ast.AST, str, object]]:
    """All changes of a tree, in order: a node, one of its fields, and that field's new value."""
    for node in visited(tree):
        match node:
            case ast.Constant(bool()):
                pass
            case ast.Constant(float(x)):
                yield node, "value", x * 2 or 1.0
            case ast.Constant(int(x)):
                yield node, "value", x + 1
            case ast.UnaryOp(ast.USub()):
                yield node, "op", ast.UAdd()
            case ast.Call(function, [_, _, *_] as given):
                if ast.unparse(function).rpartition(".")[2] not in NOT_SWAPPED:
                    for k, (one, two) in enumerate(pairwise(given)):
                        starred = isinstance(one, ast.Starred) or isinstance(two, ast.Starred)
                        alike = is_text(one) == is_text(two) and ast.dump(one) != ast.dump(two)
                        if alike and not starred:
                            yield node, "args", [*given[:k], two, one, *given[k + 2 :]]
            case ast.Compare(_, signs):
                for k, sign in enumerate(signs):
                    if type(sign) in OTHERS:
                        yield node, "ops", [*signs[:k], OTHERS[type(sign)](), *signs[k + 1 :]]
            case ast.BinOp(op=sign) | ast.AugAssign(op=sign) | ast.BoolOp(op=sign):
                if type(sign) in OTHERS and not any(map(is_text, ast.iter_child_nodes(node))):
                    yield node, "op", OTHERS[type(sign)]()


def is_text(node: ast.AST) -> bool:
    """Whether this is text or a list, written out: neither has a sign, nor another's place."""
    written = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return written or isinstance(node, (ast.JoinedStr, ast.List))


def changed(text: bytes, number: int) -> tuple[bytes, str]:
    """A file with the change of that number, what Python does not read being lost; and in words."""
    tree = ast.parse(text)
    node, field, value = [*changes(tree)][number]
    before = ast.unparse(node)
    setattr(node, field, value)
    return ast.unparse(tree).encode(), f"{node.lineno}: {before} -> {ast.unparse(node)}"


@cache
def imported(path: Path) -> frozenset[str]:
    """What a file imports by name, itself or through another file of the tests."""
    found = {*imported_names(ast.parse(path.read_bytes()))}
    helpers = {ROOT / f"{name.replace('.', '/')}.py" for name in found if name[:6] == "tests."}
    return frozenset(found.union(*(imported(file) for file in helpers - {path} if file.exists())))


def tests_of(path: Path) -> list[str]:
    """The tests of a file of `lib`, by its name in the tree."""
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    files = sorted(ROOT.glob("tests/**/test_*.py"))
    named = [file for file in files if name in imported(file)]
    beside = [file for file in files if file.parent.name == name.split(".")[1]]
    doctests = [f"tests/test_imports.py::test_doctests[{name}]"]
    found = doctests if ">>>" in (ROOT / path).read_text(encoding="utf-8") else []
    return [*found, *(str(file.relative_to(ROOT)) for file in dict.fromkeys((*named, *beside)))]


def killer(tree: Path, tests: list[str]) -> str | None:
    """The test that fails in a copy of the tree, None where none does."""
    quick = ["-m", "not browser and not book and not slow"]
    ended = subprocess.run(
        ["timeout", "--signal=KILL", str(TOO_LONG)]  # with all that pytest starts
        + [sys.executable, "-m", "pytest", "-x", "--tb=line", *quick, *tests],
        cwd=tree,
        # Python would take what it compiled of another mutant of the same second and size.
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    if ended.returncode == 0:
        return None
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", ended.stdout, re.MULTILINE)
    return named[1] if named else f"status {ended.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Says which mutants of lib the tests notice.")
    parser.add_argument("--number", type=int, default=100, help="how many are drawn (100)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    given = parser.parse_args()
    files = [file.relative_to(ROOT) for file in sorted((ROOT / "lib").rglob("*.py"))]
    texts = {file: (ROOT / file).read_bytes() for file in files}
    every = [(file, k) for file in files for k, _ in enumerate(changes(ast.parse(texts[file])))]
    survived = 0
    with TemporaryDirectory() as folder:
        tree = shutil.copytree(ROOT, Path(folder) / "tree", ignore=NOT_COPIED)
        for file, number in random.Random(given.seed).sample(every, given.number):
            mutant, change = changed(texts[file], number)
            (tree / file).write_bytes(mutant)
            by = killer(tree, tests_of(file))
            (tree / file).write_bytes(texts[file])
            survived += by is None
            print(f"{file}:{change}: {f'killed by {by}' if by else 'SURVIVED'}", flush=True)
    print(f"{given.number - survived} of {given.number} killed")


if __name__ == "__main__":
    main()
