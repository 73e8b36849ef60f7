"""Formulas as text, in Python's grammar: what `str` of a formula gives, and what a reader types.

All words of formulas:
"""

import ast
import re
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml

from lib.formulas import syntax
from lib.formulas.mends import mend
from lib.formulas.syntax import And, Compare, Formula, FormulaError, Mod, Not, Or, Q, Term, Truth
from lib.transformer.construction import SIGNS, syntax_tree

# What each word says, by an example.
WORDS: dict[str, str] = dict(
    yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
)
TABLE = "\n".join(f"    {example:38} {meaning}" for example, meaning in WORDS.items())
__doc__ = f"{__doc__}\n{TABLE}\n"

ABOUT_FORMULAS = ("count", "total", "once", "never", "always", "previous")
OF_FORMULAS = {name: getattr(syntax, name) for name in ABOUT_FORMULAS}
OF_TERMS = {"min": syntax.minimum, "max": syntax.maximum}
LONGEST = 10_000  # characters, also of a formula when it is written out
DEEPEST = 100  # levels of brackets and operations
NAMES = ["Q", *OF_FORMULAS, *OF_TERMS, "mod", "position", "True", "False"]
Kind = TypeVar("Kind", bound=Formula | Term)
EXPECTED: dict[type, str] = {Formula: "a formula", Term: "a count or a number"}


def formula(text: str, alphabet: Iterable[str]) -> Formula:
    """The formula that `text` spells, over the symbols of `alphabet`, in the words that
    help(lib.formulas.text) lists. FormulaError for anything else, which names the place, and what
    was meant where that can be told.

    >>> formula('always(0 <= count(Q("a")) - count(Q("b")) <= 1)', "ab")
    count(not (0 <= count(Q('a')) - count(Q('b')) and count(Q('a')) - count(Q('b')) <= 1)) == 0
    """
    if not isinstance(text, str):
        raise FormulaError(f"a formula as text is expected, not {text!r}")
    if len(text) > LONGEST:
        raise FormulaError(
            f"a formula of at most {LONGEST} characters is expected, not of {len(text)}"
        )
    symbols = syntax.checked_alphabet(alphabet)

    def read(text: str) -> Formula:
        if "#" in re.sub(r"""(["'])#\1""", "", text):  # for Python a remark begins here
            raise FormulaError("# counts in other notations, and here count(...) does")
        return FormulaReader(text, symbols).whole()

    try:
        return read(text)
    except FormulaError as error:
        raise FormulaError(f"{error}{mend(text, symbols, read)}") from error


def formula_over(said: Formula | str, alphabet: tuple[str, ...]) -> Formula:
    """A formula as it is, or the one that a text spells; FormulaError for another symbol."""
    known = formula(said, alphabet) if isinstance(said, str) else syntax.checked(said)
    if strange := sorted(syntax.symbols(known) - set(alphabet)):
        raise FormulaError(
            f"unknown symbol {strange[0]!r} in {known} (the alphabet is {', '.join(alphabet)})"
        )
    return known


