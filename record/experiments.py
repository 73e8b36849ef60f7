"""The experiments behind the stored runs: each stands with its chapter, as a name in
`chapters/NAME/runs.yaml`, with its grids under `experiments` or, where code makes its
configurations, in the list `in_code`; and in the `EXPERIMENTS` of `runs.py` beside it.

`record.reproduce` runs them and stores what they give; the chapters read that with
`record.runs.stored`. Asking for one experiment loads its module and no other.
"""

import ast
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from record.experiment import Experiment
from record.runs import CHAPTERS, ROOT, read_yaml

OURS = ("lib", "record", "chapters", "tests")  # packages of this repository
MODULE_OF = {
    name: f"chapters.{path.parent.name}.runs"
    for path in sorted(CHAPTERS.glob("*/runs.yaml"))
    for said in [read_yaml(path)]
    for name in [*said.get("in_code", ()), *said.get("experiments", ())]
}


def experiment(name: str) -> Experiment:
    """The experiment of that name; ValueError, with the names that there are, for no such one."""
    if name not in MODULE_OF:
        raise ValueError(f"no experiment {name!r}; there are {', '.join(MODULE_OF)}")
    return import_module(MODULE_OF[name]).EXPERIMENTS[name]


@cache
def code_hash(module: str) -> str:
    """A hash of what a module of this repository imports, and of torch's version: what a
    half-finished run may go on from. What only draws or claims does not count.
    """
    found = hashlib.sha256(version("torch").encode())
    for path in sorted(imported_files(module)):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def imported_files(module: str) -> set[Path]:
    """The files of this repository that a module imports, within functions too, and data of the
    same names.
    """
    files: set[Path] = set()
    left = [module]
    while left:
        for path in set(_files_of(left.pop())) - files:
            files.add(path)
            if path.suffix == ".py":
                left += imported_names(ast.parse(path.read_bytes()))
    return files


def _files_of(module: str) -> Iterator[Path]:
    """The file of a module, its data of the same name, and the packages that it lies in; nothing of
    what is not ours.
    """
    parts = module.split(".")
    if parts[0] not in OURS:
        return
    for length in range(1, len(parts) + 1):
        place = ROOT.joinpath(*parts[:length])
        beside = map(place.with_suffix, (".py", ".yaml"))
        package = place / "__init__.py"  # a page of the same name is another thing
        for path in (package,) if package.exists() else beside:
            if path.exists():
                yield path


def imported_names(tree: ast.Module) -> Iterator[str]:
    """The modules that a file names in its imports; a name may be one too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_of(measure: Callable[..., dict]) -> str:
    """The module in which a measuring function is written."""
    while isinstance(measure, partial):
        measure = measure.func
    return measure.__module__


def measured(measure: Callable[..., dict], configuration: dict, device: str) -> dict:
    """One configuration, measured in the process that calls this."""
    import torch

    threads, begun = torch.get_num_threads(), time.perf_counter()
    torch.set_num_threads(1)  # several processes beat several threads at these sizes
    try:
        result = measure(device, **configuration)
    finally:
        torch.set_num_threads(threads)
    seconds = round(time.perf_counter() - begun, 1)
    row = {"configuration": configuration, "result": result, "seconds": seconds}
    return json.loads(json.dumps(row))  # as it will be stored
