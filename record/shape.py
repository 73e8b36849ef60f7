"""What a stored result looks like, and how each of its numbers is held when it is checked.

An experiment says so by a pattern that is built like its results: a mapping by its names (one with
a "?" may be missing, "*" stands for any others), a list by the pattern of what it holds, a list of
several patterns by just these, and a number or a text by its range. A range also says what a check
does with it: it is made `anew`, from the code or from what is kept; or so `in_part`; or nothing
follows it, and within its range it rests on the seal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, TypeAlias

from lib.checks import shown
from record.experiment import Experiment
from record.runs import Stored

ANEW, IN_PART, SEALED = "computed anew", "in part", "on the seal alone"
WAYS = (ANEW, IN_PART, SEALED)


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, whole ones or of so many significant `digits`; or the texts
    that match `says`; or `anything`. With `or_none` it may be missing.
    """

    low: float = -inf
    high: float = inf
    whole: bool = False
    digits: int | None = None
    says: str | None = None
    or_none: bool = False
    anything: bool = False
    held: str = SEALED

    @property
    def anew(self) -> Range:
        """The same, computed anew."""
        return replace(self, held=ANEW)

    @property
    def in_part(self) -> Range:
        """The same, computed anew in part."""
        return replace(self, held=IN_PART)

    def to(self, digits: int) -> Range:
        """The same, rounded to so many significant digits."""
        return replace(self, digits=digits)

    @property
    def optional(self) -> Range:
        """The same, or None."""
        return replace(self, or_none=True)

    def has(self, value: object) -> bool:
        """Whether a value is of this range."""
        if value is None or self.anything:
            return self.or_none or self.anything
        if self.says is not None:
            return isinstance(value, str) and bool(re.fullmatch(self.says, value, re.DOTALL))
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            return False
        if self.whole and not isinstance(value, int):
            return False
        has_digits = self.digits is None or float(f"{value:.{self.digits}g}") == value
        return has_digits and self.low <= value <= self.high


Pattern: TypeAlias = "Range | dict[str, Any] | list[Any]"

REAL = Range()
LOSS = Range(0, 100)  # in bits or nats of a string or a word
SHARE = Range(0, 1)
PERCENT = Range(0, 100)
COUNT = Range(0, whole=True)
SIZE = Range(1, whole=True)
TIME = Range(0)  # in seconds
TEXT = Range(says=".*")
ANYTHING = Range(anything=True)  # that a check reads by itself
YES = Range(0, 1, whole=True)  # or no

VERSION = Range(says=r"\d+\.\d+[\w.+]*")
MADE = {
    "date": Range(says=r"20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"),
    "device": TEXT,
    "commit": Range(says=r"[0-9a-f]{7,40}\+?", or_none=True),
    "python": VERSION,
    "torch": VERSION,
    "numpy": VERSION,
    "criteria?": Range(says=r"[0-9a-f]{64}"),
    "note?": TEXT,
}


def misfits(value: object, pattern: Pattern, place: str = "") -> Iterator[str]:
    """What in a value is not as its pattern has it, each with its place."""
    if isinstance(pattern, Range):
        if not pattern.has(value):
            yield f"{place} is {shown(value)}"
    elif isinstance(pattern, list):
        if not isinstance(value, list) or len(pattern) not in (1, len(value)):
            yield f"{place} is {shown(value)}"
            return
        each = [*pattern] * len(value) if len(pattern) == 1 else pattern
        for i, (inside, known) in enumerate(zip(value, each, strict=True)):
            yield from misfits(inside, known, f"{place}[{i}]")
    elif not isinstance(value, dict):
        yield f"{place} is {shown(value)}"
    else:
        known = {name.removesuffix("?"): inside for name, inside in pattern.items()}
        others = known.pop("*", None)
        for name, inside in value.items():
            if (one := known.get(name, others)) is None:
                yield f"{place}.{name} is not expected"
            else:
                yield from misfits(inside, one, f"{place}.{name}")
        for name in known.keys() - value.keys():
            if name in pattern:
                yield f"{place}.{name} is missing"


def out_of_shape(run: Stored, asked: Experiment) -> Iterator[str]:
    """What in a stored run is not of the form that its experiment gives: the configurations are the
    code's, in its order, results have their pattern, times are positive, and who made it when is
    said as it is.
    """
    if [row["configuration"] for row in run.results] != asked.configurations:
        yield "the configurations are not those of the code"
    yield from misfits(run.made, MADE, "made")
    for i, row in enumerate(run.results):
        measured = {name: part for name, part in row.items() if name != "configuration"}
        yield from misfits(measured, {"result": asked.shape, "seconds": TIME}, f"[{i}]")
    if asked.fit is not None and not asked.fit(run.results):
        yield "the configurations do not fit together"


def standing(run: Stored, asked: Experiment) -> dict[str, list[str]]:
    """How a check holds a stored run: the names in its results by each of `WAYS`, with how many
    configurations have what some lack.
    """
    had = Counter(name for row in run.results for name in row["result"])
    size = len(run.results)
    lacking = {name: f"{name} ({had[name]} of {size})" for name in had if had[name] < size}
    names = [*dict.fromkeys(_held(asked.shape)), ("seconds", SEALED)]
    return {
        way: [
            lacking.get(place, place)
            for place, how in names
            if how == way and (place == "seconds" or place.partition(".")[0] in had)
        ]
        for way in WAYS
    }


def _held(pattern: Pattern, place: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The ranges of a pattern by the names that lead to them, and how each is held."""
    if isinstance(pattern, Range):
        yield ".".join(place), pattern.held
    elif isinstance(pattern, list):
        for inside in pattern:
            yield from _held(inside, place)
    else:
        for name, inside in pattern.items():
            named = () if name == "*" else (name.removesuffix("?"),)
            yield from _held(inside, (*place, *named))
