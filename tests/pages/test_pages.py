"""The pages made from records: nothing of the records is lost, nothing else is there."""

import json
import re

import pytest
from bs4 import BeautifulSoup

from chapters._ext.bibliography import AuthorYear, links
from chapters.pages import errata as consequences
from chapters.pages import provenance as sources
from chapters.pages.errata import CHANGES, ORDER, errata, tally
from chapters.pages.provenance import provenance
from chapters.pages.scorecard import score, scorecard, states
from record import runs
from record.claims import VERDICTS, recorded
from record.rows import PAPERS, full_place, paper_of, rows
from record.runs import CHAPTERS, Stored, record_page, stored_runs
from tests.conftest import wait_until


def test_the_scorecard_has_every_row_and_every_claim_and_marks_the_open_ones():
    page = BeautifulSoup(scorecard().data, "html.parser")
    groups = page.select("tbody[data-paper]")
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
        assert square.text == square["title"]


def test_rows_and_squares_stand_under_their_paper():
    page = BeautifulSoup(scorecard().data, "html.parser")
    for group in page.select("tbody[data-paper]"):
        heading = group.find_previous("tbody", class_="paper")
        assert heading["data-of"] == group["data-paper"]
        assert heading.text.startswith(PAPERS[group["data-paper"]])
    for line in page.select(".squares"):
        assert line.select_one(".name").text == PAPERS[line["data-paper"]]
        assert {paper_of(a["title"]) for a in line.select("a")} == {line["data-paper"]}


def test_every_line_says_what_its_claim_says_and_leads_to_its_cell():
    page = BeautifulSoup(scorecard().data, "html.parser")
    lines = {tr.a["href"]: "" for tr in page.select("tr[data-verdict]") if tr.a}
    for tr in page.select("tr[data-verdict]"):
        if tr.a:
            lines[tr.a["href"]] += tr.get_text(" ")
    for chapter in recorded():
        for claim in chapter["claims"]:
            said = lines[f"{record_page(chapter['chapter'])}.html#{claim['cell']}"]
            for name in ("quantity", "paper", "here", "truth", "verdict", "note", "source"):
                assert claim[name] in said


def test_rows_are_known_by_their_paper():
    assert {paper_of(place) for place in rows()} == set(PAPERS)
    page = BeautifulSoup(scorecard().data, "html.parser")
    assert {group["data-paper"] for group in page.select("tbody[data-paper]")} == set(PAPERS)
    assert {line["data-verdict"] for line in page.select("tr[data-verdict]")} <= {*VERDICTS, "open"}


@pytest.mark.parametrize("place", ["Z 3.1", "", "c 3.1", 3, None])
def test_a_row_of_an_unknown_paper_is_refused(tmp_path, monkeypatch, place):
    known = [*rows().values(), {"place": place, "statement": "x", "chapter": 1}]
    (tmp_path / "rows.json").write_text(json.dumps(known), encoding="utf-8")
    monkeypatch.setattr(runs, "RESULTS", tmp_path)
    with pytest.raises(ValueError, match="rows.json must begin with one of C, O, B, N, ours, not"):
        rows()


def test_text_of_records_is_escaped():
    assert "<script" not in scorecard().data and "&amp;" in scorecard().data


def counts(page) -> tuple[int, int]:
    """How many rows and how many lines of the scorecard are seen."""
    shown = page.locator(".scorecard tr[data-verdict]:visible").count()
    return page.locator(".scorecard tbody[data-paper]:visible").count(), shown


def test_the_filters_of_the_scorecard_stand_in_the_address(served, look):
    address = f"{served}chapters/scorecard.html"
    page = look("chapters/scorecard.html")
    everything = counts(page)
    page.get_by_role("combobox", name="Paper", exact=True).select_option("N")
    page.get_by_role("combobox", name="Verdict", exact=True).select_option("other conditions")
    assert page.url == f"{address}#paper=N&verdict=other+conditions"
    chosen, link = counts(page), page.url
    assert (0, 0) < chosen < everything
    headings = page.locator(".scorecard .paper:visible th")
    assert headings.all_inner_texts() == ["Nowak et al. 2022 (N)"]
    assert page.locator(".squares .off").count() == everything[0] - chosen[0]
    other = look()
    other.goto(link, wait_until="networkidle")
    assert (
        counts(other) == chosen
        and other.get_by_role("combobox", name="Paper", exact=True).input_value() == "N"
    )
    other.evaluate("location.hash = 'verdict=differs'")
    wait_until(other, "document.querySelectorAll('.filters select')[0].value === 'all'")
    assert (
        other.get_by_role("combobox", name="Verdict", exact=True).input_value() == "differs"
        and counts(other) != chosen
    )
    other.locator(".squares .off").first.click()
    wait_until(other, "document.querySelectorAll('.filters select')[1].value === 'all'")
    assert counts(other) == everything and "#row-" in other.url
    page.get_by_role("combobox", name="Paper", exact=True).select_option("all")
    page.get_by_role("combobox", name="Verdict", exact=True).select_option("all")
    assert page.url == address and counts(page) == everything
    for nonsense in ("#verdict=nonsense&paper=Z", "#how-to-read-it"):
        other.goto(address + nonsense, wait_until="networkidle")
        assert counts(other) == everything


