"""The page's own search, a formula against a regular expression at every length: held against the
library's prover on its statements, against short strings on random formulas, and against bad input.
"""

from __future__ import annotations

import random
from itertools import product

from playwright.sync_api import expect

from lib.formulas import formula
from lib.formulas.syntax import truth
from lib.proofs import proved_equal, regular
from lib.proofs.answer import PROVED, REFUTED
from lib.proofs.equal import STATES
from record.experiments.every_length import statements
from tests.book.test_page_format import drawn
from tests.formulas.strategies import texts
from tests.proofs.test_equal import mutants

DECIDE = """async cases => {
  const { against } = await import("./against.mjs");
  return cases.map(([text, other, alphabet, most]) => {
    try {
      const { pairs, ...found } = against(text, other, alphabet, { most });
      const parts = pairs.map(({ string, formula, expression, next }) =>
        ({ string, formula, expression, next }));
      return { ...found, pairs: parts };
    } catch (error) {
      return { error: error.message, name: error.name, place: error.place ?? error.column };
    }
  });
}"""
OPEN = {"two counters that double each other", "PARITY, marks and halves"}
KINDS = {"proved": PROVED, "wrong": REFUTED}
EXPRESSIONS = ("(a|b)*", "(ab)*", "a*b*", "(a|b)*a", ".*b.", "(b*ab*a)*b*", "(..)*", "a{1,3}.{,2}")


def strings(alphabet: str, longest: int) -> list[str]:
    return ["".join(w) for n in range(longest + 1) for w in product(alphabet, repeat=n)]


def holds(text: str, alphabet: str):
    read = formula(text, alphabet)
    return lambda w: truth(read, w)[-1]


def check(found: dict, alphabet: str, says, other, longest: int = 8) -> None:
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


SAID = [s for s in statements() if "regular" in s and "total" not in s["formula"]]


def test_it_says_what_the_library_proves(modules):
    assert len(SAID) >= 30
    cases = [[s["formula"], s["regular"], s["over"], STATES] for s in SAID]
    for said, found in zip(SAID, modules.evaluate(DECIDE, cases), strict=True):
        dfa = regular(said["regular"], said["over"])
        answer = proved_equal(said["formula"], dfa, said["over"])
        assert KINDS[found["kind"]] == answer.kind
        assert len(found["counterexample"] or "") == len(answer.counterexample or "")
        says = holds(said["formula"], said["over"])
        check(found, said["over"], says, dfa.accepts_input, longest=7)


def test_it_holds_formulas_against_formulas(modules):
    of = [s for s in statements() if "says" in s and not s["implies"]]
    cases = [[s["formula"], s["says"], s["over"], 500] for s in of]
    left = set()
    for said, found in zip(of, modules.evaluate(DECIDE, cases), strict=True):
        assert found["kind"] == "unknown" or (found["kind"] == "proved") == said["equal"]
        left |= {said["name"]} if found["kind"] == "unknown" else set()
        w = found["counterexample"]
        if w is not None:
            answers = [holds(said[what], said["over"])(w) for what in ("formula", "says")]
            assert answers == found["accepts"] and answers[0] != answers[1]
    assert left == OPEN


MERGE = """async texts => {
  const { Machine, merging } = await import("./against.mjs");
  const { holds, parseFormula } = await import("./formulas.mjs");
  const level = n => n ? level(n - 1).flatMap(w => [`${w}a`, `${w}b`]) : [""];
  const strings = n => [...Array(n + 1).keys()].flatMap(level);
  return texts.map(text => {
    const tree = parseFormula(text, "ab");
    const machine = new Machine([tree], ["a", "b"]);
    const name = merging(machine);
    const answers = new Map(strings(9).map(w => [w, holds(tree, w)]));
    const future = w => strings(4).map(u => Number(answers.get(w + u))).join("");
    const known = new Map();
    for (const w of strings(5)) {
      const state = [...w].reduce((state, symbol) => machine.step(state, symbol), machine.start);
      const named = name(state).name;
      if ((state.says === "1") !== answers.get(w)) return `${text} on ${w}`;
      if (!known.has(named)) known.set(named, future(w));
      if (known.get(named) !== future(w)) return `${text}: ${w} is not ${named}`;
    }
    return known.size;
  });
}"""


