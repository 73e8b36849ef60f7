"""Who imports whom: `lib` neither the record nor a chapter, and no date; the record no chapter, but
it finds runs by looking into their folders; a chapter's folder no other one, but `chapters.common`
and what is named here; rooms of `lib` those above them alone, files those before them. The library
holds what several use. Doctests hold.
"""

import ast
import doctest
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

import lib
from record.experiment import imported_names
from record.runs import folder
from tests import ROOT

ROOMS = re.findall(r"^(\w+) {2,}\S", lib.__doc__, re.MULTILINE)  # the map, from top to bottom
PATTERNS = ("lib/**/*.py", "record/**/*.py", "chapters/*/**/*.py")
FILES = [path for pattern in PATTERNS for path in sorted(ROOT.glob(pattern))]
PAGES = sorted(ROOT.glob("chapters/*.py"))
BORROWED = {  # what a folder or page takes from another one's folder
    "turing_completeness": {"translation"},
    "few_vectors": {"turing_completeness"},
    "provenance": {"translation"},
    "which_log_n": {"parity_not_learned"},
    "_ext": {"playground"},
    "intro": {"how_long", "layer_norm", "strangers"},
}
DATES = {"calendar", "datetime", "time.localtime", "time.strftime"}


def module(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """The names that a file imports, those within functions too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    levels = (getattr(node, "level", 0) for node in ast.walk(tree))
    assert not any(levels), f"{module(path)} imports relatively"
    return {*imported_names(tree)}


NAMES = {module(path): imports(path) for path in FILES}
GRAPH = {name: found & {*NAMES} for name, found in NAMES.items()}  # of the houses' own modules
LIBRARY = [name for name in GRAPH if name.startswith("lib.")]


def inside(name: str, *packages: str) -> bool:
    """Whether a module is one of the packages, or lies in one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def room(name: str) -> str:
    """The room of a module of `lib`, or the folder of one of `chapters`."""
    return name.removeprefix("lib.").removeprefix("chapters.").split(".")[0]


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


@pytest.mark.parametrize("package", [*(f"lib.{room}" for room in ROOMS), "record", "chapters"])
def test_no_import_goes_round(package):
    files = {name for name in GRAPH if inside(name, package)}
    left = {name: GRAPH[name] & files - {name} for name in files}
    for name in left:  # a package's own __init__ gathers what its files hold
        left[name] -= {other for other in files if name.startswith(f"{other}.")}
    while ready := [name for name, waits in left.items() if not waits & set(left)]:
        for name in ready:
            del left[name]
    assert left == {}


def test_the_record_imports_no_chapter():
    for name in GRAPH:
        assert not inside(name, "record") or not {n for n in NAMES[name] if inside(n, "chapters")}


def borrowed(own: str, names: set[str]) -> set[str]:
    """The folders of others that names lie in, of those that a file of the folder `own` imports."""
    modules = {name for name in names if inside(name, "chapters") and name in GRAPH}
    return {room(name) for name in modules} - {own, "common", "_ext"}


def test_a_folder_imports_no_other_but_what_they_share():
    found: dict[str, set[str]] = {}
    for name in GRAPH:
        if inside(name, "chapters"):
            found.setdefault(room(name), set()).update(borrowed(room(name), GRAPH[name]))
    for page in PAGES:
        own = folder(page.stem)
        found.setdefault(own, set()).update(borrowed(own, imports(page)))
    assert {own: others for own, others in found.items() if others} == BORROWED


def test_every_file_of_the_library_has_several_users_or_is_shown_to_readers():
    """A lesson and its record are one user; what another file of the library needs may stay."""
    users = {name: set() for name in LIBRARY if (ROOT / f"{name.replace('.', '/')}.py").exists()}
    for path in [*FILES, *PAGES]:
        place = path.relative_to(ROOT).parts
        user = place[1] if len(place) > 2 else folder(path.stem)
        for name in set(map(defined, imports(path))) & {*users} - {module(path)}:
            if path.name != "__init__.py":
                users[name].add("several" if place[0] != "chapters" or user == "common" else user)
    shown = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "chapters/adapt.py")
    ]
    alone = {name for name, by in users.items() if len(by) < 2 and "several" not in by}
    assert {name for name in alone if name.removesuffix(".__main__") not in "".join(shown)} == set()


def defined(name: str) -> str:
    """The file of the library in which a name that a file imports is written; else the name."""
    package, _, last = name.rpartition(".")
    if name in GRAPH or not inside(package, "lib"):
        return name
    return getattr(getattr(importlib.import_module(package), last, None), "__module__", package)


def test_a_name_of_the_library_means_one_thing():
    """No two classes share a name, and no package exports a name that is a module of it."""
    classes = Counter(
        node.name
        for path in sorted(ROOT.glob("lib/**/*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert len(classes) > 80 and [name for name, times in classes.items() if times > 1] == []
    for package in sorted(ROOT.glob("lib/*/__init__.py")):
        exported = getattr(importlib.import_module(f"lib.{package.parent.name}"), "__all__", [])
        assert {*exported} & {path.stem for path in package.parent.glob("*.py")} == set()


@pytest.mark.parametrize("name", [name for name in GRAPH if name != "record.__main__"])
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
