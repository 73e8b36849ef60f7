"""The landing page and what is made for it: findings lead to the record, contents to chapters."""

import re

from chapters.intro.tables import (
    FINDINGS,
    contents,
    findings,
    minutes,
    reading_time,
)
from record.claims import recorded
from record.runs import CHAPTERS

EMPHASIS = r"(?<!\*)\*([^*]+)\*(?!\*)"


def test_there_are_five_findings_each_with_a_link_to_a_recorded_cell():
    lines = findings().data.splitlines()
    cells = {
        line["cell"] for chapter in recorded() for line in chapter["claims"] + chapter["errata"]
    }
    assert len(lines) == len(FINDINGS) == 5
    for line in lines:
        assert set(re.findall(r"\]\(#([\w-]+)\)", line)) & cells and line.startswith("- **")


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
