"""Position encodings as formulas in the position i, counted from 0 (CLS), and the number n of
tokens.

A formula is its own name, so a construction that holds "i/n" holds all there is to know of it, in
JSON and in another process too. It is read once and then works alike on rationals and on tensors:

>>> position("[i≤(n-1)/2]")(Fraction(1), Fraction(4))
1
>>> position("i²/n")(Fraction(3), Fraction(4))
Fraction(9, 4)
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from lib.checks import shown, takes
from lib.expressions import syntax_tree

# How a formula is spelled in Python; [p] is 1 where p holds and else 0, ⌊x⌋ is x rounded down, and
# cos iπ is (-1)^i.
SPELLINGS = (
    ("cos iπ", "(1 - 2 * (i % 2))"),
    ("²", "**2"),
    ("^", "**"),
    ("·", "*"),
    (" mod ", " % "),
    ("≤", "<="),
    ("≥", ">="),
    ("⌊", "floor("),
    ("⌋", ")"),
    ("[", "indicator("),
    ("]", ")"),
)
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS = {"floor": lambda x: x // 1, "indicator": lambda holds: 1 * holds}
TRIED = range(1, 5)  # the numbers n of tokens on which a formula is tried when it is given

Position = Callable[[Any, Any], Any]  # of i and n: two rationals, or two tensors that broadcast


def formula_text(value: str, what: str) -> str:
    """`value` if it is a string; otherwise ValueError."""
    if not isinstance(value, str):
        raise ValueError(
            f"a position encoding is a {what} in i and n, such as 'i/n', not {shown(value)}"
        )
    return value


@takes(formula=formula_text)
@cache
def position(formula: str) -> Position:
    """The position encoding that `formula` spells, a function of i and n: rationals, or float
    tensors.

    A formula holds i, n, whole numbers, + - * / ^ mod, brackets, ⌊ ⌋, cos iπ and [ ] around a
    comparison; a power has a whole number that is at least 0 as its exponent. ValueError, naming
    the formula, for anything else, and for one that is not defined at some position of a short
    string.
    """
    spelled = formula
    for ours, pythons in SPELLINGS:
        spelled = spelled.replace(ours, pythons)
    try:
        tree = syntax_tree(re.sub(r"(?<![<>=!])=(?!=)", "==", spelled))
        _check(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(
            f"{formula!r} is no formula for a position in i and n, such as 'i/n', 'i²', '[i=1]' or "
            f"'⌊i/2⌋ mod 2': {error}"
        ) from error

    def value(i: Any, n: Any) -> Any:
        return _value(tree, {"i": i, "n": n})

    for n in TRIED:
        for i in range(n):
            try:
                value(Fraction(i), Fraction(n))
            except ZeroDivisionError as error:
                raise ValueError(
                    f"the position encoding {formula!r} is not defined at i = {i}, n = {n}"
                ) from error
    return value


def depends_on_length(formula: str) -> bool:
    """Whether a position encoding asks for the number n of tokens."""
    position(formula)
    return re.search(r"(?<![a-z])n(?![a-z])", formula) is not None


class _NotAFormula(ValueError):
    """What a formula may not hold."""


def _check(tree: ast.expr) -> None:
    match tree:
        case ast.BinOp(left, ast.Pow(), right):
            _check(left)
            if not isinstance(right, ast.Constant) or not isinstance(right.value, int):
                raise _NotAFormula(f"the exponent {ast.unparse(right)} is not a whole number")
        case ast.BinOp(left, operation, right) if type(operation) in ARITHMETIC:
            _check(left)
            _check(right)
        case ast.UnaryOp(ast.USub(), operand):
            _check(operand)
        case ast.Call(ast.Name("indicator"), [ast.Compare(left, [comparison], [right])], []):
            if type(comparison) not in COMPARISONS:
                raise _NotAFormula(f"{ast.unparse(tree)} does not compare two numbers")
            _check(left)
            _check(right)
        case ast.Call(ast.Name("floor"), [inside], []):
            _check(inside)
        case ast.Constant(int(value)) if not isinstance(value, bool):
            pass
        case ast.Name("i" | "n"):
            pass
        case _:
            raise _NotAFormula(f"{ast.unparse(tree)} has no place in it")


def _value(tree: ast.expr, at: dict[str, Any]) -> Any:
    match tree:
        case ast.BinOp(left, operation, right):
            return ARITHMETIC[type(operation)](_value(left, at), _value(right, at))
        case ast.UnaryOp(_, operand):
            return -_value(operand, at)
        case ast.Compare(left, [comparison], [right]):
            return COMPARISONS[type(comparison)](_value(left, at), _value(right, at))
        case ast.Call(ast.Name(name), [inside], _):
            return FUNCTIONS[name](_value(inside, at))
        case ast.Name(name):
            return at[name]
        case ast.Constant(int(value)):
            return Fraction(value) if isinstance(at["i"], Fraction) else value
    raise AssertionError(f"{ast.unparse(tree)} was checked when it was read")
