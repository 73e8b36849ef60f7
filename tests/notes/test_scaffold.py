"""A note that is begun runs, is proved and recorded."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from docutils.nodes import make_id

from chapters._ext import note
from lib.proofs import constructions
from record.rows import rows
from tests import ROOT

COPIED = ["lib", "record", "chapters", "tests/notes", "tests/__init__.py", "conftest.py"]
COPIED += ["_toc.yml", "_config.yml", "CITATION.cff", "requirements.txt"]


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of what a note needs."""
    unused = shutil.ignore_patterns("__pycache__", "*.png", "*.svg", "*.safetensors", "_static")
    for part in COPIED:
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tmp_path / part, ignore=unused)
        else:
            shutil.copy(ROOT / part, tmp_path / part)
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    """A command of Python in a copy, of whose own code alone it knows."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
    )


def test_a_note_that_is_begun_runs(copy):
    """The commands of `make note`, then the note's test, which fails for another construction."""
    for command in (
        ["chapters/_ext/note.py", "trial_run"],
        ["chapters/_ext/pair.py"],
        ["-m", "record", "note_trial_run"],
    ):
        done = run(copy, *command)
        assert done.returncode == 0, done.stderr
    page = copy / "chapters" / "note_trial_run.py"
    assert page.with_suffix(".ipynb").exists()
    assert (copy / "_toc.yml").read_text(encoding="utf-8").count("chapters/note_trial_run\n") == 1
    scored = run(copy, "-c", "from chapters.scorecard.tables import states; print(states())")
    assert "'note: trial run': 'not reported'" in scored.stdout, scored.stderr
    test = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/notes/test_trial_run.py"]
    assert "2 passed" in run(copy, *test).stdout
    text = page.read_text(encoding="utf-8")
    assert text.count("average, share, ") == 1
    page.write_text(text.replace("average, share, ", "average, -share, "), encoding="utf-8")
    assert run(copy, *test).returncode != 0


def test_the_label_of_a_note_is_its_place_in_the_page():
    """Sphinx makes a hyphen of `_`, and the scorecard links to the criterion's cell."""
    texts = {path.name: text for path, text in note.begin("two_words").items()}
    [label] = re.findall(r"^\((\S+)\)=$", texts["note_two_words.py"], re.MULTILINE)
    [criterion] = yaml.safe_load(texts["claims.yaml"])["claims"].values()
    assert make_id(label) == label == criterion["cell"]
    assert not re.search("LABEL|NAME|TITLE", "".join(texts.values()))


def test_a_note_names_every_judge_of_constructions():
    page = Path(note.__file__).with_suffix("") / "note_NAME.py.txt"
    named = set(re.findall(r"`(proved_\w+)", page.read_text(encoding="utf-8")))
    assert named == {name for name in vars(constructions) if name.startswith("proved_")}


def test_every_note_has_a_row_a_test_and_a_line_in_the_contents():
    names = {path.stem for path in (ROOT / "chapters").glob("note_*.py")}
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    tests = {f"note_{path.stem[5:]}" for path in Path(__file__).parent.glob("test_*.py")}
    assert names == tests - {"note_scaffold"}
    assert len(names) == len([place for place in rows() if place.startswith("note: ")])
    assert names == {name for name in names if f"chapters/{name}\n" in contents}
