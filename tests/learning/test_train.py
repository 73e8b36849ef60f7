"""Training: what is drawn, what a score is, and that a run is its seeds' alone."""

import itertools
from math import comb

import numpy as np
import pytest
import torch

from chapters.common.learning import MergedSource
from lib.languages import ONE, PALINDROME
from lib.learning.ensemble import Ensemble, gradient
from lib.learning.network import Member, Network
from lib.learning.strings import TASKS, Task, arranged, tokens
from lib.learning.train import StringSource, score, train

MEMBERS = [Member(1, 8), Member(2, 12, "log n"), Member(3, 5, shortest=2)]


FOR_FIRST = Network()


def ensemble(network: Network = FOR_FIRST, members=MEMBERS, dtype=torch.float64) -> Ensemble:
    return Ensemble(network, members, dtype)


COUNTED = [name for name, task in TASKS.items() if isinstance(task, Task)]
POSITIONS = Network("PALINDROME", heads=2)


@pytest.mark.parametrize("name", COUNTED)
def test_labels_are_the_languages(name):
    for length in range(1, 9):
        for w in TASKS[name].language.all_strings(length):
            label = TASKS[name].label(np.array(int(w[0])), np.array(w[1:].count("1")), length)
            assert label == TASKS[name].language.contains(w)


def test_one_is_exactly_one_1():
    assert [w for w in ONE.all_strings(3) if w in ONE] == ["001", "010", "100"] and "" not in ONE


@pytest.mark.parametrize("network", [POSITIONS, Network()], ids=["full", "would have a quotient"])
def test_palindromes_are_drawn_and_labelled_as_strings(network):
    members = [*MEMBERS, Member(4, 7)]
    batch, labels = StringSource(Ensemble(network, members), "PALINDROME")(200)
    there = batch.log_count == 0
    for number, member in enumerate(members):
        strings = [
            "".join(str(code) for code in row[1:][kept[1:]].tolist())
            for row, kept in zip(batch.symbols[number], there[number], strict=True)
        ]
        assert (
            labels[number].tolist() == [w in PALINDROME for w in strings]
            and 0.3 < labels[number].double().mean() < 0.8
        )
        assert (batch.n[number] == torch.tensor([len(w) + 1 for w in strings])).all()
        lengths = {len(w) for w in strings}
        assert lengths == (
            {member.length}
            if member.shortest is None
            else set(range(member.shortest, member.length + 1))
        )
    assert not batch.is_quotient


def test_palindromes_are_scored_on_their_samples():
    made = Ensemble(POSITIONS, MEMBERS[:2], torch.float64)
    found = score(made, "PALINDROME", 9, seed=5)
    codes = PALINDROME.symbols(1000, 9, np.random.default_rng(5))
    strings = ["".join(map(str, row)) for row in codes]
    logits, _ = made(tokens(strings))
    labels = torch.tensor([w in PALINDROME for w in strings])
    assert np.allclose(found.accuracy, ((logits > 0) == labels).double().mean(1))
    assert np.allclose(
        found.bits,
        (
            torch.nn.functional.softplus(torch.where(labels, -logits, logits)).mean(1) / np.log(2)
        ).detach(),
        rtol=1e-9,
    )


def test_long_strings_are_scored_a_few_at_a_time(monkeypatch):
    made, sizes, call = Ensemble(POSITIONS, MEMBERS[:1], torch.float64), [], Ensemble.__call__
    whole = score(made, "PALINDROME", 40)
    monkeypatch.setattr("lib.learning.train.PAIRS_AT_ONCE", 3 * 41**2)
    monkeypatch.setattr(
        Ensemble,
        "__call__",
        lambda self, batch: sizes.append(batch.symbols.shape[1]) or call(self, batch),
    )
    again = score(made, "PALINDROME", 40)
    assert set(sizes) == {3, 1} and np.allclose(again.bits, whole.bits, rtol=1e-12)


def test_weights_and_strings_may_have_seeds_of_their_own():
    members = [Member(1, 8), Member(2, 8, weights=1), Member(1, 8, weights=2)]
    made = Ensemble(Network(), members)
    first, same, other = (made.state(member)["word"] for member in range(3))
    assert torch.equal(first, same) and not torch.equal(first, other)
    batch, _ = StringSource(made, "FIRST")(20)
    assert torch.equal(batch.log_count[0], batch.log_count[2]) and not torch.equal(
        batch.log_count[0], batch.log_count[1]
    )


@pytest.mark.parametrize("name", COUNTED)
def test_random_strings_have_the_distribution_that_is_summed(name):
    asked, length = TASKS[name], 6
    first, rest, weight = asked.distribution(length)
    assert abs(weight.sum() - 1) < 1e-12 and (rest <= length - 1).all()
    a, k = asked.draw(np.full(40_000, length), np.random.default_rng(0))
    for f, r in itertools.product((0, 1), range(length)):
        probability = weight[(first == f) & (rest == r)].sum()
        assert (
            abs(((a == f) & (k == r)).mean() - probability)
            < 5 * np.sqrt(probability / 40_000) + 1e-9
        )


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


