"""A stored run: what takes longer than a chapter's minute, in which configurations, how its file is
checked, and how numbers of runs compare.

The configurations of a module's experiments are a file of YAML beside it, of the same name. Under
`experiments` it lists grids for each: what a grid says, once for each combination of what stands in
its `each`, the last list changing fastest. A mapping in such a list is several settings that vary
together.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from record.runs import read_yaml


@dataclass(frozen=True)
class Folder:
    """A folder that an experiment reads: `says` names its files and where they come from, and
    `fingerprint` gives a hash of what they hold, or raises ValueError for what is broken and
    FileNotFoundError for what is missing.
    """

    says: str
    fingerprint: Callable[[Path], str]


@dataclass(frozen=True)
class Experiment:
    """A stored run: `measure(device, **configuration)` gives a JSON object, and
    `replay(configuration, result)` says whether today's code gives what is stored.

    A replay is cheap: the first steps, figures of kept parameters, numbers in their ranges.
    `on_gpu` says whether a GPU is of use. With `reads` it reads a folder: `measure` is then given
    `data`, that folder, and `replay` where it is at hand.
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


def experiments(module: str, **made_by: Callable[..., Experiment]) -> dict[str, Experiment]:
    """The experiments that the YAML beside the file `module` lists, each made of its configurations
    by what its `made_by` names.
    """
    found = {}
    for name, listed in read_yaml(Path(module).with_suffix(".yaml"))["experiments"].items():
        found[name] = made_by[listed["made_by"]](combined(listed["configurations"]))
    return found


def combined(grids: list[dict]) -> list[dict]:
    """The configurations of grids."""
    configurations = []
    for grid in grids:
        each = grid.get("each", {})
        for values in product(*each.values()):
            configuration = {name: value for name, value in grid.items() if name != "each"}
            for name, value in zip(each, values, strict=True):
                configuration |= value if isinstance(value, dict) else {name: value}
            configurations.append(configuration)
    return configurations


def significant(values: np.ndarray, digits: int = 4) -> list:
    """Nested lists of numbers with that many significant digits."""
    return np.vectorize(lambda x: float(f"{x:.{digits}g}"), otypes=[float])(values).tolist()


def packed(flat: np.ndarray) -> str:
    """Parameters as text: float32, little-endian, in base 64."""
    return b64encode(np.asarray(flat, "<f4").tobytes()).decode()


def unpacked(text: str) -> np.ndarray:
    """The parameters that `packed` made a text of, as float32 in a row."""
    return np.frombuffer(b64decode(text), "<f4").astype(np.float32)


def is_same_start(
    now: np.ndarray | list, was: list, rtol: float = 1e-4, atol: float = 1e-6
) -> bool:
    """Whether numbers of a run's first steps are those stored, to rounding: unless told otherwise
    to that of float32, which another processor rounds otherwise.
    """
    return np.shape(now) == np.shape(was) and np.allclose(now, was, rtol, atol)
