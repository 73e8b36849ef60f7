"""Training: what is drawn, what a score is, and that a run is its seeds' alone."""

import itertools
from math import comb

import numpy as np
import pytest
import torch

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from chapters.common.learners.strings import TASKS, Task, tokens
from chapters.common.learners.train import score, train

MEMBERS = [Member(1, 8), Member(2, 12, "log n"), Member(3, 5, shortest=2)]


FOR_FIRST = Network()


def ensemble(network: Network = FOR_FIRST, members=MEMBERS, dtype=torch.float64) -> Ensemble:
    return Ensemble(network, members, dtype)


COUNTED = [name for name, task in TASKS.items() if isinstance(task, Task)]


@pytest.mark.parametrize("name", COUNTED)
def test_random_strings_have_the_distribution_that_is_summed(name):
    asked, length = TASKS[name], 6
    first, rest, weight = asked.distribution(length)
    assert abs(weight.sum() - 1) < 1e-12 and (rest <= length - 1).all()
    a, k = asked.draw(np.full(40_000, length), np.random.default_rng(0))
    for f, r in itertools.product((0, 1), range(length)):
        probability = weight[(first == f) & (rest == r)].sum()
        share = ((a == f) & (k == r)).mean()
        assert abs(share - probability) < 5 * np.sqrt(probability / 40_000) + 1e-9


def test_uniform_weights_are_binomial():
    first, rest, weight = TASKS["FIRST"].distribution(30)
    assert len(weight) == 60
    assert np.allclose(weight, [comb(29, k) / 2**30 for k in rest], rtol=1e-12, atol=0)
    for length in (10**6, 10**9):
        first, rest, weight = TASKS["FIRST"].distribution(length)
        half = weight[first == 0] * 2
        mean = half @ rest[first == 0]
        assert abs(mean / ((length - 1) / 2) - 1) < 1e-9
        assert abs(half @ (rest[first == 0] - mean) ** 2 / ((length - 1) / 4) - 1) < 1e-6


@pytest.mark.parametrize("language", ["FIRST", "PARITY"])
def test_a_score_is_the_mean_over_all_strings(language):
    made, asked = ensemble(), TASKS[language].language
    strings = list(asked.all_strings(8))
    labels = torch.tensor([asked.contains(w) for w in strings])
    logits, attention = made(tokens(strings))
    found = score(made, language, 8)
    bits = torch.nn.functional.softplus(torch.where(labels, -logits, logits)).mean(1) / np.log(2)
    assert np.allclose(found.bits, bits.detach(), rtol=1e-12)
    assert np.allclose(found.accuracy, ((logits > 0) == labels).double().mean(1))
    assert np.allclose(found.attention, attention.mean(1).detach(), rtol=1e-12)


@pytest.mark.parametrize("network", [Network(), Network("PARITY", heads=2)])
def test_what_a_member_learns_does_not_depend_on_who_else_trains(network):
    together = ensemble(network)
    train(together, "FIRST", [1], test_length=20, steps=30)
    for number, member in enumerate(MEMBERS):
        alone = ensemble(network, [member])
        train(alone, "FIRST", [1], test_length=20, steps=30)
        for name, value in alone.state(
            0
        ).items():  # to rounding: torch adds in an order that depends on the batch's size
            assert (value - together.state(number)[name]).abs().max() < 1e-9
