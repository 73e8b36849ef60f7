"""A note that is begun runs, is proved and recorded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import EVERYTHING, ROOT

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


@pytest.mark.skipif(not EVERYTHING, reason="once a month")
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
