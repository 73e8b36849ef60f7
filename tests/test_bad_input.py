"""Bad input at the front doors: what the README, the lessons and the command line call meets one
error, raised by the project's own check, which names what was given and what is expected.
"""

import runpy
import sys
import traceback
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from chapters._ext import pair
from chapters.common.enumeration import smallest
from chapters.common.learners import Ensemble, Member, Network
from chapters.common.learners.train import train
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import INCREMENT, Machine
from lib.constructions import first, parity
from lib.formulas import Q, compiled, formula, holds
from lib.formulas.syntax import FormulaError, Or, total
from lib.judging import judge
from lib.languages import DYCK_1, FIRST, PARITY
from lib.proofs import Counters, proved_equal, regular
from lib.proofs.rational import variable
from lib.trained import (
    Judged,
    Positive,
    from_folder,
    from_gpt2,
    from_pytorch,
    from_transformer_lens,
    logits,
)
from lib.trained.audit import audit
from lib.transformer import FFN, Construction, Encoder, Exact, Head, Space, to_torch
from lib.transformer.construction import from_json, to_json
from lib.transformer.space import Form, UnknownCoordinate
from record import reproduce
from tests import ROOT
from tests.trained.networks import GPT2, hugging_face
from tests.trained.networks import Encoder as Theirs

TEXT = 'count(Q("1")) == 1'
ONE, AS = compiled(TEXT, "01"), regular("a*", "ab")
S = Space("a", "b")
A, B = S
JUDGED, STATE, GPT2_STATE = Theirs().judged(), Theirs().state_dict(), hugging_face()[0]
LAZY = {"x": torch.nn.UninitializedParameter()}
STATED = {"heads": 2, "encoder": "encoder.", "position": "position.weight", "last": None}
STATED |= Theirs().shape
LENS = {"activation": "gelu", "normalization_type": "LN", "eps": 1e-5, "causal": True}
LENS |= {"attn_scale": None}
UP = {("q", "("): ("q", {"depth": 1})}
DYCK = Counters(UP | {("q", ")"): ("q", {"depth": -1})}, "q", "q", "()")
RNN = stack_rnn(INCREMENT)
LEARNERS = Ensemble(Network(), [Member(0, 3)])


def read(**changed):
    return from_pytorch(STATE, **STATED | changed)


def gpt2_as(**changed):
    return from_gpt2(GPT2_STATE, **{"activation": "gelu"} | GPT2 | changed)


def machine(rule, start="a"):
    return Machine.parse(rule, start=start, accept="b")


def as_json(old, new):
    return from_json(to_json(first()).replace(old, new))


def named(*words, space=S, output=A, **changed):
    return Construction(space, {word: A for word in ("CLS", *words)}, {}, [], output, **changed)


