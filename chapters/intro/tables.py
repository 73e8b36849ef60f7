"""The landing page: what surprised us, from the chapters' own runs; findings, made from the record,
where a verdict or a number that is gone or changed is an error; and the contents, with what a
chapter is for.
"""

import re
from pathlib import Path

import jupytext
from IPython.display import Markdown

from chapters.how_long.figures import early, first_errors, number, of_kind
from chapters.layer_norm.tables import FAMILIES, lost_near
from chapters.strangers.figures import published
from lib.constructions import parity
from lib.verdicts import WRONG
from record.claims import DECIDED, Claim, recorded
from record.rows import paper_of
from record.runs import CHAPTERS, read_yaml

FINDINGS: dict[str, dict] = read_yaml(Path(__file__).with_suffix(".yaml"))
KNOWN = {DECIDED: "decided string by string"}  # as this page says it: its strings are drawn


def surprises() -> dict[str, str]:
    """The numbers of the three results that the page opens with, as their chapters have them."""
    plain = of_kind(1, "plain") + of_kind(2, "plain")
    learned = [one for one in plain if not early([one])]
    errors = first_errors(learned)
    return {
        "string": published()["bce_012_0_2-@1l1h64d4lr00drop"]["wrong"][0],
        "plain": str(len(plain)),
        "learned": whole(number(learned, WRONG), len(learned)),
        "median": f"{errors[len(errors) // 2]:,}",
        "symbols": f"{lost_near(parity(), FAMILIES['PARITY'], 1e-5):.0f}",
    }


def whole(some: object, of: object) -> str:
    """All of them, as the page says; ValueError if these are only some."""
    if some != of:
        raise ValueError(f"{some} of {of} are no longer all: say on the landing page what holds")
    return f"{of}"


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
    for found in words.values():
        if "exact" in found:
            whole(found["exact"], found["of"])
    return f"{text.format_map(words)} *{said[:1].upper()}{said[1:]}.*"


def misprinted(text: str, erratum: dict[str, str]) -> str:
    """The text on how many errata there are, and one of them."""
    printed, correct = erratum["printed"], erratum["correct"]
    found = [line for chapter in recorded() for line in chapter.errata]
    shown = [line for line in found if printed in line.printed and correct in line.correct]
    if len(shown) != 1:
        raise ValueError(f"one erratum on {printed} and {correct} is expected, not {len(shown)}")
    papers = len({paper_of(line.row) for line in found})
    one = shown[0].found | vars(shown[0])
    whole(one["excluded"], one["cases"])
    return text.format(count=len(found), papers=papers, erratum=one)


def findings() -> Markdown:
    """The findings as a list, each with a link to the cell behind it."""
    said = [claimed(**f) if "claims" in f else misprinted(**f) for f in FINDINGS.values()]
    return Markdown("\n".join(f"- {text}" for text in said))


def contents() -> Markdown:
    """The chapters, folded, and the question that each answers."""
    lines = []
    for path in sorted(CHAPTERS.glob("[0-9]*.py")):
        opening = jupytext.read(path, fmt="py:percent").cells[0].source
        [title] = re.findall(r"^# (.+)$", opening, re.MULTILINE)[:1]
        [question] = re.findall(r"^\*([^*]+\?)\*$", opening, re.MULTILINE)[:1]
        lines.append(f"{int(path.stem[:2])}. [{title}]({path.stem}): {' '.join(question.split())}")
    fold = '<details class="lines"><summary>All chapters and their questions</summary>'
    return Markdown("\n".join([fold, "", *lines, "", "</details>"]))
