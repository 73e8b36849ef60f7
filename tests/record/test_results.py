"""Stored runs and claims: written whole, and read as they were written."""

import json
from pathlib import Path

import pytest

from record import runs as results
from record.runs import store, stored, write_json


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


def test_a_stored_run_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    made, row = {"date": "2026-01-01"}, {"configuration": {"x": 1}, "result": {"y": 0.5}}
    store("run", [row], made)
    assert (stored("run").results, stored("run").made) == ([row], made)
    for broken in ({}, {"made": made}, {"made": made, "results": {}}, {"results": [row]}):
        write_json(tmp_path / "run.json", broken)
        with pytest.raises(ValueError, match=r"run.json is expected to hold what was made, and"):
            stored("run")
