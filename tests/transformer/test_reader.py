"""Both readers behind one interface: the same names, the same decisions, and what is refused."""

import pytest

from lib.constructions import first, palindrome, parity
from lib.languages import FIRST, PARITY
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from lib.transformer.sublayers import FFN, Head, Layer

READERS = pytest.mark.parametrize("read", [Encoder, Exact], ids=["torch", "exact"])


@READERS
@pytest.mark.parametrize(
    "construction, language", [(parity(), PARITY), (first(), FIRST)], ids=["PARITY", "FIRST"]
)
def test_a_string_and_a_batch_are_decided_alike(read, construction, language):
    reader = read(construction)
    assert reader.construction == construction
    strings = list(language.all_strings(4))
    assert [bool(x) for x in reader.accepts(strings)] == [w in language for w in strings]
    assert [reader.accepts(w) for w in strings] == [w in language for w in strings]
    assert all(type(reader.accepts(w)) is bool for w in strings)


def test_logits_and_traces_agree():
    floating, exact = Encoder(parity()), Exact(parity())
    for w in ("", "1", "0110"):
        assert floating.logit(w) == pytest.approx(float(exact.logit(w)), abs=1e-12)
        one, other = floating.trace(w, weights=True), exact.trace(w)
        assert one.tokens == other.tokens and one.attention.keys() == other.attention.keys()
        for values, truth in zip(one.a, other.a, strict=True):
            assert values.keys() == truth.keys()
            for name in values:
                expected = [float(x) for x in truth[name]]
                assert values[name][0].tolist() == pytest.approx(expected, abs=1e-12)


def test_hardmax_with_a_base_below_1_prefers_the_least_logit():
    construction = palindrome(base=0.5)
    for w in ("011", "10", "1101"):
        expected = Encoder(construction, attention="hardmax").logit(w)
        assert float(Exact(construction, "hardmax").logit(w)) == pytest.approx(expected)


@READERS
@pytest.mark.parametrize("wrong", [None, "PARITY", 3])
def test_what_is_no_construction_is_refused(read, wrong):
    with pytest.raises(TypeError, match="construction must be a Construction, not "):
        read(wrong)


@READERS
def test_what_is_no_string_is_refused(read):
    for call in (read(parity()).logit, read(parity()).accepts):
        with pytest.raises((TypeError, ValueError), match="'2' at position 1"):
            call("2")
    with pytest.raises(TypeError, match="a string over {0, 1} is expected, not 7"):
        read(parity()).logit(7)


S = parity().space


@pytest.mark.parametrize(
    "make, complaint",
    [
        (lambda: FFN([S["s"]], {"s": 1}), "the output row of 's' must be a sequence of 1 numbers"),
        (
            lambda: FFN([S["s"]], {"s": "1"}),
            "the output row of 's' must be a sequence of 1 numbers",
        ),
        (
            lambda: Layer(rewrites="s x"),
            "a list of coordinate names is expected, not the string 's x'",
        ),
        (lambda: Layer(rewrites=[1]), "the name of a coordinate is expected, not 1"),
        (lambda: Layer(ffn="ReLU"), "an FFN or None is expected, not 'ReLU'"),
        (lambda: Head(v="s"), "are expected as a mapping or as pairs, not 's'"),
        (lambda: Head(v=["s"]), "are expected as a mapping or as pairs"),
        (lambda: Head(v=None), "are expected as a mapping or as pairs, not None"),
    ],
)
def test_parts_of_the_wrong_kind_are_named(make, complaint):
    with pytest.raises(TypeError) as caught:
        make()
    assert complaint in str(caught.value)
