"""From formulas to transformers: `syntax` and `text` spell a formula, `syntax` says what it means
on a string, and `compilation` makes a transformer of it. help(lib.formulas.text) lists all words.
"""

from lib.formulas.compilation import compiled
from lib.formulas.stated import LIBRARY
from lib.formulas.syntax import FormulaError, Q, count, depth, holds, language, never
from lib.formulas.text import formula

__all__ = ["LIBRARY", "FormulaError", "Q", "compiled", "count", "depth", "formula", "holds"]
__all__ += ["language", "never"]
