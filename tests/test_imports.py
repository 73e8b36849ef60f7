"""Who imports whom: `lib` neither the record nor a page, and no date; the record of the chapters
what they share, `chapters.common`, and the playground's data; a page no other page; rooms of `lib`
those above them alone, files of a room those before them. Files are no longer than one reads;
doctests hold; text is read and written in one encoding on every system.
"""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

import lib
from tests import ROOT

HOUSES = [
    "lib",
    "record",
    "chapters/common",
    "chapters/pages",
    "chapters/exercises",
    "chapters/_ext",
]
ROOMS = re.findall(r"^(\w+) {2,}\S", lib.__doc__, re.MULTILINE)  # the map, from top to bottom
FILES = [path for house in HOUSES for path in sorted((ROOT / house).rglob("*.py"))]
DATES = {"calendar", "datetime", "time.localtime", "time.strftime"}
LONGEST = 700  # lines of a file


def module(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """The names that a file imports, those within functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module(path)} imports relatively"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


NAMES = {module(path): imports(path) for path in FILES}
GRAPH = {name: found & {*NAMES} for name, found in NAMES.items()}  # of the houses' own modules
LIBRARY = [name for name in GRAPH if name.startswith("lib.")]


def inside(name: str, *packages: str) -> bool:
    """Whether a module is one of the packages, or lies in one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def room(name: str) -> str:
    """The room of a module of `lib`, or the page of one of `chapters.pages`."""
    return name.removeprefix("lib.").removeprefix("chapters.pages.").split(".")[0]


def test_the_map_names_every_room():
    assert set(ROOMS) == {room(name) for name in LIBRARY}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_knows_no_record_no_page_and_no_date(name):
    outside = {other for other in NAMES[name] if inside(other, "record", "chapters", "tests")}
    assert outside == set() and NAMES[name] & DATES == set()


@pytest.mark.parametrize("name", LIBRARY)
def test_a_room_imports_from_rooms_above_it(name):
    above = ROOMS[: ROOMS.index(room(name)) + 1]
    assert {other for other in GRAPH[name] if room(other) not in above} <= {"lib"}


@pytest.mark.parametrize("house", [*ROOMS, *HOUSES[1:]])
def test_no_import_goes_round(house):
    package = f"lib.{house}" if house in ROOMS else house.replace("/", ".")
    files = {name for name in GRAPH if inside(name, package)}
    left = {name: GRAPH[name] & files - {name} for name in files}
    for name in left:  # a package's own __init__ gathers what its files hold
        left[name] -= {other for other in files if name.startswith(f"{other}.")}
    while ready := [name for name, waits in left.items() if not waits & set(left)]:
        for name in ready:
            del left[name]
    assert left == {}


def test_the_record_imports_no_page_but_the_playgrounds_data():
    known = {"record.experiments.playground": {"chapters.pages.playground"}}
    for name in GRAPH:
        if inside(name, "record"):
            pages = {other for other in GRAPH[name] if inside(other, "chapters")}
            pages -= {other for other in pages if inside(other, "chapters.common")}
            assert pages == known.get(name, set()), name


def test_a_page_imports_no_other_page():
    shared = {f"chapters.pages{name}" for name in ("", ".notebooks", ".learning_curves")}
    for name in GRAPH:
        if inside(name, "chapters.pages"):
            others = {other for other in GRAPH[name] - shared if inside(other, "chapters")}
            others -= {other for other in others if inside(other, "chapters.common")}
            assert {other for other in others if room(other) != room(name)} == set(), name


@pytest.mark.parametrize("name", [name for name in GRAPH if name != "record.__main__"])
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_files_can_be_read_at_once():
    assert {module(path): lines(path) for path in FILES if lines(path) > LONGEST} == {}


def is_without_encoding(node: ast.AST) -> bool:
    """Whether a call reads or writes a file of text in whatever the system prefers."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    named = {keyword.arg for keyword in node.keywords}
    return node.func.attr in ("read_text", "write_text") and "encoding" not in named


def test_text_is_read_and_written_in_utf_8():
    files = [*FILES, *(ROOT / "tests").rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_without_encoding(node)
    ]
    assert len(files) > 150 and found == []
    assert is_without_encoding(ast.parse("path.read_text()", mode="eval").body)
