"""The text of a construction, as the page reads and writes it: what is written is read again, typed
texts are the papers' constructions, what is wrong is refused with its line; and the Python that the
page writes makes the same construction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lib import constructions
from lib.constructions.mutants import mutants
from lib.constructions.normalization import mirror, sharpen
from lib.formulas import LIBRARY, FormulaError, compiled
from lib.transformer import FFN, Construction, Form, Head, Layer, Space, norm
from lib.transformer.construction import from_json, to_json
from record.runs import CHAPTERS
from tests.book.as_rows import READ, WRITE, data, made
from tests.formulas.strategies import texts as formulas
from tests.strategies import coefficients
from tests.strategies import constructions as random_constructions

STATIC = CHAPTERS / "_static"
ATTENTIONS = ("hardmax", "softmax", "layer norm")


def drawn(strategy: st.SearchStrategy, count: int) -> list:
    """The same examples of a strategy each time."""
    found = []

    @seed(0)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(strategy)
    def collect(example):
        found.append(example)

    collect()
    return found


def library() -> Iterator[Construction]:
    """The papers' constructions, what layer normalization makes of them, and the library's
    formulas, compiled in each way.
    """
    for name in constructions.__all__:
        published = getattr(constructions, name)()
        mirrored, adjacent = mirror(published), mirror(published, adjacent=True)
        yield from (published, mirrored, adjacent)
        if published.activation == "sigmoid":
            yield from (sharpen(one, 0.01) for one in (published, mirrored, adjacent))
    for stated in LIBRARY:
        for attention in ATTENTIONS:
            try:
                yield compiled(stated.text, stated.alphabet, attention).construction
            except FormulaError:
                pass  # the position beside totals, under layer normalization


WEIRD = [
    "0",
    "1",
    "1/2",
    "2.5",
    "-x",
    "+",
    "-",
    "a b",
    "2·x",
    "2*y",
    '"',
    "\\",
    "a,b",
    "x:",
    "#",
    " ",
]
WEIRD += [
    "h1",
    "()",
    "(1)",
    "<-",
    "=",
    "word",
    "output:",
    "\n",
    "\t",
    "é",
    "𝟙",
    "‖",
    "\u2028",
    "\x7f",
]
WEIRD += ["__proto__", "constructor", "toString", "<script>alert(1)</script>", "&amp;", "${x}"]
names = st.sampled_from(WEIRD) | st.text('ab01 -+·*/(),:"\\#hé', min_size=1, max_size=4)


@st.composite
def strange(draw) -> Construction:
    """Constructions whose coordinates, symbols and name are any text, with all that a text can say:
    gains, bases, masks, biases in an order of their own, what is written again, empty rows.
    """
    space = Space(*draw(st.lists(names, min_size=2, max_size=6, unique=True)))
    some = st.lists(st.sampled_from(space.names), max_size=3, unique=True)
    numbers = coefficients | st.sampled_from([Fraction(0), Fraction(7, 3), Fraction(0.1)])
    sizes = numbers.filter(lambda number: number > 0)

    def form(constant: bool = False) -> Form:
        terms = tuple((name, draw(numbers)) for name in draw(some))
        return Form(terms, draw(numbers) if constant else Fraction(0))

    def head() -> Head:
        rows = draw(st.integers(0, 2))
        q, k = ([form() for _ in range(rows)] for _ in range(2))
        base = draw(st.none() | sizes)
        mask = draw(st.sampled_from([None, "future", "strict future"]))
        return Head({name: form() for name in draw(some)}, q, k, draw(numbers), base, mask)

    def ffn() -> FFN:
        hidden = [form(constant=True) for _ in range(draw(st.integers(1, 3)))]
        out = {name: [draw(numbers) for _ in hidden] for name in draw(some)}
        return FFN(hidden, out, {name: draw(numbers) for name in draw(some)})

    layers = [
        Layer(
            [head() for _ in range(draw(st.integers(0, 2)))],
            ffn() if draw(st.booleans()) else None,
            draw(st.permutations(space.names)),
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    word, position = draw(st.permutations(space.names)), draw(st.booleans())
    symbols = draw(st.lists(st.sampled_from('01#: "\\é𝟙-\n'), max_size=3, unique=True))
    tokens = draw(st.permutations([*symbols, "CLS", "EOS"]))
    return Construction(
        space,
        {token: space[word[0]] * (place - 1) for place, token in enumerate(tokens)},
        {"[i mod 2=1]": space[word[1]], "i/n ": -space[word[1]]} if position else {},
        layers,
        form(constant=True),
        draw(st.sampled_from(["a construction", "", " x", "a  b", '"quoted"', "x # y", "é: <-"])),
        draw(st.sampled_from(["sigmoid", "indicator"])),
        draw(st.sampled_from(["CLS", "last"])),
    )


def keeps_its_order(construction: Construction) -> bool:
    """Whether the page can know in which order its JSON was written: JavaScript puts names that are
    whole numbers first, and then the order is that of the space.
    """
    parts: list = [construction.word, construction.position]
    for layer in construction.layers:
        parts += [head.v for head in layer.heads]
        parts += [layer.ffn.out, layer.ffn.bias] if layer.ffn else []
    order = {name: place for place, name in enumerate(construction.space.names)}
    for part in parts:
        names = [name for name, _ in part]
        places = [order.get(name, -1) for name in names]
        if any(map(str.isdecimal, names)) and (places != sorted(places) or -1 in places):
            return False
    return True


def check_round_trips(modules, found: list[Construction]) -> int:
    """What is written of each is read again, written again, and made by its Python; of how many the
    order of names is kept too.
    """
    written = modules.evaluate(WRITE, [to_json(construction) for construction in found])
    read = modules.evaluate(READ, [page["rows"] for page in written])
    in_order = 0
    for construction, wrote, page in zip(found, written, read, strict=True):
        assert "error" not in page, (wrote["rows"], page)
        again = from_json(page["json"])
        of_rows = replace(construction, reading=None)  # which is said beside them
        assert data(made(wrote["python"])) == data(construction)
        assert data(again) == data(made(page["python"])) == data(of_rows)
        if keeps_its_order(construction):
            assert made(wrote["python"]) == construction and made(page["python"]) == of_rows
            assert page["rows"] == wrote["rows"]
            in_order += 1
    return in_order


@pytest.mark.parametrize(
    "own", ["a norm of some coordinates alone", "a head of hardmax of its own"]
)
def test_what_the_page_does_not_read_is_not_written(modules, own):
    S = Space("a", "b")
    head = Head({"b": S["a"]}, attention="hardmax" if "hardmax" in own else None)
    layer = Layer(head) if head.attention else Layer(ffn=norm({"b": S["a"]}, eps=1))
    construction = Construction(S, {"a": S["a"], "CLS": S["a"]}, {}, layer, S["b"])
    with pytest.raises(Exception, match=f"{own} is not read on this page"):
        modules.evaluate(WRITE, [to_json(construction)])


def test_the_books_constructions_are_written_and_read_again(modules):
    found = [*library()]
    assert len(found) >= 70 and check_round_trips(modules, found) >= 65


def test_mutants_are_written_and_read_again(modules):
    found = [mutant for _, mutant in mutants(constructions.pairwise_palindrome())]
    assert check_round_trips(modules, found) == len(found) > 20


@given(random_constructions(masked=True))
@settings(max_examples=100)
def test_random_constructions_are_written_and_read_again(modules, construction):
    assert check_round_trips(modules, [construction]) == 1


@given(strange())
@settings(max_examples=300)
def test_any_name_is_written_and_read_again(modules, construction):
    check_round_trips(modules, [construction])


@given(formulas(), st.sampled_from(ATTENTIONS))
@settings(max_examples=60)
def test_compiled_formulas_are_written_and_read_again(modules, text, attention):
    try:
        construction = compiled(text, "ab", attention, base=9).construction
    except FormulaError:
        return
    assert check_round_trips(modules, [construction]) == 1


def test_equal_constructions_have_one_text(to_rows):
    first = constructions.first()
    shuffled = {name: Form(form.terms[::-1]) for name, form in first.layers[1].heads[0].v}
    again = replace(
        first, layers=[first.layers[0], Layer(replace(first.layers[1].heads[0], v=shuffled))]
    )
    assert repr(again) != repr(first) and to_rows(again) == to_rows(first)


# Chiang & Cholak, section 3.2 and 3.3, and Nowak et al., section 3.2, typed from the papers.
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
FIRST = """
name: FIRST
word 0: 0
word 1: 1
word CLS: CLS
position [i=1]: [i=1]
layer
feed-forward
h1 = [i=1] - "0" - CLS
[w₁=1] <- h1
layer
head
q: CLS
k: [i=1]
s <- [w₁=1] - 1/2·[i=1]
output: s
"""
PALINDROME = """
name: PALINDROME
word 0: 0
word 1: 1
word CLS: CLS
word EOS: EOS
position i: i
position n-1-i: n-1-i
position [i≤(n-1)/2]: left
position [i≥(n-1)/2]: right

