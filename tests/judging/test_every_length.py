"""One door: what is proved at every length of whatever is judged."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from lib import verdicts
from lib.constructions import first, one
from lib.formulas import compiled, formula
from lib.formulas.compilation import ATTENTIONS
from lib.formulas.stated import ALTERNATING, MAJORITY
from lib.formulas.syntax import holds
from lib.judging import judge
from lib.judging.__main__ import _value, main
from lib.judging.comparison import THEOREM, by_beginning
from lib.languages import DYCK_1, FIRST, ONE, Language
from lib.languages import MAJORITY as MORE_1S
from lib.proofs import Counters, constructions, equal, limits, regular
from lib.proofs import certificate as second
from lib.proofs.limits import OutOfTime
from lib.proofs.rational import variable
from lib.trained.network import Linear
from lib.transformer import Construction, Encoder, Head, Layer, Space
from lib.transformer.construction import Reading, to_json
from lib.verdicts import ANSWERED, EACH_STRING, PROVED, WRONG, Verdict
from tests import ROOT
from tests.trained.networks import Encoder as Trained
from tests.trained.test_audit import reads_the_last_symbol

AB = regular("(ab)*", "ab")
TWICE = '2*count(Q("1")) > position'
BALANCED = Counters({("", "("): ("", {"d": 1}), ("", ")"): ("", {"d": -1})}, "", [""], "()")


@pytest.mark.parametrize(
    "language",
    [
        FIRST,
        "1(0|1)*",
        regular("1(0|1)*", "01"),
        'count(Q("1") and position == 1) == 1',
        formula('once(Q("1") and position == 1)', "01"),
    ],
    ids=["a Language", "an expression", "a DFA", "a text", "a formula"],
)
def test_first_is_right_at_every_length_however_it_is_asked(language):
    found = judge(first(), language, longest=5)
    assert (found.kind, found.longest, found.strings) == (PROVED, 5, 63)
    assert "FIRST accepts w iff count(Q('1') and position == 1)" in found.proof[0]
    by_solver = [reason for reason in found.proof if "taken as its definition" not in reason]
    assert all("checked by cvc5" in reason for reason in by_solver)


def test_a_beginning_may_be_empty():
    [found] = by_beginning(regular("()|0(0|1)*", "01"), "01")
    words = [w for n in range(5) for w in FIRST.all_strings(n)]
    assert [holds(found, w) for w in words] == [w[:1] != "1" for w in words]


def test_what_no_prover_reads_is_decided_on_strings_and_says_so():
    found = judge(first(), lambda w: w.startswith("1"), longest=5)
    assert (found.kind, found.strings) == (EACH_STRING, 63)
    assert "is given by a function, which no prover reads" in str(found)
    beyond = judge(first(), FIRST, 4, beyond=30, each=2)
    assert beyond.kind == PROVED and not any(beyond.measured.wrong.values())
    assert "measured, neighbours: of " in str(beyond)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_compiled_formula_that_is_proved_equal_is_right_at_every_length(attention):
    found = judge(compiled(ALTERNATING.text, "ab", attention), AB, 5, name="(ab)*")
    closed = "equal to (ab)* (a search closed at 3 states, checked by cvc5)"
    assert (found.kind, found.proof) == (PROVED, (THEOREM, closed))
    assert found.headline == f"proved for every length: {THEOREM}; {closed}"


def test_two_descriptions_are_held_against_each_other():
    assert judge('count(Q("1")) > count(Q("0"))', MORE_1S, 4).kind == PROVED
    assert judge(DYCK_1.definition, BALANCED, 4).kind == PROVED
    part = judge('count(Q("a")) == count(Q("b"))', "(ab)*", alphabet="ab")
    assert part == Verdict(WRONG, 2, 6, "ba", accepted=True)


def test_a_polynomial_in_the_numbers_of_symbols_is_a_language():
    ones, zeros = variable("#1"), variable("#0")
    majority = compiled(MAJORITY.text, "01").construction
    assert judge(majority, ones - zeros, 4).kind == PROVED  # read at the last token
    found = judge(one(), 2 * ones - 1, 4)
    assert (found.kind, found.counterexample, found.accepted) == (WRONG, "11", False)


def test_examples_are_decided_alone():
    right = judge(first(), {"1": True, "01": False, "": False})
    assert right == Verdict(EACH_STRING, 2, 3, chosen=True)
    assert "3 examples" in right.headline and "nothing but the examples" in str(right)
    wrong = judge(first(), {"111": True, "01": True, "0001": True})
    assert wrong == Verdict(WRONG, 2, 1, "01", accepted=False, chosen=True)
    assert wrong.headline == "wrong: '01' is rejected, but is in what the examples accept"


def test_a_verdict_on_a_network_says_what_no_tensor_says():
    """On examples it said nothing."""
    judged = Trained(pre_norm=True).judged("mean")
    for verdict in (judge(judged, "1*", 1), judge(judged, {"0": True, "1": False})):
        said = verdict.notes[-1]
        assert said.startswith(
            "assumed, because the weights do not say it: mask none, width 16, heads 2 of 8,"
        )
        assert "before (2,), after (3,), read_at 'mean' after the last norm, tokens" in said
    network, shape = judged.network, {"heads": 1, "activation": "gelu", "pre_norm": False}
    shape |= {"causal": True, "positions": None, "rotary": 2.0, "slopes": (1, 2), "log_n": True}
    shape |= {"attention_scale": 2, "last": None, "unsaid": ("memory zeros",)}
    shape |= {"hidden": (Linear(torch.eye(16), torch.zeros(16)), "tanh")}
    others = [replace(network, **{name: x}) for name, x in shape.items()]
    every = [replace(judged, network=one) for one in others]
    every += [replace(judged, **{name: x}) for name, x in {"padding": (3, 9), "offset": 1}.items()]
    every.append(replace(judged, network=replace(network, positions=lambda n: torch.zeros(n, 16))))
    assert len({judged.assumed, *(one.assumed for one in every)}) == len(every) + 1


def test_rounding_and_margins_of_a_construction():
    weak = compiled(MAJORITY.text, "01", "softmax")
    found = judge(weak, longest=6, floats=("float64", "bfloat16"))
    huge = replace(first(), output=10**6 * first().output)  # more than float16 has
    assert "float16" in str(judge(huge, FIRST, 2, floats=("float16",)).notes)
    sizes = [abs(Encoder(weak).logit(w)) for w in ("0", "1", "01", "10", "011", "010101")]
    assert found.margin <= min(sizes) + 1e-12
    assert abs(Encoder(weak).logit(found.nearest)) == pytest.approx(found.margin)
    assert found.rounding["float64"] == (0, None)


@pytest.mark.parametrize(
    "model, language, said",
    [
        (compiled(MAJORITY.text, "01"), TWICE, "linear invariants at 1 controls, found by z3"),
        (first(), FIRST, "FIRST"),
        (first(), "1(0|1)*", "equal to 1(0|1)*"),
    ],
    ids=["a formula", "rows and a definition", "rows and an expression"],
)
def test_what_is_not_checked_is_not_called_proved(model, language, said):
    found = judge(model, language, 3, check=False)
    assert (found.kind, found.proof) == (EACH_STRING, ())
    assert f"found, not checked: {said}" in found.unproved


def test_a_formula_that_is_wrong_beyond_all_strings_that_were_tried():
    fifteen = compiled('count(Q("1")) <= 15', "01")
    found = judge(fifteen, 'count(Q("1")) <= 14', 4)
    tried = "all strings up to length 14 were tried"
    assert found == Verdict(WRONG, 4, 31, "1" * 15, accepted=True, proof=(THEOREM, tried))
    assert found.headline.startswith(f"wrong: {'1' * 15!r} is accepted, but is not in count(")
    assert "all 31 strings up to length 4 are decided correctly" in str(found)
    logit = Encoder(fifteen).logit("1" * 15)
    assert float(found.logit) == pytest.approx(logit, abs=1e-12) and logit > 0


def test_a_weight_that_is_not_its_own_refutes_nothing():
    """ONE with E = 2 in place of its weight would be wrong; as it is, no string tells."""
    base = replace(first(), reading=Reading(log_n=True))
    assert judge(base, FIRST, 4).kind == PROVED
    normed = judge(first(), FIRST, 3, eps=1e-5)
    assert normed.kind == WRONG or "without a norm" in normed.unproved


def test_without_solvers_it_is_said_what_is_missing(monkeypatch):
    for module in (constructions, equal):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert judge(one(), ONE, 3).unproved == "kinds of tokens need z3, which is not installed here"
    searched = judge(compiled(ALTERNATING.text, "ab"), AB, 3)
    assert (searched.kind, searched.proof) == (EACH_STRING, ())
    assert searched.unproved.endswith("a search closed at 3 states; cvc5 is not installed here")
    unknown = judge(compiled(MAJORITY.text, "01"), TWICE, 3)
    assert unknown.unproved.endswith("invariants need z3, which is not installed here")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda *_: iter(["a start lies in no room"]), "cvc5 refuses what was found: a start lies"),
        (Mock(side_effect=second.GaveUp), "found, not checked: a search closed at 3 states; cv"),
        (Mock(side_effect=OutOfTime), "closed at 3 states; the seconds are over"),
        (Mock(side_effect=KeyboardInterrupt), "the proof was interrupted"),
    ],
)
def test_a_proof_that_cvc5_does_not_take_is_none(monkeypatch, answer, expected):
    monkeypatch.setattr(second, "gaps", answer)
    found = judge(compiled(ALTERNATING.text, "ab"), AB, 3, name="(ab)*")
    assert found.kind == EACH_STRING and expected in found.unproved


def test_ctrl_c_ends_with_what_is_known():
    asked = []

    def accepts(w: str) -> bool:
        asked.append(w)
        if len(w) == 3:
            raise KeyboardInterrupt
        return w.startswith("1")

    found = judge(accepts, FIRST)
    assert (found.kind, found.longest, found.strings) == (ANSWERED, 2, 7)
    assert found.notes == ("it was interrupted",) and len(asked) == 8


def test_the_seconds_and_ctrl_c_end_floats_examples_and_drawn_strings(monkeypatch):
    """By a clock that moves with each question, however busy the machine is."""
    asked = []

    def slow(w: str) -> bool:
        asked.append(w)
        return True

    for module in (verdicts, limits):
        monkeypatch.setattr(module, "perf_counter", lambda: len(asked) / 200)
    found = judge(slow, lambda w: True, 1, alphabet="ab", beyond=30, each=20, seconds=1)
    assert found.measured and max(found.measured.strings.values()) < 29 * 20
    assert re.search("the seconds were over before strings of .* symbols were drawn", str(found))
    none = judge(slow, lambda w: True, 2, alphabet="ab", beyond=9, seconds=1e-9)
    assert none.measured is None and "before strings of 3 symbols were drawn" in str(none)
    found = judge(slow, {"a" * n: True for n in range(200)}, seconds=0.3)
    assert (found.kind, found.strings, found.longest) == (ANSWERED, 64, 63)
    assert "the seconds were over before 136 of the examples were decided" in found.notes
    monkeypatch.setattr(Encoder, "accepts", Mock(side_effect=KeyboardInterrupt))
    found = judge(first(), FIRST, 3, floats=("float32",))
    assert (found.kind, found.strings, found.is_interrupted) == (EACH_STRING, 15, True)


def test_a_language_whose_definition_says_otherwise_is_refused():
    """On short strings at once; on longer ones where a prover or a drawn string meets one."""
    with pytest.raises(ValueError, match="FIRST and its definition 0\\* part on ''"):
        judge(first(), replace(FIRST, definition="0*"))
    starts = FIRST.definition
    late = replace(FIRST, definition=f"{starts} and position != 10")
    for model in (starts, first(), compiled(starts, "01")):
        found = judge(model, late, 8)
        assert found.kind == EACH_STRING and "part on '1" in found.unproved
    longer = Language("F", lambda w: w[:1] == "1" or len(w) == 11, definition=starts)
    with pytest.raises(ValueError, match="F and its definition .* part on '0"):
        judge(first(), longer, 8, beyond=12, each=9)
    assert "FIRST is taken as its definition" in str(judge(first(), FIRST, 3))


def test_a_position_that_asks_for_the_length_makes_no_automaton():
    """Read as it is at one place of many lengths, it would be another network."""
    S = Space("a", "b", "CLS", "p", "s")
    a, b, cls, p, _ = S
    head = Head({"s": a}, q=[a + b + cls], k=[a], mask="future")
    for place, output in (("n", p - 4 * (a + b + cls)), ("[n=5]", p - (a + b + cls) / 2)):
        made = Construction(
            S, {"a": a, "b": b, "CLS": cls}, {place: p}, [Layer(head)], output, readout="last"
        )
        found = judge(made, "False", 2, attention="leftmost")
        assert found.kind == EACH_STRING and "depends on the number of tokens" in found.unproved


AMISS = [
    (lambda: judge(3, FIRST), TypeError, "a Construction, a Compiled, .* is expected, not 3"),
    (lambda: judge(lambda w: True, lambda w: True), ValueError, "alphabet is expected"),
    (lambda: judge(first(), "2*"), ValueError, "no regular expression over 0, 1: '2"),
    (lambda: judge(first(), FIRST, longst=7), TypeError, "longst: no such argument"),
    (lambda: judge(first(), {"0": "yes"}), TypeError, "must be True or False, not 'yes'"),
    (lambda: judge(first(), {1: True}), TypeError, "an example must be a string, not 1"),
    (lambda: judge(first(), FIRST, 4, beyond=3), ValueError, "beyond must be above longest, 4"),
    (lambda: judge(first(), BALANCED), ValueError, "a machine over 0, 1 is expected"),
    (lambda: judge(lambda w: 1, FIRST), TypeError, "must be True or False, not 1"),
    (lambda: judge(lambda w: False, lambda w: None, 1, alphabet="a"), TypeError, "to '' must"),
    (
        lambda: judge(reads_the_last_symbol(), lambda w: None if w else False),
        TypeError,
        "says of '0' must be True or False, not None",
    ),
    (lambda: judge("True", "True", alphabet="Tru e"), ValueError, "say which, by formula"),
]


@pytest.mark.parametrize("call, error, message", AMISS)
def test_what_is_amiss_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.fixture
def told(monkeypatch, capsys, tmp_path):
    """How the command line ends, with arguments as one types them, and what it prints."""
    monkeypatch.chdir(tmp_path)

    def ended(arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["judging", *shlex.split(arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code), "".join(capsys.readouterr())

    return ended


ENCODER = "heads=2 encoder=encoder position=position.weight activation=relu norm=layer eps=1e-5"
ENCODER += " last=null"
AMISS = [  # an argument of a network, what is given in its place, and what is said of it
    ("1=1", "1=1_0", "--tokens: a whole number is expected, not '1_0'"),
    ("zero", "foo", "--above: a whole number is expected, not 'foo'"),
    ("pre_norm", "foo=3 pre_norm", "--read foo= is not expected: pytorch has heads"),
    ("=encoder", "=[a]", "TypeError: encoder must be a string, not ['a']"),
    ("=encoder", "=1.", "tensors named 1.layers.0... are expected"),
    ("pre_norm", "output=3 pre_norm", "a tensor '3.weight' is expected"),
]
STRAY = [  # arguments after `--language ONE`, and the one line that is said of them
    ("one.json --tokens 0=0", "--tokens is not expected"),
    ("one.json --read name=PARITY", "--read name= is not expected: only attention, eps, log_n"),
    ("bare.json", "--read attention=... eps=... log_n=... is expected, as bare.json does not say"),
    ("bare.json --read attention=null eps=null", "--read attention=... log_n=... is expected"),
    ("weights.pt", "weights are judged with --reader, --tokens, --accepts"),
    (
        "weights.pt --reader llama --tokens 0=0 --accepts 0 --above others --read heads=1",
        "asks for --read model_type=... key_heads=... activation=... eps=... rotary=...",
    ),
    ("folder --reader gpt2", "--reader is not expected: folder says that itself"),
    ("folder --read heads=1", "--read is not expected: folder says that itself"),
]


def test_the_command_line_is_the_same_door(told):
    for file, reading in (("one.json", Reading()), ("bare.json", None)):
        Path(file).write_text(to_json(replace(one(), reading=reading)), encoding="utf-8")
    right = f"{judge(one(), ONE, 4)}\n"
    assert told("one.json --language ONE --longest 4") == (0, right)
    command = [sys.executable, "-m", "lib.judging", "one.json", "--language", "ONE"]
    alone = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.check_output([*command, "--longest", "4"], text=True, env=alone) == right
    status, wrong = told("one.json --language '(0|1)*1' --longest 4")
    assert (status, wrong[:11]) == (1, "wrong: '10'")
    status, empty = told("one.json --language ''")
    assert "is a text that is not empty, not ''" in empty and status == 2
    assert "+ may be meant as or" in told("one.json --language '0+1' --longest 3")[1]
    said = "--read eps=1e-5 attention=softmax log_n=false"  # which the file says or leaves open
    options = told(f"bare.json --language ONE --longest 3 {said}")
    assert options[1] == f"{judge(one(), ONE, 3, eps=1e-5)}\n"
    torch.save(Trained().state_dict(), "encoder.pt")
    asked = "--longest 0 --reader pytorch --tokens 0=0 1=1 --accepts 0 --above zero --read"
    read = f"{asked} {ENCODER} pre_norm=False causal=false"
    status, none = told(f"encoder.pt --language ONE {read}")
    assert none.startswith("unknown\n") and status == 1
    for again in ("--tokens 1=1", "--longest 12 --longest 3"):  # a language over 1 alone, say
        status, twice = told(f"encoder.pt --language ONE {read.replace('--longest 0', '')} {again}")
        assert (status, f"{again.split()[0]} is expected once" in twice) == (2, True)
    for old, new, message in AMISS:
        status, amiss = told(f"encoder.pt --language ONE {read.replace(old, new)}")
        assert message in amiss and status == 2
    torch.save({"a": torch.ones(1)}, "weights.pt")
    Path("folder").mkdir()
    for arguments, message in STRAY:
        status, amiss = told(f"{arguments} --language ONE")
        assert message in amiss and amiss.count("\n") == 1 and status == 2


LENS = (
    "--reader transformer_lens --tokens a=0 b=1 --longest 5 --read activation=null eps=null"
    " normalization_type=null causal=true attn_scale=null"
)
ABOVE = "--accepts 0 --above others --language"
PROMISED = [  # of which languages the outputs are, and what is said
    ("--language '(a|b)*a' --language '(a|b)*b'", "each string up to length 5\nof 62 strings"),
    ("--language '(a|b)*b' --language '(a|b)*a'", "wrong: 'a' is answered incorrectly"),
    ("--language 'a*' --language 'aa*b(a|b)*'", "'b' is expected to be in one of the languages, "),
    ("--language 'a*' --language a --above zero", "--above is not expected: several languages"),
    (f"{ABOVE} '(a|b)*a' --promise '(a|b){{4}}'", "of 16 strings up to length 4, 0 are decided in"),
    (f"{ABOVE} majorityy", "is MAJORITY meant, of PARITY, FIRST"),
]


def test_a_promise_and_a_language_for_each_output(told):
    """Without a layer, output 0 is 1 after an a, and output 1 after a b."""
    state = {"embed.W_E": torch.eye(2), "unembed.W_U": torch.eye(2), "unembed.b_U": torch.zeros(2)}
    state |= {"pos_embed.W_pos": torch.zeros(9, 2), "blocks.0.attn.b_O": torch.zeros(2)}
    state |= {f"blocks.0.attn.W_{one}": torch.zeros(1, 2, 2) for one in "QKVO"}
    state |= {f"blocks.0.attn.b_{one}": torch.zeros(1, 2) for one in "QKV"}
    torch.save(state, "net.pt")
    for languages, said in PROMISED:
        assert said in told(f"net.pt {LENS} {languages}")[1]
    assert "meant" not in told(f"net.pt {LENS} {ABOVE} 'a('")[1]
    for language, status in (("(a|b)*a", 0), ("(a|b){0,4}a", 1)):  # both alike up to length 5
        ended, said = told(f"net.pt {LENS} {ABOVE} '{language}' --beyond 7")
        assert said.startswith("proved for each string up to length 5") and ended == status


@pytest.mark.parametrize(
    "text, value",
    [("010", 10), ("1e-5", 1e-5), ("1:30", "1:30"), ("no", "no"), ("null", None), ("true", True)]
    + [("[head.0, relu]", ["head.0", "relu"]), ("encoder.", "encoder."), ("'true'", "true")],
)
def test_values_on_a_command_line_are_decimal(text, value):
    """As YAML 010 is 8, 1:30 is 90 and no is False."""
    assert _value(text) == value and type(_value(text)) is type(value)


def test_a_network_alone_is_told_what_it_lacks():
    for network in (torch.nn.Linear(1, 1), reads_the_last_symbol().network):
        with pytest.raises(TypeError, match="as in Judged.network, .* not as a"):
            judge(network, "01*")


def test_what_is_not_decided_is_not_called_wrong():
    found = judge(lambda w: None if len(w) > 3 else w[:1] == "1", FIRST, 3, beyond=5, each=5)
    assert "are decided incorrectly, 10 not at all" in str(found) and not any(
        found.measured.wrong.values()
    )
