"""The pages made from records: nothing of the records is lost, nothing else is there."""

import re

from bs4 import BeautifulSoup

from chapters._ext.bibliography import AuthorYear, links
from chapters.errata.tables import CHANGES, ORDER, errata, tally
from chapters.provenance.tables import provenance
from chapters.scorecard.tables import score, scorecard, states
from record.claims import recorded
from record.rows import rows
from record.runs import CHAPTERS, record_page, stored_runs


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
    *headings, own = [heading.text for heading in page.select("article h2")]
    assert len(headings) == len(ORDER) == len(page.select(".tag_errata"))
    assert own.startswith("What this book itself got wrong")


def test_provenance_says_once_what_is_common_and_names_every_run():
    page = provenance().data
    for run in stored_runs():
        assert f"| `{run.name}` | {run.made['date']} | " in page and run.made["commit"] in page
    on_gpu = [run for run in stored_runs() if run.made["device"] != "CPU"]
    assert page.count("torch 2") == 1 + len(on_gpu) and page.count("| CPU") == 0


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
