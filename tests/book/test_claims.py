"""Claims, their record and the scorecard."""

import ast
import json

import pytest

from chapters.pages.errata import errata
from chapters.pages.scorecard import score, scorecard, states
from record import claims as claims_module
from record import runs as results
from record.claims import Claims, comparison, recorded
from record.rows import check_row, rows


@pytest.fixture
def own_results(tmp_path, monkeypatch):
    """A results folder of the test's own, with a row of one statement."""
    row = {"place": "C 3.1", "statement": "a network is right", "chapter": 1}
    (tmp_path / "rows.json").write_text(json.dumps([row]), encoding="utf-8")
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setenv(claims_module.RECORD, "check")
    return tmp_path


def claims_of(here: int) -> Claims:
    claims = Claims("09_test")
    claims.add(
        "C 3.1",
        "errors",
        paper="none",
        here=here,
        agrees=here == 0,
        cell="some-cell",
        printed="section 3.1",
        note="" if here == 0 else "a test",
    )
    return claims


def test_every_row_has_a_statement_and_a_chapter():
    assert all(row["statement"] and row["chapter"] in range(11) for row in rows().values())
    assert len(json.loads((results.RESULTS / "rows.json").read_text(encoding="utf-8"))) == len(
        rows()
    )


def test_claims_are_recorded_and_compared(own_results, monkeypatch):
    with pytest.raises(AssertionError, match="09_test.json records None"):
        claims_of(0).table()
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims_of(0).table()
    monkeypatch.setenv(claims_module.RECORD, "check")
    assert (
        "| [C 3.1](#some-cell) | errors | none (section 3.1) | 0 | measured | agrees |"
        in claims_of(0).table().data
    )
    with pytest.raises(AssertionError, match="record it with `python -m record`"):
        claims_of(1).table()
    with pytest.raises(AssertionError, match="09_test.json records"):
        Claims("09_test").table()
    assert (
        score()[0] == 1 and '<a href="09_test.html#some-cell">agrees</a></td>' in scorecard().data
    )


def test_a_person_is_told_of_what_differs_and_goes_on(own_results, monkeypatch):
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims_of(0).table()
    monkeypatch.delenv(claims_module.RECORD)
    changed = claims_of(1)
    changed.add("C 3.1", "own finding", None, 5, agrees=False, cell="some-cell")
    changed.add("C 3.1", "paper's", "1", 5, agrees=False, cell="some-cell")
    changed.erratum("C 3.1", "section 9", "a", "b", holds=False, checked="no", cell="some-cell")
    said = changed.table().data
    assert said.startswith("Here your run differs from the record:\n\n- ")
    assert "- the book's own finding 'own finding' does not hold: 5\n" in said
    assert "- the correction of section 9 does not hold: no\n" in said
    assert "- C 3.1, errors: the record has 0, your run 1\n" in said
    assert "- C 3.1, own finding: the record has nothing, your run 5\n" in said
    assert "differs" not in claims_of(0).table().data


def test_claims_are_closed_by_their_table(own_results, monkeypatch):
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims = claims_of(0)
    claims.table()
    with pytest.raises(ValueError, match="add claims before it"):
        claims.add("C 3.1", "late", None, 1, True, "cell")
    monkeypatch.setenv(claims_module.RECORD, "check")
    with pytest.raises(AssertionError):
        claims_of(1).table()


def test_a_papers_zero_is_a_value():
    claims = claims_of(0)
    claims.add("C 3.1", "x", 0, 0, True, "cell")
    assert (claims.claims[1].paper, claims.claims[1].verdict) == ("0", "agrees")


@pytest.mark.parametrize(
    "paper, agrees, more, verdict, note",
    [
        ("1", True, {}, "agrees", ""),
        ("1", False, {"note": "why"}, "differs", "why"),
        ("1", True, {"read_off": True}, "read off a figure", ""),
        (None, True, {}, "not reported", ""),
        (None, None, {}, "not reported", ""),
        ("1", True, {"data": "Multi30k"}, "other data", "Multi30k, agrees"),
        (
            "1",
            False,
            {"data": "Multi30k", "note": "small"},
            "other data",
            "Multi30k, differs; small",
        ),
        ("1", True, {"part": "a tenth"}, "part of the paper's data", "a tenth, agrees"),
        ("1", True, {"conditions": "1,000 steps"}, "other conditions", "1,000 steps, agrees"),
    ],
)
def test_verdicts(paper, agrees, more, verdict, note):
    claims = Claims("09_test")
    claims.add("C 3.1", "x", paper, 1, agrees, "cell", **more)
    [claim] = claims.claims
    assert (claim.verdict, claim.note) == (verdict, note) and verdict in claims_module.VERDICTS


