"""What the playground's modules compute beside the library: puzzles, and languages by property."""

from dataclasses import replace

import pytest

from lib.formulas import formula, holds, language
from lib.formulas.stated import DYCK_1
from lib.languages import FIRST, ONE, PALINDROME, PARITY, Language
from lib.proofs import proved_equal, regular
from lib.transformer import Exact, Reading
from lib.verdicts import PROVED, WRONG

BUILTIN = {one.name: one for one in (FIRST, PARITY, ONE, PALINDROME)} | {"Dyck-1": DYCK_1.language}
MUTATIONS = {  # for each puzzle a change to its model solution, after which it is wrong
    "ends-with-1": ("output: one", "output: -one"),
    "contains-1": ("s <- one", "s <- -one"),
    "at-least-half": ("word CLS: vote", "word CLS: 2·vote"),
    "starts-with-1": ("k: -i", "k: -1/2·i"),
    "exactly-one-1": ("d <- -2·h1", "d <- -h1"),
    "first-with-log-n": ("head\n", "head gain 4/5\n"),
    "dyck-1": ("end - 2·worst", "end - worst"),
    "parity-hardmax": ("x <- -2·h1", "x <- -h1"),
    "parity-one-head": ("x <- one + cls", "x <- one"),
    "palindrome-two-layers": ("h1 = one - 1/2", "h1 = one"),
    "only-1s": ("never", "once"),
    "two-1s": (">=", "=="),
    "smaller-once": ("once", "never"),
    "followed": ('not Q("0")', 'not Q("1")'),
    "blocks": ('once(Q("b"))', 'previous(Q("a"))'),
    "alternating": ('Q("b") and', 'Q("a") and'),
    "smaller-first": ('Q("0")', 'Q("1")'),
}


def test_every_puzzle_is_told_and_its_solution_solves_it_and_no_mutant_does(engine):
    puzzles = {puzzle["id"]: puzzle for puzzle in engine("puzzles")}
    degrees = [one["degree"] for one in puzzles.values()]
    assert len(puzzles) == 20 and degrees == sorted(degrees)
    for name, puzzle in puzzles.items():
        assert all(puzzle[part] for part in ("title", "task", "hint", "why", "solution", "lesson"))
        over, solution = puzzle["alphabet"], puzzle["solution"]
        if name not in MUTATIONS:  # a string or an invariant, which the journeys solve
            continue
        given, mutant = puzzle["language"], solution.replace(*MUTATIONS[name], 1)
        text = given.get("text", "")
        if given["kind"] == "builtin":
            belongs = BUILTIN[given["name"]]
        elif given["kind"] == "expression":
            belongs = Language("meant", regular(text, over).accepts_input, tuple(over))
        else:
            belongs = language(formula(text, over), over)
        for w, inside in puzzle.get("longer", []):
            assert belongs.contains(w) == inside
        if puzzle["kind"] == "rows":
            strings = [w for n in range(7) for w in belongs.all_strings(n)]
            reading = Reading(**puzzle["reading"])
            right, wrong = (
                Exact(replace(engine.read(rows), reading=reading)) for rows in (solution, mutant)
            )
            assert belongs.errors(strings, right.accepts(strings)) == [], name
            longer = (w for n in range(9) for w in belongs.all_strings(n))
            assert any(wrong.accepts(w) != belongs.contains(w) for w in longer), name
        else:
            other = regular(text, over) if given["kind"] == "expression" else text
            said, strings = formula(solution, over), [*belongs.all_strings(8)]
            assert belongs.errors(strings, [holds(said, w) for w in strings]) == [], name
            assert proved_equal(mutant, other, over).kind == WRONG, name
            if name != "alternating":  # no proof of it is found
                assert proved_equal(solution, other, over).kind == PROVED, name


HOLDS = {
    "starts with a": lambda w, a, b: w[:1] == a,
    "ends with a": lambda w, a, b: w[-1:] == a,
    "holds exactly n times a": lambda w, a, b: w.count(a) == 2,
    "holds at least n times a": lambda w, a, b: w.count(a) >= 2,
    "holds at most n times a": lambda w, a, b: w.count(a) <= 2,
    "holds a so often that n divides it": lambda w, a, b: w.count(a) % 2 == 0,
    "has a length that n divides": lambda w, a, b: len(w) % 2 == 0,
    "holds the block w": lambda w, a, b: a + b + b in w,
    "does not hold the block w": lambda w, a, b: a + b + b not in w,
    "has b directly after every a": lambda w, a, b: all(
        w[i + 1 : i + 2] == b for i, x in enumerate(w) if x == a
    ),
    "has all a before all b": lambda w, a, b: a not in w[w.find(b) :] if b in w else True,
    "holds more a than b": lambda w, a, b: w.count(a) > w.count(b),
    "holds as many a as b": lambda w, a, b: w.count(a) == w.count(b),
}


@pytest.mark.parametrize("alphabet", ["01", "abc", "()"])
def test_properties_say_what_their_sentences_say(engine, alphabet):
    asked = [(name, *pair) for name in HOLDS for pair in (alphabet[:2], alphabet[1::-1])]
    states = [
        {"property": name, "a": a, "b": b, "n": "2", "block": a + b + b} for name, a, b in asked
    ]
    strings = [w for n in range(6) for w in Language("", bool, tuple(alphabet)).all_strings(n)]
    said = engine.all("members", ([state, alphabet, 5] for state in states))
    for (name, a, b), found in zip(asked, said, strict=True):
        assert found == [w for w in strings if HOLDS[name](w, a, b)], (name, a, b)
