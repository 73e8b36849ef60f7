"""The places of a Python file that `tests.mutants` may change, and how: a number, a sign, a product
or quotient, a comparison, `and` or `or`, two positional arguments. None is in an annotation or a
decorator, nor in a text, be it a message or a docstring.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type, tuple[str, str, str]] = {  # what stands there, what comes there, of what kind
    ast.Add: ("+", "-", "sign"),
    ast.Sub: ("-", "+", "sign"),
    ast.Mult: ("*", "/", "product"),
    ast.Div: ("/", "*", "product"),
    ast.FloorDiv: ("//", "*", "product"),
    ast.Lt: ("<", "<=", "comparison"),
    ast.LtE: ("<=", "<", "comparison"),
    ast.Gt: (">", ">=", "comparison"),
    ast.GtE: (">=", ">", "comparison"),
    ast.Eq: ("==", "!=", "comparison"),
    ast.NotEq: ("!=", "==", "comparison"),
    ast.And: ("and", "or", "and/or"),
    ast.Or: ("or", "and", "and/or"),
}
NOT_SWAPPED = {"max", "min", "gcd", "lcm", "isinstance"}  # the same, or never a program


@dataclass(frozen=True)
class Place:
    """Bytes `begin` to `end` of a file, in a line, and what comes there."""

    path: str
    line: int
    kind: str
    begin: int
    end: int
    old: str
    new: str

    def mutated(self, text: bytes) -> bytes:
        return text[: self.begin] + self.new.encode() + text[self.end :]

    @property
    def change(self) -> str:
        old, new = (" ".join(part.split()) for part in (self.old, self.new))
        return f"{old} -> {new or 'nothing'}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}: {self.change}"


def places(path: str, text: bytes) -> list[Place]:
    """All places of the file at `path`, which holds `text`."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return [
        Place(path, text.count(b"\n", 0, i) + 1, kind, i, j, text[i:j].decode(), new.decode())
        for node in visited(ast.parse(text))
        for kind, i, j, new in changes(node, text, starts)
    ]


def visited(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, without annotations, decorators and messages."""
    if isinstance(node, (ast.JoinedStr, ast.Raise)):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from visited(child)


def changes(node: ast.AST, text: bytes, starts: list[int]) -> Iterator[tuple[str, int, int, bytes]]:
    """The changes of a node itself: the kind, from which byte to which, and what comes there."""

    def begin(part: ast.expr) -> int:
        return starts[part.lineno - 1] + part.col_offset

    def end(part: ast.expr) -> int:
        assert part.end_lineno is not None and part.end_col_offset is not None
        return starts[part.end_lineno - 1] + part.end_col_offset

    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield "number", begin(node), end(node), repr(node.value * 2 or 1.0).encode()
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "number", begin(node), end(node), repr(node.value + 1).encode()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", begin(node), begin(node) + 1, b""
    elif isinstance(node, ast.Call) and called(node) not in NOT_SWAPPED:
        for one, two in zip(node.args, node.args[1:]):
            first, second = text[begin(one) : end(one)], text[begin(two) : end(two)]
            starred = isinstance(one, ast.Starred) or isinstance(two, ast.Starred)
            if first != second and is_text(one) == is_text(two) and not starred:
                new = second + text[end(one) : begin(two)] + first
                yield "swapped arguments", begin(one), end(two), new
    for operator, left, right in operations(node):
        old, new, kind = OPERATORS.get(type(operator), ("", "", ""))
        between = text[end(left) : begin(right)]
        if kind and b"#" not in between:
            i = end(left) + between.index(old.encode())
            yield kind, i, i + len(old), new.encode()


def operations(node: ast.AST) -> list[tuple[ast.AST, ast.expr, ast.expr]]:
    """The operators of a node, each with what stands before and after it."""
    if isinstance(node, ast.BinOp) and not is_text(node.left) and not is_text(node.right):
        return [(node.op, node.left, node.right)]
    if isinstance(node, ast.AugAssign) and not is_text(node.value):
        return [(node.op, node.target, node.value)]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return list(zip(node.ops, sides, sides[1:]))
    if isinstance(node, ast.BoolOp):
        return [(node.op, *pair) for pair in zip(node.values, node.values[1:])]
    return []


def is_text(node: ast.expr) -> bool:
    """Whether this is text or a list, written out: neither has a sign, nor another's place."""
    written = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return written or isinstance(node, (ast.JoinedStr, ast.List))


def called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]
