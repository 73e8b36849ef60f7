"""What was meant by a text that is no formula: usual slips in it, and words that others use."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from pathlib import Path

import yaml

from lib.formulas.syntax import FormulaError

LONGEST = 300  # characters of a text in which a slip is looked for
CLOSINGS = 10  # brackets at which a missing one is tried
TABLE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
SLIPS, SAID, CLUES = TABLE["slips"], TABLE["said"], TABLE["signs"]
ENDS = ("", ")", "))", " >= 1", ") >= 1")
REMAINDER = re.compile(
    r"\bodd\b|\bparity\b|\bmod\s*\([^()]*\b(count|total|Q)\b|\)\s*(%|mod\b)", re.I
)
HALVES = re.compile(r"\bodd\b|\bparity\b|(%|\bmod)\s*2\b|,\s*2\s*\)", re.I)


def mend(text: str, symbols: tuple[str, ...], read: Callable[[str], object]) -> str:
    """What may be meant by a text that is not read, as an error's end; "" if nothing is known."""
    words = re.findall("[a-z]+|->|[→⇒∃∀]", text.lower())
    if REMAINDER.search(text) and "position" not in text:
        words.append("even" if HALVES.search(text) else "remainder")
    if known := [word for word in words if word in SAID]:
        said, where = SAID[known[0]]
        return f"; {known[0]} is said as {said}, {where}"
    if re.search(r'#\s*(["(!]|\[(?!Q_))', text):
        return "; program(...) of chapters.common.crasp reads C-RASP"
    for better in _mended(text) if len(text) <= LONGEST else ():
        with suppress(FormulaError):
            read(better)
            return f"; write {better}"
    over = "".join(symbols)
    strange = re.findall(r"""\bQ\((["'])([^"'])\1\)""", text)
    if more := [a for _, a in strange if a not in symbols]:
        return f"; is the alphabet {over + more[0]!r} meant?"
    if text.strip() and not set(re.sub(r"[\s()|*+?.&^]|\[|\]|\{[\d,]*\}", "", text)) - {*symbols}:
        return f"; regular({text!r}, {over!r}) of lib.proofs is a language, not a model"
    return ""


def _mended(text: str) -> list[str]:
    """The text without its slips, and with a bracket or a comparison added."""
    better = reduce(lambda found, slip: re.sub(slip[0], slip[1], found), SLIPS, text).strip()
    places = [found.end() for found in re.finditer(r"\)", better)][:CLOSINGS]
    return [better + end for end in ENDS] + [f"{better[:i]}){better[i:]}" for i in places]
