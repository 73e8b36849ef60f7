"""A change in any file that the book is made from is noticed by the cache of executed notebooks and
by the built book.
"""

import shutil

import pytest

from tests import ROOT
from tests.conftest import extension

OF_NOTEBOOKS = ["lib", "record", "chapters/common", "chapters/the_map"]
OF_THE_BOOK = [*OF_NOTEBOOKS, "chapters/_ext", "chapters/_static"]
RUNS = ROOT / "record" / "results"


def changeable(folder: str) -> list[str]:
    """The files of a folder that a person changes; of stored runs and claims, one of each kind."""
    files = [
        path
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and RUNS not in path.parents and "__pycache__" not in path.parts
    ]
    if folder == "record":
        files += [RUNS / "rows.json", *sorted((RUNS / "claims").glob("*.json"))[:1]]
    return [path.relative_to(ROOT).as_posix() for path in files if not path.name.startswith(".")]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of what the book is made from, which the book's extension takes for the book's."""
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in OF_THE_BOOK:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    module = extension()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return tmp_path, module


@pytest.mark.parametrize("folder", OF_THE_BOOK)
def test_a_change_in_any_file_is_noticed(copy, folder):
    root, module = copy

    def hashes() -> tuple[str, str]:
        return module.fingerprint(), module.digest(module.CODE)

    before, files = hashes(), changeable(folder)
    assert hashes() == before and len(files) >= 3
    for name in files:
        file = root / name
        data = file.read_bytes()
        file.write_bytes(data + b"\n# changed\n")
        book, notebooks = hashes()
        assert book != before[0], name
        assert (notebooks != before[1]) == (folder in OF_NOTEBOOKS), name
        file.write_bytes(data)
    assert hashes() == before


def test_what_python_compiled_and_hidden_files_are_not_noticed(copy):
    root, module = copy
    before = module.fingerprint()
    (root / "lib" / "__pycache__").mkdir()
    (root / "lib" / "__pycache__" / "a.pyc").touch()
    (root / "record" / ".results.json.1").touch()
    assert module.fingerprint() == before
