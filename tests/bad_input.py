"""Bad input for public functions: a known-good call of each (`tests.good_calls`), one argument at a
time replaced by what nobody should give.
"""

from __future__ import annotations

import linecache
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from itertools import islice
from math import isfinite
from typing import Any

import numpy as np
import torch

from tests import ROOT

ERRORS = (ValueError, TypeError, KeyError, FileNotFoundError, ZeroDivisionError)
HOUSES = tuple(str(ROOT / house) for house in ("lib", "record", "chapters"))
SECONDS = 5  # that one call may take
EXPECTS = re.compile(r"\b(expected|must|not|no|needs?|needed|cannot|unknown|at most|is|are)\b")


class Free(str):
    """A text that may be any other one."""


class Several(tuple):
    """Names or symbols, for which a string may stand, or nothing."""


class Signed(int):
    """A whole number that may be negative, and as large as one likes."""


def a_function(*arguments: object) -> None:
    """A function, where nobody expects one."""


BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "10^30": lambda: 10**30,
    "1j": lambda: 1j,
    "an Arabic 3": lambda: "٣",
    "no text": lambda: "",
    "a text": lambda: "x" * 10,
    "a surrogate": lambda: "\ud800",
    "bytes": lambda: b"1",
    "[]": lambda: [],
    "[None]": lambda: [None],
    "{}": lambda: {},
    "{None: None}": lambda: {None: None},
    "an object": object,
    "a function": lambda: a_function,
    "a type": lambda: Fraction,
    "numpy's nan": lambda: np.float64("nan"),
    "numpy's -1": lambda: np.int64(-1),
    "an empty array": lambda: np.array([]),
    "an array": lambda: np.ones((2, 3, 4)),
    "a tensor": lambda: torch.ones(2, 3, 4),
}


@dataclass(frozen=True)
class Example:
    """A call that is right."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]


def good(function: Callable[..., Any], label: str = "", /, **arguments: Any) -> Example:
    """An example, named after its function."""
    called = label or f"{function.__module__.removeprefix('lib.')}.{function.__qualname__}"
    return Example(called, function, arguments)


@dataclass(frozen=True)
class Case:
    """An example with `bad` for the argument of that name, or for the first thing in it."""

    example: Example
    argument: str
    value: str
    is_inside: bool

    def __str__(self) -> str:
        inside = " holds " if self.is_inside else " = "
        return f"{self.example.name}: {self.argument}{inside}{self.value}"


def is_number(value: object) -> bool:
    """Whether it is a finite number, and no bool."""
    is_real = isinstance(value, (int, float, Fraction, np.integer, np.floating))
    return is_real and not isinstance(value, bool) and isfinite(value)


def is_empty(value: object) -> bool:
    """Whether it holds nothing."""
    return isinstance(value, (str, list, dict, np.ndarray)) and len(value) == 0


def may_stand_for(value: object, good: object) -> bool:
    """Whether a function may take `value` where `good` is right; it may refuse it too."""
    if isinstance(good, bool):
        return isinstance(value, bool)
    if isinstance(good, Signed):
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if isinstance(good, int):
        return is_number(value) and value == 0
    if isinstance(good, (float, Fraction)):
        return is_number(value)
    if isinstance(good, Free):
        return isinstance(value, str)
    if isinstance(good, str):
        return value == "" if isinstance(value, str) else False
    if isinstance(good, Several):
        return isinstance(value, str) or is_empty(value)
    if isinstance(good, np.ndarray):
        return is_empty(value) or is_number(value) and value == 0
    if isinstance(good, torch.Tensor):
        return isinstance(value, torch.Tensor)
    if isinstance(good, (Iterable, Mapping)):
        return is_empty(value)
    return callable(good) and callable(value)


def first_inside(good: object) -> Any:
    """The first thing in a list, a tuple or a mapping; None where there is none."""
    if isinstance(good, dict):
        good = list(good.values())
    return good[0] if isinstance(good, (list, tuple)) and good else None


def with_first(good: Any, value: object) -> Any:
    """The same list, tuple or mapping with another first thing."""
    if isinstance(good, dict):
        first, *_ = good
        return good | {first: value}
    return type(good)([value, *good[1:]])


def cases(examples: Iterable[Example]) -> Iterator[Case]:
    """Every example with each bad value in each place."""
    for example in examples:
        for name, good in example.arguments.items():
            for value in BAD:
                yield Case(example, name, value, False)
                if first_inside(good) is not None:
                    yield Case(example, name, value, True)


def is_optional(example: Example, argument: str) -> bool:
    """Whether that argument may be None."""
    parameter = signature(example.function).parameters.get(argument)
    if parameter is None:
        return False
    return parameter.default is None or "None" in str(parameter.annotation)


class TooSlow(BaseException):
    """A call that takes more than its time."""


@contextmanager
def limited() -> Iterator[None]:
    """Ends what takes more than `SECONDS`, on systems that have alarms."""

    def stop(*_: object) -> None:
        raise TooSlow

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def called(example: Example, arguments: dict[str, Any]) -> Any:
    """The result of a call; of an iterator, its first items."""
    result = example.function(**arguments)
    return list(islice(result, 3)) if isinstance(result, Iterator) else result


def outcome(case: Case) -> str | None:
    """What is wrong with what a function makes of bad input; None where nothing is."""
    value, good = BAD[case.value](), case.example.arguments[case.argument]
    expected = first_inside(good) if case.is_inside else good
    given = with_first(good, value) if case.is_inside else value
    try:
        with limited(), np.errstate(all="ignore"):
            called(case.example, case.example.arguments | {case.argument: given})
    except TooSlow:
        return f"more than {SECONDS} seconds"
    except Exception as error:
        return complaint(error, value)
    if may_stand_for(value, expected):
        return None
    if value is None and (case.is_inside or is_optional(case.example, case.argument)):
        return None
    return "accepted"


def named(value: Any) -> set[str]:
    """How a message may name a value: as it is written, or the first thing in it; that nothing is
    there may be said in any way.
    """
    if is_empty(value):
        return {""}
    names = {repr(value)[:20], type(value).__name__}
    if isinstance(value, np.number):
        names.add(str(value))
    if isinstance(value, (bytes, list, dict)):
        names |= {repr(inside)[:20] for inside in list(value)[:1]}
    if isinstance(value, str):
        names |= {value[:20], repr(value[0])}
    if isinstance(value, (np.ndarray, torch.Tensor)):
        names |= {str(tuple(value.shape)), str(value.dtype), repr(value)[:6]}
    return names


def complaint(error: Exception, value: object) -> str | None:
    """What an error lacks: one that this library raises names the value and what was expected."""
    shown = f"{type(error).__name__}: {str(error)[:120]}"
    if not isinstance(
        error, (ValueError, TypeError, KeyError, FileNotFoundError, ZeroDivisionError)
    ):
        return shown
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_code.co_filename.startswith(HOUSES):
        return f"from deep inside, {shown}"
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    if not line.strip().startswith("raise"):
        return f"not raised on purpose, {shown}"
    if not any(name in str(error) for name in named(value)):
        return f"without the value, {shown}"
    return None if EXPECTS.search(str(error)) else f"without what is expected, {shown}"