def test_thinned_counts_give_the_sum_over_all(monkeypatch):
    made, length = ensemble(dtype=torch.float64), 20_000
    thinned = score(made, "FIRST", length)
    monkeypatch.setattr("lib.learning.strings.MOST_COUNTS", 10**6)
    complete = score(made, "FIRST", length)
    assert np.allclose(thinned.bits, complete.bits, rtol=1e-9) and np.allclose(
        thinned.attention, complete.attention, rtol=1e-9
    )


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


def test_arranged_strings_have_their_counts_in_every_place():
    draw = np.random.default_rng(0)
    first, rest, length = np.array([[1, 0, 0]]), np.array([[2, 0, 3]]), np.array([[5, 1, 4]])
    batch = arranged(first, rest, length, draw.random)
    there = batch.log_count[0] == 0
    assert there.sum(1).tolist() == [6, 2, 5] and batch.n[0].tolist() == [6, 2, 5]
    assert [batch.symbols[0, j, 1].item() for j in range(3)] == [1, 0, 0]
    assert [(batch.symbols[0, j, 2:][there[j, 2:]] == 1).sum().item() for j in range(3)] == [
        2,
        0,
        3,
    ]
    many = arranged(
        np.zeros((1, 4000), int), np.full((1, 4000), 2), np.full((1, 4000), 5), draw.random
    )
    assert np.allclose((many.symbols[0, :, 2:] == 1).double().mean(0), 0.5, atol=0.04)


def test_one_string_may_be_shorter_than_all_that_are_allowed():
    members = [Member(0, 1000, shortest=2), Member(1, 400, shortest=2)]
    batch, _ = StringSource(ensemble(Network("ONE"), members), "ONE")(1)
    assert batch.n.max() == batch.symbols.shape[-1] < 1001


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


def test_the_same_seeds_give_the_same_run_and_others_another():
    runs = [
        train(ensemble(), "PARITY", [1, 2], test_length=9, steps=20, strings=3) for _ in range(2)
    ]
    for name in ("bits", "accuracy", "attention", "losses_bits"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name))
    assert (
        runs[0].epochs == (1, 2)
        and runs[0].bits.shape == (2, 3)
        and runs[0].losses_bits.shape == (40, 3)
    )
    assert len(set(runs[0].losses_bits[0])) == 3


def test_both_paths_draw_the_same_strings():
    quick, full = (
        StringSource(ensemble(), "ONE"),
        StringSource(ensemble(Network("PARITY", heads=2)), "ONE"),
    )
    (small, labels), (large, again) = quick(7), full(7)
    assert (
        torch.equal(labels, again)
        and torch.equal(small.n, large.n)
        and torch.equal(small.symbols[..., 1], large.symbols[..., 1])
    )
    assert small.n[2].max() <= 6 and small.n[2].min() >= 3 and len(set(small.n[2].tolist())) > 1


def test_first_is_learned_at_its_own_length_and_log_n_carries_it_further():
    members = [Member(seed, 30, scale) for scale in ("plain", "log n") for seed in range(4)]
    made = ensemble(members=members, dtype=torch.float32)
    before = score(made, "FIRST", 30).bits
    train(made, "FIRST", [40], test_length=1000)
    assert (score(made, "FIRST", 30).bits < before).all() and score(
        made, "FIRST", 30
    ).accuracy.mean() > 0.9
    plain, scaled = np.split(score(made, "FIRST", 10**9).accuracy, 2)
    assert scaled.mean() > plain.mean()


BY_ONES = Network("none", heads=2)
OF_ONE_LENGTH = [Member(1, 5), Member(2, 9, "log n")]


def test_strings_that_are_alike_have_the_gradient_of_all():
    """By twenty strings of two lengths, drawn alike from the same seeds."""
    learners = ensemble(BY_ONES, OF_ONE_LENGTH)
    [(batch, labels, _)] = StringSource(learners, "PARITY").steps(1, 20)
    [(each, each_labels, weights)] = MergedSource(learners, "PARITY").steps(1, 20)
    assert each.symbols.shape[1] == 10 and weights.sum(1).tolist() == pytest.approx([1, 1])
    losses = gradient(learners, batch, labels)
    expected = learners.flat.grad.clone()
    assert torch.allclose(gradient(learners, each, each_labels, weights), losses, atol=1e-12)
    assert torch.allclose(learners.flat.grad, expected, atol=1e-12) and expected.abs().max() > 1e-3


def test_a_training_on_merged_strings_is_one_on_all():
    one, other = (
        train(
            ensemble(BY_ONES, OF_ONE_LENGTH), "PARITY", [1], 6, strings=8, rate=3e-3, source=source
        )
        for source in (MergedSource, StringSource)
    )
    assert np.allclose(one.losses_bits, other.losses_bits, atol=1e-9)
    assert np.allclose(one.bits, other.bits, atol=1e-9)


@pytest.mark.parametrize(
    "network, members, language",
    [
        (Network(), OF_ONE_LENGTH, "PARITY"),
        (BY_ONES, OF_ONE_LENGTH, "Dyck-1"),
        (BY_ONES, MEMBERS, "PARITY"),
    ],
)
def test_what_is_not_known_by_its_1s_is_not_merged(network, members, language):
    with pytest.raises(ValueError, match="strings are merged where"):
        train(ensemble(network, members), language, [1], 5, source=MergedSource)
