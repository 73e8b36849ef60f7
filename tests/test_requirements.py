"""The lists of what is needed and their locks: each pin in its lock, hashed, and no two differ."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTS = {
    "book": ROOT / "requirements.txt",
    **{path.stem: path for path in (ROOT / "requirements").glob("*.txt")},
}


def pins(path: Path) -> set[str]:
    """The NAME==VERSION that a list asks for or a lock holds, names in lower case."""
    return set(
        re.findall(r"^[a-z0-9._-]+==[^\s;]+", path.read_text(encoding="utf-8").lower(), flags=re.M)
    )


def lock(name: str) -> Path:
    return ROOT / "requirements" / f"{name}.lock"


@pytest.mark.parametrize("name", LISTS)
def test_a_lock_holds_its_list_with_hashes_and_without_torch(name):
    asked = {pin for pin in pins(LISTS[name]) if not pin.startswith("torch==")}
    assert asked and asked <= pins(lock(name)), "run `make lock`"
    packages = re.split(r"^(?=[a-z])", lock(name).read_text(encoding="utf-8"), flags=re.M)[1:]
    assert len(packages) >= len(asked)
    assert all("--hash=sha256:" in package for package in packages)
    text = lock(name).read_text(encoding="utf-8")
    assert not re.search(r"^(torch|triton|nvidia-\S+)==|://", text, flags=re.M)
    book = pins(lock("book"))  # packages that locks share are of the book's version
    named = {pin.split("==")[0] for pin in book}
    assert {pin for pin in pins(lock(name)) if pin.split("==")[0] in named} <= book


def test_the_books_list_is_enough_for_pytest_nbmake():
    """And no list asks for what another one asks for, in another version perhaps."""
    names = {name: {pin.split("==")[0] for pin in pins(path)} for name, path in LISTS.items()}
    assert {"pytest", "nbmake", "torch"} <= names["book"]
    assert sum(map(len, names.values())) == len(set.union(*names.values()))
