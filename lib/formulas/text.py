"""Formulas as text, in Python's grammar: what `str` of a formula gives, and what a reader types."""

import ast
import re
from collections.abc import Iterable
from functools import reduce
from typing import NoReturn

from lib.formulas import syntax
from lib.formulas.syntax import And, Compare, Formula, FormulaError, Not, Or, Q, Term, Truth
from lib.transformer.construction import SIGNS, syntax_tree

OF_FORMULAS = {
    "count": syntax.count,
    "total": syntax.total,
    "once": syntax.once,
    "never": syntax.never,
    "always": syntax.always,
    "previous": syntax.previous,
}
OF_TERMS = {"min": syntax.minimum, "max": syntax.maximum}
LONGEST = 10_000  # characters, and parts of a formula when it is written out
DEEPEST = 100  # levels of brackets and operations
NAMES = ["Q", *OF_FORMULAS, *OF_TERMS, "mod", "position", "True", "False"]


def formula(text: str, alphabet: Iterable[str]) -> Formula:
    """The formula that `text` spells, over the symbols of `alphabet`.

    It holds Q("a"), count, total, once, never, always, previous, mod(period, remainder), position,
    min, max, and, or, not, comparisons, + - and * by whole numbers, and `x if φ else y`.
    FormulaError, which names the place, for anything else.

    >>> formula('always(0 <= count(Q("a")) - count(Q("b")) <= 1)', "ab")
    count(not (0 <= count(Q('a')) - count(Q('b')) and count(Q('a')) - count(Q('b')) <= 1)) == 0
    """
    if not isinstance(text, str):
        raise FormulaError(f"a formula as text is expected, not {text!r}")
    if len(text) > LONGEST:
        raise FormulaError(
            f"a formula of at most {LONGEST} characters is expected, not of {len(text)}"
        )
    return _Reader(text, syntax.checked_alphabet(alphabet)).formula()


def formula_over(said: Formula | str, alphabet: tuple[str, ...]) -> Formula:
    """A formula as it is, or the one that a text spells; FormulaError for another symbol."""
    known = formula(said, alphabet) if isinstance(said, str) else syntax.checked(said)
    if strange := sorted(syntax.symbols(known) - set(alphabet)):
        raise FormulaError(
            f"unknown symbol {strange[0]!r} in {known} (the alphabet is {', '.join(alphabet)})"
        )
    return known


