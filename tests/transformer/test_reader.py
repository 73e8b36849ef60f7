"""Both readers behind one interface: the same names and the same decisions."""

import pytest

from lib.constructions import first, palindrome, parity
from lib.languages import FIRST, PARITY
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact

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
