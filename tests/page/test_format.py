"""The text of a construction, as the page reads and writes it: what is written is read again, typed
texts are the papers' constructions, what is wrong is refused with its line; and the Python that the
page writes makes the same construction.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

from lib import constructions
from lib.constructions.mutants import mutants
from lib.constructions.normalization import mirror, sharpen
from lib.transformer import FFN, Construction, Head, Layer, Space
from lib.transformer.construction import from_json
from tests.page.engine import data, made
from tests.page.test_reader import random_construction


def written_and_read(engine, found: list[Construction]) -> None:
    """Asserts that what is written of each is read again, written again, and made by its Python."""
    wrote = engine.all("write", ([data(one)] for one in found))
    read = engine.all("read", ([one["rows"]] for one in wrote))
    for construction, first, again in zip(found, wrote, read, strict=True):
        assert "error" not in again, (first["rows"], again)
        of_rows = replace(construction, reading=None)  # which is said beside them
        assert data(made(first["python"])) == data(construction)
        assert data(from_json(again["json"])) == data(made(again["python"])) == data(of_rows)
        assert again["rows"] == first["rows"]


def test_the_books_constructions_and_their_mutants_are_written_and_read_again(engine):
    found = [mutant for _, mutant in mutants(constructions.pairwise_palindrome())]
    for name in constructions.__all__:
        published = getattr(constructions, name)()
        forms = [published, mirror(published), mirror(published, adjacent=True)]
        found += forms
        if published.activation == "sigmoid":
            found += [sharpen(one, 0.01) for one in forms]
    assert len(found) > 60
    written_and_read(engine, found)


# No lone backslash: after a key "\\" V8's JSON.parse takes the key "\n" for another one.
WEIRD = [
    *'+-"#01é𝟙‖',
    "\\-",
    "-x",
    "2.5",
    "a b",
    "2·x",
    "a,b",
    "x:",
    " ",
    "h1",
    "()",
    "(1)",
    "<-",
    "=",
]
WEIRD += [
    "word",
    "output:",
    "\n",
    "\u2028",
    "\x7f",
    "1/2",
    "__proto__",
    "toString",
    "&amp;",
    "${x}",
]


def renamed(construction: Construction, seed: int) -> Construction:
    """The same with any text as names of coordinates, of one symbol and of itself."""
    draw = random.Random(seed)
    names = construction.space.names
    weird = draw.sample(WEIRD, min(len(WEIRD), len(names)))
    by = dict(zip(names, weird + [f"{n} {k}" for k, n in enumerate(names[len(weird) :])]))

    def form(found: dict) -> dict:
        return {by.get(name, name): c for name, c in found.items()}

    def rows(found: dict) -> dict:
        return {
            by[name]: row if isinstance(row, (str, list)) else form(row)
            for name, row in found.items()
        }

    made = data(construction)
    made["name"] = draw.choice(['"quoted"', "x # y", "a  b", "é: <-", "", " x"])
    made["space"] = [by[name] for name in names]
    word = {
        draw.choice('#: "\\é𝟙-\n') if token == "1" else token: f
        for token, f in made["word"].items()
    }
    made["word"] = {token: form(found) for token, found in word.items()}
    made["position"] = {f: form(found) for f, found in made["position"].items()}
    made["output"] = form(made["output"])
    for layer in made["layers"]:
        layer["rewrites"] = [by[name] for name in layer["rewrites"]]
        for head in layer["heads"]:
            head |= {
                "v": rows(head["v"]),
                "q": [*map(form, head["q"])],
                "k": [*map(form, head["k"])],
            }
        if layer["ffn"]:
            layer["ffn"]["hidden"] = [*map(form, layer["ffn"]["hidden"])]
            layer["ffn"] |= {part: rows(layer["ffn"][part]) for part in ("out", "bias")}
    return from_json(json.dumps(made))


def test_random_constructions_with_any_names_are_written_and_read_again(engine):
    found = [random_construction(seed) for seed in range(200)]
    written_and_read(engine, found + [renamed(one, seed) for seed, one in enumerate(found)])


# Chiang & Cholak, section 3.2, and Nowak et al., section 3.2, typed from the papers.
PARITY = """
name: PARITY      # accepts an odd number of 1s

word 0: 0
word 1: 1
word CLS: CLS
position i/n: i/n
position cos iπ: "cos iπ"

layer
head
  k/n <- 1
  1/n <- CLS
