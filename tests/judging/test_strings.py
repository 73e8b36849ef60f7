"""Verdicts: what is proved of a transformer and a language, and the shortest counterexample."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import count

import pytest

from lib import verdicts
from lib.constructions import first, flawed_first, parity
from lib.formulas import compiled
from lib.formulas.compilation import ATTENTIONS
from lib.formulas.stated import ALTERNATING, BY_NAME, DYCK_1, MAJORITY, SORTED
from lib.judging import judge
from lib.judging.comparison import THEOREM
from lib.languages import FIRST, PARITY, Language
from lib.transformer.construction import Construction, Reading
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import Head, Layer
from lib.verdicts import ANSWERED, EACH_STRING, PROVED, UNDECIDED, WRONG, Verdict, written
from tests.formulas.oracles import by_other_means, strings

MORE_1S = Language("more 1s", lambda w: w.count("1") > w.count("0"))
EVERYTHING = Language("everything", lambda w: True)
NOTHING = Language("nothing", lambda w: False)


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("stated", [MAJORITY, DYCK_1], ids=["MAJORITY", "Dyck-1"])
def test_a_compiled_formula_is_proved_for_every_length(stated, attention):
    found = judge(compiled(stated.text, stated.alphabet, attention), longest=5)
    assert found == Verdict(PROVED, 5, 63, proof=(THEOREM,))
    first, strings, *_ = str(found).split("\n")
    assert first == "proved for every length: the compiler's theorem"
    assert strings == "all 63 strings up to length 5 are decided correctly"


def test_what_is_not_its_own_formula_is_proved_for_each_string():
    majority = compiled(MAJORITY.text, "01")
    expected = Verdict(EACH_STRING, 4, 31, None)
    assert judge(majority, MAJORITY.language, 4) == expected
    assert judge(majority, Language("MAJORITY", by_other_means(MAJORITY)), 4) == expected
    assert judge(majority.construction, MAJORITY.language, 4) == expected
    assert judge(compiled(MAJORITY.text, "01", "softmax", base=8), longest=4) == expected
    assert judge(parity(), lambda w: w.count("1") % 2 == 1, 4) == expected
    assert str(expected) == (
        "proved for each string up to length 4\nall 31 strings up to length 4 are decided correctly"
    )


@pytest.mark.parametrize("own", [False, True])
def test_heads_may_have_the_kind_of_attention_that_is_proved(own):
    """FIRST with averaging hard attention, as it is read or as each of its heads says."""
    layers = [
        replace(layer, heads=[replace(head, attention="hardmax") for head in layer.heads])
        for layer in first().layers
    ]
    hard = {} if own else {"attention": "hardmax"}
    model = replace(first(), layers=layers, reading=Reading("leftmost")) if own else first()
    assert judge(model, FIRST, 4, **hard).kind == PROVED


def test_a_transformer_that_was_changed_is_not_proved_for_every_length():
    found = compiled(MAJORITY.text, "01", name="renamed")
    assert found.construction.name == "renamed"
    assert found.is_exact and judge(found, longest=3).kind == PROVED
    output, kept = found.construction.output, found.language
    nudged = replace(found.construction, output=output + Fraction(1, 4))
    assert judge(nudged, kept, 3).kind == EACH_STRING
    wrong = replace(found.construction, output=-output)
    assert judge(wrong, kept).counterexample == ""


WRONGS = [  # a formula, how it is compiled and read, and the first string decided incorrectly
    (SORTED, "softmax", {"base": 2}, {}, "aa"),
    (ALTERNATING, "softmax", {"base": 2}, {}, "ab"),
    (DYCK_1, "softmax", {"slope": 0.1}, {}, "()"),
    (MAJORITY, "hardmax", {}, {"attention": "softmax"}, "011"),
    (BY_NAME["FIRST"], "hardmax", {}, {"attention": "softmax"}, "1"),
    (DYCK_1, "layer norm", {}, {"eps": 1}, "())("),
    (SORTED, "layer norm", {}, {"eps": 1}, "ba"),
]


@pytest.mark.parametrize("stated, attention, made, read, wrong", WRONGS)
def test_the_counterexample_is_the_first_string_that_floats_find_too(
    stated, attention, made, read, wrong
):
    transformer = compiled(stated.text, stated.alphabet, attention, **made)
    if read:
        transformer = replace(transformer.construction, reading=Reading(**read))
    reader = Encoder(transformer)
    contains, tried = by_other_means(stated), strings(stated.alphabet, 5)
    assert next(w for w in tried if reader.accepts(w) != contains(w)) == wrong
    found = judge(transformer, stated.language)
    accepted, place = not contains(wrong), tried.index(wrong) + 1
    assert found == Verdict(WRONG, len(wrong), place, wrong, accepted=accepted)
    assert float(found.logit) == pytest.approx(reader.logit(wrong), abs=1e-12)


def share_of_ones() -> Construction:
    """The logit is the number of 1s less that of 0s and a half, over n = |w| + 1."""
    S = Space("0", "1", "CLS", "s")
    zero, one, cls, s = S
    mean = Head({"s": one - zero - cls / 2})
    return Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, [Layer(mean)], s, "more 1s")


@pytest.mark.parametrize(
    "predicate, said",  # of n = |w| + 1 tokens
    [
        (lambda w: True, "wrong: the empty string is rejected, but is in another, with score -1/2"),
        (lambda w: False, "wrong: '1' is accepted, but is not in another, with score 1/4"),
        (lambda w: w == "1", "wrong: '11' is accepted, but is not in another, with score 1/2"),
        (
            lambda w: w.startswith("1"),
            "wrong: '10' is rejected, but is in another, with score -1/6",
        ),
    ],
)
def test_a_counterexample_is_named_with_its_direction_and_its_logit(predicate, said):
    found = judge(share_of_ones(), Language("another", predicate))
    shorter = "\nevery shorter string is decided correctly" if found.counterexample else ""
    assert str(found) == said + shorter


def test_a_score_that_cancels_has_three_digits():
    """e^c is 3 to 60 bits, and 64 bits leave no sure digit of what three 0s take from it."""
    c = Fraction(round(Fraction("1.0986122886681096913952452369") * 2**60), 2**60)
    assert written(Exact(flawed_first(c)).decide("100").s) == "0e-18"
    found = judge(flawed_first(c), FIRST, 3)
    assert found.headline.endswith("'100' is rejected, but is in FIRST, with score -9.00e-20")


@pytest.mark.parametrize(
    ("alphabet", "longest"), [("a", 12), ("ab", 12), ("abc", 8), ("abcd", 6), ("abcdefghij", 3)]
)
def test_more_symbols_are_tried_on_shorter_strings(alphabet, longest):
    found = judge(lambda w: w > "", lambda w: w != "", alphabet=alphabet)
    assert (found.kind, found.longest) == (ANSWERED, longest)


def test_a_token_that_no_string_holds_is_said():
    S = Space("a", "CLS", "eos")
    made = Construction(S, {name: S[name] for name in S.names}, {}, [], S["a"], readout="last")
    assert "no string holds the tokens eos" in str(judge(made, "False", 2))


def test_a_verdict_ends_where_the_next_length_would_not_fit(capsys, monkeypatch):
    found = judge(share_of_ones(), MORE_1S, 30, seconds=1e-9)
    assert (found.kind, found.longest, found.strings) == (EACH_STRING, 0, 1)
    early = r"it ended early: the next 2 strings would take about \S* seconds, and .* have 5e-10"
    assert re.fullmatch(early, found.notes[0])
    assert str(found).endswith(found.notes[0]) and capsys.readouterr().err == ""
    proved = judge(compiled('Q("1")', "01"), seconds=1e-9)
    assert proved.kind == PROVED and re.search(early, str(proved))
    monkeypatch.setattr(verdicts, "perf_counter", partial(next, count(step=0.05)))
    within = judge(share_of_ones(), MORE_1S, 40, seconds=2, progress=True)
    assert 4 < within.longest < 40 and within.strings == 2 ** (within.longest + 1) - 1
    assert "lengths" in capsys.readouterr().err
    whole = judge(share_of_ones(), MORE_1S, 5, seconds=600)
    assert whole == judge(share_of_ones(), MORE_1S, 5) == Verdict(EACH_STRING, 5, 63)


def balanced() -> Construction:
    """A logit that is 0 for every string, as the difference of two equal softmax means."""
    S = Space("0", "1", "CLS", "s", "t")
    zero, one, cls, s, _ = S
    heads = [Head({"s": form}, q=[cls], k=[one]) for form in (one, -one)]
    return Construction(S, {"0": zero, "1": one, "CLS": cls}, {}, [Layer(heads)], s)


def test_a_tie_that_no_precision_settles_is_undecided():
    found = judge(balanced(), EVERYTHING, 3)  # in the empty string CLS is alone: a proved tie
    assert found == Verdict(WRONG, 0, 1, "", accepted=False) and found.logit == 0
    found = judge(balanced(), NOTHING, 3)
    assert found == Verdict(UNDECIDED, 1, 3, "1")
    assert str(found).startswith("undecided: '1' is not decided, with score [+/- ")
    assert str(found).endswith("]\nevery shorter string is decided correctly")


def test_a_tie_that_keeps_a_score_from_being_known_well_ends():
    tied = balanced()
    one, cls, s, t = (tied.space[name] for name in ("1", "CLS", "s", "t"))
    layers = [*tied.layers, Layer(Head({"t": one}, q=[cls], k=[s], attention="hardmax"))]
    found = judge(replace(tied, layers=layers, output=t + 10), EVERYTHING, 3)
    assert found.kind == EACH_STRING and 9 < found.margin <= 10


@pytest.mark.parametrize(
    "factor, margin", [(Fraction(1, 10**330), "below 1e-308"), (Fraction(10**330), "above 1e308")]
)
def test_a_margin_that_no_float_holds_is_not_0(factor, margin):
    """The sign of each logit is proved, and it is no 0."""
    above = replace(parity(), output=(parity().output + Form((), Fraction(1))) * factor)
    found = judge(above, EVERYTHING, 1)
    assert found.kind == EACH_STRING and found.margin > 0
    assert f"the smallest margin of a right decision is {margin}, at " in str(found)
    assert "decision is 0, at the empty string" in str(judge(parity(), PARITY.predicate, 1))
