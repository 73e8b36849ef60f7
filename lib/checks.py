"""Validators of input, nothing else: each gives back what it was given, or one error that names the
value and what was expected.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from numbers import Rational

import numpy as np

Number = int | float | Fraction


def rational(value: Number, what: str = "a coefficient") -> Fraction:
    """The exact rational value of `value`; a float stands for the dyadic rational that it stores.

    Raises ValueError for a value that is not finite and TypeError for one that is not a number.

    >>> rational(0.75)
    Fraction(3, 4)
    """
    if isinstance(value, bool) or not isinstance(value, (Rational, float)):
        raise TypeError(f"{what} must be an int, a Fraction or a float, not {value!r}")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{what} must be finite, not {value!r}")
    return Fraction(value)


def checked_eps(eps: Number) -> Fraction:
    """The constant of layer normalization as an exact rational; ValueError unless it is finite and
    at least 0.
    """
    if (value := rational(eps, "eps")) < 0:
        raise ValueError(f"eps must be at least 0, not {eps!r}")
    return value


def check_string(w: str, alphabet: tuple[str, ...]) -> str:
    """`w` itself if it is a string over `alphabet`; ValueError for another symbol, TypeError for no
    string.
    """
    if not isinstance(w, str):
        raise TypeError(f"a string over {{{', '.join(alphabet)}}} is expected, not {w!r}")
    for i, symbol in enumerate(w, start=1):
        if symbol not in alphabet:
            raise ValueError(
                f"symbol {symbol!r} at position {i} is not in the alphabet "
                f"{{{', '.join(alphabet)}}}"
            )
    return w


def whole(value: int, what: str) -> int:
    """`value` if it is an integer that is at least 0; otherwise ValueError with its name."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"{what} must be an integer that is at least 0, not {value!r}")
    return int(value)


def positive(value: int, what: str) -> int:
    """`value` if it is an integer that is at least 1; otherwise ValueError with its name."""
    if whole(value, what) == 0:
        raise ValueError(f"{what} must be at least 1, not 0")
    return int(value)