layer
feed-forward
  h1 = left - "0" - CLS - EOS
  h2 = right - "0" - CLS - EOS
  "1 on the left" <- h1
  "1 on the right" <- h2

layer
head base 2
  q: CLS
  k: i
  s <- "1 on the left"
head base 2
  q: CLS
  k: n-1-i
  s <- -"1 on the right"

output: s
accept: output = 0
"""


@pytest.mark.parametrize("text", [PARITY, FIRST, PALINDROME])
def test_typed_texts_are_the_papers_constructions(from_rows, text):
    name = re.search("name: (\\w+)", text)[1].lower()
    assert from_rows(text) == getattr(constructions, name)()


SPELLINGS = {  # of lines of a text, which are one and the same
    "output: s": ["output:s", "  output :  s ", 'output: "s"', "output: 1 s", "output: s + (0)"],
    "  k/n <- 1": [
        "k/n <- 1",
        "\tk/n  <-  1.0·1",
        '"k/n" <- "1"',
        "k/n <- 1/2 1 + 2/4·1",
        "k/n <- 1 # 1",
    ],
    '  k: -"cos iπ"': ['k: - "cos iπ"', 'k:-1·"cos iπ"', 'k: -1 * "cos iπ"', 'k: -"cos i\\u03c0"'],
    "  [i=k]/n <- h1 - 2 h2 + h3": [
        "[i=k]/n <- -2·h2 + h3 + h1",
        "[i=k]/n <- h1 - h2 - h2 + () + h3",
    ],
    "position i/n: i/n": ['position "i/n" : i/n', "position  i/n:i/n"],
    "word 0: 0": ['word "0": "0"', "word 0: () + 0", "word 0: 3 0 - 2 0"],
    "head gain 1": ["head", "head  gain  2/2", "head gain 1.0"],
}


@pytest.mark.parametrize("line", SPELLINGS)
def test_one_line_may_be_spelled_in_many_ways(from_rows, line):
    assert line in PARITY
    for other in SPELLINGS[line]:
        assert from_rows(PARITY.replace(line, other)) == constructions.parity(), other
    for breaks in ("\r\n", "\r"):
        assert from_rows(PARITY.replace("\n", breaks)) == constructions.parity()


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


def test_everything_that_a_text_may_say(modules, from_rows):
    S = Space("x", "cls", "y", "z", "1", "spare")
    x, cls, y, _, one, _ = S
    head = Head({"y": x}, x, cls - 2 * x, Fraction(-3, 2), 16, "strict future")
    out, bias = {"y": [0, 2], "z": [0, 0]}, {"y": -Fraction(1, 4), "z": 0, "1": 7}
    ffn = FFN([x - one - 1, x + Fraction(1, 2)], out, bias)
    expected = Construction(
        S,
        {"a": x, "CLS": cls},
        {},
        Layer(head, ffn, ["y"]),
        y - 1,
        activation="indicator",
        readout="last",
    )
    [said] = modules.evaluate(READ, [SMALL])
    assert made(said["python"]) == expected and data(from_rows(SMALL)) == data(expected)
    assert check_round_trips(modules, [expected]) == 1


REFUSED = {  # a part of SMALL: what may stand there instead, the line that is named, what is said
    "word a: x": [
        ("word ab: x", 1, "a symbol is one character, CLS or EOS, not ab"),
        ("word a: x\nword a: y", 2, "word a stands there twice"),
        ("word a x", 1, "no statement: word a x; did you mean word?"),
        ("wrod a: x", 1, "no statement: wrod a: x; did you mean word?"),
        ("xyz", 1, "no statement: xyz; a line begins with name:, coordinates:, word, "),
        ('word "a: x', 1, 'no statement: word "a: x; did you mean word?'),
        ("word a:", 1, "a coordinate or a number is expected, not "),
        ("word a: x + (2)", 1, "a number stands in hidden units and in the output alone"),
        ("word a: x + 2", 1, "no coordinate 2: there are x, cls, y, z, 1, spare"),
        (
            "word a: x+y",
            1,
            "no coordinate x+y: there are x, cls, y, z, 1, spare; a sign has spaces around it",
        ),
        ("word a: x +y", 1, "+ or - between spaces is expected, not  +y"),
        ("word a: x y", 1, "+ or - between spaces is expected, not  y"),
        ("word a: x - -y", 1, "a coordinate or a number is expected, not -y"),
        (f"word a: {'9' * 4001}·x", 1, "a number of at most 4000 digits is expected, not of 4001"),
        ('word a: ""', 1, "a coordinate's name is empty"),
        ('word a: "\\x"', 1, 'one text in double quotes is expected, not "\\x"'),
        ("position i/m: x", 1, '"i/m" is no formula for a position'),
        ("position : x", 1, "no statement: position : x; did you mean position?"),
        (f"position {'i+' * 100}i: x", 1, "a formula of at most 200 characters is expected"),
        ("position i: x\nposition i: y", 2, "position i stands there twice"),
        (
            "word a: x\nposition i: x",
            2,
            "coordinate x is written by a word and again by a position",
        ),
        ("word a: x + 1/0", 1, "no coordinate 1/0: there are x"),
    ],
    "word CLS: cls": [
        ("", 18, "the word embedding of CLS is missing, such as word CLS: CLS"),
    ],
    "word a: x\nword CLS: cls": [
        ("word CLS: ()", 17, "the embeddings write no coordinate"),
    ],
    "coordinates: x, cls, y, z, 1, spare": [
        ("coordinates: x, cls, x", 3, "x is listed twice"),
        ("coordinates: x y", 3, "names with commas between them are expected, not x y"),
        ("coordinates: x, cls", 5, "no coordinate y: there are x, cls"),
        ("coordinates:", 3, "names with commas between them are expected, not "),
    ],
    "layer": [
        ("", 5, "rewrites: stands once, directly below layer"),
        ("layers", 4, "no statement: layers; did you mean layer?"),
        ("layer\nword b: x", 5, "words and positions stand before the first layer"),
    ],
    "layer\nrewrites: y": [
        ("", 5, "a layer holds heads, then one feed-forward network: write layer first"),
    ],
    "rewrites: y": [
        ("rewrites: y\nrewrites: z", 6, "rewrites: stands once, directly below layer"),
        ("rewrites: spar", 5, "no coordinate spar: did you mean spare?"),
        ("", 13, "coordinate y is written by attention 1 and again by feed-forward 1"),
    ],
    "mask strict future": [
        ("mask past", 6, "behind head stand gain 2, base 2, mask future or mask strict future"),
    ],
    "gain -3/2": [
        (
            "gain -3/2 gain 2",
            6,
            "behind head stand gain 2, base 2, mask future or mask strict future",
        ),
    ],
    "base 16": [
        ("base -16", 6, "a head's base must be above 0, not -16"),
        ("base 1/0", 6, "behind head stand gain 2, base 2, mask future"),
    ],
    "  q: x": [
        ("", 6, "a head needs as many query rows as key rows, not 0 and 1"),
        ("  q: x + (1)", 7, "a number stands in hidden units and in the output alone"),
        ("  Q: x", 7, "no statement: Q: x; did you mean q:?"),
    ],
    "  y <- x": [
        ("  y <- x\n  y <- cls", 10, "coordinate y is written twice in one place"),
        ("  y z <- x", 9, "no statement: y z <- x; one name stands before <-, in double quotes"),
        ("  w <- x", 9, "no coordinate w: there are x, cls, y, z, 1, spare"),
        ("  x <- x", 9, "coordinate x is written by a word and again by attention 1"),
    ],
    "feed-forward": [
        (
            "feed-forward\nfeed-forward",
            11,
            "a layer holds heads, then one feed-forward network: write layer first",
        ),
        (
            "feed-forward\nhead",
            11,
            "a layer holds heads, then one feed-forward network: write layer first",
        ),
        ("feed-forward\nq: x", 11, "q: stands in no head"),
        ("", 11, "hidden units stand in a feed-forward network, above what it writes"),
    ],
    '  h1 = x - "1" - (1)': [
        ("  h1 = x - 1", 11, 'is 1 the coordinate "1" or the number (1)?'),
        ("  h2 = x", 11, "hidden units are numbered in order: h1 is expected"),
    ],
    "  y <- 2·h2 - 0.25": [
        (
            "  y <- 2·h2 - 0.25\n  h3 = x",
            14,
            "hidden units stand in a feed-forward network, above what it writes",
        ),
        ("  y <- 2·h3", 13, "a hidden unit above this line is expected, not h3"),
        ("  y <- x", 13, "a hidden unit above this line is expected, not x"),
    ],
    "  1 <- 7": [
        ("  1 <- 7\n  1 <- 8", 16, "coordinate 1 is written twice in one place"),
    ],
    "output: y - (1)": [
        ("output: y - 1", 16, 'is 1 the coordinate "1" or the number (1)?'),
        ("output: y\n  z <- x", 17, "z <- stands in no head and in no feed-forward network"),
        ("output: y\noutput: y", 17, "output: stands there twice"),
        ("", 18, "the output is missing, such as output: s"),
    ],
    "read: last": [
        ("read: first", 17, "read: CLS or last is expected, not first"),
    ],
    "accept: output = 0": [
        ("accept: s = 0", 18, "accept: output > 0 or output = 0 is expected, not s = 0"),
        ('name: "x', 18, 'one text in double quotes is expected, not "x'),
    ],
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_wrong_is_refused_with_its_line(from_rows, line):
    for instead, number, message in REFUSED[line]:
        text = SMALL.replace(line, instead, 1)
        assert text != SMALL
        with pytest.raises(ValueError) as caught:
            from_rows(text)
        assert str(caught.value).startswith(f"line {number}: {message}"), instead


def test_no_text_is_no_construction(from_rows):
    with pytest.raises(ValueError, match="^line 1: the word embedding of CLS is missing"):
        from_rows("")


def damaged(draw, text: str) -> str:
    """A text with a few characters or lines left out, put in or moved."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        lines = text.split("\n")
        line = draw(st.integers(0, len(lines) - 1))
        text = draw(
            st.sampled_from(
                [
                    text[:place] + text[place + 1 :],
                    text[:place]
                    + draw(st.sampled_from('"\\#:·*/+-() 0129hxy<=,\n'))
                    + text[place:],
                    "\n".join([*lines[:line], *lines[line + 1 :]]),
                    "\n".join([*lines[:line], lines[line], *lines[line:]]),
                    "\n".join([*lines[1:], lines[0]]),
                ]
            )
        )
    return text


