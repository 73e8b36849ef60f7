"""Stored runs: they replay, resume after a stop, and leave nothing half-written."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from lib.constructions.precision import first_failure
from record import experiments
from record import reproduce as reproducing
from record import runs as results
from record.experiment import Experiment
from record.experiments import MODULE_OF, experiment
from record.reproduce import replay, reproduce
from record.runs import stored
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
    with pytest.raises(RuntimeError, match="a worker's code .* is not the code that asked"):
        reproduce("toy", jobs=1)


def test_a_run_goes_on_from_the_same_code_only(toy, monkeypatch):
    (toy / "broken").touch()
    with pytest.raises(RuntimeError, match="stopped"):
        reproduce("toy", jobs=1)
    for module in (reproducing, experiments):
        monkeypatch.setattr(module, "code_hash", lambda module: "another")
    with pytest.raises(FileExistsError):  # it measures 1 again
        reproduce("toy", jobs=1)


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
    said = capsys.readouterr()
    assert said.out == "parity_significand: what was run again is what is stored\n"
    data = json.loads((results.RESULTS / "parity_significand.json").read_text(encoding="utf-8"))
    data["results"][0]["result"] = data["results"][1]["result"]
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    results.store("parity_significand", data["results"], data["made"])
    with pytest.raises(SystemExit):
        reproducing.main()
    said = capsys.readouterr()
    first = data["results"][0]["configuration"]
    assert said.out == "" and f"1 of {len(data['results'])} configurations" in said.err
    assert str(first) in " ".join(said.err.split())
