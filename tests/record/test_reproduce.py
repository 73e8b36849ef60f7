"""Stored runs: those whose code changed replay; one goes on under the same code and criteria."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

from record import experiments
from record import reproduce as reproducing
from record import runs as results
from record.experiment import Experiment
from record.experiments import MODULE_OF, ROOT, experiment, imported_files
from record.precision import first_failure
from record.reproduce import replay, reproduce, sampled
from record.runs import criteria_hash, stored, stored_runs
from tests.toys import named_for_a_test, passes

NOT_YET_RUN = {
    "translation_iwslt15_large",  # a GPU
    "translation_iwslt14",  # a GPU, and data to download
}


def test_every_other_experiment_is_stored():
    assert {
        name for name in MODULE_OF if not (results.RESULTS / f"{name}.json").exists()
    } == NOT_YET_RUN


def git(*words: str) -> list[str]:
    """The lines that git says of this repository; CalledProcessError or OSError where it cannot."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def base() -> str:
    """What to compare with: what the environment names as REPLAY, a commit or "all"; otherwise the
    merge base with origin/main; the parent where that is this commit, or where there is no such
    branch.
    """
    if asked := os.environ.get("REPLAY"):
        return asked
    try:
        found = git("merge-base", "HEAD", "origin/main")
        return "HEAD^" if found == git("rev-parse", "HEAD") else found[0]
    except (OSError, subprocess.CalledProcessError):
        return "HEAD^"


@cache
def changed() -> set[str] | None:
    """The files that differ from those of the base; None where git knows no such commit."""
    try:
        new = git("ls-files", "--others", "--exclude-standard")
        return {*git("diff", "--name-only", base(), "--"), *new}
    except (OSError, subprocess.CalledProcessError):
        return None


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
    assert not stands_on_what_changed("nowak_longer", {"README.md", "lib/notebook.py"})
    for file in ("lib/learning/train.py", "record/results/nowak_longer.json"):
        assert stands_on_what_changed("nowak_longer", {"README.md", file})
    assert stands_on_what_changed("playground", {"chapters/_static/reader.mjs"})


@pytest.mark.parametrize(
    "name", [name for name in MODULE_OF if (results.RESULTS / f"{name}.json").exists()]
)
def test_every_stored_run_is_what_todays_code_gives(name):
    skip_unless_changed(name)
    run = stored(name)
    assert [row["configuration"] for row in run.results] == experiment(name).configurations
    assert replay(run) == [] and experiment(name).question


@pytest.mark.parametrize("name", ["length_laboratory", "one_generalisation", "nowak_changed"])
def test_the_cheapest_configuration_in_full_gives_what_is_stored(name):
    skip_unless_changed(name)
    run = stored(name)
    cheapest = min(run.results, key=lambda row: row["seconds"])
    one = replace(run, results=[cheapest])
    assert replay(one, in_full=[cheapest["configuration"]]) == []


def test_what_is_run_in_full_is_drawn_by_a_seed():
    run = stored("parity_significand")
    drawn = [str(sampled(run, 3, seed)) for seed in range(20)]
    assert drawn == [str(sampled(run, 3, seed)) for seed in range(20)]
    assert len(set(drawn)) > 15
    assert sampled(run, 0, 1) == [] and len(sampled(run, 1000, 1)) == len(run.results)


def test_every_module_holds_the_experiments_that_are_listed():
    for module in set(MODULE_OF.values()):
        names = [name for name, place in MODULE_OF.items() if place == module]
        assert [*import_module(module).EXPERIMENTS] == names


def test_a_hash_notices_a_change_of_what_is_imported(tmp_path, monkeypatch):
    (tmp_path / "record").mkdir()
    measures, helps, draws = (tmp_path / "record" / f"{name}.py" for name in ("a", "b", "c"))
    measures.write_text("def measure():\n    from record import b\n", encoding="utf-8")
    helps.write_text("x = 1\n", encoding="utf-8")
    draws.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(experiments, "ROOT", tmp_path)
    code_hash = experiments.code_hash.__wrapped__
    before = code_hash("record.a")
    draws.write_text("x = 2\n", encoding="utf-8")
    assert code_hash("record.a") == before
    helps.write_text("x = 2\n", encoding="utf-8")
    assert code_hash("record.a") != before
    for data in (measures.with_suffix(".yaml"), helps.with_suffix(".mjs")):
        before = code_hash("record.a")
        data.write_text("x: 1\n", encoding="utf-8")
        assert code_hash("record.a") != before


def test_replay_notices_a_change():
    run = stored("ffnn_parity")
    row = run.results[0]
    forged = {
        **row,
        "result": {
            **row["result"],
            "first_bits": [[x * 1.001 for x in step] for step in row["result"]["first_bits"]],
        },
    }
    assert replay(replace(run, results=[forged])) == [row["configuration"]]
    search = stored("parity_precision")
    for row in search.results[:3]:
        n, wrong = row["result"]["n"], row["result"]["wrong"]
        for forged in (
            {"n": n + 1, "wrong": [3]},
            {"n": n - 1, "wrong": wrong},
            {"n": n, "wrong": wrong[:-1]},
            {"n": n, "wrong": []},
        ):
            assert replay(replace(search, results=[{**row, "result": forged}])) == [
                row["configuration"]
            ]
        late = next(
            later
            for later in range(n + 1, 2000)
            if first_failure(**{**row["configuration"], "start": later})["n"] == later
        )
        forged = {**row, "result": first_failure(**{**row["configuration"], "start": late})}
        assert late > n + 5 or replay(replace(search, results=[forged])) == [row["configuration"]]
        shorter = {**row["configuration"], "stop": n + 1}
        assert replay(
            replace(
                search, results=[{"configuration": shorter, "result": {"n": None, "wrong": []}}]
            )
        ) == [shorter]


