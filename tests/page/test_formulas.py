"""The page reads formulas as the library does, but for spellings that nobody types; it says of a
string what the interpreter says, and compiles to the same weights.
"""

from __future__ import annotations

import json
import random
import re
from itertools import cycle

import pytest

from lib.formulas import LIBRARY, FormulaError, compiled, formula, holds
from lib.transformer.construction import from_json, to_json
from tests import OFTEN
from tests.formulas.oracles import strings
from tests.formulas.strategies import texts
from tests.formulas.test_interpreter import LOCAL
from tests.formulas.test_syntax import BAD, BUILT, NESTED
from tests.page.engine import data, made
from tests.strategies import drawn

ATTENTIONS = ("hardmax", "softmax", "layer norm")


@pytest.fixture(scope="module")
def known() -> list[tuple[str, str]]:
    """Texts and alphabets: of the library, of its tests, and at random, half without `previous`."""
    found = [(stated.text, stated.alphabet) for stated in LIBRARY]
    found += [(text, "ab") for text in BUILT] + [(text, "01") for text in LOCAL]
    for strategy in (texts(), texts(back=False)):
        different = [*dict.fromkeys(drawn(strategy, 60 * OFTEN))]
        found += [(text, "ab") for text in different[: 25 * OFTEN]]
    return found


SPELLED_OTHERWISE = re.compile(  # what the page does not read: Python's other numbers and strings
    r"""\d_\d|0[xob]|[rRuU]["']|["']\s*["']|\\[\dabfvdx\n]|[#\\]""", re.I
)


def agreement(engine, cases: list[tuple[str, str]], longest: int = 2) -> int:
    """Compares what is said of each text and of strings; how many were refused by both."""
    refused = 0
    asked = [(text, alphabet, strings(alphabet, longest)) for text, alphabet in cases]
    for (text, alphabet, w), page in zip(asked, engine.all("formula", asked), strict=True):
        try:
            meaning = formula(text, alphabet)
        except FormulaError:
            assert page["kind"] == "FormulaError" or "\n" in text, (text, page)
            refused += 1
        else:
            if "error" in page:
                assert SPELLED_OTHERWISE.search(text), (text, page)
                continue
            assert page["text"] == str(meaning)
            assert page["holds"] == [holds(meaning, one) for one in w]
    return refused


def check_compiled(engine, cases: list[tuple]) -> int:
    """Compares weights and proofs; how many were compiled."""
    count = 0
    for case, page in zip(cases, engine.all("compile", cases), strict=True):
        try:
            book = compiled(*case)
        except FormulaError as error:
            assert page["error"] == str(error), case
            continue
        found, expected = json.loads(page["json"]), json.loads(to_json(book.construction))
        assert found == expected and [*found] == [*expected], case
        assert book.is_exact and data(made(page["python"])) == expected
        again = engine("read", page["rows"])["json"]
        assert data(from_json(again)) | {"reading": found["reading"]} == expected
        count += 1
    return count


def test_formulas_mean_and_compile_to_what_the_library_says(engine, known):
    assert len(known) > 70 and agreement(engine, known, 5) == 0
    cases = [(*one, attention) for one, attention in zip(known, cycle(ATTENTIONS))]
    refused = sum("previous" in text and kind == "layer norm" for text, _, kind in cases)
    assert check_compiled(engine, cases) > len(known) - refused - 10


def test_any_symbol_is_compiled_as_by_the_library(engine):
    cases, symbols = [], "()é𝟙'\" i\\\n\u2028#\u00ad<-,:"
    for symbol, attention in zip(symbols, ATTENTIONS * 6):
        counted = f"count(Q({symbol!r}) or mod(2, 1)) == 1 or total(Q({symbol!r})) == 2"
        cases.append((counted, symbols, "hardmax"))
        cases.append((f"3*count(Q({symbol!r})) >= position", symbols, attention))
    assert check_compiled(engine, cases) == len(cases)


