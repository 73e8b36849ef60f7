"""The page's Turing machines: what it parses, compiles and runs is what the library does, number by
number, and the limits that the page names are the library's.
"""

from __future__ import annotations

import json
from itertools import islice

import pytest

from chapters.common.turing.architecture import directional, vanilla
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import PROGRAMS, Machine
from chapters.playground.data import INPUTS
from chapters.playground.data import machine as shown
from lib.formulas import compilation, text
from lib.judging import comparison
from lib.proofs import equal
from record.runs import CHAPTERS
from tests import OFTEN
from tests.page.engine import fraction
from tests.strategies import drawn
from tests.turing.machinery import machines

TRANSFORMERS = {"position encodings": (vanilla, 40), "masking alone": (directional, 20)}
MORE_INPUTS = {"increment": ["", "1111"], "aⁿbⁿcⁿ": ["", "aabc"], "palindromes": ["", "0110"]}
PICTURES = Machine.parse(
    "\n".join(["😀 🂡 -> 𝄞 R 😀", "😀 _ -> é L go", "go 𝄞 -> _ L go", "go _ -> 🂡 N accept"]),
    alphabet=("🂡",),
    name="symbols of two code units",
)


def told(table: Machine) -> tuple[str, dict]:
    """A machine as the page's parser takes it."""
    names = ("start", "accept", "blank", "alphabet", "reject", "name")
    return "\n".join(map(str, table.rules)), {name: getattr(table, name) for name in names}


def test_machines_are_parsed_and_printed_as_in_the_library(engine):
    for table in [*PROGRAMS, PICTURES, *drawn(machines(), 10)]:
        said = engine("machine", *told(table))
        book = json.loads(json.dumps(shown(table)))
        assert said["machine"] == {name: book[name] for name in said["machine"]}
        assert said["machine"].keys() >= book.keys() - {"input"}
        assert engine("machine", said["printed"], told(table)[1])["machine"] == said["machine"]


@pytest.mark.parametrize("by", TRANSFORMERS)
def test_outputs_and_configurations_are_the_librarys(engine, by):
    make, steps = TRANSFORMERS[by]
    known = [(table, [INPUTS.get(table.name, "")]) for table in PROGRAMS]
    known += [(table, MORE_INPUTS[table.name]) for table in PROGRAMS if table.name in MORE_INPUTS]
    known += [(table, ["", *table.alphabet]) for table in [PICTURES, *drawn(machines(), 2 * OFTEN)]]
    for table, inputs in known:
        model = make(stack_rnn(table))
        for w in inputs:
            outputs, configurations, by_rules = engine("turing", told(table), by, w, steps)
            expected = [*islice(model.outputs(w), 4 * steps)]
            assert [[*map(fraction, y)] for y in outputs] == expected
            run = [str(now) for now in islice(table.run(w), steps)]
            assert by_rules == run and configurations == run[: len(configurations)]
            assert len(configurations) > min(len(run), steps) - 5


SHARED = {
    "FORMULA": text.LONGEST,
    "DEEPEST": text.DEEPEST,
    "MADE": compilation.MADE,
    "PAIRS": equal.STATES,
    "LENGTH": comparison.LONGEST,
}


def test_limits_are_the_librarys():
    limits = (CHAPTERS / "_static" / "limits.mjs").read_text(encoding="utf-8")
    for name, value in SHARED.items():
        assert f"export const {name} = {value:_};" in limits
