"""Stored runs: written whole, sealed, and never other than what was stored."""

import json
from pathlib import Path

import pytest

from record import runs as results
from record.runs import seal, store, stored, write_json


def test_json_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "x.json"
    write_json(path, {"a": 1})
    assert list(path.parent.iterdir()) == [path]

    def stopped(self, *_, **__):
        raise KeyboardInterrupt

    for step in ("write_bytes", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(Path, step, stopped)
            with pytest.raises(KeyboardInterrupt):
                write_json(path, {"a": 2})
        assert json.loads(path.read_text(encoding="utf-8")) == {"a": 1}


def test_a_stored_run_that_does_not_exist_names_its_command():
    with pytest.raises(ValueError, match="make it with `python -m record.reproduce nothing`"):
        stored("nothing")


def test_a_seal_is_of_values_and_not_of_how_they_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    made = {"date": "2026-01-01", "device": "CPU"}
    store("run", [{"configuration": {"x": 1}, "result": {"y": 0.5}}], made)
    data = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    (tmp_path / "run.json").write_text(json.dumps(data), encoding="utf-8")
    assert stored("run").results[0]["result"]["y"] == 0.5
    assert seal(data["results"], made) != seal(data["results"], {**made, "device": "GPU"})
    del data["seal"]
    (tmp_path / "run.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match="was changed after it was made"):
        stored("run")
