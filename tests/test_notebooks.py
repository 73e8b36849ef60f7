"""The notebooks as Colab shows them: in step with the pages, without what only the book's builder
knows, and with one cell at their beginning that fetches the book.
"""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest

from chapters._ext import pair
from record import alone
from record.runs import folder, record_page
from tests import ROOT
from tests.lone import hide
from tests.test_imports import GRAPH, imports

CHAPTERS = ROOT / "chapters"
ALL = sorted(path.stem for path in CHAPTERS.glob("*.py"))
MYST = re.compile(
    r"\{[\w:]+\}`|^:::|^\(\S+\)=$|<script|class=\"(?:guess|live)\"|\]\(#", re.MULTILINE
)
SETUP = pair.setup().source
TRAINS = {"01_ffnn_parity", "05_counting_ablations"}


def cells(name: str) -> list:
    return nbformat.read(CHAPTERS / f"{name}.ipynb", as_version=4).cells


@pytest.mark.parametrize("name", ALL)
def test_a_notebook_is_what_its_source_makes_and_shows_no_raw_markup(name):
    made = pair.notebook(CHAPTERS / f"{name}.py")
    assert (CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8") == made, "run `make notebooks`"
    prose = [cell.source for cell in cells(name) if cell.cell_type == "markdown"]
    assert [found for text in prose for found in MYST.findall(text)] == []


def test_each_page_with_a_record_and_each_note_and_no_other_has_recorded_claims():
    pages = [name for name in ALL if name.startswith(("record_", "note_"))]
    names = [name.removeprefix("record_") for name in pages]
    assert {*map(folder, names)} == {path.parent.name for path in CHAPTERS.glob("*/claims.json")}
    for name in names:
        code = [cell.source for cell in cells(record_page(name)) if cell.cell_type == "code"]
        assert f'Claims("{name}")' in "".join(code) and "".join(code).count("claims.table()") == 1


# ---- the setup cell


@pytest.mark.parametrize("version", ["v0.0.0", None])
def test_the_setup_fetches_its_version_and_else_the_newest(version, tmp_path, monkeypatch):
    """Of a repository whose first commit is of that version."""
    [wanted] = re.findall(r'"(v[\d.]+)"', SETUP)
    place, git = tmp_path / "origin", ["git", "-c", "user.name=a", "-c", "user.email=a@localhost"]
    (place / "chapters").mkdir(parents=True)
    (place / "chapters" / "page.txt").write_text("first", encoding="utf-8")
    (place / "record").mkdir()
    (place / "record" / "__init__.py").touch()
    (place / "record" / "alone.py").write_text("ready = print", encoding="utf-8")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "1"],
        ["tag", version or wanted],
    ):
        subprocess.run([*git, *command], cwd=place, check=True)
    (place / "chapters" / "page.txt").write_text("second", encoding="utf-8")
    subprocess.run([*git, "commit", "-qam", "2"], cwd=place, check=True)
    (tmp_path / "here").mkdir()
    run = subprocess.run(
        [sys.executable, "-c", f"{SETUP}\nprint(open('page.txt').read())"],
        cwd=tmp_path / "here",
        env={**os.environ, "BOOK_REPOSITORY": place.as_uri(), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert run.stdout.split() == ["True", "second" if version else "first"] and not run.stderr


def test_it_installs_only_what_is_missing_and_never_torch(monkeypatch):
    asked = []
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.extend(command) or done)
    missing = ("flint", "tqdm")
    monkeypatch.setattr(alone, "find_spec", lambda name: None if name in missing else object())
    alone.ready(alone=False)
    assert asked == []
    alone.ready(alone=True)
    assert [name.split("==")[0] for name in asked if "==" in name] == ["python-flint", "tqdm"]


def test_what_a_page_imports_is_found_by_a_lone_notebook(tmp_path):
    hide(tmp_path)
    names = {name for path in CHAPTERS.glob("*.py") for name in imports(path) & {*GRAPH}}
    subprocess.run(
        [sys.executable, "-c", f"import {', '.join(sorted(names))}"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        check=True,
    )


def test_a_python_without_any_package_reads_it():
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import record.alone"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_what_it_installs_is_pinned():
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert all(f"\n{name}==" in pins for name in alone.INSTALLED.values())


# ---- the numbers


def test_the_numbers_of_the_notebooks_are_those_of_the_pages(pages):
    """What is trained while a page is built may come out otherwise on another processor."""
    known = json.loads(pair.NUMBERS.read_text(encoding="utf-8"))["numbers"]
    for name in ALL:
        source = (CHAPTERS / f"{name}.py").read_text(encoding="utf-8")
        written = [known[name][number] for number in re.findall(r"\{glue:text\}`([^`]+)`", source)]
        shown = [span.text for span in pages[f"chapters/{name}.html"].select(".pasted-text")]
        if name in TRAINS:
            written, shown = (
                [re.sub(r"\d+", "#", said) for said in both] for both in (written, shown)
            )
        assert shown == written, "run `make numbers`"
