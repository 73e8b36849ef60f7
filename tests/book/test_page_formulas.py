"""The page reads formulas as the library does, says of a string what the interpreter says, and
compiles to the same weights.
"""

from __future__ import annotations

import json
import random
import re

import pytest

from lib.formulas import LIBRARY, FormulaError, compiled, depth, formula, holds
from lib.transformer.construction import to_json
from tests.book.as_rows import data as data_of
from tests.book.as_rows import made, read
from tests.book.test_page_format import drawn
from tests.formulas.oracles import strings
from tests.formulas.strategies import texts
from tests.formulas.test_interpreter import LOCAL
from tests.formulas.test_syntax import BAD, BUILT, NESTED

ATTENTIONS = ("hardmax", "softmax", "layer norm")
SAY = """async cases => {
  const { FormulaError, depth, holds, parseFormula } = await import("./formulas.mjs");
  return cases.map(({ text, alphabet, strings }) => {
    try {
      const tree = parseFormula(text, alphabet);
      return { text: tree.text, depth: depth(tree), holds: strings.map(w => holds(tree, w)) };
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      return { error: error.message, column: error.column };
    }
  });
}"""
COMPILE = """async cases => {
  const { FormulaError, compiled } = await import("./formulas.mjs");
  const { toRows } = await import("./format.mjs");
  const { toPython } = await import("./python.mjs");
  return cases.map(({ text, alphabet, attention, given }) => {
    try {
      const { json, isExact } = compiled(text, alphabet, attention, given);
      const data = JSON.stringify(json);
      return { data, isExact, rows: toRows(json), python: toPython(json) };
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      return { error: error.message };
    }
  });
}"""


@pytest.fixture(scope="module")
def known() -> list[tuple[str, str]]:
    """Texts and alphabets: of the library, of the tests, and at random, half of those without
    `previous`.
    """
    found = [(stated.text, stated.alphabet) for stated in LIBRARY]
    found += [(text, "ab") for text in BUILT] + [(text, "01") for text in LOCAL]
    for strategy in (texts(), texts(back=False)):
        found += [(text, "ab") for text in [*dict.fromkeys(drawn(strategy, 200))][:100]]
    return found


def said(modules, cases: list[tuple[str, str]], longest: int = 5) -> list[dict]:
    """What the page says of each text over its alphabet, and of strings."""
    return modules.evaluate(
        SAY,
        [
            {"text": text, "alphabet": list(alphabet), "strings": strings(alphabet, longest)}
            for text, alphabet in cases
        ],
    )


def test_formulas_are_printed_and_mean_what_the_library_says(modules, known):
    assert len(known) > 220
    for (text, alphabet), page in zip(known, said(modules, known), strict=True):
        meaning = formula(text, alphabet)
        assert page["text"] == str(meaning) and page["depth"] == depth(meaning)
        assert page["holds"] == [holds(meaning, w) for w in strings(alphabet, 5)]


def check_compiled(modules, cases: list[dict]) -> int:
    """Compares weights, options and proofs; how many were compiled."""
    count = 0
    for case, page in zip(cases, modules.evaluate(COMPILE, cases), strict=True):
        try:
            book = compiled(case["text"], case["alphabet"], case["attention"], **case["given"])
        except FormulaError:
            assert page.get("error"), case
            continue
        data, expected = json.loads(page["data"]), json.loads(to_json(book.construction))
        assert data == expected and [*data] == [*expected], case
        assert page["isExact"] == book.is_exact
        assert made(page["python"]) == book.construction
        assert data_of(read(modules, page["rows"])) | {"reading": data["reading"]} == expected
        count += 1
    return count


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_formulas_are_compiled_to_the_librarys_weights(modules, known, attention):
    cases = [
        {"text": text, "alphabet": alphabet, "attention": attention, "given": {}}
        for text, alphabet in known
    ]
    backward = sum("previous" in text for text, _ in known)
    assert 50 < backward < len(known) - 120
    refused = backward if attention == "layer norm" else 0
    assert check_compiled(modules, cases) > len(known) - refused - 10


