"""From formulas to transformers: `syntax` and `text` spell a formula, and `syntax` says what it
means on a string; `compilation` makes a transformer of it.
"""

from lib.formulas.compilation import compiled
from lib.formulas.stated import LIBRARY
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
    "FormulaError",
    "Q",
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
