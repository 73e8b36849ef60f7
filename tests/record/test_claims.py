"""Claims, their record and the scorecard."""

import ast
import json

import pytest

from chapters.scorecard.tables import score, scorecard, states
from record import claims as claims_module
from record import runs as results
from record.claims import BOTH, BY_HAND, PROVED, WAYS, Claims, recorded
from record.experiments import MODULE_OF
from record.proofs import NAMED
from record.runs import CHAPTERS, read_yaml
from tests import ROOT

MACHINE = {  # the proofs by machine that criteria name
    line["machine"]
    for path in CHAPTERS.glob("*/claims.yaml")
    for line in read_yaml(path).get("claims", {}).values()
    if line.get("machine")
}
SETTLING = [*CHAPTERS.glob("*.py"), *CHAPTERS.glob("[!_]*/*.py")]  # what settles claims


@pytest.fixture
def own_results(tmp_path, monkeypatch):
    """A results folder of the test's own, with a row of one statement."""
    row = {"place": "C 3.1", "statement": "a network is right", "chapter": 1}
    (tmp_path / "rows.json").write_text(json.dumps([row]), encoding="utf-8")
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setenv(claims_module.RECORD, "check")
    return tmp_path


def settle(claims: Claims, here: object, agrees: bool | None, **line: object) -> None:
    """Adds a line whose criteria are a test's own."""
    constant = {"row": "C 3.1", "quantity": "x", "paper": "1", "cell": "some-cell"} | line
    claims.criteria = {"claims": {"the line": constant}}
    claims.settle("the line", here=here, agrees=agrees)


def correct(claims: Claims, holds: bool, **misprint: str) -> None:
    """Adds an erratum whose criteria are a test's own."""
    constant = {
        "row": "C 3.1",
        "place": "Appendix A",
        "printed": "cosh",
        "correct": "sinh",
        "checked": "balls",
        "cell": "some-cell",
    } | misprint
    claims.criteria = {"errata": {"the misprint": constant}}
    claims.correct("the misprint", holds=holds)


def claims_of(here: int) -> Claims:
    claims = Claims("09_test")
    note = "" if here == 0 else "a test"
    line = {"quantity": "errors", "paper": "none", "printed": "section 3.1", "note": note}
    settle(claims, here, here == 0, **line)
    return claims


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


def test_what_is_proved_for_every_length_says_by_what():
    lines = [line for chapter in recorded() for line in chapter["claims"]]
    proved = [line for line in lines if line["truth"] == PROVED]
    assert {line["by"] for line in proved} <= {*WAYS} and len(proved) >= 44
    assert not [line for line in lines if line["truth"] != PROVED and "by" in line]
    said = scorecard().data
    for way in (BY_HAND, BOTH):
        assert f'<td data-label="Kind">{PROVED}, {way}</td>' in said


@pytest.mark.parametrize("name", sorted(MACHINE))
def test_every_proof_by_machine_that_a_line_names_passes(name):
    if name in NAMED:
        assert NAMED[name]()
    elif name.startswith("note_"):
        test = ROOT / "tests" / "notes" / f"test_{name.removeprefix('note_')}.py"
        assert "judged(note.construction)" in test.read_text(encoding="utf-8")
    else:  # every stored run is replayed
        assert name in MODULE_OF and (results.RESULTS / f"{name}.json").exists()


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
        settle(claims, 1, True, row="C 1", **line)
        claims.table()
        assert score() == (0, 1) and "open</strong>: the other" in scorecard().data
    claims = Claims("09_test")
    settle(claims, 2, False, row="C 1", settles="other", note="a cause")
    claims.table()
    assert score() == (1, 1) and states() == {"C 1": "differs"}
    assert "a cause" in scorecard().data and "<strong>open" not in scorecard().data


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


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_no_verdict_is_typed_in():
    for source in SETTLING:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    typed = isinstance(getattr(keyword.value, "value", None), bool)
                    assert not (keyword.arg in ("agrees", "holds") and typed), (
                        f"{source.name}:{node.lineno} types a verdict"
                    )