class _Reader:
    """Python's syntax tree of a text, turned into a formula."""

    def __init__(self, text: str, alphabet: tuple[str, ...]):
        self.text, self.alphabet = text.strip(), alphabet

    def formula(self) -> Formula:
        """The whole text."""
        try:
            found = self._formula(self._tree(self.text))
            self._tree(str(found))  # what is read can be printed, and read again
            return found
        except SyntaxError as error:
            place = f"column {error.offset}" if error.offset else "its end"
            line = self._line(error.lineno or 1)
            raise FormulaError(f"no formula: {error.msg} at {place} of {line!r}") from error
        except (RecursionError, MemoryError) as error:
            raise FormulaError(f"a formula nested too deep: {self.text[:60]!r}...") from error
        except FormulaError:
            raise
        except ValueError as error:  # Python's own, of numbers of too many digits and the like
            raise FormulaError(f"no formula: {error}, in {self.text[:60]!r}") from error

    def _tree(self, text: str) -> ast.expr:
        """Python's syntax tree of a text, if it is of bearable size."""
        tree = syntax_tree(text)
        levels, size = _extent(tree)
        if levels > DEEPEST:
            raise RecursionError
        if max(size, len(text)) > LONGEST:
            raise FormulaError(f"a formula too long when written out: {self.text[:60]!r}")
        return tree

    def _line(self, number: int) -> str:
        """A line of the text, as Python counts them."""
        lines = re.split("\r\n|\r|\n", self.text)
        return lines[min(number, len(lines)) - 1]

    def _refuse(self, tree: ast.AST, reason: str) -> NoReturn:
        offset = getattr(tree, "col_offset", 0)
        line = self._line(getattr(tree, "lineno", 1))
        column = len(line.encode()[:offset].decode(errors="replace")) + 1
        raise FormulaError(f"{reason}, at column {column} of {line!r}")

    def _formula(self, tree: ast.expr) -> Formula:
        match tree:
            case ast.BoolOp(ast.And(), values):
                return And(tuple(map(self._formula, values)))
            case ast.BoolOp(ast.Or(), values):
                return Or(tuple(map(self._formula, values)))
            case ast.UnaryOp(ast.Not(), operand):
                return Not(self._formula(operand))
            case ast.Constant(bool(value)):
                return Truth(value)
            case ast.Compare():
                return self._comparison(tree)
            case ast.IfExp(condition, then, otherwise):
                chosen = self._formula(condition)
                return (chosen & self._formula(then)) | (~chosen & self._formula(otherwise))
            case ast.Call(ast.Name("Q"), [ast.Constant(str(symbol))], []):
                if symbol not in self.alphabet:
                    known = ", ".join(self.alphabet)
                    self._refuse(tree, f"unknown symbol {symbol!r} (the alphabet is {known})")
                return Q(symbol)
            case ast.Call(ast.Name("mod"), [period, remainder], []):
                return self._mod(tree, self._whole(period), self._whole(remainder))
            case ast.Call(ast.Name(name), [inside], []) if name in OF_FORMULAS:
                made = OF_FORMULAS[name](self._formula(inside))
                if isinstance(made, Formula):
                    return made
                self._refuse(tree, f"a formula is expected, not the number {name}(...)")
        self._refuse(tree, self._unknown(tree) or f"a formula is expected, not {_source(tree)}")

    def _comparison(self, tree: ast.Compare) -> Formula:
        sides = [self._term(side) for side in (tree.left, *tree.comparators)]
        formulas = []
        for left, operation, right in zip(sides, tree.ops, sides[1:], strict=False):
            if type(operation) not in SIGNS:
                self._refuse(tree, f"no comparison of numbers: {_source(tree)}")
            formulas.append(Compare(left, SIGNS[type(operation)], right))
        return formulas[0] if len(formulas) == 1 else And(tuple(formulas))

    def _term(self, tree: ast.expr) -> Term:
        match tree:
            case ast.Constant(int(value)) if not isinstance(value, bool):
                return syntax.term(value)
            case ast.Name("position"):
                return syntax.position
            case ast.BinOp(left, ast.Add(), right):
                return self._term(left) + self._term(right)
            case ast.BinOp(left, ast.Sub(), right):
                return self._term(left) - self._term(right)
            case ast.BinOp(left, ast.Mult(), right):
                return self._product(tree, self._term(left), self._term(right))
            case ast.UnaryOp(ast.USub(), operand):
                return -self._term(operand)
            case ast.IfExp(condition, then, otherwise):
                return syntax.conditional(
                    self._formula(condition), self._term(then), self._term(otherwise)
                )
            case ast.Call(ast.Name(name), [inside], []) if name in ("count", "total"):
                made = OF_FORMULAS[name](self._formula(inside))
                assert isinstance(made, Term)
                return made
            case ast.Call(ast.Name(name), [_, _, *_] as arguments, []) if name in OF_TERMS:
                return reduce(OF_TERMS[name], map(self._term, arguments))
        self._refuse(
            tree, self._unknown(tree) or f"a count or a number is expected, not {_source(tree)}"
        )

    def _product(self, tree: ast.expr, left: Term, right: Term) -> Term:
        if left.terms and right.terms:
            self._refuse(tree, "a product of two counts")
        return right * left.constant if not left.terms else left * right.constant

    def _mod(self, tree: ast.expr, period: int, remainder: int) -> Formula:
        if not 0 <= remainder < period:
            self._refuse(tree, f"a remainder from 0 to {period - 1} is expected, not {remainder}")
        return syntax.mod(period, remainder)

    def _whole(self, tree: ast.expr) -> int:
        match tree:
            case ast.Constant(int(value)) if not isinstance(value, bool):
                return value
        self._refuse(tree, f"a whole number is expected, not {_source(tree)}")

    def _unknown(self, tree: ast.expr) -> str | None:
        """What to say of a name that means nothing here."""
        name = tree.func if isinstance(tree, ast.Call) else tree
        if isinstance(name, ast.Name) and name.id not in NAMES:
            return f"unknown name {name.id!r} (known are {', '.join(NAMES)})"
        return None


def _extent(tree: ast.expr, is_number: bool = False) -> tuple[int, int]:
    """How many levels a syntax tree has, and how many parts when it is written out: min, max,
    a < b < c and the `if` of formulas say twice what they decide by.
    """
    inside = [
        _extent(child, _is_number(child, tree, is_number))
        for child in ast.iter_child_nodes(tree)
        if isinstance(child, ast.expr)
    ]
    levels, sizes = 1 + max((level for level, _ in inside), default=0), [size for _, size in inside]
    match tree:
        case ast.Call(ast.Name("min" | "max"), [_, _, *_]):
            return levels, reduce(lambda left, right: 2 * (left + right), sizes[1:])
        case ast.IfExp() if not is_number:
            return levels, sizes[0] + sum(sizes)
        case ast.Compare():
            return levels, sum(sizes) + sum(sizes[1:-1])
    return levels, 1 + sum(sizes)


def _is_number(child: ast.expr, tree: ast.expr, is_number: bool) -> bool:
    """Whether a part of a number, or else of a formula, is a number."""
    match tree:
        case ast.Compare() | ast.Call(ast.Name("min" | "max")):
            return True
        case ast.IfExp(condition):
            return is_number and child is not condition
        case ast.Call():
            return False
    return is_number


def _source(tree: ast.expr) -> str:
    text = ast.unparse(tree)
    return text if len(text) <= 40 else f"{text[:40]}..."
