"""What a lone notebook finds, as in Colab: what is there, what its setup cell installs, and nothing
else.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

from tests.scripts import script

THERE = ("torch", "numpy", "matplotlib", "ipykernel", "ipython", "pip")  # in Colab, and in Jupyter
ONLY_THESE = """
import sys
from importlib.machinery import PathFinder

class Present(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in {absent!r}:
            return super().find_spec(name, path, target)

sys.meta_path[:] = [Present if finder is PathFinder else finder for finder in sys.meta_path]
"""


def normal(name: str) -> str:
    """The name of a distribution as they are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def with_needs(names: set[str]) -> set[str]:
    """These distributions, and what they need."""
    found, left = set(), set(map(normal, names))
    while left:
        name = left.pop()
        found.add(name)
        try:
            needs = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # for another platform
            continue
        left |= {
            normal(need.name)
            for need in needs
            if need.marker is None or need.marker.evaluate({"extra": ""})
        } - found
    return found


@cache
def absent() -> list[str]:
    """The modules of this environment that a lone notebook does not find."""
    present = with_needs({*THERE, *script("pair").INSTALLED.values()})
    return sorted(
        module
        for module, owners in packages_distributions().items()
        if not present & set(map(normal, owners))
    )


def hide(folder: Path) -> None:
    """Has every Python that is started with `folder` in PYTHONPATH find no absent module."""
    (folder / "sitecustomize.py").write_text(ONLY_THESE.format(absent=set(absent())))
