"""Stored runs and claims: written whole, and read as they were written."""

import json
import random
from pathlib import Path

import pytest

from lib.notebook import markdown_table
from record import runs as results
from record.claims import RECORD, Claim, Claims, Erratum
from record.runs import store, stored, write_json
from tests import SEED


def test_bars_in_cells_are_escaped():
    assert markdown_table(["a"], [["|w|"]]).data == "| a |\n| --- |\n| \\|w\\| |"


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


def test_a_stored_run_says_where_it_came_from():
    run = stored("ffnn_parity")
    assert run.source.startswith(f"loaded: {run.made['date']}, {run.made['device']}")
    assert {"date", "device", "commit", "python", "torch"} <= set(run.made) and run.minutes > 0


def remade_claims(chapter: dict) -> Claims:
    """A chapter's claims as it makes them when it runs."""
    made = [Claim(**line) for line in chapter["claims"]]
    return Claims(chapter["chapter"], made, [Erratum(**line) for line in chapter["errata"]])


def test_a_changed_claim_is_noticed_by_its_chapter(tmp_path, monkeypatch):
    rows = (results.RESULTS / "rows.json").read_text(encoding="utf-8")
    (tmp_path / "rows.json").write_text(rows, encoding="utf-8")
    monkeypatch.setenv(RECORD, "check")
    claims = sorted(results.RESULTS.glob("claims/*.json"))
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    for path in random.Random(SEED).sample(claims, 5):
        data = json.loads(path.read_text(encoding="utf-8"))
        line = random.Random(SEED).choice(data["claims"])
        line["here"] = f"{line['here']} "
        write_json(tmp_path / "claims" / path.name, data)
        line["here"] = line["here"][:-1]
        with pytest.raises(AssertionError, match="but the chapter"):
            remade_claims(data).table()


def test_a_stored_run_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    made, row = {"date": "2026-01-01"}, {"configuration": {"x": 1}, "result": {"y": 0.5}}
    store("run", [row], made)
    assert (stored("run").results, stored("run").made) == ([row], made)
    for broken in ({}, {"made": made}, {"made": made, "results": {}}, {"results": [row]}):
        write_json(tmp_path / "run.json", broken)
        with pytest.raises(ValueError, match=r"run.json is expected to hold what was made, and"):
            stored("run")
