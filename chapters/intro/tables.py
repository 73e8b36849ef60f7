"""The landing page: what surprised us, from the chapters' own runs; findings, made from the record,
where a verdict or a number that is gone or changed is an error; and the contents, with what a
chapter is for and how long it takes to read.
"""

import re
from math import ceil
from pathlib import Path

import jupytext
from IPython.display import Markdown

from chapters.how_long.figures import early, first_errors, number, of_kind
from chapters.layer_norm.figures import FAMILIES, lost_near
from chapters.strangers.figures import published
from lib.constructions import parity
from lib.verdicts import WRONG
from record.claims import DECIDED, Claim, recorded
from record.rows import paper_of
from record.runs import CHAPTERS, read_yaml

FINDINGS: dict[str, dict] = read_yaml(Path(__file__).with_suffix(".yaml"))
WORDS_A_MINUTE = 200
MINUTES_A_CELL = 2
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
KNOWN = {DECIDED: "decided string by string"}  # as this page says it: its strings are drawn
STEP = 5  # minutes are rounded up to a multiple of it


def surprises() -> dict[str, str]:
    """The numbers of the three results that the page opens with, as their chapters have them."""
    plain = of_kind(1, "plain") + of_kind(2, "plain")
    learned = [one for one in plain if not early([one])]
    errors = first_errors(learned)
    return {
        "string": published()["bce_012_0_2-@1l1h64d4lr00drop"]["wrong"][0],
        "learned": str(len(learned)),
        "wrong": str(number(learned, WRONG)),
        "median": f"{errors[len(errors) // 2]:,}",
        "symbols": f"{lost_near(parity(), FAMILIES['PARITY'], 1e-5):.0f}",
    }


def claim(row: str, cell: str, verdict: str, truth: str, settles: str = "") -> Claim:
    """The one recorded claim on that row and statement, in that cell.

    ValueError if there is none or several, or if its verdict or kind of truth is another.
    """
    found = [
        line
        for chapter in recorded()
        for line in chapter.claims
        if (line.row, line.cell, line.settles) == (row, cell, settles)
    ]
    if len(found) != 1:
        raise ValueError(f"one claim on {row!r} in {cell!r} is expected, not {len(found)}")
    [one] = found
    if (one.verdict, one.truth) != (verdict, truth):
        raise ValueError(
            f"the claim on {row!r} in {cell!r} is {one.verdict!r} and {one.truth!r}, "
            f"no longer {verdict!r} and {truth!r}: say on the landing page what holds now"
        )
    return one


def claimed(text: str, claims: dict[str, dict]) -> str:
    """The text of a finding that rests on claims, and the kind of truth of the first of them."""
    lines = {name: claim(**wanted) for name, wanted in claims.items()}
    truth = next(iter(lines.values())).truth
    said = KNOWN.get(truth, truth)
    words = {name: line.found | vars(line) for name, line in lines.items()}
    return f"{text.format_map(words)} *{said[:1].upper()}{said[1:]}.*"


def misprinted(text: str, erratum: dict[str, str]) -> str:
    """The text on how many errata there are, and one of them."""
    printed, correct = erratum["printed"], erratum["correct"]
    found = [line for chapter in recorded() for line in chapter.errata]
    shown = [line for line in found if printed in line.printed and correct in line.correct]
    if len(shown) != 1:
        raise ValueError(f"one erratum on {printed} and {correct} is expected, not {len(shown)}")
    papers = len({paper_of(line.row) for line in found})
    return text.format(count=len(found), papers=papers, erratum=shown[0].found | vars(shown[0]))


def findings() -> Markdown:
    """The findings as a list, each with a link to the cell behind it."""
    said = [claimed(**f) if "claims" in f else misprinted(**f) for f in FINDINGS.values()]
    return Markdown("\n".join(f"- {text}" for text in said))


def minutes(source: Path) -> int:
    """How long a chapter takes to read: its words, and its open cells of code."""
    chapter = jupytext.read(source, fmt="py:percent").cells
    prose = " ".join(cell.source for cell in chapter if cell.cell_type == "markdown")
    words = [word for word in re.sub(r"<[^>]*>", " ", prose).split() if re.search(r"\w", word)]
    code = [
        cell
        for cell in chapter
        if cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", ()))
    ]
    return STEP * ceil((len(words) / WORDS_A_MINUTE + MINUTES_A_CELL * len(code)) / STEP)


def _chapters() -> list[Path]:
    return sorted(CHAPTERS.glob("[0-9]*.py"))


def contents() -> Markdown:
    """The chapters, how long each takes to read, and the question that it answers."""
    lines = []
    for path in _chapters():
        opening = jupytext.read(path, fmt="py:percent").cells[0].source
        [title] = re.findall(r"^# (.+)$", opening, re.MULTILINE)[:1]
        [question] = re.findall(r"^\*([^*]+\?)\*$", opening, re.MULTILINE)[:1]
        lines.append(
            f"{int(path.stem[:2])}. [{title}]({path.stem}) ({minutes(path)} minutes). "
            + " ".join(question.split())
        )
    return Markdown("\n".join(lines))


def reading_time() -> str:
    """How long the whole book takes to read, and how that is reckoned."""
    hours = round(sum(map(minutes, _chapters())) / 60)
    return (
        f"About {hours} hours in all, at {WORDS_A_MINUTE} words a minute and "
        f"{MINUTES_A_CELL} minutes for each cell of code that is open; exercises are extra."
    )
