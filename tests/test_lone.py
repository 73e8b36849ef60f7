"""Every page with a rocket runs alone, as in Colab: beside what is there, it has what its setup
cell installs, and nothing else. `pytest --nbmake chapters` runs all so (`conftest.py`); here some
are copied to an empty folder, from where the setup cell, one for all, fetches the library.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chapters._ext.pair import setup
from tests import ROOT
from tests.lone import hide

CHAPTERS = ROOT / "chapters"
[VERSION] = re.findall(r'"(v[\d.]+)"', setup().source)
LONE = """
import os
import sys
import nbformat
from nbclient import NotebookClient
os.environ["PYTHONPATH"] = os.getcwd()
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600, resources={"metadata": {"path": "."}}).execute()
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    """A repository that holds the working tree as it is, for a lone notebook to clone."""
    place = tmp_path_factory.mktemp("origin") / "book"
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for file in filter(lambda file: (ROOT / file).is_file(), files):
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, place / file)
    person = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    git = ("git", *person, "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false")
    subprocess.run([*git, "init", "--quiet", "."], cwd=place, check=True)
    subprocess.run([*git, "add", "--all"], cwd=place, check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "as it is"], cwd=place, check=True)
    subprocess.run([*git, "tag", VERSION], cwd=place, check=True)
    return place


# What a kernel runs first: torch says that there is a GPU, and it is an error to move to it.
PRETENDED = """
import pathlib
import torch
def moved():
    raise AssertionError("no page moves to a GPU unasked")
torch.cuda.is_available = lambda: True
torch.cuda.device_count = lambda: 1
torch.cuda._lazy_init = moved
torch.accelerator.current_accelerator = lambda check_available=False: None  # Adam asks in vain
pathlib.Path("pretended").touch()
del pathlib, torch, moved
"""


def test_a_lone_notebook_runs_as_in_colab(repository, tmp_path):
    """Where torch says that there is a GPU, as Colab may have one."""
    shutil.copy(CHAPTERS / "01_ffnn_parity.ipynb", tmp_path)
    hide(tmp_path)
    environment = {**os.environ, "BOOK_REPOSITORY": repository.as_uri(), "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    startup = tmp_path / "ipython" / "profile_default" / "startup" / "gpu.py"
    startup.parent.mkdir(parents=True)
    startup.write_text(PRETENDED, encoding="utf-8")
    environment["IPYTHONDIR"] = str(tmp_path / "ipython")
    run = subprocess.run(
        [sys.executable, "-c", LONE, "01_ffnn_parity.ipynb"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert (tmp_path / f"book-{VERSION}" / "lib" / "__init__.py").exists()
    assert (tmp_path / "pretended").exists()


def test_the_notebooks_that_pytest_runs_find_no_more(pytestconfig, tmp_path):
    """A notebook that imports what is absent fails, run by nbmake in the repository."""
    import nbformat

    cell = nbformat.v4.new_code_cell("import torch, flint\nimport playwright")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "", "language": "python"}
    shutil.copy(ROOT / "conftest.py", tmp_path)
    nbformat.write(notebook, tmp_path / "absent.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbmake", "absent.ipynb", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "No module named 'playwright'" in done.stdout