feed-forward
  h1 = k/n - i/n - 1/n
  h2 = k/n - i/n
  h3 = k/n - i/n + 1/n
  [i=k]/n <- h1 - 2 h2 + h3

layer
head gain 1
  q: CLS
  k: -"cos iπ"
  s <- [i=k]/n
head gain 1
  q: CLS
  k: "cos iπ"
  s <- -[i=k]/n
output: s
"""
SPELLINGS = {  # of lines of that text, which are one and the same
    "output: s": ["output:s", "  output :  s ", 'output: "s"', "output: 1 s", "output: s + (0)"],
    "  k/n <- 1": ["\tk/n  <-  1.0·1", '"k/n" <- "1"', "k/n <- 1/2 1 + 2/4·1", "k/n <- 1 # 1"],
    '  k: -"cos iπ"': ['k: - "cos iπ"', 'k: -1 * "cos iπ"', 'k: -"cos i\\u03c0"'],
    "  [i=k]/n <- h1 - 2 h2 + h3": ["[i=k]/n <- h1 - h2 - h2 + () + h3"],
    "position i/n: i/n": ['position "i/n" : i/n', "position  i/n:i/n"],
    "word 0: 0": ['word "0": "0"', "word 0: () + 0", "word 0: 3 0 - 2 0"],
    "head gain 1": ["head", "head  gain  2/2", "head gain 1.0"],
    "\n": ["\r\n", "\r"],
}


def test_one_construction_may_be_typed_in_many_ways(engine):
    expected = constructions.parity()
    assert engine.read(PARITY) == expected
    for line, others in SPELLINGS.items():
        assert line in PARITY
        for other in others:
            assert engine.read(PARITY.replace(line, other)) == expected, other


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


def test_everything_that_a_text_may_say(engine):
    S = Space("x", "cls", "y", "z", "1", "spare")
    x, cls, y, _, one, _ = S
    head = Head({"y": x}, x, cls - 2 * x, Fraction(-3, 2), 16, "strict future")
    out, bias = {"y": [0, 2], "z": [0, 0]}, {"y": -Fraction(1, 4), "z": 0, "1": 7}
    layer = Layer(head, FFN([x - one - 1, x + Fraction(1, 2)], out, bias), ["y"])
    word = {"a": x, "CLS": cls}
    read = {"activation": "indicator", "readout": "last"}
    expected = Construction(S, word, {}, layer, y - 1, **read)
    assert made(engine("read", SMALL)["python"]) == expected
    assert data(engine.read(SMALL)) == data(expected)


REFUSED = """word a: x | word ab: x | 1 | a symbol is one character, CLS or EOS, not ab
word a: x | word a: x⏎word a: y | 2 | word a stands there twice
word a: x | wrod a: x | 1 | no statement: wrod a: x; did you mean word?
word a: x | xyz | 1 | no statement: xyz; a line begins with name:, coordinates:, word,
word a: x | word a: | 1 | a coordinate or a number is expected, not
word a: x | word a: x + (2) | 1 | a number stands in hidden units and in the output alone
word a: x | word a: x+y | 1 | no coordinate x+y: there are x, cls, y, z, 1, spare; a
word a: x | word a: x +y | 1 | + or - between spaces is expected, not  +y
word a: x | word a: "" | 1 | a coordinate's name is empty
word a: x | word a: "\\x" | 1 | one text in double quotes is expected, not "\\x"
word a: x | position i/m: x | 1 | "i/m" is no formula for a position
word a: x | word a: x⏎position i: x | 2 | coordinate x is written by a word and again by a position
word a: x | word a: x + 1/0 | 1 | no coordinate 1/0: there are x
word CLS: cls | # | 18 | the word embedding of CLS is missing, such as word CLS: CLS
word a: x⏎word CLS: cls | word CLS: () | 17 | the embeddings write no coordinate
coordinates: x, cls, y, z, 1, spare | coordinates: x, cls, x | 3 | x is listed twice
coordinates: x, cls, y, z, 1, spare | coordinates: x y | 3 | names with commas between them are expected, not x y
layer | # | 5 | rewrites: stands once, directly below layer
layer | layer⏎word b: x | 5 | words and positions stand before the first layer
layer⏎rewrites: y | # | 5 | a layer holds heads, then one feed-forward network: write layer first
rewrites: y | rewrites: spar | 5 | no coordinate spar: did you mean spare?
rewrites: y | # | 13 | coordinate y is written by attention 1 and again by feed-forward 1
gain -3/2 | gain -3/2 gain 2 | 6 | behind head stand gain 2, base 2, mask future
base 16 | base -16 | 6 | a head's base must be above 0, not -16
  q: x | # | 6 | a head needs as many query rows as key rows, not 0 and 1
  y <- x |   y <- x⏎  y <- cls | 10 | coordinate y is written twice in one place
  y <- x |   y z <- x | 9 | no statement: y z <- x; one name stands before <-, in double quotes
