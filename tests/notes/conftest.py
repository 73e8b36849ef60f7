"""The note of each test. It judges and proves as it is imported: once, where it is tested, and not
in every process that collects tests.
"""

from importlib import import_module
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def note(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(f"chapters.note_{request.module.__name__.rpartition('.test_')[2]}")