SPELLED = r"""  count( Q ("a") )==1 |(count(Q("a"))) == (1)
Q("a",)|mod(2, 1,)|(count)(Q("a")) == 1|Q('a') and Q("b")|1 == min(2, 1,)
Q("\x61") or Q("\u0061") or Q("\U00000062")|Q("\d")|Q("\x6")|Q("\N{DIGIT ONE}a")
1_0 == 10|0xA == 10|00 == position|01 == position
1__0 == 1|1==1or 2==2|1==1if 1==1else 1==1|1 == 1 == 1 != 2|(1 == 1) == 1|not not not 1 == 1
- - -1 == -1*-1*-1|1 - 2 - 3 == -4 - 0*count(True)|(1 if Q("a") else 2 if Q("b") else 3) == 1
Q("a") if Q("b") else Q("a") if mod(2, 0) else True|1 if True else 2|True == 1|1 == not True
1 <2<= 3>2 >=1|True;|(True|True)|()|(True,)|Q()|Q(*'a')|max(1, 2, 3) == min(position, 4, 5)
once(never(always(Q('a') or not Q('b'))))|previous( previous(Q('a') or not previous(True,)))
and True|True and|True or or True|True not in True|Q|Q == Q|none|1.0 == 1|1e0 == 1|1j == 1
__proto__|constructor(True)|toString == 1|"""


def test_what_pythons_grammar_allows_is_allowed_and_no_more(engine):
    spelled = re.split(r"\||\n", SPELLED)
    assert 25 < agreement(engine, [(text, "ab") for text in spelled]) < len(spelled) - 20
    bad = [text for text, *_ in BAD if "\ud800" not in text]
    assert agreement(engine, [(text, "ab") for text in bad]) == len(bad)
    named = 0
    for text, _, place in BAD:
        page = engine("formula", text, "ab", [])
        if place and not page["error"].startswith("no formula"):
            assert f"at column {text.rindex(place) + 1} of" in page["error"], text
            named += 1
    assert named > 15


def test_what_is_too_large_is_refused_by_both(engine):
    nested = [
        before * times + inside + after * times
        for before, inside, after, _ in NESTED
        for times in (1, 12, 45, 55, 300, 1600)
    ]
    huge = ["1 == 1 and " * 1000 + "True", f"1 == max(position, {', '.join(['1'] * 3000)})"]
    huge.append(f"min({', '.join(map(str, range(40)))}) == position")
    refused = agreement(engine, [(text, "ab") for text in nested + huge])
    assert len(huge) + 20 < refused < len(nested)
    decided = [f'({2**k} if count(Q("a")) > {k} else 0)' for k in range(40)]  # 2^40 sums
    slow = [" + ".join(decided) + " == 3", " + ".join(decided[:8]) + " == 3", "not " * 2490]
    slow += ["1 ==" + " " * 9900 + "1", '"\\' * 4900, "(" * 9999, "-" * 9999, 'Q("a")' * 1600]
    for page in engine.all("compile", ((text, "ab", "hardmax") for text in slow)):
        assert "json" in page or page["error"]


PIECES = ["(", ")", '"', "'", "a", "Q", "and", " or ", "not ", " if ", " else ", "==", "<", "="]
PIECES += [*"+-*/,10_. ", "!=", "**", "True", "count("]


def damaged(text: str, draw: random.Random) -> str:
    """A text with a few of its words or signs left out, put in or moved."""
    words = re.findall(r"\w+|\s+|.", text)
    here, there = (draw.randrange(len(words)) for _ in range(2))
    changed = {
        "out": [*words[:here], *words[here + 1 :]],
        "in": [*words[:here], draw.choice(PIECES), *words[here:]],
        "exchanged": [words[{here: there, there: here}.get(k, k)] for k in range(len(words))],
    }
    return "".join(changed[draw.choice([*changed])])


def test_damaged_formulas_are_refused_by_both_or_read_alike(engine, known):
    draw = random.Random(0)
    cases = [(damaged(text, draw), alphabet) for text, alphabet in known * 6]
    assert len(cases) > 400 and 0.3 < agreement(engine, cases) / len(cases) < 0.9
