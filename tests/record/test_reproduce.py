"""Stored runs: they replay, resume after a stop, and leave nothing half-written."""

import json
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

from record import experiments
from record import reproduce as reproducing
from record import runs as results
from record.experiment import Experiment
from record.experiments import MODULE_OF, experiment
from record.precision import first_failure
from record.reproduce import replay, reproduce, sampled
from record.runs import criteria_hash, stored, stored_runs
from tests.toys import named_for_a_test

NOT_YET_RUN = {
    "translation_multi30k_large",  # a GPU
    "translation_iwslt15_large",  # a GPU
    "translation_iwslt14",  # a GPU, and data to download
}


def test_every_other_experiment_is_stored():
    assert {
        name for name in MODULE_OF if not (results.RESULTS / f"{name}.json").exists()
    } == NOT_YET_RUN


@pytest.mark.parametrize(
    "name", [name for name in MODULE_OF if (results.RESULTS / f"{name}.json").exists()]
)
def test_every_stored_run_is_what_todays_code_gives(name):
    run = stored(name)
    assert [row["configuration"] for row in run.results] == experiment(name).configurations
    assert replay(run) == []


@pytest.mark.parametrize("name", ["length_laboratory", "one_generalisation", "nowak_changed"])
def test_the_cheapest_configuration_in_full_gives_what_is_stored(name):
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


def test_one_experiment_loads_what_it_needs():
    code = (
        "import sys, record.reproduce; from record.experiments import experiment; "
        "experiment('ffnn_parity'); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=experiments.ROOT
    )
    loaded = {name for name in done.stdout.split() if name.startswith(("lib.", "record."))}
    assert "record.experiments.chiang_cholak" in loaded and len(loaded) < 45
    others = ("lib.turing", "lib.notebook", "record.claims", "chapters")
    others += ("record.experiments.translation",)
    assert not [name for name in loaded if name.startswith(others)]


def test_a_hash_covers_what_measuring_imports():
    files = experiments.imported_files("record.experiments.nowak")
    names = {path.relative_to(experiments.ROOT).as_posix() for path in files}
    assert {"lib/learning/train.py", "lib/checks.py", "record/experiments/nowak.py"} <= names
    assert "record/experiments/nowak.yaml" in names
    assert not [name for name in names if name.startswith(("chapters", "record/claims", "tests"))]
    assert {"lib/notebook.py", "lib/turing/machines.py"} & names == set()


def test_the_pages_own_readers_are_in_the_hash_of_what_measures_them():
    files = experiments.imported_files("record.experiments.playground")
    assert {*(experiments.ROOT / "chapters" / "_static").glob("*.mjs")} <= files


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
    """An experiment of three configurations whose second fails as long as the file `broken` is
    there.
    """

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
        Experiment(configurations, [{"x": 7}], measure, lambda *_, in_full: True),
    )
    return tmp_path


def test_a_run_that_was_stopped_goes_on_where_it_stood(toy):
    (toy / "broken").touch()
    with pytest.raises(RuntimeError, match="stopped"):
        reproduce("toy", jobs=1)
    assert not (toy / "results" / "toy.json").exists()
    (toy / "broken").unlink()
    (toy / "measured 2").unlink()
    reproduce("toy", jobs=1)  # measuring 1 again would fail: its file exists
    data = json.loads((toy / "results" / "toy.json").read_text(encoding="utf-8"))
    assert [(row["configuration"]["x"], row["result"]["square"]) for row in data["results"]] == [
        (1, 1),
        (2, 4),
        (3, 9),
    ]
    assert not (toy / "results" / ".partial" / "toy").exists() and data["made"]["device"] == "CPU"


def test_a_worker_with_other_code_is_refused(toy, monkeypatch):
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

    asked = Experiment([{"x": 1}], [], measure, lambda *_, in_full: True, goes_on=True)
    named_for_a_test(monkeypatch, "toy", asked)
    reproduce("toy", jobs=1)
    [folder] = given
    assert folder.parent == toy / "results" / ".partial" / "toy"


def test_quick_stores_nothing(toy):
    [row] = reproduce("toy", quick=True, jobs=1)
    assert (row["configuration"], row["result"]) == ({"x": 7}, {"square": 49})
    assert not (toy / "results").exists()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"name": "nothing"}, "no experiment 'nothing'; there are ffnn_parity"),
        ({"name": "ffnn_parity", "device": "tpu"}, "device 'tpu' is not at hand for ffnn_parity"),
        ({"name": "parity_precision", "device": "cuda"}, "there is cpu$"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        reproduce(**arguments)


def test_the_command_runs_quick_and_refuses_what_it_does_not_know():
    command = [sys.executable, "-m", "record.reproduce"]
    root = results.CHAPTERS.parent
    quick = subprocess.run(
        [*command, "parity_precision", "--quick"],
        capture_output=True,
        text=True,
        cwd=root,
        check=True,
    )
    assert [json.loads(line)["result"]["n"] for line in quick.stdout.splitlines()] == [30, 72]
    refused = subprocess.run(
        [*command, "parity_precision", "--device", "tpu"], capture_output=True, text=True, cwd=root
    )
    assert refused.returncode == 2 and "device 'tpu' is not at hand" in refused.stderr


def test_a_stored_run_is_checked_by_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["command", "parity_significand", "--check"])
    reproducing.main()
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "parity_significand: what was run again is what is stored",
        "  computed anew: n, wrong, k",
        "  in part: nothing",
        "  on the seal alone: seconds",
    ]
    seeded = ["--check", "--sample", "2", "--seed", "7"]
    monkeypatch.setattr(sys, "argv", ["command", "parity_significand", *seeded])
    reproducing.main()
    again = capsys.readouterr().out.splitlines()
    assert again[2:] == said
    assert all(line.startswith("run in full (--sample 2 --seed 7): {'p': ") for line in again[:2])
    monkeypatch.setattr(sys, "argv", ["command", "parity_significand", "--check"])
    data = json.loads((results.RESULTS / "parity_significand.json").read_text(encoding="utf-8"))
    data["results"][0]["result"] = data["results"][1]["result"]
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    results.store("parity_significand", data["results"], data["made"])
    monkeypatch.setattr(reproducing, "rewritten", lambda run: None)  # as where there is no history
    with pytest.raises(SystemExit):
        reproducing.main()
    said = capsys.readouterr()
    first = data["results"][0]["configuration"]
    assert said.out == "" and f"1 of {len(data['results'])} configurations" in said.err
    assert str(first) in " ".join(said.err.split())
