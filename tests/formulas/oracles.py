"""What formulas and the languages of the library mean, by other means than the library's: Python
itself, automata and plain predicates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from types import CodeType

from automata.fa.dfa import DFA
from automata.pda.dpda import DPDA

from lib.formulas.stated import Stated

MEANT = (
    (r"\b(count|once|never|always|previous)\(", r"\1(i, lambda i: "),
    (r"\btotal\(", "total(lambda i: "),
    (r"\b(Q|mod)\(", r"\1(i, "),
    (r"\bposition\b", "i"),
)


def strings(alphabet: str, longest: int) -> list[str]:
    """Every string to `longest` symbols, the shortest first."""
    return [
        "".join(symbols)
        for length in range(longest + 1)
        for symbols in product(alphabet, repeat=length)
    ]


@cache
def _code(text: str) -> CodeType:
    for written, meant in MEANT:
        text = re.sub(written, meant, text)
    return compile(text, "a formula", "eval")


def by_python(text: str, w: str) -> bool:
    """Whether a formula holds at the last position of `w`, with Python's own and, or, not, if and
    comparisons: `count(x)` is `count(i, lambda i: x)`, the sum over the positions 1 to i.
    """
    names = {
        "i": len(w),
        "Q": lambda i, symbol: i > 0 and w[i - 1] == symbol,
        "mod": lambda i, period, remainder: i % period == remainder,
        "count": lambda i, holds: sum(map(holds, range(1, i + 1))),
        "total": lambda holds: sum(map(holds, range(1, len(w) + 1))),
        "once": lambda i, holds: any(map(holds, range(1, i + 1))),
        "never": lambda i, holds: not any(map(holds, range(1, i + 1))),
        "always": lambda i, holds: all(map(holds, range(1, i + 1))),
        "previous": lambda i, holds: i > 1 and holds(i - 1),
    }
    return bool(eval(_code(text), names))


def automaton(finals: str, **rows: str) -> Callable[[str], bool]:
    """A complete DFA: for each state, the first being the start, a symbol and the state that it
    leads to, and so on.
    """
    transitions = {
        state: dict(zip(row[::2], row[1::2], strict=True)) for state, row in rows.items()
    }
    return DFA(
        states=set(rows),
        input_symbols={symbol for row in rows.values() for symbol in row[::2]},
        transitions=transitions,
        initial_state=next(iter(rows)),
        final_states=set(finals),
    ).accepts_input


def counter(up: str, down: str, final: str, below: bool) -> Callable[[str], bool]:
    """A deterministic pushdown automaton that is "level", or has seen "more" of `up` or, where
    `below` is allowed, of `down`; the lowest symbol on its stack is a capital.
    """
    transitions = {
        "level": {up: {"#": ("more", ("P", "#"))}},
        "more": {
            up: {top: ("more", ("p", top)) for top in "Pp"},
            down: {"P": ("level", ""), "p": ("more", "")},
        },
    }
    if below:
        transitions["level"][down] = {"#": ("less", ("M", "#"))}
        transitions["less"] = {
            down: {top: ("less", ("m", top)) for top in "Mm"},
            up: {"M": ("level", ""), "m": ("less", "")},
        }
    return DPDA(
        states=set(transitions),
        input_symbols={up, down},
        stack_symbols=set("#PpMm"),
        transitions=transitions,
        initial_state="level",
        initial_stack_symbol="#",
        final_states={final},
        acceptance_mode="final_state",
    ).accepts_input


def in_equal_blocks(w: str) -> bool:
    n = len(w) // 3
    return w == n * "a" + n * "b" + n * "c"


LANGUAGES = {  # by the name that the library gives them
    "MAJORITY": counter("1", "0", "more", below=True),
    "exactly two 1s": automaton("2", n="0n1o", o="0o12", **{"2": "021m", "m": "0m1m"}),
    "at least a third are 1s": lambda w: w.count("0") <= 2 * w.count("1"),
    "Dyck-1": counter("(", ")", "level", below=False),
    "a*b*": automaton("ab", a="aabb", b="axbb", x="axbx"),
    "(ab)*": automaton("s", s="aabx", a="axbs", x="axbx"),
    "aⁿbⁿcⁿ": in_equal_blocks,
    "PARITY": automaton("o", e="0e1o", o="0o1e"),
    "FIRST": automaton("y", s="0n1y", y="0y1y", n="0n1n"),
    "ONE": automaton("o", n="0n1o", o="0o1m", m="0m1m"),
}


def by_other_means(stated: Stated) -> Callable[[str], bool]:
    """The same language; of two formulas for one language, the second's name says how."""
    return LANGUAGES[stated.name.partition(",")[0]]
