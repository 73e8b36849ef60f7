"""What a chapter asserts holds for the chapter as it is. Where a person changed a cell, it is said
what no longer holds, and the notebook goes on; the book's build and its tests stop there.
"""

from __future__ import annotations

import ast

from IPython.core.getipython import get_ipython

from lib.book.claims import is_held_to_the_record

SAID = "With your change this no longer holds: "


class Said(ast.NodeTransformer):
    """Every `assert condition` as a sentence that is printed where the condition is false."""

    def visit_Assert(self, node: ast.Assert) -> ast.If:
        said = ast.parse(f"print({SAID + ast.unparse(node.test)!r})").body
        told = ast.If(ast.UnaryOp(ast.Not(), node.test), said, [])
        return ast.fix_missing_locations(ast.copy_location(told, node))


def go_on() -> None:
    """Has the notebook that this is called in go on where an assertion fails, for a person."""
    shell = get_ipython()
    if shell and not is_held_to_the_record():
        if not any(isinstance(known, Said) for known in shell.ast_transformers):
            shell.ast_transformers.append(Said())
