"""A change in any room of `lib` is noticed by what depends on it: half-finished runs, the cache of
executed notebooks and the built book.
"""

import shutil

import pytest

from record.experiments.gathered import LIBRARY, code_hash
from tests.conftest import extension
from tests.test_imports import ROOMS


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the library, which the book's extension takes for the book's."""
    shutil.copytree(LIBRARY, tmp_path / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    module = extension()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return tmp_path / "lib", module


@pytest.mark.parametrize("room", ROOMS)
def test_a_change_in_any_room_is_noticed(copy, room):
    library, module = copy

    def hashes() -> tuple[str, ...]:
        return code_hash.__wrapped__(library), module.cache_key(), module.fingerprint()

    before = hashes()
    assert hashes() == before
    files = sorted((library / room).rglob("*.py")) or [library / f"{room}.py"]
    for file in files:
        text = file.read_bytes()
        file.write_bytes(text + b"\n# changed\n")
        assert all(now != was for now, was in zip(hashes(), before, strict=True)), file
        file.write_bytes(text)
    assert hashes() == before