feed-forward | feed-forward⏎q: x | 11 | q: stands in no head
feed-forward | # | 11 | hidden units stand in a feed-forward network, above what it writes
  h1 = x - "1" - (1) |   h1 = x - 1 | 11 | is 1 the coordinate "1" or the number (1)?
  h1 = x - "1" - (1) |   h2 = x | 11 | hidden units are numbered in order: h1 is expected
  y <- 2·h2 - 0.25 |   y <- 2·h3 | 13 | a hidden unit above this line is expected, not h3
output: y - (1) | output: y⏎  z <- x | 17 | z <- stands in no head and in no feed-forward network
output: y - (1) | output: y⏎output: y | 17 | output: stands there twice
output: y - (1) | # | 18 | the output is missing, such as output: s
read: last | read: first | 17 | read: CLS or last is expected, not first
accept: output = 0 | accept: s = 0 | 18 | accept: output > 0 or output = 0 is expected, not s = 0"""


def test_what_is_wrong_is_refused_with_its_line(engine):
    """Each says what of SMALL is replaced by what, and which line is named for which reason."""
    for case in REFUSED.splitlines():
        line, instead, number, message = case.replace("⏎", "\n").split(" | ")
        text = SMALL.replace(line, instead, 1)
        assert text != SMALL
        said = engine("read", text)
        assert said["error"].startswith(f"line {number}: {message}") and said["line"] == int(number)


def damaged(draw: random.Random, text: str) -> str:
    """A text with a few characters or lines left out, put in or moved."""
    for _ in range(draw.randint(1, 3)):
        place, lines = draw.randint(0, len(text)), text.split("\n")
        line = draw.randrange(len(lines))
        text = draw.choice(
            [
                text[:place] + text[place + 1 :],
                text[:place] + draw.choice('"\\#:·*/+-() 0129hxy<=,\n') + text[place:],
                "\n".join([*lines[:line], *lines[line + 1 :]]),
                "\n".join([*lines[:line], lines[line], *lines[line:]]),
                "\n".join([*lines[1:], lines[0]]),
            ]
        )
    return text


def test_any_text_is_a_construction_or_one_error_with_a_line(engine):
    draw = random.Random(0)
    texts = ["", *(damaged(draw, draw.choice([SMALL, PARITY])) for _ in range(600))]
    said = engine.all("read", ([text] for text in texts))
    for text, one in zip(texts, said, strict=True):
        if "error" in one:
            assert one["error"].startswith(f"line {one['line']}: ")
            assert 1 <= one["line"] <= 1 + text.count("\n")
    read = [from_json(one["json"]) for one in said if "json" in one]
    assert 60 < len(read) < 500
    written_and_read(engine, read)


LARGE = "word CLS: x\noutput: x\nlayer\nfeed-forward\n" + "".join(
    f"h{u} = ()\n" for u in range(1, 1501)
)
TOO_LONG = [  # and what is said of it
    ("#" * 500_001, "a text of at most 500000 characters is expected, not of 500001"),
    ('"\\' * 249_000, 'line 1: no statement: "\\"\\'),
    ("word CLS: 1" + " " * 499_000 + "x", "line 1: the output is missing"),
    ("word CLS: x" + " + x" * 120_000 + " y", "line 1: + or - between spaces is expected, not  y"),
    (f"word a: {'9' * 4001}·x", "line 1: a number of at most 4000 digits is expected, not of 4001"),
    ("coordinates: " + ", " * 249_000, "line 1: names with commas between them are expected"),
    ("head" + " gain 1" * 70_000, "line 1: a layer holds heads, then one feed-forward network"),
    (f"position {'i+' * 100}i: x", "line 1: a formula of at most 200 characters is expected"),
    (
        LARGE + "".join(f'"{name}" <- ()\n' for name in range(700)),
        "line 2171: output matrices of at most 1000000 entries are expected",
    ),
]


def test_very_long_texts_are_refused_soon(engine):
    for text, message in TOO_LONG:
        said = engine("read", text)["error"]
        assert said.startswith(message) and len(said) < 1000
