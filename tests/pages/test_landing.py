"""The landing page and what is made for it: findings from the record, reading times, and the
buttons that are seen first.
"""

import json
import re
import shutil

import jupytext
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from chapters.pages.intro import (
    FINDINGS,
    contents,
    findings,
    minutes,
    reading_time,
)
from record import runs as results
from record.claims import recorded
from record.runs import CHAPTERS

EMPHASIS = r"(?<!\*)\*([^*]+)\*(?!\*)"


@pytest.fixture
def own_record(tmp_path, monkeypatch):
    """A copy of the record that a test may change: `change(kind, cell, **values)` sets values of
    every claim or erratum of a cell, those `found` beside what else was found, or takes out all
    that was (`found=None`); without values it takes out the lines themselves.
    """
    shutil.copytree(results.RESULTS / "claims", tmp_path / "claims")
    shutil.copy(results.RESULTS / "rows.json", tmp_path)
    monkeypatch.setattr(results, "RESULTS", tmp_path)

    def change(kind, cell, **values):
        for path in (tmp_path / "claims").glob("*.json"):
            record = json.loads(path.read_text(encoding="utf-8"))
            for line in record[kind]:
                if line["cell"] == cell:
                    known, found = line.pop("found", {}), values.get("found", {})
                    line.update(values)
                    line["found"] = {} if found is None else known | found
            if not values:
                record[kind] = [line for line in record[kind] if line["cell"] != cell]
            path.write_text(json.dumps(record), encoding="utf-8")

    return change


def test_there_are_five_findings_each_with_a_link_to_a_recorded_cell():
    lines = findings().data.splitlines()
    cells = {
        line["cell"] for chapter in recorded() for line in chapter["claims"] + chapter["errata"]
    }
    assert len(lines) == len(FINDINGS) == 5
    for line in lines:
        assert set(re.findall(r"\]\(#([\w-]+)\)", line)) & cells and line.startswith("- **")


@pytest.mark.parametrize(
    "cell", ["tm-wired", "nowak-figure-2", "palindrome-2p", "palindrome-pairs"]
)
@pytest.mark.parametrize(
    "changed", [{}, {"verdict": "agrees", "truth": "measured"}], ids=["gone", "another verdict"]
)
def test_a_finding_that_no_longer_holds_is_an_error(own_record, cell, changed):
    own_record("claims", cell, **changed)
    with pytest.raises(ValueError, match=f"{cell}.* (is expected|no longer)"):
        findings()


def page(folder, words, open_cells):
    """A page of so many words and open cells, with folded ones beside them."""
    code = new_code_cell("x")
    folded = [new_code_cell("x", metadata={"tags": [tag]}) for tag in ("hide-input", "remove-cell")]
    cells = [new_markdown_cell("word <b> " * words), *folded, *[code] * open_cells]
    path = folder / "09_test.py"
    jupytext.write(new_notebook(cells=cells), path, fmt="py:percent")
    return path


def test_the_contents_name_every_chapter_its_time_and_its_question():
    page, sources = contents().data, sorted(CHAPTERS.glob("[0-9]*.py"))
    for path in sources:
        assert f"]({path.stem}), {minutes(path)} minutes: " in page
    assert page.count("\n") + 1 == len(sources) and page.count("?\n") + 1 == len(sources)
    [hours] = re.findall(r"About (\d+) hours", reading_time())
    assert abs(int(hours) * 60 - sum(map(minutes, sources))) <= 30


def test_every_page_has_a_description_of_its_own(pages):
    found = {}
    for name, soup in pages.items():
        [meta] = soup.select("meta[name=description]")
        found[name] = meta["content"]
        assert 40 <= len(meta["content"]) <= 202 and "\\" not in meta["content"], name
        assert soup.select_one("meta[property='og:description']")["content"] == meta["content"]
    assert len(set(found.values())) == len(pages)


def test_the_teaching_page_names_exercises_and_puzzles_that_there_are():
    text = (CHAPTERS / "teaching.md").read_text(encoding="utf-8")
    puzzles = (CHAPTERS / "_static" / "puzzles.mjs").read_text(encoding="utf-8")
    titles = set(re.findall(r'title: "(.*)"', puzzles))
    named = {name for name in re.findall(EMPHASIS, text) if name in titles}
    assert len(named) >= 8 and len(titles) == 20 and "twenty puzzles" in text
    for line in text.splitlines():
        if "in the workshop" in line:
            assert set(re.findall(EMPHASIS, line.split("in the workshop")[1])) <= titles
    exercises = set(re.findall(r"\b([1-8])\.([0-9])\b", text))
    assert len(exercises) >= 12
    for chapter, exercise in exercises:
        [source] = CHAPTERS.glob(f"0{chapter}_*.py")
        assert f"**{exercise} (" in source.read_text(encoding="utf-8").split("## Exercises")[1]
