"""`lib` reads in one direction: no cycle, no import against the reading order, no torch in exact code, and its doctests hold."""

import ast
import doctest
import importlib
from pathlib import Path

import pytest

LIB = Path(__file__).resolve().parents[1] / "lib"
READING_ORDER = ["space", "languages", "matrix", "trace", "construction", "constructions", "normalization", "mutants", "exact", "encoder",
                 "recurrent", "machines", "programs", "simulate", "variants", "feedforward", "precision", "halves", "batches", "ensemble", "gradient", "train",
                 "grids", "counting", "ablations", "seq2seq", "decoding", "corpora", "vocabulary", "translate", "sequences",
                 "results", "pages", "figures", "learned", "tapes", "playground", "browser", "agreement", "experiments", "reproduce"]


def imports_of(name: str) -> set[str]:
    """The names of the modules of `lib` that lib/NAME.py imports, and of the packages outside it."""
    found = set()
    for node in ast.walk(ast.parse((LIB / f"{name}.py").read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"lib.{alias.name}" for alias in node.names} if node.module == "lib" else {node.module}
    return found


def test_the_reading_order_names_every_file():
    assert set(READING_ORDER) == {path.stem for path in LIB.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("name", READING_ORDER)
def test_imports_go_one_way(name):
    later = {f"lib.{other}" for other in READING_ORDER[READING_ORDER.index(name):]}
    assert not imports_of(name) & later


@pytest.mark.parametrize("name", READING_ORDER)
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(f"lib.{name}")).failed == 0


def test_files_are_small():
    sizes = {path.name: len(path.read_text().splitlines()) for path in LIB.glob("*.py")}
    assert {name: lines for name, lines in sizes.items() if lines > 350} == {}
