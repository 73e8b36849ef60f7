"""The map as a picture and as tables."""

import re

import matplotlib.pyplot as plt
import pytest
from pybtex.database import parse_file

from chapters.pages.the_map import MAP
from chapters.pages.the_map.cells import (
    LABELS,
    LOOKS,
    PROVED,
    executed,
    key,
    labelled,
    map_figure,
    map_tables,
    tiles,
)
from lib.formulas import Verdict
from tests import ROOT


def fine(cell):
    return Verdict("proved for each string", 2, 7)


VERDICTS = {key(cell): fine(cell) for cell in executed(MAP)}


def test_the_picture_has_a_mark_for_each_cell_at_each_of_its_places():
    figure = map_figure(MAP)
    [axes] = figure.axes
    for label in LABELS:
        marker, colour = LOOKS[label]
        marks = [line for line in axes.lines if line.get_marker() == marker]
        assert len(marks) == sum(len(cell.tiles) for cell in labelled(label, MAP))
        assert all(mark.get_color() == colour for mark in marks)
    hollow = [line for line in axes.lines if line.get_fillstyle() == "none"]
    silent = [cell for cell in labelled(PROVED, MAP) if cell.example is None]
    assert len(hollow) == sum(len(cell.tiles) for cell in silent) > 0
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(LABELS)
    plt.close(figure)


def test_marks_stand_apart_and_around_the_middle_of_their_place():
    figure = map_figure(MAP)
    [axes] = figure.axes
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines]
    assert len(set(places)) == len(places)
    assert all(abs(x - round(x)) < 0.48 and abs(y - round(y)) < 0.45 for x, y in places)
    for place in {(round(x), round(y)) for x, y in places}:
        rows = [y for x, y in places if (round(x), round(y)) == place]
        assert (min(rows) + max(rows)) / 2 == pytest.approx(place[1])
    plt.close(figure)


def test_the_tables_hold_every_cell_at_each_of_its_places():
    text = map_tables(MAP, VERDICTS).data
    assert text.count('<details class="lines">') == text.count("</details>") == 6
    assert text.count('<div class="mapped">') == len(tiles())
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    body = [line for line in lines if not line.startswith(("| Cell", "| ---"))]
    assert len(body) == sum(len(cell.tiles) for cell in MAP)
    for cell in MAP:
        assert cell.statement.replace("|", r"\|") in text and cell.name in text
    assert text.count("all 7 strings to length 2 right (") == len(executed(MAP))


def test_a_cell_that_went_wrong_says_so():
    cell = executed(MAP)[0]
    wrong = {**VERDICTS, key(cell): Verdict("wrong", 1, 2, "0")}
    text = map_tables(MAP, wrong).data
    assert text.count("runs and is wrong: '0' is decided wrongly") == 1


def test_each_cell_cites_its_sources():
    entries = parse_file(str(ROOT / "chapters/references.bib")).entries
    cited = re.findall(r"{cite}`([^`]+)`", map_tables(MAP, VERDICTS).data)
    assert len(cited) == sum(len(cell.tiles) for cell in MAP if cell.cites)
    assert {source for group in cited for source in group.split(",")} == {
        source for cell in MAP for source in cell.cites
    }
    assert all(source in entries for group in cited for source in group.split(","))


@pytest.mark.parametrize("label", re.findall(r"\(#([\w-]+)\)", map_tables(MAP, VERDICTS).data))
def test_links_lead_to_one_label_of_the_book(label):
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("[0-9]*.py")]
    assert sum(page.count(f"\n({label})=\n") for page in pages) == 1
