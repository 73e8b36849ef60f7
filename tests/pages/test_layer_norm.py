"""Chapter 3: bits expected over all strings of a length, and where a logit is lost."""

from math import exp, log2, sqrt

import pytest

from chapters.layer_norm.figures import (
    FAMILIES,
    expected_bits,
    lost_near,
    with_weight_one,
)
from lib import constructions
from lib.languages import FIRST, PARITY
from lib.transformer import Encoder, cross_entropy_bits

TRANSFORMERS = [(constructions.parity(), PARITY), (constructions.first(), FIRST)]


@pytest.mark.parametrize("eps", [0, 1e-2])
@pytest.mark.parametrize("construction, language", TRANSFORMERS, ids=["PARITY", "FIRST"])
def test_expected_bits_are_the_mean_over_all_strings(construction, language, eps):
    reader = Encoder(with_weight_one(construction), eps=eps)
    strings = list(language.all_strings(7))
    bits = cross_entropy_bits(reader(strings), [w in language for w in strings])
    assert expected_bits(reader, language, 7) == pytest.approx(bits.mean().item())


@pytest.mark.parametrize("construction, language", TRANSFORMERS, ids=["PARITY", "FIRST"])
def test_an_output_weight_of_one_costs_the_closed_form(construction, language):
    d = 2 * len(construction.space)
    found = expected_bits(Encoder(with_weight_one(construction), eps=0), language, 20)
    assert found == pytest.approx(log2(1 + exp(-sqrt(d / 2))))


def test_firsts_logit_is_lost_later_and_a_smaller_epsilon_loses_later():
    (parity, _), (first, _) = TRANSFORMERS
    cases = [(first if "FIRST" in name else parity, FAMILIES[name]) for name in FAMILIES]
    at = {eps: [lost_near(*case, eps) for case in cases] for eps in (1e-4, 1e-5)}
    assert at[1e-5] == sorted(at[1e-5])  # PARITY, FIRST's strings with 1 first, those with 0
    assert all(early < late for early, late in zip(at[1e-4], at[1e-5], strict=True))
