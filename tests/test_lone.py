"""Every page with a rocket runs alone, as in Colab: beside what is there, it has what its setup
cell installs, and nothing else.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.test_chapters import ALL, CHAPTERS, ROOT, pair

THERE = ("torch", "numpy", "matplotlib", "ipykernel", "ipython", "pip")  # in Colab, and in Jupyter
LONE = """
import os
import sys
import nbformat
from nbclient import NotebookClient
os.environ["PYTHONPATH"] = os.getcwd()
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600, resources={"metadata": {"path": "."}}).execute()
"""
ONLY_THESE = """
import sys
from importlib.machinery import PathFinder

class Present(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in {absent!r}:
            return super().find_spec(name, path, target)

sys.meta_path[:] = [Present if finder is PathFinder else finder for finder in sys.meta_path]
"""


def normal(name: str) -> str:
    """The name of a distribution as they are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def with_needs(names: set[str]) -> set[str]:
    """These distributions, and what they need."""
    found, left = set(), set(map(normal, names))
    while left:
        name = left.pop()
        found.add(name)
        try:
            needs = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # for another platform
            continue
        left |= {
            normal(need.name)
            for need in needs
            if need.marker is None or need.marker.evaluate({"extra": ""})
        } - found
    return found


@pytest.fixture(scope="module")
def absent() -> list[str]:
    """The modules of this environment that a lone notebook does not find."""
    present = with_needs({*THERE, *pair.INSTALLED.values()})
    return sorted(
        module
        for module, owners in packages_distributions().items()
        if not present & set(map(normal, owners))
    )


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
    return place


@pytest.mark.parametrize("name", ALL)
def test_a_lone_notebook_runs_as_in_colab(name, repository, absent, tmp_path):
    shutil.copy(CHAPTERS / f"{name}.ipynb", tmp_path)
    (tmp_path / "sitecustomize.py").write_text(ONLY_THESE.format(absent=set(absent)))
    environment = {**os.environ, "BOOK_REPOSITORY": repository.as_uri(), "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    run = subprocess.run(
        [sys.executable, "-c", LONE, f"{name}.ipynb"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert (tmp_path / "book" / "lib" / "__init__.py").exists()


def test_what_is_absent_in_colab_is_absent_here(absent, tmp_path):
    assert {"playwright", "sphinx", "jupytext", "hypothesis"} <= set(absent)
    assert not {"torch", "numpy", "flint", "IPython", "safetensors"} & set(absent)
    (tmp_path / "sitecustomize.py").write_text(ONLY_THESE.format(absent=set(absent)))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", "import torch, flint; import playwright"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "No module named 'playwright'" in run.stderr
