"""The languages of the map and hard attention, by other means than the library's: automata, groups
of permutations, and the definition of a transformer written out in fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from lib.transformer.construction import Construction, position
from lib.transformer.space import Form
from tests.formulas.oracles import LANGUAGES as STATED
from tests.formulas.oracles import automaton


def followed(w: str) -> bool:
    """Whether the latest earlier place of the last symbol has a 1 behind it."""
    earlier = [i for i in range(len(w) - 1) if w[i] == w[-1]]
    return bool(earlier) and w[earlier[-1] + 1] == "1"


def at_equal_distances(w: str) -> bool:
    ones = [i for i, symbol in enumerate(w) if symbol == "1"]
    return any(k - j == j - i for i, j, k in combinations(ones, 3))


ORACLES: dict[str, Callable[[str], bool]] = {  # by the name of the language
    **{name: STATED[name] for name in ("FIRST", "ONE", "PARITY", "MAJORITY", "Dyck-1", "aⁿbⁿcⁿ")},
    "PALINDROME": lambda w: all(w[i] == w[-1 - i] for i in range(len(w) // 2)),
    "ends with 1": automaton("y", n="0n1y", y="0n1y"),
    "contains 01": automaton("f", s="0z1s", z="0z1f", f="0f1f"),
    "1s at odd positions": automaton("pq", p="0q1q", q="0p1x", x="0x1x"),
    "induction": followed,
    "three 1s at equal distances": at_equal_distances,
}


def by_definition(construction: Construction, w: str, attention: str) -> Fraction:
    """The logit, from the definition: every layer at every position, in fractions. Gains are above
    0, so they change no largest score.
    """
    tokens = construction.tokens(w)
    n, names = len(tokens), construction.space.names

    def value(form: Form, x: dict[str, Fraction]) -> Fraction:
        return form.constant + sum(c * x[name] for name, c in form.terms)

    def embedded(i: int, token: str) -> dict[str, Fraction]:
        x = dict.fromkeys(names, Fraction(0))
        for name, c in dict(construction.word)[token].terms:
            x[name] += c
        for formula, form in construction.position:
            for name, c in form.terms:
                x[name] += c * Fraction(position(formula)(Fraction(i), Fraction(n)))
        return x

    stream = [embedded(i, token) for i, token in enumerate(tokens)]
    for layer in construction.layers:
        attended = [dict(x) for x in stream]
        for head in layer.heads:
            for i, x in enumerate(stream):
                seen = range({None: n, "future": i + 1, "strict future": i}[head.mask])
                if not seen:
                    continue
                scores = [
                    sum(value(q, x) * value(k, stream[j]) for q, k in zip(head.q, head.k))
                    for j in seen
                ]
                best = [j for j in seen if scores[j] == max(scores)]
                chosen = {"leftmost": best[:1], "rightmost": best[-1:], "hardmax": best}[attention]
                for name, form in head.v:
                    attended[i][name] += sum(value(form, stream[j]) for j in chosen) / len(chosen)
        stream = attended
        if layer.ffn:
            stream = [dict(x) for x in attended]
            for i, x in enumerate(attended):
                units = [max(Fraction(0), value(form, x)) for form in layer.ffn.hidden]
                for name, row in layer.ffn.out:
                    stream[i][name] += sum(c * unit for c, unit in zip(row, units))
                for name, b in layer.ffn.bias:
                    stream[i][name] += b
    return value(construction.output, stream[-1 if construction.readout == "last" else 0])