def test_bases_slopes_and_alphabets_are_the_librarys(modules):
    dyck = 'count(Q("1")) == count(Q("0")) and never(count(Q("0")) > count(Q("1")))'
    cases = [
        {"text": dyck, "alphabet": alphabet, "attention": "softmax", "given": given}
        for alphabet in ("10", "a10", "01")
        for given in (
            {"base": 9},
            {"base": 8},
            {"base": 1.5, "slope": 2.5},
            {"base": 4, "slope": 3},
            {"base": 3, "slope": 1},
        )
    ]
    cases += [
        {"text": text, "alphabet": "01", "attention": "softmax", "given": given}
        for text in ('once(previous(Q("1")))', 'Q("1")', '(1 if previous(Q("1")) else 2) == 1')
        for given in (
            {"base": 9},
            {"base": 3, "slope": 5},
            {"base": 2.5, "slope": 5},
            {"base": 2.25, "slope": 5},
            {"base": 2.125, "slope": 100},
            {"base": 2, "slope": 100},
        )
    ]
    symbols = "()é𝟙'\" i\\\n\u2028#\u00ad<-,:"
    cases += [
        {
            "text": f"count(Q({symbol!r}) or mod(2, 1)) == 1 or total(Q({symbol!r})) == 2",
            "alphabet": symbols,
            "attention": "hardmax",
            "given": {},
        }
        for symbol in symbols
    ]
    cases += [
        {"text": f"3*count(Q({s!r})) >= position", "alphabet": symbols, "attention": a, "given": {}}
        for s, a in zip(symbols, ATTENTIONS * 6)
    ]
    assert check_compiled(modules, cases) == len(cases)


def test_the_page_says_why_it_finds_no_previous_position(modules):
    case = {"text": 'previous(Q("a"))', "alphabet": "ab", "attention": "layer norm", "given": {}}
    (page,) = modules.evaluate(COMPILE, [case])
    with pytest.raises(FormulaError) as caught:
        compiled(case["text"], "ab", "layer norm")
    assert page["error"] == str(caught.value)


WRONG = [
    ("softmax", {"base": 1}),
    ("softmax", {"base": "x"}),
    ("hardmax", {"slope": 0}),
    ("hardmax", {"slope": -1}),
    ("toString", {}),
    ("none", {}),
]


def test_other_options_are_refused(modules):
    cases = [
        {"text": "True", "alphabet": "a", "attention": a, "given": given} for a, given in WRONG
    ]
    assert all(page.get("error") for page in modules.evaluate(COMPILE, cases))
    for a, given in WRONG:
        with pytest.raises((ValueError, TypeError)):
            compiled("True", "a", a, **given)


def agreement(modules, cases: list[tuple[str, str]]) -> int:
    """Compares what is said of each text; how many were refused by both."""
    refused = 0
    for (text, alphabet), page in zip(cases, said(modules, cases, 2), strict=True):
        try:
            meaning = formula(text, alphabet)
        except FormulaError as error:
            assert page.get("error"), (text, page, str(error))
            refused += 1
        else:
            assert page.get("text") == str(meaning), (text, page)
            assert page["holds"] == [holds(meaning, w) for w in strings(alphabet, 2)]
    return refused


def test_what_is_no_formula_is_refused_with_its_place(modules):
    cases = [(text, "ab") for text, *_ in BAD if "\ud800" not in text]
    assert agreement(modules, cases) == len(cases)
    named = 0
    for text, _, place in BAD:
        (page,) = said(modules, [(text, "ab")], 0)
        if place and not page["error"].startswith("no formula"):
            assert page["column"] == text.rindex(place) + 1, text
            named += 1
    assert named > 15


def test_a_text_nested_too_deep_is_refused(modules):
    nested = [
        (before * times + inside + after * times, "ab")
        for before, inside, after, _ in NESTED
        for times in (1, 3, 12, 30, 45, 55, 100, 300, 1600)
    ]
    huge = [
        "1 == 1 and " * 1000 + "True",
        "9" * 5000 + " == position",
        "0x" + "9" * 5000 + " == position",
        f"{'9' * 3000} * {'9' * 3000} == position",
        f"min({', '.join(map(str, range(40)))}) == position",
        f"1 == max(position, {', '.join(['1'] * 3000)})",
    ]
    refused = agreement(modules, nested + [(text, "ab") for text in huge])
    assert len(huge) + 30 < refused < len(nested)


