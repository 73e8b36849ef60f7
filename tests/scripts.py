"""The programs in `chapters/_ext`, which belong to no package, as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def script(name: str) -> ModuleType:
    """`chapters/_ext/NAME.py` as a module of its own."""
    path = ROOT / "chapters" / "_ext" / f"{name}.py"
    specification = importlib.util.spec_from_file_location(f"{name}_of_the_book", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