damages = st.composite(
    lambda draw: damaged(draw, draw(st.sampled_from([SMALL, PARITY, PALINDROME])))
)


@given(damages() | st.text(max_size=60))
@settings(max_examples=400)
def test_any_text_is_a_construction_or_one_error_with_a_line(modules, text):
    [page] = modules.evaluate(READ, [text])
    if "error" in page:
        assert page["error"].startswith(f"line {page['line']}: ")
        assert 1 <= page["line"] <= 1 + len(re.findall("\r\n|\r|\n", text))
    else:
        check_round_trips(modules, [from_json(page["json"])])


def test_damaged_texts_are_refused_and_some_are_read(modules):
    said = modules.evaluate(READ, drawn(damages(), 300))
    refused = sum("error" in page for page in said)
    assert refused > 100 and len(said) - refused > 20


HOSTILE = [
    'word a: "__proto__"\nword CLS: "constructor"\noutput: "__proto__" - "constructor"',
    "word a: toString\nword CLS: valueOf\nlayer\nhead\nhasOwnProperty <- toString\noutput: ()",
    'name: <script>alert(1)</script>\nword <: "<img onerror=alert(1)>"\nword CLS: c\noutput: ()',
    'name: "\\u003c/script>"\nword `: "${alert(1)}"\nword CLS: "\\"); alert(1); //"\noutput: ()',
    'word CLS: "\\u2028"\nlayer\nfeed-forward\n"\\n  h1 = x" <- 1\noutput: "\\u2028"',
]


