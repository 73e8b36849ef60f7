"""Notebooks that pytest runs are held to the record (`record.claims`), and find no more than they
find alone in Colab (`tests.lone`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

os.environ.setdefault("BOOK_RECORD", "check")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Runs a notebook with those modules alone."""
    if item.path.suffix != ".ipynb":
        return (yield)
    from tests.lone import hide

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        hide(Path(folder))
        patched.setenv("PYTHONPATH", folder)
        return (yield)
