"""A stored run: what takes longer than a chapter's minute, in which configurations, how its file is
checked, and how numbers of runs compare.

An experiment stands with its chapter: its name in `chapters/NAME/runs.yaml`, and itself in the
`EXPERIMENTS` of `runs.py` beside it. Its configurations are grids under `experiments` or, where
code makes them, its name is in the list `in_code`. A grid says what it says once for each
combination of what stands in its `each`, the last list changing fastest. A mapping in such a list
is several settings that vary together. Asking for one experiment loads its module and no other.
"""

import ast
import hashlib
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from record.runs import CHAPTERS, ROOT, read_yaml

OURS = ("lib", "record", "chapters", "tests")  # packages of this repository
MODULE_OF = {
    name: f"chapters.{path.parent.name}.runs"
    for path in sorted(CHAPTERS.glob("*/runs.yaml"))
    for said in [read_yaml(path)]
    for name in [*said.get("in_code", ()), *said.get("experiments", ())]
}


@dataclass(frozen=True)
class Folder:
    """A folder that an experiment reads: `says` names its files and where they come from, and
    `fingerprint` gives a hash of what they hold; ValueError for what is broken, FileNotFoundError
    for what is missing.
    """

    says: str
    fingerprint: Callable[[Path], str]


@dataclass(frozen=True)
class Experiment:
    """A stored run: `measure(device, **configuration)` gives a JSON object, and
    `replay(configuration, result)` says whether today's code gives what is stored, cheaply: by the
    first steps, figures of kept parameters, numbers in their ranges. `on_gpu` says whether a GPU is
    of use. With `reads`, `measure` is given `data`, that folder, and `replay` where it is at hand.
    """

    configurations: list[dict]
    measure: Callable[..., dict]
    replay: Callable[..., bool]
    on_gpu: bool = False
    reads: Folder | None = None

    @property
    def question(self) -> str:
        """What a check asks of each stored configuration, in the words of its replay."""
        return " ".join((self.replay.__doc__ or "").split())


def experiment(name: str) -> Experiment:
    """The experiment of that name."""
    return import_module(MODULE_OF[name]).EXPERIMENTS[name]


def experiments(module: str, **made_by: Callable[..., Experiment]) -> dict[str, Experiment]:
    """The experiments that the YAML beside the file `module` lists, as its `made_by` make them."""
    listed, found = read_yaml(Path(module).with_suffix(".yaml"))["experiments"], {}
    for name, said in listed.items():
        configurations = [one for grid in said["configurations"] for one in each(**grid)]
        found[name] = made_by[said["made_by"]](configurations)
    return found


def each(each: dict[str, list] | None = None, **settings: Any) -> Iterator[dict]:
    """The configurations of a grid."""
    varied = each or {}
    for values in product(*varied.values()):
        configuration = dict(settings)
        for name, value in zip(varied, values):
            configuration |= value if isinstance(value, dict) else {name: value}
        yield configuration


def significant(values: np.ndarray | list[np.ndarray]) -> list:
    """Nested lists of numbers with four significant digits."""
    return np.vectorize(lambda x: float(f"{x:.4g}"), otypes=[float])(values).tolist()


def packed(flat: np.ndarray) -> str:
    """Parameters as text: float32, little-endian, in base 64."""
    return b64encode(np.asarray(flat, "<f4").tobytes()).decode()


def unpacked(text: str) -> np.ndarray:
    """The parameters that `packed` made a text of, as float32 in a row."""
    return np.frombuffer(b64decode(text), "<f4").astype(np.float32)


def is_same_start(
    now: np.ndarray | list, was: list, rtol: float = 1e-4, atol: float = 1e-6
) -> bool:
    """Whether numbers of a run's first steps are those stored, to rounding: by default that of
    float32, which differs from one processor to another.
    """
    return np.shape(now) == np.shape(was) and np.allclose(now, was, rtol, atol)


def code_hash(measure: Callable[..., dict]) -> str:
    """A hash of what the module of a measuring function imports, and of torch's version: what a
    half-finished run may go on from. What only draws or claims does not count.
    """
    while isinstance(measure, partial):
        measure = measure.func
    found = hashlib.sha256(version("torch").encode())
    for path in sorted(imported_files(measure.__module__)):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def imported_files(module: str) -> set[Path]:
    """The files of this repository that a module imports, within functions too, with the packages
    that they lie in, and data of the same names.
    """
    files: set[Path] = set()
    left = [module]
    while left:
        parts = left.pop().split(".")
        for length in range(1, len(parts) + 1) if parts[0] in OURS else ():
            place = ROOT.joinpath(*parts[:length])
            package = place / "__init__.py"  # a page of the same name is another thing
            beside = map(place.with_suffix, (".py", ".yaml"))
            for path in (package,) if package.exists() else beside:
                if path.exists() and path not in files:
                    files.add(path)
                    if path.suffix == ".py":
                        left += imported_names(ast.parse(path.read_bytes()))
    return files


def imported_names(tree: ast.Module) -> Iterator[str]:
    """The modules that a file names in its imports; a name may be one too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


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
