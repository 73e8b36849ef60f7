"""Stored runs: written whole, sealed, and never other than what was stored."""

import copy
import json
import random
from pathlib import Path

import pytest

from chapters.pages.palindrome_precision import records as nowak_records
from lib.notebook import markdown_table
from record import runs as results
from record.claims import RECORD, Claim, Claims, Erratum
from record.runs import seal, store, stored, stored_runs, write_json
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


def figures(value: object, path: tuple = ()) -> list[tuple]:
    """The paths to every number and every text in JSON."""
    if isinstance(value, dict):
        return [found for key in value for found in figures(value[key], (*path, key))]
    if isinstance(value, list):
        return [found for i, x in enumerate(value) for found in figures(x, (*path, i))]
    return [path]


def forged(data: dict, path: tuple) -> dict:
    """The data with the value at one path a little off."""
    data = copy.deepcopy(data)
    *way, last = path
    place = data
    for key in way:
        place = place[key]
    value = place[last]
    place[last] = value + 1 if isinstance(value, int | float) else f"{value} "
    return data


def remade_claims(chapter: dict) -> Claims:
    """A chapter's claims as it makes them when it runs."""
    made = [Claim(**line) for line in chapter["claims"]]
    return Claims(chapter["chapter"], made, [Erratum(**line) for line in chapter["errata"]])


def test_thirty_forged_figures_of_thirty_are_noticed(tmp_path, monkeypatch):
    """Figures drawn by `SEED` from every file of `record/results` whose figures pages show:
    whoever shows the forged one is stopped.
    """
    draw = random.Random(SEED)
    folder = results.RESULTS
    runs = [path for path in folder.glob("*.json") if path.stem != "rows"]
    claims, records = [*folder.glob("claims/*.json")], [*folder.glob("records/*.json")]
    pool = sorted([*runs, *claims, *records])
    (tmp_path / "rows.json").write_text(
        (folder / "rows.json").read_text(encoding="utf-8"), encoding="utf-8"
    )
    monkeypatch.setenv(RECORD, "check")
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setattr(nowak_records, "RESULTS", tmp_path)
    noticed = 0
    for path in [
        *draw.choices(pool, k=26),
        *draw.choices(claims, k=2),
        *draw.choices(records, k=2),
    ]:
        data = json.loads(path.read_text(encoding="utf-8"))
        part = (
            "results"
            if path in runs
            else draw.choice(["claims"] if path in claims else ["learned", "exact"])
        )
        place = draw.choice(figures(data[part], (part,)))
        write_json(tmp_path / path.relative_to(folder), forged(data, place))
        with pytest.raises((ValueError, AssertionError), match="was changed after|but the chapter"):
            if path in claims:
                remade_claims(data).table()
            elif path in records:
                nowak_records.learned_records()
            else:
                stored(path.stem)
        noticed += 1
    assert noticed == 30


def test_every_stored_run_is_sealed():
    assert len(stored_runs()) >= 15


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
