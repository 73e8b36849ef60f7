"""Claims, their record and the scorecard."""

import ast
import json

import pytest

from chapters.errata.tables import errata
from chapters.scorecard.tables import score, scorecard, states
from record import claims as claims_module
from record import runs as results
from record.claims import BOTH, BY_HAND, BY_MACHINE, PROVED, WAYS, Claims, comparison, recorded
from record.experiments import MODULE_OF
from record.proofs import NAMED
from record.rows import check_row, rows
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


def test_every_row_has_a_statement_and_a_chapter():
    assert all(row["statement"] and row["chapter"] in range(13) for row in rows().values())
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
    settle(changed, 5, False, quantity="own finding", paper=None)
    settle(changed, 5, False, quantity="paper's")
    correct(changed, False, place="section 9", checked="no")
    said = changed.table().data
    assert said.startswith("Here your run differs from the record:\n\n- ")
    assert "- the book's own finding 'own finding' does not hold: 5\n" in said
    assert "- the correction of section 9 does not hold: no\n" in said
    assert "- C 3.1, errors: the record has 0, your run 1\n" in said
    assert "- C 3.1, own finding: the record has nothing, your run 5\n" in said
    assert "differs" not in claims_of(0).table().data


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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"truth": PROVED}, "must say one of by hand, by machine, both"),
        ({"truth": PROVED, "by": "magic"}, "by must be one of"),
        ({"truth": PROVED, "by": BY_MACHINE}, "a proof by machine, and no other, must be named"),
        ({"truth": PROVED, "by": BY_HAND, "machine": "one"}, "and no other"),
    ],
)
def test_a_proof_names_what_proved_it(own_results, line, said):
    claims = Claims("09_test")
    with pytest.raises(ValueError, match=said):
        settle(claims, 1, True, **line)
    settle(claims, 1, True, truth=PROVED, by=BOTH, machine="one")
    assert (claims.claims[0].truth, claims.claims[0].by) == (PROVED, BOTH)


def test_claims_are_closed_by_their_table(own_results, monkeypatch):
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims = claims_of(0)
    claims.table()
    with pytest.raises(ValueError, match="add claims before it"):
        settle(claims, 1, True)
    monkeypatch.setenv(claims_module.RECORD, "check")
    with pytest.raises(AssertionError):
        claims_of(1).table()


def test_a_papers_zero_is_a_value():
    claims = claims_of(0)
    settle(claims, 0, True, paper=0)
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
    settle(claims, 1, agrees, paper=paper, **more)
    [claim] = claims.claims
    assert (claim.verdict, claim.note) == (verdict, note) and verdict in claims_module.VERDICTS


def test_what_does_not_fit_together_is_refused():
    claims = Claims("09_test")
    with pytest.raises(ValueError, match="whether 'x' agrees with the paper is expected, not None"):
        settle(claims, 1, None)
    with pytest.raises(ValueError, match="'x' differs: name its cause in `note`"):
        settle(claims, 2, False)
    with pytest.raises(ValueError, match="the book's own finding 'x' does not hold: 2"):
        settle(claims, 2, False, paper=None)
    with pytest.raises(ValueError, match="truth must be one of .*, not 'surely'"):
        settle(claims, 1, True, truth="surely")
    with pytest.raises(ValueError, match="has no statement 'another'"):
        settle(claims, 1, True, settles="another")


def test_a_finding_of_the_books_own_settles_no_row_of_a_paper(own_results, monkeypatch):
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims = Claims("09_test")
    settle(claims, 1, True, paper=None)
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
        settle(claims, 1, True, row="C 1", **line)
        claims.table()
        assert score() == (0, 1) and "open</strong>: the other" in scorecard().data
    claims = Claims("09_test")
    settle(claims, 2, False, row="C 1", settles="other", note="a cause")
    claims.table()
    assert score() == (1, 1) and states() == {"C 1": "differs"}
    assert "a cause" in scorecard().data and "<strong>open" not in scorecard().data


def test_what_only_the_run_knows_is_said_at_its_place():
    claims = Claims("09_test")
    claims.criteria = {
        "claims": {"the line": {"row": "C 3.1", "quantity": "errors at {n}", "cell": "c"}}
    }
    claims.settle("the line", here=0, agrees=True, n=8, source="a run", found={"errors": 0})
    [claim] = claims.claims
    assert (claim.quantity, claim.source, claim.found) == ("errors at 8", "a run", {"errors": 0})
    for more, message in (
        ({}, "'the line' of 09_test: the place {n} has no value"),
        ({"m": 8}, "'the line' of 09_test: no text has a place {m}"),
        ({"row": "C 99"}, "the scorecard has no row 'C 99'"),
        ({"settles": "another"}, "has no statement 'another'"),
    ):
        with pytest.raises(ValueError, match=message):
            claims.settle("the line", here=0, agrees=True, **{"n": 8} | more if more else {})
    with pytest.raises(ValueError, match="09_test has no claims 'another'; it has 'the line'"):
        claims.settle("another", here=0, agrees=True)
    with pytest.raises(ValueError, match="09_test has no errata 'the line'; it has none"):
        claims.correct("the line", holds=True)
    claims.criteria["claims"]["the line"]["colour"] = "red"
    with pytest.raises(ValueError, match="'the line' of 09_test: .*unexpected.* 'colour'"):
        claims.settle("the line", here=0, agrees=True, n=8)


def test_a_criterion_that_a_chapter_leaves_out_is_named(own_results, monkeypatch):
    monkeypatch.setenv(claims_module.RECORD, "write")
    claims = Claims("09_test")
    settle(claims, 0, True)
    claims.criteria["claims"]["another"] = claims.criteria["claims"]["the line"]
    with pytest.raises(ValueError, match="09_test settles no claims 'another' of its criteria"):
        claims.table()


def test_no_recorded_text_has_a_place_left():
    for chapter in recorded():
        for line in (*chapter["claims"], *chapter["errata"]):
            claims_module.check_filled(line)


def test_rows_that_do_not_exist_are_refused():
    for refused in (
        lambda: check_row("C 99"),
        lambda: settle(Claims("x"), 0, True, row="C 99"),
        lambda: correct(Claims("x"), True, row="C 99"),
    ):
        with pytest.raises(ValueError, match="the scorecard has no row 'C 99'"):
            refused()


def test_an_erratum_must_hold():
    with pytest.raises(ValueError, match="the correction of Appendix A does not hold"):
        correct(Claims("x"), False)


def test_an_erratum_says_what_it_was_told():
    claims = Claims("x")
    correct(claims, True)
    assert [vars(erratum) for erratum in claims.errata] == [
        {
            "row": "C 3.1",
            "place": "Appendix A",
            "printed": "cosh",
            "correct": "sinh",
            "checked": "balls",
            "cell": "some-cell",
            "found": {},
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
    for source in SETTLING:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    typed = isinstance(getattr(keyword.value, "value", None), bool)
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
        settle(claims, number, number != 5, quantity=f"line {number}", paper=number, note=note)
    settle(claims, 1, True, quantity="ours", paper=None)
    said = comparison(claims.claims).data
    assert said.startswith(
        "13 lines: 1 different from the paper, 11 in agreement with the paper, "
        "1 without a value in the paper."
    )
    opened, *folds = said.split("<details")
    assert "line 5" in opened and opened.count("line ") == 1
    assert [fold.count("line ") for fold in folds] == [11, 0] and "ours" in folds[1]
    assert "<details" not in comparison(claims.claims[:4]).data
