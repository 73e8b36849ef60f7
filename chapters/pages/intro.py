"""The landing page: findings, made from the record, where a verdict or a number that is gone or
changed is an error; and the contents, with what a chapter is for and how long it takes to read.
"""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path

from IPython.display import Markdown

from chapters.pages.notebooks import cells, text
from record.claims import AGREES, DECIDED, DIFFERS, NOT_REPORTED, PROVED, recorded
from record.rows import check_row, paper_of
from record.runs import CHAPTERS

FLOATS = ("bfloat16", "float16", "float32", "float64")
WORDS_A_MINUTE = 200
MINUTES_A_CELL = 2
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
STEP = 5  # minutes are rounded up to a multiple of it


def claim(row: str, cell: str, verdict: str, truth: str, settles: str = "") -> dict:
    """The one recorded claim on that row and statement, in that cell.

    ValueError if there is none or several, or if its verdict or kind of truth is another.
    """
    found = [
        line
        for chapter in recorded()
        for line in chapter["claims"]
        if (line["row"], line["cell"], line["settles"]) == (row, cell, settles)
    ]
    if len(found) != 1:
        raise ValueError(f"one claim on {row!r} in {cell!r} is expected, not {len(found)}")
    [one] = found
    if (one["verdict"], one["truth"]) != (verdict, truth):
        raise ValueError(
            f"the claim on {row!r} in {cell!r} is {one['verdict']!r} and {one['truth']!r}, "
            f"no longer {verdict!r} and {truth!r}: say on the landing page what holds now"
        )
    return one


def value(line: dict, name: str) -> object:
    """What a recorded line found under that name; ValueError if it does not say it."""
    found = line.get("found", {})
    if name not in found:
        raise ValueError(f"{line['cell']!r} found no {name!r}: the landing page says it")
    return found[name]


def threshold() -> str:
    """Recorded accuracies that exact arithmetic gives too."""
    line = claim("N Fig. 2, App. C", "nowak-figure-2", DIFFERS, DECIDED, "cause")
    limit = claim("N Fig. 2, App. C", "nowak-figure-2", AGREES, DECIDED, "37")
    return (
        "**A limit without rounding.** Nowak and others' transformer for PALINDROME, the "
        "strings that are their own reversal, is perfect on their test strings "
        f"to length {value(limit, 'length')}, and they name {line['paper']} as the cause; "
        f"[arithmetic without any rounding](#{line['cell']}) gives {value(line, 'exact')} of "
        f"{value(line, 'of')} of the accuracies that they recorded, with the threshold of "
        f"{value(line, 'threshold')} in their code. {_truth(line)}"
    )


def pairs() -> str:
    """PALINDROME without that limit."""
    line = claim(
        "ours: pairwise PALINDROME", "palindrome-pairs", NOT_REPORTED, PROVED, "recognised"
    )
    return (
        "**Pair by pair.** Another transformer, which [compares each symbol with its mirror image]"
        f"(#{line['cell']}), decides PALINDROME at every length in exact arithmetic, by keys that "
        "grow as $n^2$; its logit $s$, over $n$ positions, keeps "
        f"$n\\,|s| \\ge {value(line, 'least')}$. {_truth(line)}"
    )


def two_heads() -> str:
    """How far a code of the halves goes."""
    line = claim("ours: 2p theorem", "palindrome-2p", NOT_REPORTED, PROVED)
    lengths = ", ".join(f"{value(line, name)} in {name}" for name in FLOATS)
    return (
        f"**How far p bits go.** [{check_row(line['row'])['statement']}](#{line['cell']}), under "
        f"the hypotheses there: that is {lengths}. {_truth(line)}"
    )


def residual() -> str:
    """A decoder that was held not to be Turing-complete, and is."""
    line = claim("B Prop. 4.3/C.1", "tm-wired", DIFFERS, PROVED, "languages")
    claim("ours: neither residual nor FFN", "tm-wired", NOT_REPORTED, PROVED)  # any encoding does
    return (
        "**A connection that one can do without.** A decoder without the residual connection "
        f"around its attention to the encoder is {line['paper']}, says Proposition 4.3 of "
        "Bhattamishra and others; yet for any Turing machine there is one that "
        f"[runs it on every input](#{line['cell']}), where any computable function may encode "
        "positions. The paper's argument counts vectors, and two of them can hold any "
        f"computation. {_truth(line)}"
    )


def misprints() -> str:
    """How many errata there are, and one of them."""
    found = [line for chapter in recorded() for line in chapter["errata"]]
    shown = [line for line in found if "cosh" in line["printed"] and "sinh" in line["correct"]]
    if len(shown) != 1:
        raise ValueError(f"one erratum on cosh and sinh is expected, not {len(shown)}")
    [one] = shown
    papers = len({paper_of(line["row"]) for line in found})
    return (
        f"**{len(found)} errata.** Runs and proofs settle these misprints and gaps of the {papers} "
        f"papers. One is [a cosh that must be a sinh](#{one['cell']}): exact enclosures of the "
        f"logit exclude the printed formula in {value(one, 'excluded')} of {value(one, 'cases')} "
        "cases."
    )


FINDINGS = (threshold, pairs, two_heads, residual, misprints)


def findings() -> Markdown:
    """The findings as a list, each with a link to the cell behind it."""
    return Markdown("\n".join(f"- {find()}" for find in FINDINGS))


def _truth(line: dict) -> str:
    """The kind of truth, as a sentence of its own."""
    return f"*{line['truth'][:1].upper()}{line['truth'][1:]}.*"


def minutes(notebook: Path) -> int:
    """How long a chapter takes to read: its words, and its open cells of code."""
    chapter = cells(notebook)
    prose = " ".join(text(cell) for cell in chapter if cell["cell_type"] == "markdown")
    words = [word for word in re.sub(r"<[^>]*>", " ", prose).split() if re.search(r"\w", word)]
    code = [
        cell
        for cell in chapter
        if cell["cell_type"] == "code" and not FOLDED & set(cell["metadata"].get("tags", ()))
    ]
    return STEP * ceil((len(words) / WORDS_A_MINUTE + MINUTES_A_CELL * len(code)) / STEP)


def _chapters() -> list[Path]:
    return sorted(CHAPTERS.glob("[0-9]*.ipynb"))


def contents() -> Markdown:
    """The chapters, how long each takes to read, and what a person will be able to do after it, as
    its first lines say it.
    """
    lines = []
    for path in _chapters():
        opening = text(cells(path)[0])
        [title] = re.findall(r"^# (.+)$", opening, re.MULTILINE)[:1]
        [promise] = re.findall(r"^\*You will be able to\* (.+)", opening, re.DOTALL | re.MULTILINE)
        lines.append(
            f"{int(path.stem[:2])}. [{title}]({path.stem}.ipynb), {minutes(path)} minutes: "
            + " ".join(promise.split())
        )
    return Markdown("\n".join(lines))


def reading_time() -> str:
    """How long the whole book takes to read, and how that is reckoned."""
    hours = round(sum(map(minutes, _chapters())) / 60)
    return (
        f"About {hours} hours in all, at {WORDS_A_MINUTE} words a minute and "
        f"{MINUTES_A_CELL} minutes for each cell of code that is open; exercises are extra."
    )
