"""What the prover says, against strings: a proof leaves no short string on which the two part, and
a counterexample is one, with none shorter.
"""

import random
import re
from itertools import product

import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from chapters.every_length.runs import decided, long_ones, parting, strings
from chapters.every_length.statements import by_name
from lib.formulas.stated import LIBRARY
from lib.formulas.syntax import FormulaError, truth
from lib.formulas.text import formula
from lib.proofs import Counters, proved_equal, regular
from lib.proofs.machine import Formulas
from lib.verdicts import PROVED, UNKNOWN, WRONG
from tests import EVERYTHING

STATEMENTS = by_name()
OPEN = "two counters that double each other"
# Proved once a month, where their certificates are checked: that takes a minute together.
SLOW = ("Tomita 5", "Tomita 6", "1s divisible", "PARITY, marks", "two kinds of")
MONTHLY = pytest.mark.skipif(not EVERYTHING, reason="once a month")
LONGEST = {1: 12, 2: 9, 3: 6, 4: 5}  # a stored run holds them against longer ones


def short(said: dict) -> list[str]:
    """The strings on which a statement is held against both of its descriptions here."""
    return [*strings(said["over"], LONGEST[len(said["over"])])]


def marked(names: list[str]) -> list:
    return [pytest.param(n, marks=MONTHLY) if n.startswith(SLOW) else n for n in names]


@pytest.mark.parametrize("name", [n for n in STATEMENTS if n != OPEN and not n.startswith(SLOW)])
def test_each_statement_is_decided_as_strings_say(name):
    said = STATEMENTS[name]
    answer, wrong = decided(said), [*parting(said, short(said))]
    assert answer.kind == (PROVED if said["equal"] else WRONG)
    if said["equal"]:
        assert wrong == [] and [*parting(said, long_ones(said["over"]))] == []
    elif wrong:
        assert answer.counterexample in wrong and len(answer.counterexample) == len(wrong[0])
    else:
        assert len(answer.counterexample) > LONGEST[len(said["over"])]
        assert [*parting(said, [answer.counterexample])] != []


@MONTHLY
def test_counters_that_double_each_other_stay_open():
    answer = decided(STATEMENTS[OPEN])
    assert answer.kind == UNKNOWN and answer.counterexample is None
    assert [*parting(STATEMENTS[OPEN], short(STATEMENTS[OPEN]))] == []


def test_the_first_string_that_shows_a_bound_is_found_beyond_any_list():
    assert decided(STATEMENTS["D12 is D11"]).counterexample == "(" * 12 + ")" * 12
    assert decided(STATEMENTS["17 a and 19 b never meet"]).counterexample == "a" * 17 + "b" * 19


FINITE = (  # each with a count that meets a number and another count
    '2 * count(Q("a")) > position and position <= 4',
    '2 * count(Q("a")) == position and position == 6',
    "count(Q('a')) == count(Q('b')) and never(Q('a') and once(Q('b'))) and count(Q('a')) <= 2",
)


@pytest.mark.parametrize("text", FINITE)
def test_a_count_that_meets_a_number_and_a_count_is_no_obstacle(text):
    words = "|".join(w or "()" for w in strings("ab", 6) if truth(formula(text, "ab"), w)[-1])
    assert proved_equal(text, regular(words, "ab"), "ab").kind == PROVED
    fewer = words.rpartition("|")[0]
    assert proved_equal(text, regular(fewer, "ab"), "ab").kind == WRONG


def test_a_search_over_many_rooms_is_checked_in_seconds():
    """What the numbers of a room settle is computed, and no solver is asked."""
    length = 4 if EVERYTHING else 3
    halves = [*map("".join, product("abc", repeat=length))]
    back = "previous(" * length + "Q({0!r})" + ")" * length
    agree = " + ".join(f"count(Q({a!r}) and {back.format(a)})" for a in "abc")
    found = proved_equal(
        f"2*({agree}) == position and position == {2 * length}",
        regular("|".join(w + w for w in halves), "abc"),
        "abc",
        seconds=60,
    )
    assert found.kind == PROVED and len(found.rooms) > 4**length


MIDDLE = 'Q("1") and 2*position == {} + 1'


@pytest.mark.parametrize(
    "length", ['total(Q("0") or Q("1"))', pytest.param("total(position >= 1)", marks=MONTHLY)]
)
def test_totals_that_determine_each_other_are_guessed_once(length):
    """The middle symbol is a 1: the length is guessed by one total, or is the sum of two."""
    both = MIDDLE.format('total(Q("0")) + total(Q("1"))')
    one = f"total({MIDDLE.format(length)}) == 1"
    assert proved_equal(one, f"once({both})", "01", seconds=60).kind == PROVED
    wrong = proved_equal(one, f"once({both.replace('+ 1', '+ 2')})", "01", seconds=60)
    assert (wrong.kind, wrong.counterexample) == (WRONG, "1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("never(total(not Q('a')) < count(not Q('a')))", "never(total(Q('b')) < count(Q('b')))"),
        ("once(total(True) == count(True) and total(Q('a')) >= 1)", "once(Q('a'))"),
    ],
)
def test_a_total_is_split_beside_a_count_of_the_same(one, other):
    assert proved_equal(one, other, "ab", seconds=60).kind == PROVED


