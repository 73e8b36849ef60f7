"""The text of a construction, as the page reads and writes it: what is written is read again, one
construction may be typed in many ways, what is wrong is refused with its line; and the Python that
the page writes makes the same construction.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from chapters.common.mutants import mutants
from lib import constructions
from lib.constructions.normalization import mirror
from lib.transformer import FFN, Construction, Head, Layer, Space
from lib.transformer.construction import from_json
from tests.page.engine import data, made
from tests.page.test_reader import random_constructions


def changed(engine, found: list[Construction]) -> list[str]:
    """The rows that the page writes of those constructions which it does not read again, write
    again or put into Python as they are.
    """
    wrote = engine.all("write", ([data(one)] for one in found))
    read = engine.all("read", ([one["rows"]] for one in wrote))
    return [
        first["rows"]
        for construction, first, again in zip(found, wrote, read, strict=True)
        if not is_kept(construction, first, again)
    ]


def is_kept(construction: Construction, first: dict, again: dict) -> bool:
    """Whether what was written of one, and written again once it was read, is that one."""
    of_rows = replace(construction, reading=None)  # which is said beside them
    return (
        again.get("rows") == first["rows"]
        and data(made(first["python"])) == data(construction)
        and data(from_json(again["json"])) == data(made(again["python"])) == data(of_rows)
    )


def test_constructions_are_written_and_read_again(engine):
    found = [*random_constructions()]
    found += [mutant for _, mutant in mutants(constructions.pairwise_palindrome())]
    for name in constructions.__all__:
        published = getattr(constructions, name)()
        found += [published, mirror(published)]
    assert changed(engine, found) == []


# No lone backslash: after a key "\\" V8's JSON.parse takes the key "\n" for another one.
WEIRD = [*'+-"#01é𝟙‖', "\\-", "-x", "2.5", "a b", "2·x", "a,b", "x:", " ", "h1", "()", "(1)", "<-"]
WEIRD += ["=", "word", "output:", "\n", "\u2028", "\x7f", "1/2", "__proto__", "toString", "${x}"]


def test_any_name_is_written_and_read_again(engine):
    for seed in range(20):
        draw = random.Random(seed)
        S = Space(*draw.sample(WEIRD, len(WEIRD)))
        first, *names = S.names
        word = {draw.choice('#: "é𝟙-\n'): S[first] * 2, "CLS": Fraction(1, 3) * S[first]}
        head = Head({names[0]: sum(S[name] for name in names)}, S[first], -S[names[1]], -2, 3)
        hidden = [S[name] - Fraction(1, 2) for name in names[:3]]
        ffn = FFN(hidden, {name: [1, 0, -2] for name in names[1:]}, {names[-1]: Fraction(1, 7)})
        title = draw.choice(['"quoted"', "x # y", "a  b", "é: <-", "", " x"])
        layer = Layer(head, ffn, names[:2])
        construction = Construction(S, word, {}, layer, S[first] - 1, title)
        assert changed(engine, [construction]) == []


SMALL = """word a: x
word CLS: cls
coordinates: x, cls, y, z, 1, spare
layer
rewrites: y
head gain -3/2 base 16 mask strict future
  q: x
  k: cls - 2·x
  y <- x
feed-forward
  h1 = x - "1" - (1)
  h2 = x + 1/2
  y <- 2·h2 - 0.25
  z <- () + 0
  1 <- 7
output: y - (1)
read: last
accept: output = 0"""
SPELLINGS = {  # of lines of that text, which are one and the same
    "word a: x\n": ["  word  a:x # 1\n", '\tword "a" : "x"\n\n', "word a: 3 x - 2 x + ()\r\n"],
    "  k: cls - 2·x": ['k:"cls" - 2 * x', "k: -2.0 x + 1/2·cls + 2/4 cls", 'k: "c\\u006cs" - 2 x'],
    "base 16 mask strict future": ["mask  strict  future base 32/2"],
    "y <- 2·h2 - 0.25": ["y <- h2 - 1/4 + h2", "y <- -0.25 + 2.0 * h2 + 0·h1"],
    "output: y - (1)": ["output: (0) + y - (2/2)"],
}


def test_one_construction_may_be_typed_in_many_ways(engine):
    S = Space("x", "cls", "y", "z", "1", "spare")
    x, cls, y, _, one, _ = S
    head = Head({"y": x}, x, cls - 2 * x, Fraction(-3, 2), 16, "strict future")
    out, bias = {"y": [0, 2], "z": [0, 0]}, {"y": -Fraction(1, 4), "z": 0, "1": 7}
    layer = Layer(head, FFN([x - one - 1, x + Fraction(1, 2)], out, bias), ["y"])
    read = {"activation": "indicator", "readout": "last"}
    expected = Construction(S, {"a": x, "CLS": cls}, {}, layer, y - 1, **read)
    assert data(made(engine("read", SMALL)["python"])) == data(expected)
    for line, others in SPELLINGS.items():
        assert line in SMALL
        for other in [line, *others]:
            assert data(engine.read(SMALL.replace(line, other))) == data(expected), other


REFUSED = """word a: x | word ab: x | 1 | a symbol is one character, CLS or EOS, not ab
word a: x | word a: x + (2) | 1 | a number stands in hidden units and in the output alone
word a: x | word a: x+y | 1 | no coordinate x+y: there are x, cls, y, z, 1, spare; a sign has
word a: x | word a: x⏎position i: x | 2 | coordinate x is written by a word and again by a pos
layer | layer⏎word b: x | 5 | words and positions stand before the first layer
rewrites: y | # | 13 | coordinate y is written by attention 1 and again by feed-forward 1
  q: x | # | 6 | a head needs as many query rows as key rows, not 0 and 1
  h1 = x - "1" - (1) |   h1 = x - 1 | 11 | is 1 the coordinate "1" or the number (1)?
  y <- 2·h2 - 0.25 |   y <- 2·h3 | 13 | a hidden unit above this line is expected, not h3
read: last | read: first | 17 | read: CLS or last is expected, not first"""


def test_what_is_wrong_is_refused_with_its_line(engine):
    """Each says what of SMALL is replaced by what, and which line is named for which reason."""
    for case in REFUSED.splitlines():
        line, instead, number, message = case.replace("⏎", "\n").split(" | ")
        said = engine("read", SMALL.replace(line, instead, 1))
        assert said["error"].startswith(f"line {number}: {message}") and said["line"] == int(number)
    slow = engine(
        "read", "word CLS: x" + " + x" * 120_000 + " y"
    )  # for an expression that tries all
    assert slow["error"].startswith("line 1: + or - between spaces is expected")
