"""Stored runs: those whose code changed replay, and a change of one is noticed."""

import subprocess
from dataclasses import replace

import pytest

from record import runs as results
from record.experiment import MODULE_OF, ROOT, experiment, imported_files
from record.reproduce import replay
from record.runs import stored
from tests.history import changed, git


def stands_on_what_changed(name: str, files: set[str]) -> bool:
    """Whether a stored run, what its experiment imports, or a library is among the files."""
    paths = {path.relative_to(ROOT).as_posix() for path in imported_files(MODULE_OF[name])}
    return bool(files & {f"record/results/{name}.json", "requirements/book.lock", *paths})


def skip_unless_changed(name: str) -> None:
    if (files := changed()) is not None and not stands_on_what_changed(name, files):
        pytest.skip("what it stands on has not changed")


def test_what_changed_since_a_commit_is_replayed(monkeypatch):
    for all_of_them in ("all", "no commit"):
        monkeypatch.setenv("REPLAY", all_of_them)
        assert changed.__wrapped__() is None
    assert not stands_on_what_changed("nowak_longer", {"README.md", "record/notebook.py"})
    for file in ("chapters/common/learners/train.py", "record/results/nowak_longer.json"):
        assert stands_on_what_changed("nowak_longer", {"README.md", file})


@pytest.mark.parametrize(
    "name", [name for name in MODULE_OF if (results.RESULTS / f"{name}.json").exists()]
)
def test_every_stored_run_is_what_todays_code_gives(name):
    skip_unless_changed(name)
    run = stored(name)
    assert [row["configuration"] for row in run.results] == experiment(name).configurations
    assert replay(run) == [] and experiment(name).question


def test_replay_notices_a_change():
    run = stored("ffnn_parity")
    row = run.results[0]
    moved = [[x * 1.001 for x in step] for step in row["result"]["first_bits"]]
    forged = row | {"result": row["result"] | {"first_bits": moved}}
    assert replay(replace(run, results=[forged])) == [row["configuration"]]


def test_a_commit_that_a_stored_run_names_is_in_the_history_or_said_to_be_lost():
    try:
        history = git("rev-list", "HEAD")
        if git("rev-parse", "--is-shallow-repository") == ["true"]:
            pytest.skip("the history is not here")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no history here")
    named = {run.made["commit"].removesuffix("+") for run in results.stored_runs()}
    missing = {name for name in named if not any(commit.startswith(name) for commit in history)}
    assert missing == {*results.read_yaml(results.CHAPTERS / "provenance" / "tables.yaml")["lost"]}
