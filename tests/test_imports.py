"""Rooms of `lib` import from rooms above them alone, files of a room from files before them;
doctests hold; files stay small; text is read and written in one encoding on every system.
"""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

import lib

LIB = Path(__file__).resolve().parents[1] / "lib"
ROOMS = re.findall(r"^(\w+) {2,}\S", lib.__doc__, re.MULTILINE)  # the map, from top to bottom
FILES = sorted(LIB.rglob("*.py"))


def module(path: Path) -> str:
    """The name by which a file is imported, without "lib."."""
    return ".".join(path.relative_to(LIB).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """The modules of `lib` that a file imports, without "lib.", those within functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module(path)} imports relatively"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    known = {f"lib.{module(other)}" for other in FILES}
    return {name.removeprefix("lib.") for name in found & known}


def room(name: str) -> str:
    return name.split(".")[0]


GRAPH = {
    module(path): imports(path)
    for path in FILES
    if path.parent != LIB or path.stem not in ("__init__", "record", "reproduce")
}


def test_the_map_names_every_room():
    assert set(ROOMS) == {room(name) for name in GRAPH}


@pytest.mark.parametrize("name", GRAPH)
def test_a_room_imports_from_rooms_above_it(name):
    above = ROOMS[: ROOMS.index(room(name)) + 1]
    assert {other for other in GRAPH[name] if room(other) not in above} == set()


@pytest.mark.parametrize("name", ROOMS)
def test_no_import_goes_round(name):
    left = {
        file: {other for other in GRAPH[file] if room(other) == name and other != file}
        for file in GRAPH
        if room(file) == name
    }
    for file in left:
        left[file].discard(name)  # a room's own __init__ gathers what its files hold
    while ready := [file for file, waits in left.items() if not waits & set(left)]:
        for file in ready:
            del left[file]
    assert left == {}


@pytest.mark.parametrize("name", GRAPH)
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(f"lib.{name}")).failed == 0


def test_files_are_small():
    sizes = {module(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: lines for name, lines in sizes.items() if lines > 350} == {}


def is_without_encoding(node: ast.AST) -> bool:
    """Whether a call reads or writes a file of text in whatever the system prefers."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    named = {keyword.arg for keyword in node.keywords}
    return node.func.attr in ("read_text", "write_text") and "encoding" not in named


def test_text_is_read_and_written_in_utf_8():
    files = [*FILES, *(LIB.parent / "tests").rglob("*.py"), *LIB.parent.glob("chapters/_ext/*.py")]
    found = [
        f"{path.relative_to(LIB.parent)}:{node.lineno}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_without_encoding(node)
    ]
    assert len(files) > 200 and found == []
    assert is_without_encoding(ast.parse("path.read_text()", mode="eval").body)
