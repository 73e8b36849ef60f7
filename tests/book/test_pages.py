"""The pages made from records: nothing of the records is lost, nothing else is there."""

from bs4 import BeautifulSoup

from lib.book.claims import VERDICTS, recorded, rows
from lib.book.pages import PAPERS, contents, errata, paper_of, provenance, score, scorecard, states
from lib.book.results import CHAPTERS, stored_runs


def test_the_scorecard_has_every_row_and_every_claim_and_marks_the_open_ones():
    page = BeautifulSoup(scorecard().data, "html.parser")
    groups = page.select("tbody")
    assert [group.th.contents[0] for group in groups] == list(rows())
    lines = page.select("tr[data-verdict]:not([data-verdict=open])")
    assert len(lines) == sum(len(chapter["claims"]) for chapter in recorded())
    settled, everything = score()
    marked = [group for group in groups if group.select("tr[data-verdict=open]")]
    assert len(marked) == everything - settled and 0 < settled <= everything == len(rows())
    assert page.caption.text == f"{settled} of {everything} rows are settled."


def test_every_row_has_a_square_that_leads_to_it():
    page = BeautifulSoup(scorecard().data, "html.parser")
    squares = page.select(".squares a")
    assert [square["title"] for square in squares] == [f"{p}: {s}" for p, s in states().items()]
    for square, place in zip(squares, rows(), strict=True):
        assert page.select_one(square["href"]).th.contents[0] == place


def test_every_line_says_what_its_claim_says_and_leads_to_its_cell():
    page = BeautifulSoup(scorecard().data, "html.parser")
    lines = {tr.a["href"]: "" for tr in page.select("tr[data-verdict]") if tr.a}
    for tr in page.select("tr[data-verdict]"):
        if tr.a:
            lines[tr.a["href"]] += tr.get_text(" ")
    for chapter in recorded():
        for claim in chapter["claims"]:
            said = lines[f"{chapter['chapter']}.html#{claim['cell']}"]
            for name in ("quantity", "paper", "here", "truth", "verdict", "note", "source"):
                assert claim[name] in said


def test_rows_are_known_by_their_paper():
    assert {paper_of(place) for place in rows()} == set(PAPERS)
    page = BeautifulSoup(scorecard().data, "html.parser")
    assert {group["data-paper"] for group in page.select("tbody")} == set(PAPERS)
    assert {line["data-verdict"] for line in page.select("tr[data-verdict]")} <= {*VERDICTS, "open"}


def test_text_of_records_is_escaped():
    assert "<script" not in scorecard().data and "&amp;" in scorecard().data


def test_the_errata_page_has_every_erratum():
    assert errata().data.count("\n") == 1 + sum(len(chapter["errata"]) for chapter in recorded())


def test_provenance_names_every_stored_run_its_commit_and_its_device():
    page = provenance().data
    for run in stored_runs():
        assert (
            f"`{run.name}` | {run.made['date']} | {run.made['device']}" in page
            and run.made["commit"] in page
        )


def test_the_contents_name_every_chapter_and_what_it_promises():
    page = contents().data
    for path in CHAPTERS.glob("0*.py"):
        assert f"]({path.stem}.ipynb): " in page
    assert page.count("\n") + 1 == len(list(CHAPTERS.glob("0*.py"))) and "*You will" not in page
