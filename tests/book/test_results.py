"""Claims, the scorecard and stored runs."""

import json
from pathlib import Path

import pytest

from lib.book import results
from lib.book.pages import errata, score, scorecard
from lib.book.results import Claims, check_row, markdown_table, recorded, rows, stored, write_json


@pytest.fixture
def own_results(tmp_path, monkeypatch):
    """A results folder of the test's own, with the book's rows."""
    (tmp_path / "rows.json").write_text((results.RESULTS / "rows.json").read_text())
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.delenv(results.RECORDING, raising=False)
    return tmp_path


def claims_of(here: int) -> Claims:
    claims = Claims("09_test")
    claims.add("C 3.1", "errors", paper="none", here=here, agrees=here == 0, cell="some-cell")
    return claims


def test_every_row_has_a_statement_and_a_chapter():
    assert all(row["statement"] and row["chapter"] in range(8) for row in rows().values())
    assert len(json.loads((results.RESULTS / "rows.json").read_text())) == len(rows())


def test_claims_are_recorded_and_compared(own_results, monkeypatch):
    with pytest.raises(AssertionError, match="09_test.json records None"):
        claims_of(0).table()
    monkeypatch.setenv(results.RECORDING, "1")
    claims_of(0).table()
    monkeypatch.delenv(results.RECORDING)
    assert (
        "| [C 3.1](#some-cell) | errors | none | 0 | agrees | live |" in claims_of(0).table().data
    )
    with pytest.raises(AssertionError, match="record it with `python -m lib.book.results`"):
        claims_of(1).table()
    with pytest.raises(AssertionError, match="09_test.json records"):
        Claims("09_test").table()
    assert (
        score()[0] == 1 and '<a href="09_test.html#some-cell">agrees</a></td>' in scorecard().data
    )


def test_claims_are_closed_by_their_table(own_results, monkeypatch):
    monkeypatch.setenv(results.RECORDING, "1")
    claims = claims_of(0)
    claims.table()
    with pytest.raises(ValueError, match="add claims before it"):
        claims.add("C 3.1", "late", None, 1, True, "cell")
    monkeypatch.setenv(results.RECORDING, "0")
    with pytest.raises(AssertionError):
        claims_of(1).table()


def test_a_papers_zero_is_a_value():
    claims = claims_of(0)
    claims.add("C 3.1", "x", 0, 0, True, "cell")
    assert (claims.claims[1].paper, claims.claims[1].verdict) == ("0", "agrees")


@pytest.mark.parametrize(
    "paper, agrees, read_off, verdict",
    [
        ("1", True, False, "agrees"),
        ("1", False, False, "differs"),
        ("1", True, True, "read off a figure"),
        (None, True, False, "not reported"),
        (None, False, False, "differs"),
    ],
)
def test_verdicts(paper, agrees, read_off, verdict):
    claims = Claims("09_test")
    claims.add("C 3.1", "x", paper, 1, agrees, "cell", read_off=read_off)
    assert claims.claims[0].verdict == verdict and verdict in results.VERDICTS


@pytest.mark.parametrize(
    "paper, agrees, note, said",
    [
        ("1", True, "", "Multi30k, agrees"),
        ("1", False, "small", "Multi30k, differs; small"),
        (None, True, "", "Multi30k, not reported"),
    ],
)
def test_a_line_on_other_data_leaves_its_row_open(
    own_results, monkeypatch, paper, agrees, note, said
):
    monkeypatch.setenv(results.RECORDING, "1")
    claims = Claims("09_test")
    claims.add("C 3.1", "x", paper, 1, agrees, "cell", note=note, data="Multi30k")
    claims.table()
    assert (claims.claims[0].verdict, claims.claims[0].note) == ("other data", said)
    assert (
        score()[0] == 0
        and "open</strong>: the data of the paper were not at hand" in scorecard().data
    )


def test_rows_that_do_not_exist_are_refused():
    for refused in (
        lambda: check_row("C 99"),
        lambda: Claims("x").add("C 99", "q", None, 0, True, "c"),
        lambda: Claims("x").erratum("C 99", "p", "a", "b", True, "how", "c"),
    ):
        with pytest.raises(ValueError, match="the scorecard has no row 'C 99'"):
            refused()


def test_an_erratum_must_hold():
    with pytest.raises(ValueError, match="the correction of Appendix A does not hold"):
        Claims("x").erratum("C 3.1", "Appendix A", "cosh", "sinh", False, "balls", "c")


def test_every_recorded_claim_stands_on_a_row():
    assert recorded()
    for chapter in recorded():
        for line in chapter["claims"] + chapter["errata"]:
            check_row(line["row"])
    assert errata().data.count("\n") == 1 + sum(len(chapter["errata"]) for chapter in recorded())


def test_bars_in_cells_are_escaped():
    assert markdown_table(["a"], [["|w|"]]).data == "| a |\n| --- |\n| \\|w\\| |"


def test_json_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "x.json"
    write_json(path, {"a": 1})
    assert list(path.parent.iterdir()) == [path]

    def stopped(self, *_, **__):
        raise KeyboardInterrupt

    for step in ("write_text", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(Path, step, stopped)
            with pytest.raises(KeyboardInterrupt):
                write_json(path, {"a": 2})
        assert json.loads(path.read_text()) == {"a": 1}


def test_a_stored_run_that_does_not_exist_names_its_command():
    with pytest.raises(ValueError, match="make it with `python -m lib.reproduce nothing`"):
        stored("nothing")


def test_a_stored_run_says_where_it_came_from():
    run = stored("ffnn_parity")
    assert run.source.startswith(f"loaded: {run.made['date']}, {run.made['device']}")
    assert {"date", "device", "commit", "python", "torch"} <= set(run.made) and run.minutes > 0
