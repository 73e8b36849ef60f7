"""The page's own search, a formula against a regular expression at every length: held against the
library's prover on its statements, and against short strings on random formulas.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from chapters.every_length.statements import by_name
from lib.formulas import FormulaError, formula
from lib.formulas.syntax import truth
from lib.proofs import proved_equal, regular
from lib.verdicts import PROVED, WRONG
from tests import OFTEN
from tests.formulas.oracles import strings
from tests.formulas.strategies import texts
from tests.strategies import drawn

KINDS = {"proved": PROVED, "wrong": WRONG}
EXPRESSIONS = ("(a|b)*", "(ab)*", "a*b*", "(a|b)*a", ".*b.", "(b*ab*a)*b*", "(..)*", "a{1,3}.{,2}")


def holds(text: str, alphabet: str):
    read = formula(text, alphabet)
    return cache(lambda w: truth(read, w)[-1])


def check(found: dict, alphabet: str, says, other, longest: int = 7) -> None:
    """Asserts that an answer holds for short strings, and that its pairs are what they say."""
    short = [w for w in strings(alphabet, longest) if says(w) != other(w)]
    if found["kind"] == "wrong":
        w = found["counterexample"]
        assert found["accepts"] == [says(w), other(w)] and says(w) != other(w)
        assert len(short[0]) == len(w) if short else len(w) > longest
    else:
        assert [w for w in short if len(w) <= found["length"] or found["kind"] == "proved"] == []
    pairs = found["pairs"]
    for pair in pairs:
        assert [pair["formula"], pair["expression"]] == [
            says(pair["string"]),
            other(pair["string"]),
        ]
    for w in strings(alphabet, longest) if pairs else []:  # the pairs are an automaton of both
        place = 0
        for symbol in w:
            place = pairs[place]["next"].get(symbol) if place is not None else None
        assert place is not None or found["kind"] != "proved"
        if place is not None:
            assert pairs[place]["formula"] == says(w) and pairs[place]["expression"] == other(w)


SAID = [s for s in by_name().values() if "regular" in s and "total" not in s["formula"]]


def test_it_says_what_the_library_proves(engine):
    assert len(SAID) >= 30
    cases = [[s["formula"], s["regular"], s["over"]] for s in SAID]
    for said, found in zip(SAID, engine.all("against", cases), strict=True):
        dfa = regular(said["regular"], said["over"])
        answer = proved_equal(said["formula"], dfa, said["over"])
        assert KINDS[found["kind"]] == answer.kind
        assert len(found["counterexample"] or "") == len(answer.counterexample or "")
        says = holds(said["formula"], said["over"])
        check(found, said["over"], says, cache(dfa.accepts_input), longest=6)


def some_formulas(number: int) -> list[str]:
    found = dict.fromkeys(drawn(texts(), 3 * number))
    return [text for text in found if "total" not in text][:number]


RACING = [  # what compares counts with each other, until something happens or for ever
    'count(Q("a")) > count(Q("b")) or once(Q("a") and previous(Q("a") and previous(Q("a"))))',
    'count(Q("a")) > count(Q("b")) and never(count(Q("a")) > count(Q("b")) + 2)',
    'count(count(Q("a")) > count(Q("b"))) == count(Q("a"))',
    '2*count(Q("a")) == count(Q("b")) + 1 or count(Q("a")) >= 3',
    'count(Q("a") and count(Q("a")) > count(Q("b"))) > count(Q("b") and mod(2, 1))',
    'Q("a") and count(Q("a")) == count(Q("b")) and count(Q("b")) <= 2',
    'count(Q("a")) - count(Q("b")) == 2 or count(previous(Q("a"))) > count(previous(Q("b")))',
    'max(count(Q("a")), 2*count(Q("b"))) >= 4 and not mod(3, 1)',
]


def test_random_formulas_are_never_judged_incorrectly(engine):
    draw = random.Random(3)
    cases = [[text, draw.choice(EXPRESSIONS), "ab"] for text in some_formulas(15 * OFTEN) + RACING]
    kinds = {"proved": 0, "wrong": 0, "unknown": 0}
    for case, found in zip(cases, engine.all("against", cases), strict=True):
        check(found, "ab", holds(case[0], "ab"), cache(regular(case[1], "ab").accepts_input))
        kinds[found["kind"]] += 1
    assert kinds["wrong"] > 10, kinds


def test_expressions_are_read_as_automata_lib_does(engine):
    pieces = "a  b  .  a*  b+  b + a  (ab)?  (a|b)  (a|bb)*  a{1,2}  (a+b){2}  (ab|b){2,}  ()"
    pieces = pieces.split("  ")
    draw = random.Random(5)
    expressions = ["".join(draw.choices(pieces, k=draw.randint(1, 4))) for _ in range(60)]
    expressions += [f"{one}|({other})*" for one, other in zip(expressions, expressions[1:])]
    for text, found in zip(expressions, engine.all("automaton", ([one] for one in expressions))):
        if "may be meant as or" in found.get("error", ""):
            with pytest.raises(FormulaError, match="may be meant as or"):
                regular(text, "ab")
            continue
        dfa = regular(text, "ab")
        assert len(found["rows"]) == len(dfa.states)
        for w in strings("ab", 6):
            q = found["start"]
            for symbol in w:
                q = found["rows"][q]["next"]["ab".index(symbol)]
            assert found["rows"][q]["accepts"] == dfa.accepts_input(w), (text, w)


def test_what_may_be_meant_otherwise_is_refused(engine):
    """`(())*` would be the empty string alone; for Python a+? is a+, and here it would be (a+)?."""
    signs = ("(())*", "a.a", "a|a", "(a)", "a^a")
    times = [f"(a){one}" for one in ("{0,0}", "{0}", "{,0}", "{}", "{,}", "{3,2}")]
    for text, over, message in (
        *((one, "a.()|^*", "is a symbol, written [") for one in signs),
        *((one, "ab", "write brackets") for one in ("a+?", "a{1,2}?", "a??", "a++", "(a|b)*+")),
        *((one, "ab", "is no number of times, or no range, at place 4") for one in times),
    ):
        assert message in engine("automaton", text, over)["error"]
        with pytest.raises(FormulaError):
            regular(text, over)
    for text in ("[a-c]", "[^a]"):  # of which automata-lib reads the first as a, b or c
        assert "in Python alone" in engine("automaton", text, "abc-^")["error"]
    assert len(engine("automaton", "([(][)])*", "()")["rows"]) == 3
    assert "rows" in engine("automaton", "(a+)?b**(a?){2}a{0,}b{,3}")