CALLS = [  # a call, its error, and what the error says of what was given and of what is expected
    (lambda: formula('Q("2")', "01"), FormulaError, "symbol '2'", "alphabet is 0, 1", "column 1"),
    (lambda: compiled(TEXT, ["01"]), ValueError, "a single character, not '01'"),
    (lambda: compiled(TEXT, "01", "linear"), ValueError, "softmax, layer norm, not 'linear'"),
    (lambda: compiled(TEXT, "01", slope=0), ValueError, "a slope above 0 are expected", ", 0"),
    (lambda: holds(TEXT, "01"), FormulaError, "true or false", TEXT),
    (lambda: total(Q("1")) + 0.5, FormulaError, "a count or a whole number is expected, not 0.5"),
    (lambda: Or(Q("1")), FormulaError, "a tuple of formulas is expected, not Q('1')"),
    (lambda: judge(parity(), DYCK_1), ValueError, "over 0, 1 is expected, not Dyck-1 over (, )"),
    (lambda: judge(parity(), PARITY, 2, each=100), TypeError, "each=100 is not expected: nothing"),
    (lambda: variable(1), TypeError, "name must be a string, not 1"),
    (lambda: judge(parity(), PARITY, 2, seed=0), TypeError, "seed=0 is not expected: nothing re"),
    (lambda: judge(ONE, {"1": True}, 3), TypeError, "longest=3 is not expected: nothing reads"),
    (lambda: judge(ONE, {"1": True}, check=False), TypeError, "check=False is not expected"),
    (lambda: judge(len, TEXT, 2, alphabet="01", check=False), TypeError, "check=False is not"),
    (lambda: judge(parity(), PARITY, 99), ValueError, "longest must be at most 40, not 99"),
    (lambda: judge(parity(), PARITY, eps=-1), ValueError, "eps must be at least 0, not -1"),
    (lambda: judge(ONE, 3), TypeError, "a dictionary of examples is expected, not 3"),
    (lambda: judge(ONE, AS), ValueError, "a DFA over '0', '1' is expected, not over 'a', 'b'"),
    (lambda: proved_equal(TEXT, FIRST, "01"), ValueError, "or Counters is expected, not FIRST"),
    (lambda: proved_equal(TEXT, TEXT, "01", implies=2), TypeError, "True or False, not 2"),
    (lambda: proved_equal(TEXT, TEXT, "01", seconds=0), ValueError, "must be above 0, not 0"),
    (lambda: proved_equal(TEXT, DYCK, "01"), ValueError, "a machine over 0, 1", "not over (, )"),
    (lambda: regular("(0 + 1)*", "01"), FormulaError, "write a|b, or (a+)b", "column 4 of"),
    (lambda: regular(TEXT, "01"), FormulaError, "a formula is read by formula(...)"),
    (lambda: proved_equal("(0|1)*01", ONE, "01"), FormulaError, "; regular('(0|1)*01', '01')"),
    (lambda: regular(" ", "01"), FormulaError, "that is not empty, not ' '; () is the empty"),
    (lambda: smallest({}, "01"), FormulaError, "examples", "True or False for each, not {}"),
    (lambda: Counters(UP, "q", "q", "01"), ValueError, "one of 0, 1, not '('"),
    (lambda: named(space=3), TypeError, "space must be a Space, not 3"),
    (lambda: named(output=Space("z")["z"]), UnknownCoordinate, "'z'", "among 'a', 'b'"),
    (lambda: Space("i/n", "k/n")["k/m"], UnknownCoordinate, "'k/m'", "did you mean 'k/n'?"),
    (lambda: Form(("a",)), TypeError, "a term must be a pair of a name and a number, not 'a'"),
    (lambda: Space("a", "a"), ValueError, "'a' is named twice in a, a"),
    (lambda: Head({"b": A}, q=[A], k=[]), ValueError, "as many query rows as key", "1 and 0"),
    (lambda: Head({"b": A}, mask="past"), ValueError, "future, strict future, not 'past'"),
    (lambda: FFN([A], {"b": [1, 2]}), ValueError, "2 entries, [1, 2], for 1 hidden units"),
    (lambda: Encoder(parity(), dtype="float32"), ValueError, "torch.float32", "not 'float32'"),
    (lambda: Exact(parity(), "linear"), ValueError, "hardmax, leftmost", "not 'linear'"),
    (lambda: Exact(parity()).decide(11), TypeError, "a string over {0, 1} is expected, not 11"),
    (lambda: to_torch(first())(torch.tensor([[9]])), ValueError, "0 to 2", "not 9"),
    (lambda: as_json('"gain": "1"', '"gain": 0.1'), ValueError, "expected as text, not 0.1"),
    (lambda: as_json('"gain": "1"', '"gain": "1e999999999"'), ValueError, "not '1e999999999'"),
    (lambda: from_json('{"space": ["a"]}'), ValueError, "not the JSON of a construction: "),
    (lambda: replace(JUDGED, read_at=-1), ValueError, "read_at must be", "at least 0, not -1"),
    (lambda: from_pytorch({}, **STATED), ValueError, "'word.weight' is expected among none"),
    (lambda: read(heads=3), ValueError, "3 heads do not divide the width 16"),
    (lambda: read(activation="mish"), ValueError, "relu, gelu, gelu_new", "not 'mish'"),
    (lambda: read(norm="batch"), ValueError, "one of layer, rms, not 'batch'"),
    (lambda: read(last_eps=5.0), ValueError, "last_eps=5.0 is not expected: nothing", "reads it"),
    (lambda: read(eps=10**400), ValueError, "eps must be at most 1e308 in size, not "),
    (lambda: read(cls="word.weight"), ValueError, "'word.weight' is expected", "not read other"),
    (lambda: from_gpt2(LAZY, activation="gelu", **GPT2), ValueError, "'x' must be real, dense "),
    (lambda: read(eps=None), TypeError, "eps must be", "not None"),
    (lambda: read(norm=None, last="x"), ValueError, "last_norm is expected", "kind of 'x'"),
    (lambda: gpt2_as(causal=None), TypeError, "causal must be True or False, not None"),
    (lambda: from_folder("nowhere"), ValueError, "nowhere is not read: ", "config.json"),
    (lambda: from_transformer_lens({}, **LENS), ValueError, "'embed.W_E' is expected among none"),
    (lambda: Judged(JUDGED.network, {"0": 7}, Positive()), ValueError, "at most 3, not 7"),
    (lambda: Judged(JUDGED.network, {"0": 1, "1": 1}, Positive()), ValueError, "'0' and '1' both"),
    (lambda: audit(JUDGED, FIRST, floats=("float8",)), ValueError, "bfloat16", "not 'float8'"),
    (lambda: logits(JUDGED, "1"), TypeError, "words must be a list or a tuple, not '1'"),
    (lambda: FIRST.sampled(all, 3, 2), ValueError, "at least 3 is expected, not 2"),
    (lambda: machine("a 0 -> 1 X b"), ValueError, "moves 'X': L, N or R is expected"),
    (lambda: [*INCREMENT.run("2")], ValueError, "'2' at position 1", "alphabet {0, 1}"),
    (lambda: Network(positions="none at all"), ValueError, "ALiBi, RoPE", "not 'none at all'"),
    (lambda: train(LEARNERS, "NO", [1], test_length=3), ValueError, "PARITY, ONE", "not 'NO'"),
]


