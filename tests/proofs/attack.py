"""Random formulas and automata for the provers, and what a formula means on all strings at once,
by arrays: none of it uses the library's own syntax or machines.
"""

from __future__ import annotations

import ast
import operator
import random
from itertools import product

import numpy as np
from automata.fa.dfa import DFA

SIGNS = ("==", "!=", "<", "<=", ">", ">=")
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def formula(draw: random.Random, depth: int = 2) -> str:
    """A formula over a and b; at depth 0 without counts."""
    kind = draw.choice(["simple", "not", "both", "compared", "compared", "ever", "before"])
    if kind == "simple" or not depth:
        period = draw.choice([2, 2, 3, 4, 5, 12])
        mod = f"mod({period}, {draw.randrange(period)})"
        return draw.choice(["Q('a')", "Q('b')", "Q('a')", "Q('b')", mod, mod, "True"])
    if kind == "not":
        return f"(not {formula(draw, depth)})"
    if kind == "both":
        return f"({formula(draw, depth)} {draw.choice(['and', 'or'])} {formula(draw, depth - 1)})"
    if kind == "ever":
        return f"{draw.choice(['once', 'never', 'always'])}({formula(draw, depth - 1)})"
    if kind == "before":
        return f"previous({formula(draw, depth - 1)})"
    return f"({number(draw, depth)} {draw.choice(SIGNS)} {number(draw, depth)})"


def number(draw: random.Random, depth: int) -> str:
    """A term of up to two counts, with small factors, and a constant that may be larger."""
    parts = [str(draw.choice([0, 1, 1, 2, 3, 7, 9]))]
    for _ in range(draw.choice([0, 1, 1, 2])):
        inside = formula(draw, depth - 1)
        counted = draw.choice([f"count({inside})", f"total({inside})", "position"])
        parts.append(f"{draw.choice([1, 1, 1, 2, 3, 12])}*{counted}")
    return f"({draw.choice([' + ', ' - ']).join(parts)})"


def automaton(draw: random.Random) -> DFA:
    """A complete DFA over a and b with up to four states."""
    states = range(draw.randint(1, 4))
    return DFA(
        states=set(states),
        input_symbols={"a", "b"},
        transitions={q: {s: draw.choice(states) for s in "ab"} for q in states},
        initial_state=0,
        final_states={q for q in states if draw.random() < 0.5},
    )


def pair(draw: random.Random) -> tuple[str, str | DFA]:
    """A formula, and what may say the same: never, always, itself said otherwise, another one with
    a sign changed, or an automaton.
    """
    one = formula(draw, draw.choice([1, 2, 2]))
    other = draw.choice(["False", "False", "True", "twice", "part", "sign", "automaton"])
    if other == "automaton":
        return one, automaton(draw)
    if other == "sign":
        signs = [sign for sign in SIGNS if f" {sign} " in one]
        old = draw.choice(signs) if signs else ""
        return one, one.replace(f" {old} ", f" {draw.choice(SIGNS)} ", 1) if old else "False"
    if other == "twice":
        return one, f"not (not {one} or {formula(draw, 1)} and not {one})"
    if other == "part":  # often false, and never far from it
        return f"{one} and {formula(draw, 2)} and not {one.replace('count', 'total')}", "False"
    return one, other


class Meaning(ast.NodeVisitor):
    """The values of a formula at all positions of several strings of one length, a row each; in
    the column before the first symbol nothing has been counted.
    """

    def __init__(self, strings: list[str]):
        self.symbols = np.array([list(f" {w}") for w in strings])
        self.position = np.broadcast_to(np.arange(self.symbols.shape[1]), self.symbols.shape)

    def visit_Expression(self, node: ast.Expression) -> np.ndarray:
        return self.visit(node.body)

    def visit_Constant(self, node: ast.Constant) -> np.ndarray:
        return np.full(self.symbols.shape, node.value)

    def visit_Name(self, node: ast.Name) -> np.ndarray:
        assert node.id == "position"
        return self.position

    def visit_BoolOp(self, node: ast.BoolOp) -> np.ndarray:
        merge = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        return merge.reduce([self.visit(value) for value in node.values])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> np.ndarray:
        value = self.visit(node.operand)
        return ~value if isinstance(node.op, ast.Not) else -value

    def visit_BinOp(self, node: ast.BinOp) -> np.ndarray:
        return ARITHMETIC[type(node.op)](self.visit(node.left), self.visit(node.right))

    def visit_Compare(self, node: ast.Compare) -> np.ndarray:
        [sign], [right] = node.ops, node.comparators
        return COMPARISONS[type(sign)](self.visit(node.left), self.visit(right))

    def visit_Call(self, node: ast.Call) -> np.ndarray:
        name = node.func.id
        if name == "Q":
            return self.symbols == ast.literal_eval(node.args[0])
        if name == "mod":
            period, remainder = map(ast.literal_eval, node.args)
            return self.position % period == remainder
        inside = self.visit(node.args[0]).astype(int)
        inside[:, 0] = 0  # nothing holds before the first symbol
        if name == "previous":
            return np.roll(inside, 1, axis=1) * (self.position > 0) == 1
        so_far = inside.cumsum(axis=1)
        counts = {
            "count": so_far,
            "total": np.broadcast_to(so_far[:, -1:], so_far.shape),
            "once": so_far > 0,
            "never": so_far == 0,
            "always": so_far == self.position,
        }
        return counts[name]


def answers(meant: str | DFA, strings: list[str]) -> np.ndarray:
    """Whether each of several strings of one length belongs, shape (strings,)."""
    if isinstance(meant, DFA):
        return np.array([meant.accepts_input(w) for w in strings])
    return Meaning(strings).visit(ast.parse(meant, mode="eval"))[:, -1].astype(bool)


def strings_of(length: int) -> list[str]:
    """All strings over a and b of a length."""
    return ["".join(w) for w in product("ab", repeat=length)]


def long_ones(draw: random.Random, length: int) -> list[str]:
    """Strings of a length, in long and short runs, which is where counts meet large constants."""
    found = []
    for _ in range(40):
        runs = [draw.choice("ab") * draw.choice([1, 1, 2, 3, 7, 9, 12, 21]) for _ in range(length)]
        found.append("".join(runs)[:length])
    return found
