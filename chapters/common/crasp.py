r"""C-RASP programs as text, as the interpreter github.com/coli-saar/c-rasp reads them.

A program is lines `name = expression`, and `//` begins a remark. `"a"` is a symbol, `#φ` counts up
to a symbol and with it, as `count(φ)` does, and nothing stands before the string. The last line is
the answer, at the last symbol. Theirs reads no empty string; ours does, and all counts are 0 there.

Their grammar (crasp.g4) does not bind as it looks: `!a && b` is !(a && b), `#"a" == #"b" && c` is
#"a" == #("b" && c), `2*a + b` is 2*(a + b), `a - b + c` is a - (b + c), and of two `if` the first
binds first. What could be read in two ways is refused, and brackets are asked for.

Predicates are Python code beside a program. Those that come with the interpreter are known:
`pos_even`, for positions counted from 0, and the guards `pred` and `pred4`, with which a count
looks one or four symbols back and nowhere else.
"""

import ast
import re
from collections.abc import Iterable
from typing import Any

from lib.formulas import syntax
from lib.formulas.syntax import And, Formula, FormulaError, Mod, Not, Or, Term
from lib.formulas.text import FormulaReader
from lib.transformer.construction import RELATIONS, syntax_tree

TOKEN = re.compile(
    r"""(?P<blank>[ \t]+)|(?P<part>"[^"\\]*"|\w+)|(?P<guard>\[pred4?\])|"""
    r"(?P<sign>#import\b|&&|\|\||[=!<>]=|[-+*#=!<>(),])|.",
    re.ASCII,
)
PREDICATES = {"pos_even": 0, "pred": 1, "pred4": 4}  # how far back a guard looks
SPELLED = {  # for Python's grammar, each as long as it was
    **{"#import": "import ", "&&": "& ", "||": "| ", "!": "-", "#": "~"},
    **{"true": "True", "false": "False"},
}
KINDS = {"&&": "&", "||": "&", "if": "?", "else": ":"} | dict.fromkeys(RELATIONS, "=")
UNCLEAR = re.compile(  # of kinds between two brackets, x for a part
    r"[#!].*&|!.*=|=.*[=&?]|&.*=|:.*[=&?]|\*[^=&?:]*[-+]|-[^=&?:]*\+|(?<!x)[-+*]"
)


def program(text: str, alphabet: Iterable[str]) -> Formula:
    r"""The formula of a C-RASP program over the symbols of `alphabet`. FormulaError, which names
    line and column, for what is none, and for what cannot be said here.

    >>> program('C = #"a" \n L = (C >= 1) && "b"', "ab")
    count(Q('a')) >= 1 and Q('b')
    """
    if not isinstance(text, str):
        raise FormulaError(f"a program as text is expected, not {text!r}")
    return _Program(text, syntax.checked_alphabet(alphabet)).whole()


class _Program(FormulaReader):
    """A program whose lines are read as Python's; `names` are what they say."""

    def __init__(self, text: str, alphabet: tuple[str, ...]):
        self.text, self.alphabet = "\n".join(map(str.strip, text.split("\n"))), alphabet
        self.names: dict[str, Formula | Term] = {}
        self.imports: set[str] = set()

    def _tree(self, text: str) -> Any:
        lines = enumerate(text.split("\n"), start=1)
        return syntax_tree("\n".join(self._spell(line, row) for row, line in lines), "exec")

    def _spell(self, line: str, row: int) -> str:
        """A line in Python's grammar, in which each sign stands where it stood."""
        pieces: list[str] = []
        kinds = ""
        for one in TOKEN.finditer(line.partition("//")[0]):
            if one.lastgroup is None:
                where = self._at(row, one.start() + 1)
                known = '; #"a" counts, and so do #[pred] and #[pred4]' * (one[0] == "[")
                raise FormulaError(f"{one[0]!r} has no place in C-RASP, {where}{known}")
            is_guard = one.lastgroup == "guard"
            pieces.append(f"{one[0][1:-1]}**" if is_guard else SPELLED.get(one[0], one[0]))
            kind = {"part": "x", "sign": one[0]}.get(one.lastgroup, "")
            kinds += KINDS.get(one[0], kind)
        left = f"({kinds.partition('=')[2]})"
        while inner := re.search(r"\([^()]*\)", left):
            left = left.replace(inner[0], "x", 1)
            if any(map(UNCLEAR.search, inner[0][1:-1].split(","))):
                where = self._at(row, line.index("=") + 2)
                raise FormulaError(f"brackets are needed to tell what joins what, {where}")
        if left != "x":
            raise FormulaError(f"brackets do not match, {self._at(row, 1)}")
        return "".join(pieces)

    def _spelled(self, tree: Any) -> Formula:
        found = None
        for statement in tree:
            match statement:
                case ast.Import([ast.alias(name)]) if name in PREDICATES:
                    self.imports.add(name)
                case ast.Import():
                    self._refuse(statement, f"of predicates {', '.join(PREDICATES)} are known")
                case ast.Assign([ast.Name(name)], value) if name not in self.names:
                    found = self._value(value, Term)
                    found = self.names[name] = self._formula(value) if found is None else found
                    super()._tree(str(self._bearable(found)))
                case _:
                    self._refuse(statement, "a new name is expected, and what it says")
        if not isinstance(found, Formula):
            raise FormulaError(f"the last line must say a formula, not {found or 'nothing'}")
        return found

    def _value(self, tree: ast.expr, kind: type) -> Formula | Term | None:
        match tree:
            case ast.Constant(str(symbol)):
                return self._symbol(tree, symbol)
            case ast.Name("pos_even") if "pos_even" in self.imports:
                return Mod(2, 1)
            case ast.Name(name):
                return self.names.get(name)
            case ast.UnaryOp(ast.Invert(), ast.BinOp(ast.Name(guard), ast.Pow(), inside)):
                if guard not in self.imports:
                    self._refuse(tree, f"{guard} is not imported")
                looked = self._formula(inside)
                for _ in range(PREDICATES[guard]):
                    looked = syntax.previous(looked)
                return syntax.conditional(looked, 1, 0)
            case ast.UnaryOp(ast.Invert(), inside):
                return syntax.count(self._formula(inside))
            case ast.UnaryOp(ast.USub(), inside):
                return Not(self._formula(inside))
            case ast.BinOp(left, ast.BitAnd(), right):
                return And((self._formula(left), self._formula(right)))
            case ast.BinOp(left, ast.BitOr(), right):
                return Or((self._formula(left), self._formula(right)))
            case ast.BinOp(left, ast.Mult(), _) if not isinstance(left, ast.Constant):
                self._refuse(left, "a number alone stands before *")
            case ast.Call(ast.Name("min" | "max"), [_, _], []) | ast.BinOp() | ast.Constant():
                return super()._value(tree, kind)
            case ast.Compare() | ast.IfExp():
                return super()._value(tree, Term)  # only numbers are chosen by `if`
        return None

    def _unknown(self, tree: ast.expr) -> str | None:
        if not isinstance(tree, ast.Name) or tree.id in self.names:
            return None
        return f'unknown name {tree.id!r} (a symbol is written "a")'