@pytest.mark.parametrize(
    ("meant", "alphabet", "capped"),
    [
        *((stated.formula, stated.alphabet, False) for stated in LIBRARY),
        *((formula(text, "ab"), ("a", "b"), True) for text in FINITE),
    ],
    ids=str,
)
def test_a_machine_reads_a_formula_as_the_interpreter_does(meant, alphabet, capped):
    machine = Formulas([meant], alphabet, capped=capped)
    for w in [*strings("".join(alphabet), 6)][1:]:
        answers = set()
        for guess in product(range(7), repeat=len(machine.guesses)):
            zeros = (0,) * (len(machine.registers) - len(guess))
            for control in machine.starts():
                registers = (*guess, *zeros)
                if not all(bound.holds(registers) for bound in machine.known(control)):
                    continue
                places = machine.congruences.items()
                if any(registers[k] % machine.period != control[p] for k, p in places):
                    continue
                answers.add(followed(machine, control, registers, w))
        assert answers - {None} == {truth(meant, w)[-1]}


def followed(machine: Formulas, control: tuple, registers: tuple, w: str) -> bool | None:
    """What a machine answers after a string, None where a guess was wrong."""
    answer = None
    for symbol in w:
        move = machine.step(control, registers, symbol)
        is_right = move.matches is not None and all(b.holds(registers) for b in move.matches)
        control, answer = move.control, move.accepts[0] if is_right else None
        registers = tuple(x + d for x, d in zip(registers, move.added, strict=True))
    return answer


TIMES = "* + ? * + ? {1} {2} {0,1} {,2} {1,2} {2,3} {0,} {1,} {2,}".split()


def expression(draw: random.Random, depth: int) -> str:
    """A random expression over a and b."""
    kind = draw.randrange(5) if depth else 0
    if kind == 0:
        return draw.choice(["a", "b", ".", "[ab]", "[^a]", "()"])
    if kind < 3:
        left, right = expression(draw, depth - 1), expression(draw, depth - 1)
        return f"({left}|{right})" if kind == 1 else left + right
    return f"({expression(draw, depth - 1)}){draw.choice(TIMES)}"


def test_an_expression_means_what_it_means_in_python():
    draw = random.Random(0)
    drawn = [expression(draw, depth) for depth in (2, 3, 4) for _ in range(200)]
    for text in ["a{0,1}", "a{,2}", "a{0,}", "()b", *drawn[:: 1 if EVERYTHING else 3]]:
        accepts, meant = regular(text, "ab").accepts_input, re.compile(text).fullmatch
        assert [w for w in strings("ab", 6) if accepts(w) != bool(meant(w))] == [], text


@pytest.mark.parametrize("text", ["a{1000000}", "a{,1000000000}", "((a|b){999}){99}"])
def test_braces_that_repeat_too_much_are_refused_at_once(text, monkeypatch):
    """Of a million the first six digits were read, and automata-lib took minutes."""
    monkeypatch.setattr(NFA, "from_regex", None)
    with pytest.raises(FormulaError, match="its braces repeat too much"):
        regular(text, "ab")


def test_an_expression_that_is_nearly_too_large_is_read():
    assert len(regular("(a|b)*a(a|b){9}", "ab").states) == 2**10
    assert len(regular("a{0,900}", "ab").states) == 902
    assert len(regular("(a*b*){0,300}", "ab").states) == 601  # parts that may be empty
    assert len(regular("({|})*", "{}").states) == 1  # where { is a symbol


@pytest.mark.parametrize("text", ["a+?", "ab*?", "a{1,2}?", "a??", "a++", "(a|b)*+", r"(a|1)\1"])
def test_what_python_reads_otherwise_is_refused(text):
    """For Python a+? is a+, and a\\1 asks for a bracket once more."""
    with pytest.raises(FormulaError, match="brackets part|a digit has no"):
        regular(text, "ab1")
    assert regular(r"(a+)?b?(c\+)?", "abc+").accepts_input("c+")


def test_the_seconds_bound_a_large_automaton_too():
    n = 60_000
    moves = {q: {"a": (q + 1) % n, "b": q} for q in range(n)}
    symbols = {"a", "b"}
    dfa = DFA(
        states=set(moves),
        input_symbols=symbols,
        transitions=moves,
        initial_state=0,
        final_states={0},
    )
    found = proved_equal("count(Q('a')) == 0", dfa, "ab", seconds=1e-3)
    assert found.kind == UNKNOWN and "the seconds are over" in found.how


@pytest.mark.parametrize(
    ("text", "alphabet", "said"),
    [
        ("(())*", "()", "written \\("),
        ("a.b", "ab.", "written \\."),
        ("0^1", "01", "power"),
        ("(0+1){2}", "01", "+ may be meant as or"),
        ("[\\0ab]", "0ab\\", "a digit has no \\"),
        ("a|b&c", "abc", "brackets part | and &, as in a|(b&c), at column 4"),
        ("a{3,2}", "a", "no number of times"),
        ("(a{97})*&(a{89})*&(a{83})*", "a", "multiply states, here to 716,539 of 20,000"),
    ],
)
def test_a_sign_that_is_a_symbol_too_is_asked_about(text, alphabet, said):
    """`(())*` is the empty string alone, where brackets group, and 0^1 is 01 or 10, shuffled."""
    with pytest.raises(FormulaError, match=re.escape(said)):
        regular(text, alphabet)


def test_a_next_state_that_no_move_leaves_is_refused():
    moves = {("s", "a"): ("t", {"x": 1}), ("t", "b"): ("S", {"x": -1})}
    with pytest.raises(ValueError, match="a next state, from which moves lead or which is final"):
        Counters(moves, start="s", finals=["s"], alphabet="ab")
    assert Counters(moves, start="s", finals=["S"], alphabet="ab").accepts("ab")
    with pytest.raises(ValueError, match="the start, from which moves lead"):
        Counters(moves, start="S", finals=["S"], alphabet="ab")
