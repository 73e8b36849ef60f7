"""The map's small encoders: hard attention by its definition, and padding."""

from fractions import Fraction

import pytest

from chapters.the_map import encoders, examples
from chapters.the_map.encoders import PAD, enough_padding, progressions
from lib.transformer import Exact
from tests import EVERYTHING
from tests.formulas.oracles import strings
from tests.pages.oracles import at_equal_distances, by_definition

MOST = 6 if EVERYTHING else 5  # symbols, where 5 of them take as long as all before
KINDS = ("leftmost", "rightmost", "hardmax")
NETWORKS = {
    "the symbol at an end": (encoders.end_symbol, examples.FIRST, "leftmost"),
    "contains 01": (encoders.contains_01, examples.CONTAINS_01, "rightmost"),
    "induction": (encoders.induction, examples.INDUCTION, "rightmost"),
    "odd positions": (encoders.odd_positions, examples.ODD_POSITIONS, "leftmost"),
    "MAJORITY": (encoders.majority, examples.MAJORITY, "hardmax"),
    "MAJORITY, masked": (lambda: encoders.majority(masked=True), examples.MAJORITY, "hardmax"),
}


def fraction(value) -> Fraction:
    """python-flint's rational as Python's."""
    return Fraction(int(value.p), int(value.q))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NETWORKS)
def test_hard_attention_is_what_its_definition_says(name, kind):
    network = NETWORKS[name][0]()
    reader = Exact(network, kind)
    for w in strings("".join(network.alphabet), 5):
        assert fraction(reader.logit(w)) == by_definition(network, w, kind), w
        assert reader.accepts([w]) == [by_definition(network, w, kind) > 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", range(MOST))
def test_so_much_padding_is_needed_and_no_more(m, kind):
    """For every number of padding tokens, nothing is accepted incorrectly; all is right from m(m -
    3) on, and below it 0^(m - 3) 111 is rejected.
    """
    reader, words = Exact(progressions(), kind), strings("01", m)[2**m - 1 :]
    right = {w: at_equal_distances(w) for w in words}
    for q in range(enough_padding(m) + 3):
        accepted = {w: reader.accepts(w + PAD * q) for w in words}
        assert all(right[w] for w in words if accepted[w])
        assert (accepted == right) == (q >= enough_padding(m))
        if q < enough_padding(m):
            assert not accepted["0" * (m - 3) + "111"]
