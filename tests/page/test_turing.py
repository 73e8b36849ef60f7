"""The page's Turing machines: what it parses, compiles and runs is what the library does, number by
number, and the limits that the page names are the library's.
"""

from __future__ import annotations

import inspect
import json
import random
import re
import sys
from itertools import islice

import pytest

from chapters.common.turing.architecture import (
    SaturatedFFN,
    Sublayer,
    Transformer,
    directional,
    vanilla,
)
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import MOVES, PROGRAMS, Machine, Rule
from chapters.playground.data import INPUTS
from chapters.playground.data import machine as shown
from lib.formulas import compilation, text
from lib.judging import judge
from lib.proofs import equal
from lib.transformer.construction import form_to_data
from lib.transformer.sublayers import Head, Rows
from record.runs import CHAPTERS
from tests.page.engine import fraction

TRANSFORMERS = {"position encodings": (vanilla, 150), "masking alone": (directional, 30)}
MORE_INPUTS = {"increment": ["", "1111"], "aⁿbⁿcⁿ": ["", "aabc"], "palindromes": ["", "0110"]}
PICTURES = Machine.parse(
    "\n".join(["😀 🂡 -> 𝄞 R 😀", "😀 _ -> é L go", "go 𝄞 -> _ L go", "go _ -> 🂡 N accept"]),
    alphabet=("🂡",),
    name="symbols of two code units",
)


def random_machine(seed: int) -> Machine:
    """A machine with up to four states and symbols, some of whose rules are missing."""
    draw = random.Random(seed)
    states = draw.sample(["A", "q0", "go", "Ψ", "1", "x=1"], draw.randint(1, 4))
    symbols = draw.sample("_01x,★", draw.randint(2, 4))
    blank = draw.choice(symbols)
    rules = [
        Rule(state, read, draw.choice(symbols), draw.choice([*MOVES]), to)
        for state in states
        for read in symbols
        if draw.random() < 0.8
        for to in [draw.choice([*states, *states, "accept", "no"])]
    ] or [Rule(states[0], blank, blank, "R", states[0])]
    silent = [state for state in states if state not in {rule.state for rule in rules}]
    written = {symbol for rule in rules for symbol in (rule.read, rule.write)} - {blank}
    return Machine(
        rules,
        start=rules[0].state,
        accept=draw.choice(["accept", ("accept", "no")]),
        blank=blank,
        alphabet=draw.choice([None, sorted(written)[:2]]),
        reject=("no", *silent),
    )


def told(table: Machine) -> tuple[str, dict]:
    """A machine as the page's parser takes it."""
    names = ("start", "accept", "blank", "alphabet", "reject", "name")
    return "\n".join(map(str, table.rules)), {name: getattr(table, name) for name in names}


def _rows(rows: Rows) -> dict:
    return {name: form_to_data(form) for name, form in rows}


def _sublayer(sublayer: Sublayer) -> dict:
    made = {"residual": sublayer.residual, "head": None, "ffn": None}
    if isinstance(head := sublayer.map, Head):
        asked = {"q": [*map(form_to_data, head.q)], "k": [*map(form_to_data, head.k)]}
        made["head"] = asked | {"v": _rows(head.v)}
    if isinstance(ffn := sublayer.map, SaturatedFFN):
        made["ffn"] = {"hidden": [*map(_rows, ffn.hidden)], "out": _rows(ffn.out)}
    return made


def transformer(model: Transformer) -> dict:
    """A transformer of the library as the page writes it; functions of a position by name."""
    return {
        "encoder": [[*map(_sublayer, layer)] for layer in model.encoder],
        "decoder": [[*map(_sublayer, layer)] for layer in model.decoder],
        "space": model.space.names,
        "embedding": _rows(model.embedding),
        "F": model.F and _rows(model.F),
        "seed": form_to_data(model.seed),
        "position": [[f.__name__, form_to_data(form)] for f, form in model.position],
        "masked": model.masked,
        "halts": model.halts,
    }


