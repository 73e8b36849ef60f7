"""A compiled construction says how it must be read, and every reader reads it so."""

from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.constructions import parity
from lib.formulas import FormulaError, compiled, holds
from lib.formulas.compilation import ATTENTIONS
from lib.formulas.stated import MAJORITY
from lib.judging import judge
from lib.languages import PARITY
from lib.transformer import Encoder, Exact, Layer, Reading, to_torch
from lib.transformer.construction import from_json, to_json
from lib.verdicts import PROVED
from tests import OFTEN
from tests.formulas.oracles import strings
from tests.formulas.strategies import texts

STRINGS = strings("ab", 5)


def signs(logits) -> list[bool]:
    """The answers of a reader whose batches hold strings of one length."""
    batches = [list(batch) for _, batch in groupby(STRINGS, len)]
    return [s > 0 for batch in batches for s in logits(batch).tolist()]


@pytest.mark.parametrize("attention", ATTENTIONS)
@given(data=st.data())
@settings(max_examples=3 * OFTEN, deadline=None)
def test_every_reader_reads_what_the_construction_says(attention, data):
    text = data.draw(texts(back=attention != "layer norm"))
    try:
        made = compiled(text, "ab", attention)
    except FormulaError:
        assume(attention != "layer norm")
        raise
    meant = [holds(made.formula, w) for w in STRINGS]
    again = from_json(to_json(made.construction))
    assert again == made.construction
    reader = Exact(again)
    assert [reader.decide(w).accepts for w in STRINGS] == meant == reader.accepts(STRINGS)
    bounded = reader._bounded.logits(STRINGS).signs
    assert all(sign in (0, 2 * is_in - 1) for sign, is_in in zip(bounded, meant, strict=True))
    assert signs(Encoder(made)) == meant
    if attention == "hardmax" and made.construction.size["heads"]:
        with pytest.raises(ValueError, match="PyTorch's heads are softmax, and .* has hardmax"):
            to_torch(made)
    else:
        assert signs(to_torch(made).logits) == meant


CONTRADICTIONS = [
    ("hardmax", {"attention": "softmax"}, "attention = hardmax, not softmax"),
    ("hardmax", {"eps": 0}, "eps = None, not 0"),
    ("softmax", {"attention": "hardmax"}, "attention = softmax, not hardmax"),
    ("softmax", {"eps": 1e-5}, "eps = None, not 1e-05"),
    ("softmax", {"log_n": True}, "log_n = False, not True"),
    ("layer norm", {"eps": 1e-5}, "eps = 0, not 1e-05"),
]


@pytest.mark.parametrize("attention, options, said", CONTRADICTIONS)
def test_an_option_that_contradicts_the_construction_is_refused(attention, options, said):
    made = compiled(MAJORITY.text, "01", attention)
    readers = [Exact, Encoder, lambda made, **options: judge(made, longest=1, **options)]
    for read in readers + [to_torch] * (options.keys() == {"eps"}):
        with pytest.raises(ValueError, match=f"must be read with {said}: replace"):
            read(made, **options)
    own = vars(made.construction.reading)
    assert judge(made, longest=3, **own).kind == PROVED  # what agrees changes nothing
    otherwise = replace(made.construction, reading=Reading(**{**own, **options}))
    assert vars(Encoder(otherwise)).items() >= {**own, **options}.items()


def test_a_construction_that_says_nothing_is_read_as_before():
    assert from_json(to_json(parity())) == parity()
    w = strings("01", 4)
    assert PARITY.errors(w, Exact(parity(), "hardmax").accepts(w)) == []
    head = replace(parity().layers[0].heads[0], attention="hardmax")
    hard = replace(parity(), layers=[Layer(head)])
    with pytest.raises(ValueError, match="every head of 'PARITY' has .* hardmax: .* softmax"):
        Exact(hard, "softmax")
