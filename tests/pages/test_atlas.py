"""The map and its entries as the pages show them, and which token tests what."""

import re

import matplotlib.pyplot as plt
import pytest
from pybtex.database import parse_file

from chapters.pages.the_map import MAP, decoders, encoders
from chapters.pages.the_map.encoders import enough_padding, padded
from chapters.pages.the_map.entries import executed, key, tiles
from chapters.pages.the_map.pictures import (
    ELSEWHERE,
    HOLLOW,
    MARKS,
    MEANT,
    TINTS,
    entries_page,
    legend,
    map_page,
    mark,
    padding_figure,
    parity_table,
    sort_of,
    steps_table,
)
from lib.formulas import Verdict
from lib.transformer import Exact
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


def test_the_map_has_a_box_for_each_of_its_places_and_closes_them():
    assert PAGE.count("<div style=") == PAGE.count("</div>") == len(tiles()) + 6
    for column in {column for *_, column in tiles()}:
        assert PAGE.count(f"*{column}*<br>\n") == 6


def test_the_table_says_of_every_box_whether_parity_is_decided_there():
    table = parity_table(MAP).data
    tint = r'<span class="tinted" style=".*? background: ([^"]*)">'
    said = re.sub(rf"{tint}|<span role.*?</span> |\[|\]\(.*?\)|</span>", "", table).splitlines()[2:]
    alone, counting = "impossible without CLS and length", "impossible from counting formulas"
    longer = "impossible with strict masks, ever more padding, no positions"
    bits = "impossible with a fixed number of bits"
    no, power = "impossible", "impossible with padding up to a power of the length"
    assert said == [
        f"| unique hard | {no} | {no} | {power} | decided |",
        f"| unique hard, masked | {no} | {no} | {longer} | decided |",
        f"| averaging hard | {alone} | decided | decided | decided |",
        f"| averaging hard, masked | {counting} | decided | decided | decided |",
        f"| soft | {alone} | decided | decided | decided |",
        f"| soft, masked | {counting} | {bits} | not settled | decided |",
    ]
    shown = [answer for row in said for answer in row.strip("| ").split(" | ")[1:]]
    answers = [answer if answer in TINTS else "impossible in one case" for answer in shown]
    assert re.findall(tint, table) == [TINTS[answer] for answer in answers]
    assert len({*TINTS.values()}) == len({*answers}) == 4
    links = re.findall(r"\]\(#(.+?)\)", table)
    assert set(links) <= {entry.anchor for entry in MAP} and len(links) == 23
    framed = {entry.tile for entry in MAP if f"[{entry.name}](#{entry.anchor})**" in PAGE}
    assert framed and not framed & {*ELSEWHERE} and {*ELSEWHERE} <= {*tiles()}
    decided = sum(row.count("| decided ") for row in said)
    assert f"decided in {decided - len(framed)} boxes without a frame too, 3 of them" in PAGE


def test_marks_say_what_they_are_and_the_legend_counts_them():
    assert MARKS.keys() == MEANT.keys()
    key_of_marks = 1
    *rows, total = legend(MAP).data.splitlines()[2:]
    for row, sort in zip(rows, MARKS, strict=True):
        number = sum(sort_of(entry) == sort for entry in MAP)
        assert f'aria-label="{sort}"' in mark(sort) and row.startswith(f"| {mark(sort)} {sort} |")
        assert row.endswith(f"| {number} |") and number > 0
        assert PAGE.count(mark(sort)) == number + key_of_marks
    assert total.endswith(f"| in all | {len(MAP)} |")
    silent = [entry for entry in MAP if sort_of(entry) == HOLLOW]
    assert all(entry.example is None and entry.label == "proved here" for entry in silent)


def test_the_record_holds_every_entry_in_full():
    for entry in MAP:
        [block] = [part for part in FULL.split("\n\n") if part.startswith(f"({entry.anchor})=")]
        assert entry.statement in block and entry.hypotheses in block
        assert f"**{entry.label}**" in block
        assert not entry.place or f"](#{entry.place})" in block
    assert FULL.count("all 7 strings to length 2 right (") == len(executed(MAP))


def test_an_entry_that_went_wrong_says_so():
    entry = executed(MAP)[0]
    wrong = {**VERDICTS, key(entry): Verdict("wrong", 1, 2, "0", accepted=True)}
    text = entries_page(MAP, wrong).data
    assert text.count("runs and is wrong: '0' is accepted wrongly") == 1


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


def test_a_table_of_steps_ends_with_the_answer():
    *_, last = steps_table(decoders.tally(), "01101", "softmax", "d", "u").data.splitlines()
    assert last == "| o | 0 | 1/9 | -1/9 | 0 | 1/9 | 0 | yes |"
    assert len(steps_table(decoders.tally(), "", "softmax").data.splitlines()) == 3


@pytest.mark.parametrize("m", [4, 5, 6])
def test_the_picture_shows_the_tests_that_the_network_does(m):
    figure = padding_figure(m)
    [axes] = figure.axes
    dots = {
        tuple(map(int, line.get_xydata()[0])) for line in axes.lines if line.get_marker() == "o"
    }
    trace = Exact(encoders.progressions(), "leftmost").trace(padded("1" * m))
    assert dots == {(p, p - trace.a[1]["j²"][p]) for p in range(1, m + enough_padding(m) + 1)}
    assert max(dots)[1] == -1
    tested = set()
    for line in axes.lines:  # token by token; full: the first to make a test that can hit
        if line.get_marker() == "o":
            p, r = map(int, line.get_xydata()[0])
            j = trace.a[1]["j"][p]
            places = frozenset({j - abs(r), j, j + abs(r)})
            finds = len(places) == 3 and 1 <= min(places) and max(places) <= m
            is_new, fill = places not in tested, line.get_markerfacecolor()
            assert (fill != "none", fill != "none" and fill[3] == 1) == (finds, finds and is_new)
            tested.add(places)
    plt.close(figure)
