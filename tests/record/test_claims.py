"""Claims, their record and the scorecard."""

import ast

import numpy as np
import pytest

from chapters.common.outcome import scorecard, scored
from record import runs
from record.claims import PROVED, Claims, recorded
from record.experiment import MODULE_OF
from record.notebook import RECORD
from record.proofs import NAMED

MACHINE = {  # the proofs by machine that criteria name
    line["machine"]
    for path in runs.CHAPTERS.glob("*/claims.yaml")
    for line in runs.read_yaml(path).get("claims", {}).values()
    if line.get("machine")
}
SETTLING = [*runs.CHAPTERS.glob("*.py"), *runs.CHAPTERS.glob("[!_]*/*.py")]  # what settles claims


ROW = {"place": "C 3.1", "statement": "a network is right", "chapter": 1}
TWO = {"place": "C 1", "statement": "two things", "chapter": 1}
TWO["statements"] = {"one": "the one", "other": "the other"}
OURS = {"rows": {"ours: x": {"statement": "x is small"}}}
LINES = {  # what is constant in the claims of a test's own chapters
    "errors": {"row": "C 3.1", "quantity": "errors", "paper": "none", "printed": "section 3.1"},
    "one": {"row": "C 1", "quantity": "x", "paper": 1, "settles": "one"},
    "none": {"row": "C 1", "quantity": "x", "paper": 1},
    "data": {"row": "C 1", "quantity": "{n} x", "paper": 1, "settles": "other", "data": "some"},
    "other": {"row": "C 1", "quantity": "x", "paper": 1, "settles": "other"},
    "aside": {"row": "C 3.1", "quantity": "x", "paper": 1, "aside": "by the way"},
    "limit": {"row": "C 3.1", "quantity": "x", "paper": 1, "limit": "of three"},
    "own": {"row": "ours: x", "quantity": "x"},
}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Chapters and results of the test's own; it sets what is done with the record."""
    runs.write_json(tmp_path / "rows.json", [ROW, TWO])
    criteria = {"claims": {name: line | {"cell": "some-cell"} for name, line in LINES.items()}}
    for name, more in {"00_own": OURS, "01_none": {}, "02_data": {}, "09_test": {}}.items():
        (tmp_path / f"{name}.py").touch()
        runs.write_json(tmp_path / runs.folder(name) / "claims.yaml", criteria | more)
    monkeypatch.setattr(runs, "RESULTS", tmp_path)
    monkeypatch.setattr(runs, "CHAPTERS", tmp_path)
    return lambda how: monkeypatch.setenv(RECORD, how)


def table(chapter: str, name: str, here: object = 0, agrees: bool = True, **more: object) -> str:
    """The comparison of a chapter of one line."""
    claims = Claims(chapter)
    claims.criteria = {"claims": {name: claims.criteria["claims"][name]}}
    claims.settle(name, here=here, agrees=agrees, **more)
    return claims.table().data


def states() -> dict[str, str]:
    """What each row of the scorecard comes to."""
    return {row["place"]: row["state"] for row in scored()}


def test_claims_are_recorded_and_compared(own):
    own("check")
    with pytest.raises(AssertionError, match="the record of 09_test has None"):
        table("09_test", "errors")
    own("write")
    table("09_test", "errors", found={"n": 5})
    own("check")
    line = "| [C 3.1](#some-cell) | errors | none (section 3.1) | 0 | – | **agrees**; measured |"
    assert line in table("09_test", "errors", found={"n": 5})
    [chapter] = recorded()
    assert chapter.claims[0].found == {"n": 5} and chapter.claims[0].verdict == "agrees"
    for here, agrees, more in ((1, False, {"note": "a test"}), (0, True, {})):
        with pytest.raises(AssertionError, match="record it with `python -m record`"):
            table("09_test", "errors", here, agrees, **more)
    own("")
    assert "errors: the record has 0, your run 1" in table("09_test", "errors", 1)


@pytest.mark.parametrize("name", sorted(MACHINE))
def test_every_proof_by_machine_that_a_line_names_passes(name):
    if name in NAMED:
        assert NAMED[name]()
    elif name.startswith("note_"):
        page = (runs.CHAPTERS / f"{name}.py").read_text(encoding="utf-8")
        assert f'"{PROVED}"' in page or "judged(" in page  # each build runs it
    else:  # every stored run is replayed
        assert name in MODULE_OF and (runs.RESULTS / f"{name}.json").exists()


def test_a_row_is_settled_when_each_of_its_statements_is(own):
    own("write")
    table("00_own", "one")
    table("01_none", "none")
    table("02_data", "data", n=np.int64(3))
    assert states()["C 1"] == "open" and "open</strong>: the other" in scorecard().data
    assert "3 x" in scorecard().data and "paper&#39;s value: agrees" in scorecard().data
    table("09_test", "other", 2, False, note="a cause")
    assert states() == {"C 3.1": "open", "C 1": "differs", "ours: x": "open"}
    said = scorecard().data
    assert "a cause" in said and '<a href="09_test.html#some-cell">differs</a>' in said
    assert "open</strong>: the other" not in said


def test_what_no_paper_states_holds_or_was_measured_without_a_criterion(own):
    own("")
    for agrees, verdict in ((True, "holds"), (None, "no criterion"), (False, "differs")):
        assert f"| **0** | – | **{verdict}**; measured |" in table("00_own", "own", agrees=agrees)
    own("write")
    table("00_own", "own")
    assert states()["ours: x"] == "holds"
    own("check")
    with pytest.raises(ValueError, match="own finding 'x' does not hold: 1"):
        table("00_own", "own", 1, False)


def test_every_comparison_says_where_the_paper_prints_its_value_and_what_agreement_was_to_be():
    lines = [line for chapter in recorded() for line in chapter.claims]
    compared = [line for line in lines if line.is_compared]
    silent = [line.quantity for line in compared if not line.printed or not line.criterion]
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