SPELLED = [  # what Python's grammar allows
    '  count( Q ("a") )==1 ',
    '(count(Q("a"))) == (1)  # once',
    '\n(count(Q("a"))\n    == 1)',
    "count(Q('a')) == 0x1",
    '# a remark\nQ("a")',
    'Q("a")\n# a remark\n   # and another',
    'Q("a") and \\\n Q("b")',
    'Q("a")\nand Q("b")',
    'Q("a",)',
    "mod(2, 1,)",
    '(count)(Q("a")) == 1',
    "Q(u'a') and Q(r\"b\") and Q('a' \"\")",
    'Q("""a""")',
    "Q('''\\x61''' \"\")",
    'Q("""a"")',
    'Q("""a")',
    'Q("""a"""")',
    'Q("\\x61") or Q("\\142") or Q("\\u0061") or Q("\\U00000062")',
    'Q("\\d")',
    'Q("\\x6")',
    'Q("\\N{DIGIT ONE}a")',
    "1_0 == 0o12 == 0b1_010 == 0XA",
    "00 == position",
    "01 == position",
    "1__0 == 1",
    "1==1or 2==2",
    "1==1if 1==1else 1==1",
    "1 == 1 == 1 != 2",
    "(1 == 1) == 1",
    "not not not 1 == 1",
    "- - -1 == -1*-1*-1",
    "1 - 2 - 3 == -4 - 0*count(True)",
    'Q("a") if Q("b") else Q("a") if mod(2, 0) else True',
    '(1 if Q("a") else 2 if Q("b") else 3) == 1',
    "1 if True else 2",
    "True == 1",
    "1 == not True",
    "1 <2<= 3>2 >=1",
    "position\t==\x0c1",
    "position\u00a0== 1",
    "\ufeffTrue",
    "\x1cTrue\x1f",
    "True;",
    "(True",
    "True)",
    "()",
    "(True,)",
    "Q()",
    "Q(*'a')",
    "max(1, 2, 3) == min(position, 4, 5)",
    "once(never(always(Q('a') or not Q('b'))))",
    "previous( previous(Q('a') or not previous(True,)))",
    "and True",
    "True and",
    "True or or True",
    "True not in True",
    "Q",
    "Q == Q",
    "none",
    "1.0 == 1",
    "1e0 == 1",
    "1j == 1",
    "0_0 == 0_0",
    "__proto__",
    "constructor(True)",
    "toString == 1",
]


def test_what_pythons_grammar_allows_is_allowed(modules):
    refused = agreement(modules, [(text, "ab") for text in SPELLED])
    assert 25 < refused < len(SPELLED) - 20


PIECES = [
    "(",
    ")",
    '"',
    "'",
    "a",
    "Q",
    "and",
    " or ",
    "not ",
    " if ",
    " else ",
    "==",
    "<",
    "=",
    "!=",
]
PIECES += [
    "+",
    "-",
    "*",
    "**",
    "/",
    ",",
    "1",
    "0",
    "_",
    ".",
    "#",
    "\n",
    "\\",
    " ",
    "True",
    "count(",
]


def damaged(text: str, draw: random.Random) -> str:
    """A text with a few of its words or signs left out, put in or moved."""
    words = re.findall(r"\w+|\s+|.", text)
    here, there = (draw.randrange(len(words)) for _ in range(2))
    changed = {
        "out": [*words[:here], *words[here + 1 :]],
        "in": [*words[:here], draw.choice(PIECES), *words[here:]],
        "other": [*words[:here], draw.choice(words), *words[here + 1 :]],
        "twice": [*words[:here], words[here], *words[here:]],
        "one word": [*words[:here], words[here][1:], *words[here + 1 :]],
        "exchanged": [words[{here: there, there: here}.get(k, k)] for k in range(len(words))],
    }
    return "".join(changed[draw.choice([*changed])])


def test_damaged_formulas_are_refused_by_both_or_read_alike(modules, known):
    draw = random.Random(0)
    cases = [(damaged(text, draw), alphabet) for text, alphabet in known * 6]
    refused = agreement(modules, cases)
    assert 300 < refused < len(cases) - 100


@pytest.mark.parametrize("alphabet", ["", "aa", ["a", "bc"]])
def test_an_alphabet_is_different_single_characters(modules, alphabet):
    case = {"text": "True", "alphabet": alphabet, "strings": []}
    (page,) = modules.evaluate(SAY, [case])
    assert page["error"]
    with pytest.raises(ValueError):
        formula("True", alphabet)


DECIDED = [f'({2**k} if count(Q("a")) > {k} else 0)' for k in range(40)]  # 2^40 sums
HOSTILE = [
    f"{' + '.join(DECIDED)} == 3",
    f"{' + '.join(DECIDED[:8])} == 3",
    " or ".join(f'count(Q("a")) == {k}' for k in range(300)),
    "1 ==" + " " * 9900 + "1",
    "1 ==" + "\\\n" * 4900 + "1",
    '"\\' * 4900,
    "(" * 9999,
    "-" * 9999,
    "not " * 2490,
    'Q("a")' * 1600,
    "position == " + "9" * 4290,
    "<script>alert(1)</script>",
    'Q("a").constructor.constructor("alert(1)")()',
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_compiled_or_refused(modules, text):
    for attention in ATTENTIONS:
        case = {"text": text, "alphabet": "ab", "attention": attention, "given": {}}
        (page,) = modules.evaluate(COMPILE, [case])
        assert "data" in page or page["error"]
    assert modules.evaluate("Object.keys(Object.prototype).length") == 0
