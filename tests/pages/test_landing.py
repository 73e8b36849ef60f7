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
    MINUTES_A_CELL,
    WORDS_A_MINUTE,
    contents,
    findings,
    minutes,
    reading_time,
)
from record import runs as results
from record.claims import recorded
from record.runs import CHAPTERS

SCREENS = {"wide": (1200, 800), "phone": (390, 844)}
EMPHASIS = r"(?<!\*)\*([^*]+)\*(?!\*)"
BUTTONS = ["Start reading", "Open the workshop", "What we found"]


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
    "kind, cell, old, changed, new",
    [
        (
            "claims",
            "nowak-figure-2",
            "198 of the 198",
            {"found": {"exact": 196, "of": 197}},
            "196 of the 197",
        ),
        ("claims", "palindrome-pairs", "1/4", {"found": {"least": "1/5"}}, "1/5"),
        (
            "claims",
            "palindrome-2p",
            "106 in float64",
            {"found": {"float64": 107}},
            "107 in float64",
        ),
        ("errata", "run-closed-form", "198 of 198 pairs", {}, None),
        ("errata", "run-closed-form", "198 of 198 pairs", {"printed": "tanh"}, None),
        ("errata", "run-closed-form", "198 of 198 pairs", {"correct": "tanh"}, None),
    ],
)
def test_a_finding_says_what_the_record_says(own_record, kind, cell, old, changed, new):
    assert old in findings().data
    own_record(kind, cell, **changed)
    if new is None:
        with pytest.raises(ValueError, match="one erratum on cosh and sinh is expected, not 0"):
            findings()
    else:
        assert new in findings().data


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


@pytest.mark.parametrize(
    "kind, cell",
    [
        ("claims", "nowak-figure-2"),
        ("claims", "palindrome-pairs"),
        ("claims", "palindrome-2p"),
        ("errata", "run-closed-form"),
    ],
)
def test_a_finding_whose_numbers_are_gone_is_an_error(own_record, kind, cell):
    own_record(kind, cell, found=None)
    with pytest.raises(ValueError, match=f"{cell}' found no .*: the landing page says it"):
        findings()


def page(folder, words, open_cells):
    """A page of so many words and open cells, with folded ones beside them."""
    code = new_code_cell("x")
    folded = [new_code_cell("x", metadata={"tags": [tag]}) for tag in ("hide-input", "remove-cell")]
    cells = [new_markdown_cell("word <b> " * words), *folded, *[code] * open_cells]
    path = folder / "09_test.py"
    jupytext.write(new_notebook(cells=cells), path, fmt="py:percent")
    return path


@pytest.mark.parametrize("words, cells, expected", [(1000, 0, 5), (1001, 0, 10), (1000, 10, 25)])
def test_reading_takes_200_words_a_minute_and_two_minutes_an_open_cell(
    tmp_path, words, cells, expected
):
    assert (WORDS_A_MINUTE, MINUTES_A_CELL) == (200, 2)
    assert minutes(page(tmp_path, words, cells)) == expected


def test_the_contents_name_every_chapter_its_time_and_its_question():
    page, sources = contents().data, sorted(CHAPTERS.glob("[0-9]*.py"))
    for path in sources:
        assert f"]({path.stem}), {minutes(path)} minutes: " in page
    assert page.count("\n") + 1 == len(sources) and page.count("?\n") + 1 == len(sources)
    [hours] = re.findall(r"About (\d+) hours", reading_time())
    assert abs(int(hours) * 60 - sum(map(minutes, sources))) <= 30


def test_the_page_says_what_the_record_and_the_notebooks_say(pages):
    page = pages["chapters/intro.html"].select_one("article")
    said = " ".join(page.text.split())
    for number in re.findall(r"\d+ of \d+", findings().data):
        assert number in said
    assert said.count(" minutes: ") == len(list(CHAPTERS.glob("[0-9]*.py")))
    assert " hours in all" in said
    assert [a.text for a in page.select(".starts a")] == BUTTONS
    assert len(page.select(".routes > p")) == len(page.select(".routes > ul")) == 3


@pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS)
def test_the_opener_and_the_three_buttons_are_above_the_fold(look, screen):
    page = look("chapters/intro.html", *screen)
    page.wait_for_selector(".live button")
    shown = [page.locator(".live"), *page.locator(".starts a").all()]
    assert [place.inner_text() for place in shown[1:]] == BUTTONS
    for place in shown:
        box = place.bounding_box()
        assert 0 <= box["y"] and box["y"] + box["height"] <= screen[1]
        assert 0 <= box["x"] and box["x"] + box["width"] <= screen[0]
    page.locator(".starts a").nth(1).click()
    page.wait_for_url("**/playground.html*")


def test_the_first_page_names_the_book_once(pages):
    titles = {name: soup.title.text for name, soup in pages.items()}
    assert len(set(titles.values())) == len(titles)
    for title in titles.values():
        assert title.count("Self-Attention, Exactly") == 1


def test_every_page_has_a_description_of_its_own(pages):
    found = {}
    for name, soup in pages.items():
        [meta] = soup.select("meta[name=description]")
        found[name] = meta["content"]
        assert 40 <= len(meta["content"]) <= 202 and "\\" not in meta["content"], name
        assert soup.select_one("meta[property='og:description']")["content"] == meta["content"]
    assert len(set(found.values())) == len(pages)


def test_a_search_shows_no_raw_tex(served, look):
    page = look()
    for asked in ("softmax", "Proposition"):
        page.goto(f"{served}search.html?q={asked}", wait_until="networkidle")
        page.wait_for_selector("ul.search li p.context")
        said = page.locator("ul.search").inner_text()
        assert asked in said and not re.findall(r"\\[()]|\\(?:log|math|frac|epsilon|ell)", said)


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