def every_erratum() -> list[dict]:
    return [erratum for chapter in recorded() for erratum in chapter["errata"]]


def test_every_erratum_is_said_to_change_one_thing():
    places = [place for named in CHANGES.values() for place in named]
    assert len(set(places)) == len(places)
    assert set(places) == {erratum["place"] for erratum in every_erratum()}


def test_the_errata_page_has_every_erratum_most_serious_first(pages):
    lines = [line for changed in ORDER for line in errata(changed).data.splitlines()[2:]]
    assert errata().data.splitlines()[2:] == lines and len(lines) == len(every_erratum())
    assert sum(map(int, re.findall(r"\b(\d+) (?:change )?(?:a|an|the) ", tally()))) == len(lines)
    page = pages["chapters/errata.html"]
    assert len(page.select(".tag_errata tbody tr")) == len(lines)
    assert len(page.select("article h2")) == len(ORDER) == len(page.select(".tag_errata"))


def test_an_erratum_that_nobody_sorted_is_an_error(monkeypatch):
    erratum = {"row": "C 3.1", "place": "C&C §9", "printed": "a", "correct": "b", "checked": "c"}
    monkeypatch.setattr(consequences, "recorded", lambda: [{"errata": [erratum]}])
    with pytest.raises(
        ValueError, match="say in chapters/pages/errata.yaml what .*'C&C §9' changes"
    ):
        errata()


def test_what_no_erratum_changes_is_refused():
    with pytest.raises(
        ValueError, match="one of a statement, a proof, .* is expected, not 'proof'"
    ):
        errata("proof")


def test_papers_have_one_name_in_the_errata():
    names = {PAPERS[key].rpartition(" ")[0] for key in "COBN"}
    for erratum in every_erratum():
        name, _, place = full_place(erratum).partition(", ")
        assert name in names and place
        assert not re.match(r"(C&C|Ouellette|B|N|C|O) ", place)


def test_on_a_phone_each_erratum_is_a_block_that_shows_the_correction(look):
    page = look("chapters/errata.html", width=390, height=844)
    line = page.locator(".tag_errata tbody tr").first
    name = "cell => getComputedStyle(cell, '::before').content"
    cells = line.locator("td").all()
    assert [cell.evaluate(name) for cell in cells[1:]] == ['"Printed"', '"Correct"', '"Checked"']
    boxes = [cell.bounding_box() for cell in cells]
    for above, below in zip(boxes, boxes[1:]):
        assert above["y"] + above["height"] <= below["y"] + 1
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert page.locator(".tag_errata thead:visible").count() == 0


def test_provenance_says_once_what_is_common_and_names_every_run():
    page = provenance().data
    for run in stored_runs():
        assert f"| `{run.name}` | {run.made['date']} | " in page and run.made["commit"] in page
    on_gpu = [run for run in stored_runs() if run.made["device"] != "CPU"]
    assert page.count("torch 2") == 1 + len(on_gpu) and page.count("| CPU") == 0


def test_a_run_made_with_something_else_says_so(monkeypatch):
    usual = {"date": "d", "device": "CPU", "python": "3", "torch": "2", "numpy": "1", "commit": "c"}
    row = {"configuration": {"seeds": 1}, "seconds": 60}
    runs = [Stored(name, [row], usual) for name in "ab"]
    monkeypatch.setattr(
        sources, "stored_runs", lambda: [*runs, Stored("c", [row], usual | {"device": "GPU"})]
    )
    said = sources.provenance().data.splitlines()
    assert said[0].endswith(
        "with: CPU, Python 3, torch 2, numpy 1, unless its line says otherwise."
    )
    assert [line.split(" | ")[-1] for line in said[4:]] == [
        " |",
        " |",
        "GPU, Python 3, torch 2, numpy 1 |",
    ]


def test_every_entry_of_the_bibliography_has_a_link_and_a_label_as_the_text_cites():
    from pybtex.database import parse_file

    entries = parse_file(str(CHAPTERS / "references.bib"))
    for key, entry in entries.entries.items():
        addresses = links(entry)
        assert addresses and all(url.startswith("https://") for url in addresses.values()), key
        assert "eprint" not in entry.fields or "PDF" in addresses
    labels = [entry.label for entry in AuthorYear().format_bibliography(entries)]
    assert len(set(labels)) == len(labels) == len(entries.entries)
    assert {"Chiang and Cholak, 2022", "Hahn, 2020", "Nowak et al., 2022"} <= set(labels)


def test_the_bibliography_is_built_in_that_style(pages):
    page = pages["chapters/bibliography.html"]
    labels = [label.text.strip("[]") for label in page.select(".citation .label")]
    assert len(labels) >= 25 and all(re.search(r", (19|20)\d\d$", label) for label in labels)
    assert all(entry.select("a.external") for entry in page.select(".citation"))