def test_machines_are_parsed_printed_and_compiled_as_in_the_library(engine):
    tables = [*PROGRAMS, PICTURES, *map(random_machine, range(20))]
    for table in tables:
        said = engine("machine", *told(table))
        book = json.loads(json.dumps(shown(table)))
        assert said["machine"] == {name: book[name] for name in said["machine"]}
        assert said["machine"].keys() >= book.keys() - {"input"}
        assert engine("machine", said["printed"], told(table)[1])["machine"] == said["machine"]
        models = {by: make(stack_rnn(table)) for by, (make, _) in TRANSFORMERS.items()}
        expected = {by: transformer(model) for by, model in models.items()}
        assert said["transformers"] == json.loads(json.dumps(expected))
    strange = "\x1f;\n a\u3000_ ->\t1 R accept ;;\u2028\r\n b 1 -> 1 N a\x85"
    said = engine("machine", strange, {})
    assert said["lines"] == [2, 4] and said["machine"]["rules"][1] == [*"b11Na"]
    assert engine("machine", strange, {})["machine"]["start"] == Machine.parse(strange).start


@pytest.mark.parametrize("by", TRANSFORMERS)
@pytest.mark.parametrize("table", [*PROGRAMS, PICTURES], ids=lambda table: table.name)
def test_outputs_and_configurations_are_the_librarys(engine, table, by):
    make, steps = TRANSFORMERS[by]
    model = make(stack_rnn(table))
    for w in [INPUTS.get(table.name, ""), *MORE_INPUTS.get(table.name, [])]:
        outputs, configurations, by_rules = engine("turing", told(table), by, w, steps)
        expected = [*islice(model.outputs(w), 4 * steps)]
        assert [[*map(fraction, y)] for y in outputs] == expected
        run = [str(now) for now in islice(table.run(w), steps)]
        assert by_rules == run and configurations == run[: len(configurations)]
        assert len(configurations) > min(len(run), steps) - 5


WRONG = [
    ("", {}),
    ("a _ -> 1 R accept\n\n  b _ => 1 R 'a' ; no", {}),
    ('a _ -> 1 R accept\r\na\\ _ "it\'s"', {}),
    ("a 10 -> 1 R accept", {}),
    ("a _ -> # R accept", {}),
    ("a _ -> 1 constructor accept", {}),
    ("a _ -> 1 R accept\naccept 1 -> 1 L a", {}),
    ("a _ -> 1 R no\nno 1 -> 1 L a", {"reject": ["no"]}),
    ("a _ -> 1 R nowhere", {}),
    ("a _ -> 1 R accept ; one\n;\na 1 -> 1 R a\na 1 -> _ R a", {}),
    ("a _ -> 1 R a", {"start": "b"}),
    ("a _ -> 1 R a", {"blank": "$"}),
    ("a _ -> 1 R a", {"alphabet": ["1", "\xa0"]}),
    ("a _ -> 1 R a", {"alphabet": ["1", "_"]}),
    ("__proto__ _ -> 1 R toString", {}),
    ("\u202e _ -> 👩‍🚀 R accept", {}),
    ("a\u200f \x07\U000e0001 -> 1 R", {}),
]


@pytest.mark.parametrize("rules, options", WRONG)
def test_what_is_no_machine_is_said_in_the_words_of_the_library(engine, rules, options):
    with pytest.raises(ValueError) as caught:
        Machine.parse(rules, **options)
    said = engine("machine", rules, options)
    assert said["error"] == str(caught.value)
    named = re.match(r"line (\d+)", said["error"])
    assert not named or said["line"] == int(named[1])
    assert (said["line"] is None) == (not said["error"].startswith(("line", "rule")))


STATIC = CHAPTERS / "_static"
LIMITS = re.findall(r"^export const (\w+) = ([\d_e]+);", (STATIC / "limits.mjs").read_text(encoding="utf-8"), re.M)
SHARED = {
    "FORMULA": text.LONGEST,
    "DEEPEST": text.DEEPEST,
    "MADE": compilation.MADE,
    "PAIRS": equal.STATES,
    "STRINGS": equal.STRINGS,
    "DIGITS": sys.int_info.default_max_str_digits,
    "LENGTH": inspect.signature(judge).parameters["longest"].default,
}


def test_limits_are_the_librarys_and_said_in_one_place():
    said = dict(LIMITS)
    assert {name: int(said[name]) for name in SHARED} == SHARED
    sources = [path.read_text(encoding="utf-8") for path in STATIC.glob("*.mjs")]
    for name in said:
        imported = rf"import {{[^}}]*\b{name}\b[^}}]*}} from \"./limits"
        users = [source for source in sources if re.search(imported, source)]
        assert users and not any(re.search(rf"const {name} =", source) for source in users)