class FormulaReader:
    """Python's syntax tree of a text, turned into a formula."""

    def __init__(self, text: str, alphabet: tuple[str, ...]):
        self.text, self.alphabet = text.strip(), alphabet

    def whole(self) -> Formula:
        """What the whole text spells."""
        try:
            return self._spelled(self._tree(self.text))
        except SyntaxError as error:
            place = self._at(error.lineno or 1, error.offset) if error.offset else "at its end"
            raise FormulaError(f"no formula: {error.msg} {place}") from error
        except (RecursionError, MemoryError) as error:
            raise FormulaError(f"a formula nested too deep: {self.text[:60]!r}...") from error
        except FormulaError:
            raise
        except ValueError as error:  # Python's own, of numbers of too many digits and the like
            raise FormulaError(f"no formula: {error}, in {self.text[:60]!r}") from error

    def _spelled(self, tree: Any) -> Formula:
        found = self._formula(tree)
        self._tree(str(found))  # what is read can be printed, and read again
        return found

    def _tree(self, text: str) -> Any:
        """Python's syntax tree of a text, if it is not too deep."""
        tree = syntax_tree(text)
        if _levels(tree) > DEEPEST:
            raise RecursionError
        return tree

    def _at(self, row: int, column: int) -> str:
        """A place, as Python counts lines and columns."""
        lines = re.split("\r\n|\r|\n", self.text)
        line = f"line {row}, " * (len(lines) > 1)
        return f"at {line}column {column} of {lines[min(row, len(lines)) - 1]!r}"

    def _refuse(self, tree: ast.AST, reason: str) -> NoReturn:
        row, offset = getattr(tree, "lineno", 1), getattr(tree, "col_offset", 0)
        line = re.split("\r\n|\r|\n", self.text)[row - 1]
        column = len(line.encode()[:offset].decode(errors="replace")) + 1
        raise FormulaError(f"{reason}, {self._at(row, column)}")

    def _formula(self, tree: ast.expr) -> Formula:
        return self._read(tree, Formula)

    def _term(self, tree: ast.expr) -> Term:
        return self._read(tree, Term)

    def _read(self, tree: ast.expr, kind: type[Kind]) -> Kind:
        """What a tree spells, if it is of that kind."""
        found = self._value(tree, kind)
        if isinstance(found, kind):
            return self._bearable(found)
        self._refuse(
            tree, self._unknown(tree) or f"{EXPECTED[kind]} is expected, not {self._source(tree)}"
        )

    def _bearable(self, found: Kind) -> Kind:
        """What was read, if not too long: `if`, min and a < b < c say twice what they decide by."""
        if len(str(found)) > LONGEST:
            raise FormulaError(f"a formula too long when written out: {self.text[:60]!r}")
        return found

    def _value(self, tree: ast.expr, kind: type) -> Formula | Term | None:
        """What a tree spells where something of that kind is expected; None for nothing known."""
        match tree:
            case ast.BoolOp(ast.And(), values):
                return And(tuple(map(self._formula, values)))
            case ast.BoolOp(ast.Or(), values):
                return Or(tuple(map(self._formula, values)))
            case ast.UnaryOp(ast.Not(), operand):
                return Not(self._formula(operand))
            case ast.Constant(bool(value)):
                return Truth(value)
            case ast.Constant(int(value)):
                return syntax.term(value)
            case ast.Name("position"):
                return syntax.position
            case ast.Compare():
                return self._comparison(tree)
            case ast.IfExp(condition, then, otherwise):
                chosen = self._formula(condition)
                if kind is Term:
                    return syntax.conditional(chosen, self._term(then), self._term(otherwise))
                return (chosen & self._formula(then)) | (~chosen & self._formula(otherwise))
            case ast.BinOp(left, ast.Add(), right):
                return self._term(left) + self._term(right)
            case ast.BinOp(left, ast.Sub(), right):
                return self._term(left) - self._term(right)
            case ast.BinOp(left, ast.Mult(), right):
                first, second = self._term(left), self._term(right)
                if first.terms and second.terms:
                    self._refuse(tree, "a product of two counts")
                return first * second.constant if first.terms else second * first.constant
            case ast.UnaryOp(ast.USub(), operand):
                return -self._term(operand)
            case ast.Call(ast.Name("Q"), [ast.Constant(str(symbol))], []):
                return self._symbol(tree, symbol)
            case ast.Call(
                ast.Name("mod"), [ast.Constant(int(period)), ast.Constant(int(left))], []
            ):
                if left >= period:
                    self._refuse(tree, f"a remainder below {period} is expected, not {left}")
                return Mod(period, left)
            case ast.Call(ast.Name(name), [inside], []) if name in OF_FORMULAS:
                return OF_FORMULAS[name](self._formula(inside))
            case ast.Call(ast.Name(name), [_, _, *_] as several, []) if name in OF_TERMS:
                join = OF_TERMS[name]
                return reduce(lambda a, b: self._bearable(join(a, b)), map(self._term, several))
        return None

    def _source(self, tree: ast.expr) -> str:
        text = ast.get_source_segment(self.text, tree) or ""
        return text if len(text) <= 40 else f"{text[:40]}..."

    def _symbol(self, tree: ast.expr, symbol: str) -> Formula:
        if symbol not in self.alphabet:
            known = ", ".join(self.alphabet)
            self._refuse(tree, f"unknown symbol {symbol!r} (the alphabet is {known})")
        return Q(symbol)

    def _comparison(self, tree: ast.Compare) -> Formula:
        sides = [self._term(side) for side in (tree.left, *tree.comparators)]
        formulas = []
        for left, operation, right in zip(sides, tree.ops, sides[1:], strict=False):
            if type(operation) not in SIGNS:
                self._refuse(tree, f"no comparison of numbers: {self._source(tree)}")
            formulas.append(Compare(left, SIGNS[type(operation)], right))
        return formulas[0] if len(formulas) == 1 else And(tuple(formulas))

    def _unknown(self, tree: ast.expr) -> str | None:
        """What to say of a name that means nothing here."""
        name = tree.func if isinstance(tree, ast.Call) else tree
        if isinstance(name, ast.Name) and name.id not in NAMES:
            return f"unknown name {name.id!r} (known are {', '.join(NAMES)})"
        return None


def _levels(tree: ast.expr) -> int:
    """How many levels a syntax tree has."""
    inside = (child for child in ast.iter_child_nodes(tree) if isinstance(child, ast.expr))
    return 1 + max(map(_levels, inside), default=0)
