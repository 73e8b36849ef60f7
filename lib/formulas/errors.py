"""What is no formula."""

from __future__ import annotations

import numpy as np

from lib.checks import shown


class FormulaError(ValueError):
    """What is no formula; the message names the place."""


def integer(value: int) -> int:
    """`value` if it is a whole number; otherwise FormulaError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise FormulaError(f"a count or a whole number is expected, not {shown(value)}")
    return int(value)