def test_what_does_not_fit_together_is_refused():
    claims = Claims("09_test")
    with pytest.raises(ValueError, match="whether 'x' agrees with the paper is expected, not None"):
        claims.add("C 3.1", "x", "1", 1, None, "cell")
    with pytest.raises(ValueError, match="'x' differs: name its cause in `note`"):
        claims.add("C 3.1", "x", "1", 2, False, "cell")
    with pytest.raises(ValueError, match="the book's own finding 'x' does not hold: 2"):
        claims.add("C 3.1", "x", None, 2, False, "cell")
    with pytest.raises(ValueError, match="truth must be one of .*, not 'surely'"):
        claims.add("C 3.1", "x", "1", 1, True, "cell", truth="surely")
    with pytest.raises(ValueError, match="has no statement 'another'"):
        claims.add("C 3.1", "x", "1", 1, True, "cell", settles="another")


def test_a_finding_of_the_books_own_settles_no_row_of_a_paper(own_results, monkeypatch):
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims = Claims("09_test")
    claims.add("C 3.1", "something else", None, 1, True, "cell")
    claims.table()
    assert score() == (0, 1) and "open</strong>: a network is right" in scorecard().data


def two_statements(folder):
    row = {
        "place": "C 1",
        "statement": "two things",
        "chapter": 1,
        "statements": {"one": "the one", "other": "the other"},
    }
    (folder / "rows.json").write_text(json.dumps([row]), encoding="utf-8")


def test_a_row_is_settled_when_each_of_its_statements_is(own_results, monkeypatch):
    two_statements(own_results)
    monkeypatch.setenv(claims_module.RECORD, "write")
    lines = [{"settles": "one"}, {}, {"settles": "other", "data": "other data"}]
    for number, line in enumerate(lines):
        claims = Claims(f"0{number}_test")
        claims.add("C 1", "x", "1", 1, True, "cell", **line)
        claims.table()
        assert score() == (0, 1) and "open</strong>: the other" in scorecard().data
    claims = Claims("09_test")
    claims.add("C 1", "x", "1", 2, False, "cell", settles="other", note="a cause")
    claims.table()
    assert score() == (1, 1) and states() == {"C 1": "differs"}
    assert "a cause" in scorecard().data and "<strong>open" not in scorecard().data


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


def test_an_erratum_says_what_it_was_told():
    claims = Claims("x")
    claims.erratum("C 3.1", "Appendix A", "cosh", "sinh", True, "balls", "some-cell")
    assert [vars(erratum) for erratum in claims.errata] == [
        {
            "row": "C 3.1",
            "place": "Appendix A",
            "printed": "cosh",
            "correct": "sinh",
            "checked": "balls",
            "cell": "some-cell",
        }
    ]


def test_every_recorded_claim_stands_on_a_row():
    assert recorded()
    for chapter in recorded():
        for line in chapter["claims"] + chapter["errata"]:
            check_row(line["row"])
    assert errata().data.count("\n") == 1 + sum(len(chapter["errata"]) for chapter in recorded())


def recorded_claims() -> list[dict]:
    return [claim for chapter in recorded() for claim in chapter["claims"]]


def test_every_comparison_says_where_the_paper_prints_its_value_and_what_agreement_was_to_be():
    compared = [claim for claim in recorded_claims() if claim["paper"] != "–"]
    silent = [
        (claim["row"], claim["quantity"])
        for claim in compared
        if not claim["printed"] or not claim["criterion"]
    ]
    assert silent == [] and len(compared) > 100


def test_every_difference_names_its_cause_and_every_other_experiment_how_it_differs():
    for claim in recorded_claims():
        if claim["verdict"] == claims_module.DIFFERS:
            assert len(claim["note"].split()) >= 3, claim["quantity"]
        if claim["verdict"] in claims_module.UNSETTLED:
            assert claim["conditions"], claim["quantity"]


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_no_verdict_is_typed_in():
    for source in sorted(results.CHAPTERS.glob("*.py")):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    typed = isinstance(keyword.value, ast.Constant)
                    assert not (keyword.arg in ("agrees", "holds") and typed), (
                        f"{source.name}:{node.lineno} types a verdict"
                    )


def test_a_row_of_several_statements_lists_them():
    """A statement that joins claims by a semicolon, "and" or a list of figures names each."""
    joined = [row for row in rows().values() if ";" in row["statement"]]
    assert [row["place"] for row in joined if len(row.get("statements", {})) < 2] == []


def test_a_long_comparison_counts_its_verdicts_and_shows_what_differs(own_results):
    claims = Claims("09_test")
    for number in range(12):
        note = "a cause" if number == 5 else ""
        claims.add("C 3.1", f"line {number}", number, number, number != 5, "cell", note=note)
    claims.add("C 3.1", "ours", None, 1, True, "cell")
    said = comparison(claims.claims).data
    assert said.startswith(
        "13 lines: 1 different from the paper, 11 in agreement with the paper, "
        "1 without a value in the paper."
    )
    opened, *folds = said.split("<details")
    assert "line 5" in opened and opened.count("line ") == 1
    assert [fold.count("line ") for fold in folds] == [11, 0] and "ours" in folds[1]
    assert "<details" not in comparison(claims.claims[:4]).data
