"""What each part of a formula says along a string, as a table."""

import numpy as np

from lib.formulas.syntax import Atom, Formula, Term, numbers, parts, truth


class FormulaTrace(dict[str, list]):
    """Rows of a table, by what they hold: positions, symbols, and what each part of a formula says
    there, inner parts first.
    """

    def __str__(self) -> str:
        rows = [[name, *values] for name, values in self.items()]
        cells = [[("no", "yes")[x] if isinstance(x, bool) else str(x) for x in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [[x.rjust(n) for x, n in zip(row, widths, strict=True)] for row in cells]
        return "\n".join("  ".join([row[0].strip().ljust(widths[0]), *row[1:]]) for row in lines)


def trace(formula: Formula, w: str) -> FormulaTrace:
    """What each part of a formula says at CLS and at each symbol.

    >>> from lib.formulas import Q, count
    >>> print(trace(count(Q("1")) >= 2, "101"))
    position              0    1   2    3
    symbol              CLS    1   0    1
    Q('1')               no  yes  no  yes
    count(Q('1'))         0    1   1    2
    count(Q('1')) >= 2   no   no  no  yes
    """
    rows = FormulaTrace(position=[*range(len(w) + 1)], symbol=["CLS", *w])

    def follow(part: Formula | Term | Atom) -> None:
        for inner in parts(part):
            follow(inner)
        if isinstance(part, Formula):
            rows[str(part)] = truth(part, w)
        elif isinstance(part, Atom) or len(part.terms) > 1:
            term = Term(((part, 1),)) if isinstance(part, Atom) else part
            values = numbers(term, np.array([[*map(ord, w)]], np.int64))[0]
            rows[str(term)] = np.broadcast_to(values, len(w) + 1).tolist()

    follow(formula)
    return rows