def test_hostile_names_are_names(modules):
    dialogs: list = []
    modules.on("dialog", lambda dialog: dialogs.append(dialog))
    for page in modules.evaluate(READ, HOSTILE):
        construction = from_json(page["json"])
        assert made(page["python"]) == construction
        assert check_round_trips(modules, [construction]) == 1
    assert modules.evaluate("Object.keys(Object.prototype).length") == 0
    assert dialogs == []


LARGE = "word CLS: x\noutput: x\nlayer\nfeed-forward\n"
TOO_LONG = [  # and what is said of it
    ("#" * 500_001, "a text of at most 500000 characters is expected, not of 500001"),
    ('"' * 499_000, 'line 1: no statement: """"'),
    ('"\\' * 249_000, 'line 1: no statement: "\\"\\'),
    ("word CLS: " + " " * 499_000, "line 1: a coordinate or a number is expected, not "),
    ("word CLS: 1" + " " * 499_000 + "x", "line 1: the output is missing"),
    ("word CLS: x" + " + x" * 120_000 + " y", "line 1: + or - between spaces is expected, not  y"),
    ("word " + " " * 499_000, "line 1: no statement: word"),
    ("word CLS: " + "9" * 499_000, "line 1: the output is missing"),
    ("word CLS: " + "1 " * 249_000, "line 1: + or - between spaces is expected, not  1 1 1"),
    ("coordinates: " + ", " * 249_000, "line 1: names with commas between them are expected"),
    ("head" + " gain 1" * 70_000, "line 1: a layer holds heads, then one feed-forward network"),
    (
        f"coordinates: {', '.join(f'a{n}' for n in range(9000))}\noutput: {'a' * 400_000}",
        "line 2: no coordinate aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: there are a0, a1",
    ),
    ("x" * 499_000 + ": <- x", "line 1: no statement: xxxxx"),
    (
        LARGE.replace("output: x\n", "")
        + "".join(f"h{unit} = ()\n" for unit in range(1, 20_001))
        + '"x" <- ()\n' * 10_000,
        "line 20004: coordinate x is written by a word and again by feed-forward 1",
    ),
    (
        LARGE
        + "".join(f"h{unit} = ()\n" for unit in range(1, 1501))
        + "".join(f'"{name}" <- ()\n' for name in range(700)),
        "line 2171: output matrices of at most 1000000 entries are expected",
    ),
]


@pytest.mark.parametrize(("text", "message"), TOO_LONG, ids=range(len(TOO_LONG)))
def test_very_long_texts_are_refused(from_rows, text, message):
    with pytest.raises(ValueError) as caught:
        from_rows(text)
    assert str(caught.value).startswith(message) and len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ["format", "formulas"])
def test_the_modules_run_no_text_and_write_no_page(name):
    source = (STATIC / f"{name}.mjs").read_text(encoding="utf-8")
    assert not re.search(r"\beval\b|\bFunction\b|innerHTML|document\b|setTimeout|__proto__", source)
