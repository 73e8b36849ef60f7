"""What a lone notebook finds, as in Colab: what is there, what its setup cell installs, and nothing
else.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

from record.alone import INSTALLED

THERE = ("torch", "numpy", "matplotlib", "ipykernel", "ipython", "pip")  # in Colab, and in Jupyter
ONLY_THESE = """
import sys
from importlib.machinery import PathFinder

class Present(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in {absent!r}:
            return super().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, *context):
        found = super().find_distributions(*context)
        return (one for one in found if one.metadata["Name"] not in {unnamed!r})

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
def present() -> set[str]:
    """The distributions that a lone notebook finds."""
    return with_needs({*THERE, *INSTALLED.values()})


def absent() -> list[str]:
    """The modules of this environment that a lone notebook does not find."""
    return sorted(
        module
        for module, owners in packages_distributions().items()
        if not present() & set(map(normal, owners))
    )


@cache
def hidden() -> str:
    """What a Python runs at its start to find no absent module, and no absent distribution."""
    names = {one.metadata["Name"] for one in distributions()}
    unnamed = {name for name in names if normal(name) not in present()}
    return ONLY_THESE.format(absent=set(absent()), unnamed=unnamed)


def hide(folder: Path) -> None:
    """Has every Python that is started with `folder` in PYTHONPATH find no more than that."""
    (folder / "sitecustomize.py").write_text(hidden(), encoding="utf-8")
