"""Validators of input, nothing else: each gives back what it was given, or one error that names the
value and what was expected.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from inspect import signature
from math import isfinite
from numbers import Rational
from typing import Any, ParamSpec, TypeVar

import numpy as np

MOST_SHOWN = 200  # characters of a value in a message
LARGEST = 10**9  # of a size: nothing here is larger, and nothing beyond would ever end
Check = Callable[[Any, str], Any]  # of a value and its name; gives back the value, or raises
Number = int | float | Fraction
P = ParamSpec("P")
R = TypeVar("R")


def shown(value: object) -> str:
    """A value as a message shows it, in one line: its beginning, where it is long."""
    written = " ".join(repr(value).split())
    return written if len(written) <= MOST_SHOWN else f"{written[:MOST_SHOWN]}…"


def rational(value: Number, what: str = "a coefficient") -> Fraction:
    """The exact rational value of `value`; a float stands for the dyadic rational that it stores.

    Raises ValueError for a value that is not finite and TypeError for one that is not a number.

    >>> rational(0.75)
    Fraction(3, 4)
    """
    if isinstance(value, bool) or not isinstance(value, (Rational, float)):
        raise TypeError(f"{what} must be an int, a Fraction or a float, not {shown(value)}")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{what} must be finite, not {shown(value)}")
    return Fraction(value)


def checked_eps(eps: Number) -> Fraction:
    """The constant of layer normalization as a rational; ValueError unless it is at least 0."""
    if (value := rational(eps, "eps")) < 0:
        raise ValueError(f"eps must be at least 0, not {eps!r}")
    return value


def check_string(w: str, alphabet: tuple[str, ...]) -> str:
    """`w` itself; ValueError for a symbol outside `alphabet`, TypeError for no string."""
    if not isinstance(w, str):
        raise TypeError(f"a string over {{{', '.join(alphabet)}}} is expected, not {shown(w)}")
    if not set(w) <= set(alphabet):
        i, symbol = next((i, a) for i, a in enumerate(w, start=1) if a not in alphabet)
        raise ValueError(
            f"symbol {symbol!r} at position {i} is not in the alphabet {{{', '.join(alphabet)}}}"
        )
    return w


def check_strings(strings: Sequence[str], alphabet: tuple[str, ...]) -> Sequence[str]:
    """The same for many strings."""
    symbols = "".join(a for a in alphabet if len(a) == 1)  # stripped of these, none is left
    if not {*map(type, strings)} <= {str} or "".join(strings).strip(symbols):
        for w in strings:
            check_string(w, alphabet)
    return strings


def whole(value: int, what: str, least: int = 0) -> int:
    """`value` if it is an integer of at least `least`, 0 or more; else ValueError with its name."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"{what} must be an integer that is at least {least}, not {shown(value)}")
    if value < least:
        raise ValueError(f"{what} must be at least {least}, not {shown(value)}")
    return int(value)


def flag(value: bool, what: str) -> bool:
    """`value` if it is True or False, of numpy or torch too; otherwise TypeError with its name."""
    is_one = getattr(value, "shape", None) == () and "bool" in str(getattr(value, "dtype", ""))
    if not isinstance(value, bool) and not is_one:
        raise TypeError(f"{what} must be True or False, not {shown(value)}")
    return bool(value)


def text(value: str, what: str) -> str:
    """`value` if it is a string; otherwise TypeError with its name."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, not {shown(value)}")
    return value


def function(value: Callable, what: str) -> Callable:
    """`value` if it can be called; otherwise TypeError with its name."""
    if not callable(value):
        raise TypeError(f"{what} must be a function, not {shown(value)}")
    return value


def real(value: Number, what: str) -> float:
    """`value` as a float if it is a finite real number; otherwise the errors of `rational`."""
    if abs(number := rational(value, what)) > 1e308:
        raise ValueError(f"{what} must be at most 1e308 in size, not {shown(value)}")
    return float(number)


def above_zero(value: Number, what: str) -> float:
    """The same, with ValueError unless it is above 0."""
    if not real(value, what) > 0:
        raise ValueError(f"{what} must be above 0, not {shown(value)}")
    return real(value, what)


def between(least: int, most: int = LARGEST) -> Check:
    """The check of a whole number from `least` to `most`."""

    def check(value: int, what: str) -> int:
        if (number := whole(value, what, least)) > most:
            raise ValueError(f"{what} must be at most {most}, not {shown(value)}")
        return number

    return check


def one_of(known: Collection[object]) -> Check:
    """The check of one of the known things."""

    def check(value: object, what: str) -> object:
        if not isinstance(value, Hashable) or value not in known:
            raise ValueError(
                f"{what} must be one of {', '.join(map(str, known))}, not {shown(value)}"
            )
        return value

    return check


def an(*kinds: type) -> Check:
    """The check of an instance of one of these classes."""

    def check(value: object, what: str) -> object:
        if not isinstance(value, kinds):
            known = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"{what} must be a {known}, not {shown(value)}")
        return value

    return check


def many(each: Check | type) -> Check:
    """The check of a list or tuple, and of each thing in it."""
    inside = _check(each)

    def check(values: Sequence, what: str) -> Sequence:
        is_array = isinstance(values, np.ndarray) and values.ndim > 0
        if not is_array and not isinstance(values, (list, tuple, range)):
            raise TypeError(f"{what} must be a list or a tuple, not {shown(values)}")
        for value in values:
            inside(value, f"each of {what}")
        return values

    return check


def mapping(each: Check | type) -> Check:
    """The check of a dictionary by names, and of each thing in it."""
    inside = _check(each)

    def check(values: Mapping, what: str) -> Mapping:
        if not isinstance(values, Mapping):
            raise TypeError(f"{what} must be a dictionary, not {shown(values)}")
        for name, value in values.items():
            text(name, f"a name in {what}")
            inside(value, f"each of {what}")
        return values

    return check


def optional(each: Check | type) -> Check:
    """The check of None, or of what another check lets pass."""
    inside = _check(each)

    def check(value: Any, what: str) -> Any:
        return None if value is None else inside(value, what)

    return check


def hold(instance: object, **checks: Check | type) -> None:
    """Holds the fields of those names to checks; a class stands for its instances."""
    for name, check in checks.items():
        _check(check)(getattr(instance, name), name)


def takes(**checks: Check | type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Holds the arguments of those names to checks, before a function is called; a class stands for
    its instances, and a default is not checked.

    >>> @takes(n=between(1), loud=flag)
    ... def repeated(n, loud=False):
    ...     return "a" * n
    >>> repeated(0)
    Traceback (most recent call last):
    ValueError: n must be at least 1, not 0
    """
    known = {name: _check(check) for name, check in checks.items()}

    def decorate(called: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(called).parameters
        if strange := [name for name in known if name not in parameters]:
            raise ValueError(f"{called.__qualname__} has no argument {strange[0]!r}")

        def held(name: str, value: Any) -> Any:
            if name not in known or value is parameters[name].default:
                return value
            return known[name](value, name)

        @wraps(called)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            places: Any = [held(name, value) for name, value in zip(parameters, args)]
            named: Any = {name: held(name, value) for name, value in kwargs.items()}
            plain: Any = called
            return plain(*places, *args[len(places) :], **named)

        return checked

    return decorate


def _check(check: Check | type) -> Check:
    return an(check) if isinstance(check, type) else check