def test_a_short_run_in_full_gives_what_is_stored():
    row = next(row for row in stored("ffnn_parity").results if row["configuration"]["n"] == 2)
    again = experiment("ffnn_parity").measure("cpu", **{**row["configuration"], "seeds": 3})
    assert again["errors"] == row["result"]["errors"][:3]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """An experiment of three configurations whose second fails while the file `broken` is there."""

    def measure(device: str, x: int) -> dict:
        (tmp_path / f"measured {x}").touch(exist_ok=False)
        if x == 2 and (tmp_path / "broken").exists():
            raise RuntimeError("stopped")
        return {"square": x * x}

    monkeypatch.setattr(reproducing, "RESULTS", tmp_path / "results")
    configurations = [{"x": 1}, {"x": 2}, {"x": 3}]
    named_for_a_test(
        monkeypatch,
        "toy",
        Experiment(configurations, [{"x": 7}], measure, passes),
    )
    return tmp_path


def test_code_that_is_changed_meanwhile_is_noticed(toy, monkeypatch):
    monkeypatch.setattr(reproducing, "code_hash", lambda module: "asked")
    with pytest.raises(RuntimeError, match="the code was changed while the run was made"):
        reproduce("toy", jobs=1)


def test_a_run_goes_on_from_the_same_code_only(toy, monkeypatch):
    (toy / "broken").touch()
    with pytest.raises(RuntimeError, match="stopped"):
        reproduce("toy", jobs=1)
    for module in (reproducing, experiments):
        monkeypatch.setattr(module, "code_hash", lambda module: "another")
    with pytest.raises(FileExistsError):  # it measures 1 again
        reproduce("toy", jobs=1)


def test_a_run_goes_on_under_the_same_criteria_only_and_says_their_hash(toy, monkeypatch):
    asked = toy / "asked"
    monkeypatch.setattr(results, "BEFORE", asked)
    asked.mkdir()
    (asked / "toy.yaml").write_text("within: 5\n", encoding="utf-8")
    (toy / "broken").touch()
    with pytest.raises(RuntimeError, match="stopped"):
        reproduce("toy", jobs=1)
    (asked / "toy.yaml").write_text("within: 9\n", encoding="utf-8")
    with pytest.raises(FileExistsError):  # it measures 1 again
        reproduce("toy", jobs=1)
    (asked / "toy.yaml").write_text("within: 5\n", encoding="utf-8")
    for name in ("broken", "measured 2"):
        (toy / name).unlink()
    reproduce("toy", jobs=1)
    data = json.loads((toy / "results" / "toy.json").read_text(encoding="utf-8"))
    assert data["made"]["criteria"] == sha256(b"within: 5\n").hexdigest()


def test_no_criteria_were_changed_after_their_run():
    assert all(run.made.get("criteria") == criteria_hash(run.name) for run in stored_runs())


def test_who_goes_on_within_a_configuration_is_given_a_folder(toy, monkeypatch):
    given = []

    def measure(device: str, x: int, checkpoints: Path) -> dict:
        given.append(checkpoints)
        return {}

    asked = Experiment([{"x": 1}], [], measure, passes, goes_on=True)
    named_for_a_test(monkeypatch, "toy", asked)
    reproduce("toy", jobs=1)
    [folder] = given
    assert folder.parent == toy / "results" / ".partial" / "toy"


def test_quick_stores_nothing(toy):
    [row] = reproduce("toy", quick=True, jobs=1)
    assert (row["configuration"], row["result"]) == ({"x": 7}, {"square": 49})
    assert not (toy / "results").exists()


def test_a_stored_run_is_checked_by_the_command(monkeypatch, capsys, tmp_path):
    seeded = ["--check", "--sample", "2", "--seed", "7"]
    monkeypatch.setattr(sys, "argv", ["command", "parity_significand", *seeded])
    reproducing.main()
    *drawn, said, question = capsys.readouterr().out.splitlines()
    assert len(drawn) == 2
    assert all(line.startswith("run in full (--sample 2 --seed 7): {'p': ") for line in drawn)
    assert said.startswith("parity_significand: what was run again is what is stored")
    assert question.startswith("Whether the search, begun a few lengths before its end, or ")
    run = stored("parity_significand")
    first = run.results[0]["configuration"]
    other = [{**run.results[0], "result": run.results[1]["result"]}, *run.results[1:]]
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    for forged, message in (
        (
            other,
            f"1 of {len(other)} configurations of .* the first of them {re.escape(str(first))}",
        ),
        (run.results[::-1], "the configurations of parity_significand are not those of the code"),
    ):
        results.store("parity_significand", forged, run.made)
        with pytest.raises(ValueError, match=message):
            reproducing.check("parity_significand")
