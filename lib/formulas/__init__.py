"""From formulas to transformers: `syntax` and `text` spell a formula, and `syntax` says what it
means on a string; `compilation` makes a transformer of it.
"""

from lib.formulas.compilation import Compiled, compiled
from lib.formulas.stated import LIBRARY, Stated
from lib.formulas.syntax import (
    FormulaError,
    Q,
    always,
    conditional,
    count,
    depth,
    holds,
    language,
    maximum,
    minimum,
    mod,
    never,
    once,
    position,
    previous,
    total,
)
from lib.formulas.text import formula

__all__ = [
    "LIBRARY",
    "Compiled",
    "FormulaError",
    "Q",
    "Stated",
    "always",
    "compiled",
    "conditional",
    "count",
    "depth",
    "formula",
    "holds",
    "language",
    "maximum",
    "minimum",
    "mod",
    "never",
    "once",
    "position",
    "previous",
    "total",
]
