"""What a reader types as an expression of Python: formulas, and formulas for positions."""

from __future__ import annotations

import ast
import warnings


def syntax_tree(text: str) -> ast.expr:
    """Python's syntax tree of an expression; SyntaxError for what is none. No warning is given of
    what Python reads and finds odd, such as "1or 2".
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body