def some_formulas(number: int) -> list[str]:
    found = dict.fromkeys(drawn(texts(), 3 * number))
    return [text for text in found if "total" not in text][:number]


def test_strings_that_are_merged_have_one_future(modules):
    found = modules.evaluate(MERGE, some_formulas(100) + RACING)
    assert [one for one in found if isinstance(one, str)] == []
    assert sum(1 < size < 63 for size in found) > 35


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


def test_random_formulas_are_never_judged_wrongly(modules):
    draw = random.Random(3)
    cases = [[text, draw.choice(EXPRESSIONS), "ab", 400] for text in some_formulas(60)]
    kinds = {"proved": 0, "wrong": 0, "unknown": 0}
    for case, found in zip(cases, modules.evaluate(DECIDE, cases), strict=True):
        check(found, "ab", holds(case[0], "ab"), regular(case[1], "ab").accepts_input)
        kinds[found["kind"]] += 1
    assert sum(kinds.values()) == 60 and kinds["wrong"] > 40, kinds


def test_mutants_are_never_judged_wrongly(modules):
    draw = random.Random(7)
    cases = []
    for said in SAID * 2:
        mutant = str(mutants(formula(said["formula"], said["over"]), draw))
        cases.append([mutant, said["regular"], said["over"], 400])
    kinds = {"proved": 0, "wrong": 0, "unknown": 0}
    for case, found in zip(cases, modules.evaluate(DECIDE, cases), strict=True):
        text, expression, over, _ = case
        check(found, over, holds(text, over), regular(expression, over).accepts_input, longest=6)
        kinds[found["kind"]] += 1
    assert kinds["wrong"] > 40, kinds


def test_expressions_are_read_as_automata_lib_does(modules):
    pieces = ["a", "b", ".", "a*", "b+", "(ab)?", "(a|b)", "(a|bb)*", "a{1,2}", "(ab|b){2,}", "()"]
    draw = random.Random(5)
    expressions = ["".join(draw.choices(pieces, k=draw.randint(1, 4))) for _ in range(60)]
    expressions += [f"{one}|({other})*" for one, other in zip(expressions, expressions[1:])]
    source = """async expressions => {
      const { automaton } = await import("./regular.mjs");
      return expressions.map(one => automaton(one, ["a", "b"]));
    }"""
    for text, found in zip(expressions, modules.evaluate(source, expressions), strict=True):
        dfa = regular(text, "ab")
        assert len(found["rows"]) == len(dfa.states)
        for w in strings("ab", 6):
            q = found["start"]
            for symbol in w:
                q = found["rows"][q]["next"]["ab".index(symbol)]
            assert found["rows"][q]["accepts"] == dfa.accepts_input(w), (text, w)


BAD = [  # an expression over 0 and 1, what is said of it, and the place
    ("0*(1", "this bracket is never closed", 3),
    ("0)1", "this bracket was never opened", 2),
    ("*0", "nothing stands before *", 1),
    ("0|+", "nothing stands before +", 3),
    ("0||1", "nothing stands beside |", 3),
    ("0|", "nothing stands beside |", 3),
    ("(|0)", "nothing stands beside |", 2),
    ("0 2", "2 is neither a symbol (0, 1) nor one of", 3),
    ("0\U0001d53d", "\U0001d53d is neither a symbol", 2),
    ("0{3,2}", "{2,3} is expected", 2),
    ("0{}", "{2,3} is expected", 2),
    ("0{,}", "{2,3} is expected", 2),
    ("0" * 301, "an expression of at most 300 signs is expected", 301),
    ("(0|1)*1(0|1){14}", "more than 3000 states are needed", 1),
]


def test_what_is_no_expression_is_one_error_with_its_place(modules):
    found = modules.evaluate(DECIDE, [['Q("1")', text, "01"] for text, _, _ in BAD])
    for (text, message, place), said in zip(BAD, found, strict=True):
        assert said["name"] == "ExpressionError" and said["place"] == place, (text, said)
        assert said["error"].startswith(message) and said["error"].endswith(f"at place {place}")


