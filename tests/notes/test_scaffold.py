"""A note that is begun runs, is proved and recorded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import EVERYTHING, ROOT

UNUSED = shutil.ignore_patterns(".*", "_build", "__pycache__", "_static", "*.safetensors")


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
def test_a_note_that_is_begun_runs(tmp_path):
    """The commands of `make note`, then the note's test, which fails for another construction."""
    copy = shutil.copytree(ROOT, tmp_path / "book", ignore=UNUSED)
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
    test = ["-m", "pytest", "-p", "no:cacheprovider", "tests/notes/test_trial_run.py"]
    assert "2 passed" in run(copy, *test).stdout
    text = page.read_text(encoding="utf-8")
    assert text.count("average, share, ") == 1
    page.write_text(text.replace("average, share, ", "average, -share, "), encoding="utf-8")
    assert run(copy, *test).returncode != 0