@pytest.mark.parametrize(("call", "kind", "words"), [(row[0], row[1], row[2:]) for row in CALLS])
def test_bad_input_meets_one_error_that_names_it(call, kind, words):
    """Which the project raises itself."""
    with pytest.raises(kind) as caught:
        call()
    *_, last = traceback.extract_tb(caught.value.__traceback__)
    houses = tuple(str(ROOT / house) for house in ("lib", "record", "chapters/common"))
    assert last.filename.startswith(houses), last
    assert type(caught.value) is kind
    assert [word for word in words if word not in str(caught.value)] == []


A_RUN = "ffnn_parity"
COMMANDS = [  # a program, its arguments, and what its one error says
    (reproduce, [], "required: name"),
    (reproduce, [A_RUN, "--device", "gpu"], "'gpu'", "there is cpu"),
    (reproduce, [A_RUN, "--data", "."], "reads no folder", "none is expected, not '.'"),
    (reproduce, ["translation_multi30k"], "reads a folder of data: name it with --data"),
    (pair, ["--chek"], "unrecognized arguments: --chek"),
    (pair, ["--address", "nowhere"], "OWNER/NAME is expected, not 'nowhere'"),
]


@pytest.mark.parametrize(("program", "arguments", "words"), [(p, a, w) for p, a, *w in COMMANDS])
def test_a_command_ends_in_one_error_and_has_done_nothing(
    program, arguments, words, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "argv", ["command", *arguments])
    for writes in ("write_text", "write_bytes", "mkdir"):
        monkeypatch.setattr(Path, writes, None)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(program.__file__, run_name="__main__")
    out, err = capsys.readouterr()
    said = err if isinstance(ended.value.code, int) else ended.value.code
    assert ended.value.code not in (None, 0) and out == "" and "Traceback" not in said
    assert [word for word in words if word not in said] == []