def test_what_is_no_formula_is_one_error_and_totals_are_only_tried(modules):
    formulas = ["count(", 'Q("2")', "count(1) == 2", "mod(2000000000, 1)"]
    for text, said in zip(
        formulas, modules.evaluate(DECIDE, [[text, "0*", "01"] for text in formulas]), strict=True
    ):
        assert said["name"] == "FormulaError", (text, said)
    marks = 'total(mod(2, {}) and position == total(Q("1"))) == 1'
    asked = [[marks.format(r), "0*(10*10*)*10*", "01"] for r in (1, 0)]
    open_, wrong = modules.evaluate(DECIDE, asked)
    assert (open_["kind"], open_["length"], open_["pairs"]) == ("unknown", 11, [])
    assert "total" in open_["reason"]
    assert (wrong["kind"], wrong["counterexample"], wrong["accepts"]) == (
        "wrong",
        "1",
        [False, True],
    )


def test_large_formulas_end_soon(modules):
    many = " or ".join(
        f'mod({p}, 1) and count(Q("0")) == {p}*count(Q("1"))' for p in (7, 11, 13, 17)
    )
    deep = 'count(Q("1"))'
    for _ in range(7):
        deep = f"max({deep}, min(3*{deep}, position))" if len(deep) < 900 else f"max({deep}, 3)"
    cases = [
        [many, "0*", "01"],
        [f"{deep} >= 2", "0*", "01"],
        ['count(Q("1")) <= 900000', "0*", "01"],
    ]
    found = [one.get("kind", one.get("name")) for one in modules.evaluate(DECIDE, cases)]
    assert found == ["wrong", "FormulaError", "wrong"]


def test_the_widget_answers_in_place_and_mends_slips(modules):
    modules.evaluate("""async () => {
      const { widget } = await import("./agreement.mjs");
      document.body.replaceChildren(...widget());
    }""")
    first, second = modules.get_by_label("formula"), modules.get_by_label("regular expression")
    said = modules.locator("p[role=status]").last
    rows = modules.locator("tbody tr")
    assert "lead to one of 4 pairs" in said.inner_text() and rows.count() == 4
    assert rows.nth(2).inner_text().split("\t") == [
        "3",
        "11",
        'count(Q("1")) = 2',
        "C",
        "both",
        "3",
        "4",
    ]
    menu = modules.get_by_label("example")
    for name, start, number in (
        ("exactly two 1s, with a slip", "Wrong: 110 is the shortest string", 4),
        ("(ab)*", "Proved for every length: all strings over a, b lead to one of 3 pairs", 3),
        ("every 0 directly followed by a 1", "Proved for every length", 3),
        ("at most fifteen 1s, with a slip", "Wrong: 111111111111111 (15 symbols)", 8),
        ("pairs without end", "Not decided: all strings to length 2,000 agree", 8),
    ):
        menu.select_option(name)
        assert said.inner_text().startswith(start) and rows.count() == number
    assert modules.locator(".pairs p").inner_text() == "and 3,993 more"
    first.fill("count(1) = 2")
    second.fill("(0*1){2}0*)")
    expect(menu).to_have_value("")
    expect(modules.locator(".amiss").last).to_contain_text("never opened, at place 11")
    assert first.get_attribute("aria-invalid") == "true" and rows.count() == 0
    modules.get_by_role("button", name='write count(Q("1")) == 2').press("Enter")
    assert (
        first.input_value() == 'count(Q("1")) == 2'
        and modules.locator(".amiss").first.inner_text() == ""
    )
    second.fill("(0*1){2}0*")
    expect(said).to_contain_text("lead to one of 4 pairs")
    heads = modules.locator("thead th")
    assert "finger" in heads.all_inner_texts()
    second.fill('total(Q("1")) == 2')
    expect(said).to_contain_text("lead to one pair")
    assert "finger" not in heads.all_inner_texts()
    second.fill('Q("1")')
    expect(said).to_have_text(
        "Wrong: 1 is the shortest string on which they part: "
        "the other formula accepts it, the formula does not."
    )
    first.fill('Q("a")')
    second.fill("^(a|b)*a$")
    modules.get_by_role("button", name="write (a|b)*a").click()
    expect(said).to_contain_text("all strings over a, b lead to one of 2 pairs")
    first.fill("<img src=x onerror=window.hurt=1>")
    expect(modules.locator(".amiss").first).not_to_be_empty()
    assert modules.locator("img").count() == 0
