"""The places of a Python file that `tests.mutants` may change, and how: a number, a sign, a product
or quotient, a comparison, `and` or `or`, two positional arguments. None is in an annotation or a
decorator, nor in a text, be it a message or a docstring.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type, tuple[type, str]] = {  # what comes in its place, and of what kind
    **{ast.Add: (ast.Sub, "sign"), ast.Sub: (ast.Add, "sign")},
    **{ast.Mult: (ast.Div, "product"), ast.Div: (ast.Mult, "product")},
    ast.FloorDiv: (ast.Mult, "product"),
    **{ast.Lt: (ast.LtE, "comparison"), ast.LtE: (ast.Lt, "comparison")},
    **{ast.Gt: (ast.GtE, "comparison"), ast.GtE: (ast.Gt, "comparison")},
    **{ast.Eq: (ast.NotEq, "comparison"), ast.NotEq: (ast.Eq, "comparison")},
    **{ast.And: (ast.Or, "and/or"), ast.Or: (ast.And, "and/or")},
}
NOT_SWAPPED = {"max", "min", "gcd", "lcm", "isinstance"}  # the same, or never a program
Change = tuple[str, ast.AST, str, object]  # its kind; a node, a field of it, and its new value


@dataclass(frozen=True)
class Place:
    """A place in a line of a file, the one of that number there, and what changes."""

    path: str
    line: int
    kind: str
    number: int
    change: str

    def mutated(self, text: bytes) -> bytes:
        """The file with that change; what Python does not read is lost."""
        tree = ast.parse(text)
        _, node, field, value = [*changes(tree)][self.number]
        setattr(node, field, value)
        return ast.unparse(tree).encode()

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}: {self.change}"


def places(path: str, text: bytes) -> list[Place]:
    """All places of the file at `path`, which holds `text`."""
    found = []
    for number, (kind, node, field, value) in enumerate(changes(ast.parse(text))):
        before, old = getattr(node, field), ast.unparse(node)
        setattr(node, field, value)
        change = f"{old} -> {ast.unparse(node)}"
        setattr(node, field, before)
        found.append(Place(path, node.lineno, kind, number, change))
    return found


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


def changes(tree: ast.AST) -> Iterator[Change]:
    """All changes of a tree, in order."""
    for node in visited(tree):
        match node:
            case ast.Constant(bool()):
                pass
            case ast.Constant(float(x)):
                yield "number", node, "value", x * 2 or 1.0
            case ast.Constant(int(x)):
                yield "number", node, "value", x + 1
            case ast.UnaryOp(ast.USub()):
                yield "sign", node, "op", ast.UAdd()
            case ast.Call(function, [_, _, *_] as given):
                if ast.unparse(function).rpartition(".")[2] not in NOT_SWAPPED:
                    for k, (one, two) in enumerate(zip(given, given[1:])):
                        starred = isinstance(one, ast.Starred) or isinstance(two, ast.Starred)
                        alike = is_text(one) == is_text(two) and ast.dump(one) != ast.dump(two)
                        if alike and not starred:
                            swapped = [*given[:k], two, one, *given[k + 2 :]]
                            yield "swapped arguments", node, "args", swapped
            case ast.Compare(_, signs):
                for k, sign in enumerate(signs):
                    if type(sign) in OPERATORS:
                        other, kind = OPERATORS[type(sign)]
                        yield kind, node, "ops", [*signs[:k], other(), *signs[k + 1 :]]
            case ast.BinOp(op=sign) | ast.AugAssign(op=sign) | ast.BoolOp(op=sign):
                if type(sign) in OPERATORS and not any(map(is_text, ast.iter_child_nodes(node))):
                    other, kind = OPERATORS[type(sign)]
                    yield kind, node, "op", other()


def is_text(node: ast.AST) -> bool:
    """Whether this is text or a list, written out: neither has a sign, nor another's place."""
    written = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return written or isinstance(node, (ast.JoinedStr, ast.List))
