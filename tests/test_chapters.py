"""The pages as sources: pairs in step, no outputs, bookkeeping apart; what lessons keep stands in
`test_lessons`.
"""

import ast
import importlib
import re
import subprocess

import jupytext
import nbformat
import pytest

from chapters._ext import pair
from record.runs import record_page
from tests import ROOT

CHAPTERS = ROOT / "chapters"
NUMBERED = sorted(path.stem for path in CHAPTERS.glob("[0-9]*.py"))
NOTES = sorted(path.stem for path in CHAPTERS.glob("note_*.py"))
ALL = sorted(path.stem for path in CHAPTERS.glob("*.py"))


def cells(name: str, kind: str) -> list[str]:
    """Sources of the code or markdown cells."""
    page = jupytext.read(CHAPTERS / f"{name}.py", fmt="py:percent")
    return [cell.source for cell in page.cells if cell.cell_type == kind]


@pytest.mark.parametrize("name", ALL)
def test_a_notebook_is_what_its_source_makes(name):
    assert (CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8") == pair.notebook(
        CHAPTERS / f"{name}.py"
    ), "run `make notebooks`"


def test_every_notebook_has_a_source():
    assert {path.stem for path in CHAPTERS.glob("*.ipynb")} == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_notebooks_hold_no_outputs_and_hide_no_errors(name):
    notebook = nbformat.read(CHAPTERS / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert "execution" not in notebook.metadata
    for cell in notebook.cells:
        assert "raises-exception" not in cell.metadata.get("tags", [])
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
BOOKKEEPING = {"claims", "glue", "record", "trained"}
DRAWING = {"plt", "go", "figure", "axis", "axes", "show_plotly"}


def names(tree: ast.AST) -> set[str]:
    """The names and attributes that a piece of code uses."""
    nodes = list(ast.walk(tree))
    return {node.id for node in nodes if isinstance(node, ast.Name)} | {
        node.attr for node in nodes if isinstance(node, ast.Attribute)
    }


@pytest.mark.parametrize("name", NUMBERED)
def test_open_code_records_nothing_and_draws_nothing(name):
    """What teaches is open; bookkeeping and drawing, and functions that do either, are folded."""
    page, folded = jupytext.read(CHAPTERS / f"{name}.py", fmt="py:percent"), set()
    for cell in page.cells:
        if cell.cell_type != "code":
            continue
        tree = ast.parse(cell.source)
        for defined in ast.walk(tree):
            if isinstance(defined, ast.FunctionDef) and kept_folded(names(defined), folded):
                folded.add(defined.name)
        if not FOLDED & set(cell.metadata.get("tags", [])):
            assert kept_folded(names(tree), folded) == set(), cell.source


def kept_folded(used: set[str], folded: set[str]) -> set[str]:
    """Those of the names that belong into a fold."""
    return {
        name for name in used if name in BOOKKEEPING | DRAWING | folded or name.endswith("_figure")
    }


def test_what_the_page_on_adapting_adds_takes_ten_lines_each():
    for source in cells("adapt", "code"):
        assert len([line for line in source.splitlines() if line and "import" not in line]) <= 10


def test_the_page_on_adapting_names_every_reader_and_every_judge():
    from lib import trained
    from lib.proofs import constructions

    text = "\n".join(cells("adapt", "markdown") + cells("adapt", "code"))
    readers = {name for name in trained.__all__ if name.startswith("from_")}
    judges = {name for name in vars(constructions) if name.startswith("proved_")}
    wanted = readers | judges | {"gpt2", "NextTokens", "sampled", "all_strings"}
    assert {name for name in wanted if not re.search(rf"\b{name}\b", text)} == set()


def test_the_page_on_adapting_proves_a_construction_for_every_length(capsys):
    """Its sections on constructions, which train nothing, in order."""
    source = cells("adapt", "code")
    start = next(number for number, cell in enumerate(source) if cell.startswith("LAST = "))
    exec("\n".join(["from lib.languages import Language", *source[start:-1]]), {})
    printed = capsys.readouterr().out
    assert "proved for every length: more a accepts w iff count(Q('a')) > count(Q('b'))" in printed
    assert "wrong: '001' is rejected" in printed and "s ← CLS: proved for each" in printed


def test_the_notation_names_code_that_there_is():
    named = re.findall(r"`(lib(?:\.\w+)+)`", (CHAPTERS / "notation.md").read_text(encoding="utf-8"))
    assert len(named) >= 3
    for name in named:
        module, _, attribute = name.rpartition(".")
        found = (
            importlib.import_module(name)
            if module == "lib"
            else getattr(importlib.import_module(module), attribute)
        )
        assert found is not None


def test_each_chapter_and_note_the_playground_and_no_other_page_has_recorded_claims():
    assert sorted(
        path.stem for path in (ROOT / "record" / "results" / "claims").glob("*.json")
    ) == [
        *NUMBERED,
        *NOTES,
        "playground",
    ]
    for name in (*NUMBERED, *NOTES, "playground"):
        code = "\n".join(cells(record_page(name), "code"))
        assert f'Claims("{name}")' in code and code.count("claims.table()") == 1


@pytest.mark.parametrize("name", NUMBERED)
def test_a_lesson_claims_nothing_and_names_its_record(name):
    assert "claims" not in "\n".join(cells(name, "code"))
    assert f"](record_{name})" in "\n".join(cells(name, "markdown"))
    assert f"]({name})" in "\n".join(cells(f"record_{name}", "markdown"))


def test_the_repositorys_address_stands_in_one_place():
    import yaml

    address = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"][
        "url"
    ]
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    holders = [
        path
        for path in tracked
        if (ROOT / path).is_file() and address.encode() in (ROOT / path).read_bytes()
    ]
    assert [path for path in holders if not path.endswith(".ipynb")] == ["_config.yml"]
