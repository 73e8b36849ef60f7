"""The map names every entry, and every link and citation of it leads somewhere."""

import re

import pytest
from pybtex.database import parse_file

from chapters.the_map import MAP
from chapters.the_map.entries import executed, key
from chapters.the_map.pictures import (
    entries_page,
    map_page,
)
from lib.verdicts import Verdict
from tests import ROOT


def fine(entry):
    return Verdict("proved for each string", 2, 7)


VERDICTS = {key(entry): fine(entry) for entry in executed(MAP)}
PAGE = map_page(MAP).data
FULL = entries_page(MAP, VERDICTS).data


def test_the_map_names_every_entry_once_and_leads_to_it():
    links = re.findall(r"> \[(.+?)\]\(#([\w-]+)\)", PAGE)
    assert sorted(links) == sorted((entry.name, entry.anchor) for entry in MAP)
    labels = re.findall(r"^\(([\w-]+)\)=$", FULL, re.MULTILINE)
    assert sorted(labels) == sorted(anchor for _, anchor in links)


def test_each_entry_cites_its_sources():
    entries = parse_file(str(ROOT / "chapters/references.bib")).entries
    cited = re.findall(r"{cite}`([^`]+)`", FULL)
    assert len(cited) == sum(bool(entry.cites) for entry in MAP)
    assert {source for group in cited for source in group.split(",")} == {
        source for entry in MAP for source in entry.cites
    }
    assert all(source in entries for group in cited for source in group.split(","))


@pytest.mark.parametrize("page", ["10_the_map", "record_10_the_map"])
def test_the_pages_lead_to_entries_that_there_are(page):
    text = (ROOT / f"chapters/{page}.py").read_text(encoding="utf-8")
    assert set(re.findall(r"\(#(map-entry-[\w-]+)\)", text)) <= {entry.anchor for entry in MAP}
