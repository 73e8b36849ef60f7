"""C-RASP programs say what their interpreter says, and what it reads otherwise than it looks is
refused.
"""

import re

import pytest

from chapters.common.crasp import program
from lib.formulas import FormulaError, holds
from lib.formulas.stated import DYCK_1
from tests.formulas.oracles import strings

PREDICATES = "#import pred\n#import pred4\n#import pos_even\n"
PROGRAMS = [  # lines, an alphabet, and which strings are meant
    ('opened = #"("\nclosed = #")"\nbad = opened < closed\nL = (#bad == 0) && (opened == closed)',
     "()", lambda w: holds(DYCK_1.formula, w)),
    ('L = (#(!"a") == 0) && (!pos_even)', "ab", lambda w: re.fullmatch("(aa)*", w)),
    ('seen = "b" && (#[pred] "a" >= 1) // at this symbol\n\nL = #seen >= 1', "ab",
     lambda w: "ab" in w),
    ('same = "a" && (#[pred4] "a" == 1)\nL = 2*#same == #true', "ab",
     lambda w: 2 * sum(w[i - 4 : i - 3] == w[i] == "a" for i in range(4, len(w))) == len(w)),
    ('first = #true == 1\nL = #(first && "b") - min(1, 0) > (1 if "a" else 0)', "ab",
     lambda w: w[:1] == "b" and w[-1] == "b"),
]  # fmt: skip


@pytest.mark.parametrize("lines, alphabet, meant", PROGRAMS)
def test_a_program_says_what_its_interpreter_says(lines, alphabet, meant):
    read = program(PREDICATES + lines, alphabet)
    wrong = [w for w in strings(alphabet, 9)[1:] if holds(read, w) != bool(meant(w))]
    assert wrong == []


UNCLEAR = "brackets are needed"
BAD = [  # an expression of the third line, what is said of it, and what stands at its column
    ('!"a" && V', UNCLEAR, ' !"a" &&'),
    ('C == #"a" && V', UNCLEAR, " C =="),
    ("V && C == 1", UNCLEAR, " V &&"),
    ("(1 if V else 2 if V else 3) == C", UNCLEAR, " (1"),
    ("V && unknown", "unknown name 'unknown'", "unknown"),
    ("#C == 1", "a formula is expected, not C", "C =="),
    ("V == 1", "a count or a number is expected, not V", "V =="),
    ("C * 2 == 1", "a number alone stands before [*]", "C *"),
    ('V && "c"', "unknown symbol 'c' [(]the alphabet is a, b", '"c"'),
    ("V & V", "'&' has no place in C-RASP", "& V"),
    ('#[pred] "a" == 1', "pred is not imported", "#[pred]"),
    ('#[mine] "a" == 1', r"'\[' has no place in C-RASP", "[mine]"),
    ("#[Q_a] == 1", """'\\[' has no place .*; #"a" counts, and so do #.pred""", "[Q_a]"),
]


@pytest.mark.parametrize("said, message, place", BAD)
def test_what_is_no_program_is_refused_with_line_and_column(said, message, place):
    line = f"L = {said}"
    with pytest.raises(FormulaError, match=message) as caught:
        program(f'C = #"a"\nV = "b"\n{line}', "ab")
    assert f"line 3, column {line.rindex(place) + 1} of {line!r}" in str(caught.value)


WRONG = [
    ('A = "a"\nA = "b"', "a new name is expected, .*, at line 2, column 1 of"),
    ('"a"', "a new name is expected, and what it says, at column 1"),
    ("#import mine", "of predicates pos_even, pred, pred4 are known, at column 1"),
    ('C = #"a"', "the last line must say a formula, not count"),
    ("X0 = true" + "".join(f"\nX{i + 1} = X{i} && X{i}" for i in range(40)), "too long when"),
    ("X0 = true" + "".join(f"\nX{i + 1} = #X{i} == 1" for i in range(60)), "nested too deep"),
]  # fmt: skip


@pytest.mark.parametrize("text, message", WRONG)
def test_a_program_that_says_nothing_is_refused(text, message):
    with pytest.raises(FormulaError, match=message):
        program(text, "ab")
