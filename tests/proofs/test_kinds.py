"""A standing attack on proofs by kinds of token: random constructions with positions, hidden units
and heads that look. Each string has to have one case, and there the logit that the exact reader
finds; and what is proved or refuted has to hold of each string. Each commit draws others.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from lib.formulas.syntax import holds
from lib.formulas.text import formula
from lib.judging import judge
from lib.proofs import regular
from lib.proofs.constructions import ByKinds, proved_by_kinds
from lib.proofs.kinds import KindsReading, Undecided, cases
from lib.proofs.rational import Fact, Value
from lib.transformer import FFN, Construction, Exact, Head, Layer, Reading, Space
from lib.transformer.space import Form
from lib.verdicts import PROVED, UNKNOWN, WRONG
from record.proofs import proved_above
from tests import OFTEN
from tests.history import seed

NUMBER = int(os.environ.get("ATTACKS", "100")) * OFTEN // 4
SHORT = [w for length in range(5) for w in map("".join, product("ab", repeat=length))]
LONG = ["a" * 9, "b" * 14, "a" * 23, "abb" * 5, "b" + "a" * 16, "ba" * 11]


def drawn(draw: random.Random) -> Construction:
    """One or two layers over a and b, with a position that shifts, is compared or is fixed."""
    position = draw.choice(
        [
            f"(i{draw.choice('+-')}{draw.randint(0, 4)}) mod {draw.randint(2, 4)}",
            f"({draw.randint(1, 3)}*i+{draw.randint(0, 2)}) mod {draw.randint(2, 3)}",
            f"[i={draw.randint(0, 3)}]",
            f"[i>{draw.randint(0, 3)}]",
            f"[i=n-{draw.randint(1, 2)}]",
            f"[i<{draw.randint(3, 14)}·(1/49)·49]",
            f"i mod 2 - (1/{draw.randint(2, 60)})·{draw.randint(2, 60)}",
        ]
    )
    S = Space("a", "b", "CLS", position, "x", "y", "z")
    a, b, cls, p, x, y, z = S

    def mixed() -> Form:
        return draw.randint(-1, 2) * a + draw.randint(-1, 2) * b + draw.randint(-1, 2) * p - cls

    looks = ([cls + a], [draw.choice([a, b, p])], draw.randint(1, 2))
    first = Layer(Head({"x": mixed()}, *draw.choice([(), looks])))
    if draw.random() < 0.4:
        unit = FFN([x - draw.choice([0, 1]) * cls / 2, -x], {"z": [1, -1]})
        first = replace(first, ffn=unit)
    layers = [first, Layer(Head({"y": draw.choice([p, a - b, p - a])}))][: draw.randint(1, 2)]
    output = (
        x
        + draw.choice([y, -y])
        + draw.choice([z, -2 * z])
        - draw.randint(-1, 1) * cls / draw.choice([1, 2, 3])
    )
    words = {"a": a, "b": b, "CLS": cls}
    return Construction(S, words, {position: p}, layers, output, "drawn", readout="CLS")


def condition(draw: random.Random) -> str:
    """A condition on numbers of symbols, on how many there are, or on none."""
    count, other = draw.choice(["Q('a')", "Q('b')", "Q('a') and position == 1"]), "count(Q('b'))"
    return draw.choice(
        [
            "True",
            "False",
            f"position {draw.choice(['<=', '>', '=='])} {draw.randint(0, 13)}",
            f"count({count}) {draw.choice(['>', '>=', '=='])} {draw.choice(['0', '1', other])}",
            f"count({count}) >= 1 and position != {draw.randint(3, 17)}",
        ]
    )


def weighing(construction: Construction, weight: Fraction) -> Construction:
    """The construction with its one head that looks, if there is one, so that E is that weight."""

    def heavy(head: Head) -> Head:
        return head if head.is_uniform else replace(head, base=weight, gain=1)

    layers = [replace(layer, heads=[*map(heavy, layer.heads)]) for layer in construction.layers]
    return replace(construction, layers=layers)


def test_no_random_construction_is_judged_incorrectly():
    draw, kinds = random.Random(seed()), Counter()
    for number in range(4 * NUMBER):
        if number >= NUMBER and kinds[PROVED]:
            break
        network, meant = drawn(draw), condition(draw)
        where = f"construction {number} of {seed():x}, {meant}: {network}"
        try:
            found = proved_by_kinds(network, meant, seconds=5)
        except ValueError:
            kinds["refused"] += 1
            continue
        kinds[found.kind] += 1
        expected = formula(meant, "ab")
        if found.kind == WRONG:
            reader = Exact(weighing(network, found.weight) if found.weight else network)
            assert reader.accepts(found.counterexample) != holds(expected, found.counterexample)
        if found.kind == PROVED:
            for weight in (Fraction(2), Fraction(7, 2)):
                reader = Exact(weighing(network, weight))
                for w in (*SHORT, *LONG):
                    assert reader.accepts(w) == holds(expected, w), f"{where}: {w!r}"
    assert kinds[PROVED] and kinds[WRONG] > NUMBER / 4 and kinds["refused"] < NUMBER / 2


@pytest.mark.parametrize(
    ("position", "output", "meant"),
    [
        ("(i-1) mod 7", lambda y: y + Form((), Fraction(1)), "position <= 6"),
        ("(i+1) mod 2", lambda y: y - Form((), Fraction(1, 10)), "position == 0"),
        ("⌊49·(1/49)⌋", lambda y: y, "False"),
        ("[i=5·(1/49)·49]", lambda y: y, "False"),
        (
            "(i mod 2)/([i=0] + i mod 2 + [i>0] + [i>0])",
            lambda y: Form((), Fraction(1, 2)) - 3 * y,
            "True",
        ),
    ],
)
def test_what_was_once_proved_falsely_is_wrong(position, output, meant):
    """With shifted remainders, each string of more than a few symbols had no case; quotients of
    whole numbers were floats.
    """
    S = Space("a", "p", "y")
    a, p, y = S
    words = {"a": a, "CLS": Form()}
    network = Construction(S, words, {position: p}, [Layer(Head({"y": p}))], output(y))
    assert proved_by_kinds(network, meant).kind == WRONG


@pytest.mark.parametrize(
    ("meant", "kind"),
    [
        ("mod(2, 1) and position > 2", PROVED),
        ("count(mod(2, 1)) == count(mod(2, 0)) + 1 and position > 2", PROVED),
        (regular("aaa(aa)*", "a"), PROVED),
        (regular("a(aa)*", "a"), WRONG),
    ],
)
def test_a_remainder_of_the_length_is_no_other(meant, kind):
    """The logit is a half on strings of odd length above 2, and less than 0 on all others."""
    a, cls, odd, long = S = Space("a", "CLS", "odd", "long")
    words, positions = {"a": a, "CLS": cls}, {"i mod 2": odd, "[i>2]": long}
    output = odd + long - (a + cls) * Fraction(3, 2)
    made = Construction(S, words, positions, [Layer(Head({}))], output, readout="last")
    assert proved_by_kinds(made, meant).kind == kind


def finished(question: ByKinds) -> Iterator[tuple[KindsReading, Value]]:
    """The readings of all cases, with the logit of each."""
    waiting = cases(question.construction)
    while waiting:
        case = waiting.pop()
        known = question.construction, question.attention, question.unit, case
        try:
            reading = KindsReading(*known, question.is_possible)
            yield reading, reading.logit()
        except Undecided as open:
            waiting += case.split(open)


def numbers(question: ByKinds, reading: KindsReading, w: str) -> dict[str, int] | None:
    """The numbers that a case has for w; None if w does not belong to it."""
    counted = {f"#{a}": w.count(a) for a in "ab"} | {"E": 2}
    known = [fact.at(counted) for fact in reading.facts]
    tokens = question.construction.tokens(w)
    for kind in reading.kinds:
        there = [
            kind.token == token and kind.stands_at(i, counted) for i, token in enumerate(tokens)
        ]
        known.append(Fact(kind.number.at(counted) - sum(there), "=="))
    if not all(fact.holds({}) for fact in known if fact.poly.constant is not None):
        return None
    found, solver = question.asks(known, question.z3.Int)
    if found == question.z3.unsat:
        return None
    names = {name for fact in known for name in fact.poly.names}
    return counted | {x: solver.model().eval(question.z3.Int(x), True).as_long() for x in names}


def test_each_string_has_one_case_and_there_the_logit_that_is_read():
    draw, read = random.Random(seed() + 1), 0
    while read < 3 * OFTEN:
        network = drawn(draw)
        question = ByKinds(network, "True")
        try:
            found = [*finished(question)]
        except ValueError:
            continue
        read += 1
        reader = Exact(weighing(network, Fraction(2)))
        for w in (*SHORT[::4], *LONG):
            [(values, s)] = [
                (values, s)
                for reading, s in found
                if (values := numbers(question, reading, w)) is not None
            ]
            logit = s.above.at(values).constant
            for factor in s.below:
                assert (part := factor.at(values).constant) > 0
                logit /= part
            exact = reader.logit(w)
            assert logit == Fraction(int(exact.p), int(exact.q)), f"{network}: {w!r}"


def test_a_counterexample_under_log_n_is_one_at_the_weight_that_is_named():
    S = Space("one", "a", "b", "y")
    one, a, b, y = S
    share = Layer(Head({"y": a}, [one], [a], 10))
    words = {"a": one + a, "b": one + b, "CLS": one}
    output, reading = y - Form((), Fraction(16, 25)), Reading(log_n=True)
    network = Construction(S, words, {}, [share], output, "share", reading=reading)
    found = proved_by_kinds(network, 'count(Q("a")) >= 1')
    plain = replace(weighing(network, found.weight), reading=Reading())
    w = found.counterexample
    assert found.kind == WRONG and Exact(plain).accepts(w) != (w.count("a") >= 1)
    limit = Space("n")["n"] * Fraction(5, 3) - Form((), Fraction(14, 9))
    assert proved_above(network, 'count(Q("a")) >= 1', limit).kind == UNKNOWN


def test_a_measurement_that_refutes_a_proof_is_an_error(monkeypatch):
    """Only a fault of a prover can lead there."""
    S = Space("a", "CLS", "y")
    a, cls, y = S
    always = Construction(S, {"a": a, "CLS": cls}, {}, [Layer(Head({"y": a + cls}))], y, "always")
    monkeypatch.setattr(ByKinds, "cases_where", lambda *_: iter(()))
    with pytest.raises(RuntimeError, match="a prover of this library errs: 'aaa"):
        judge(always, "position <= 3", 3, beyond=9, each=5)
