"""Learners that are trained from a configuration: how such a run is made, tested and replayed."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import torch

from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.strings import OrderTask, quotient
from lib.learning.train import Curves, Step, StringSource, score, train
from record.experiment import Experiment, is_same_mean, is_same_start, significant

REPLAYED_STEPS, REPLAYED_SEEDS = 5, 3
TESTED_AT = (  # epochs
    *(1, 2, 3, 5, 7, *range(10, 100, 10), 100, 150),
    *(*range(200, 1001, 100), *range(2000, 10_001, 1000)),
)


class MergedSource(StringSource):
    """The strings of a `StringSource`, those that are alike merged: without positions a string of a
    given length is its number of 1s, and each number is run once, with the share of the strings
    that have it.

    ValueError where positions, order or several lengths of a member tell strings apart.
    """

    def __init__(self, ensemble: Ensemble, language: str):
        super().__init__(ensemble, language)
        counted = self.task
        by_ones = ensemble.network.positions == "none" and ensemble.network.has_quotient
        if not by_ones or isinstance(counted, OrderTask):
            raise ValueError(
                f"strings are merged where no position and no order counts, not those of "
                f"{language} for {ensemble.network}"
            )
        if any(member.shortest is not None for member in self.members):
            raise ValueError("strings are merged where each member has one length")
        length = np.array([[member.length] for member in self.members])
        ones = np.arange(length.max() + 1)[None]
        ones = np.where(ones <= length, ones, 0)  # more than a member's length have no share
        first = np.minimum(ones, 1)
        self.each = ensemble.prepare(quotient(first, ones - first, length))
        labels = counted.label(first, ones - first, length)
        self.counted = counted
        self.labels = torch.from_numpy(labels).to(ensemble.device)

    def steps(self, steps: int, strings: int) -> Iterator[Step]:
        first, rest = self.counts(self.counted, self.lengths(steps * strings))
        ones = (first + rest).reshape(len(self.members), steps, strings, 1)
        shares = (ones == np.arange(self.labels.shape[1])).mean(2)
        weights = torch.from_numpy(shares).to(self.ensemble.device, self.ensemble.dtype)
        for number in range(steps):
            yield self.each, self.labels, weights[:, number]


def learners(configuration: dict, seeds: int, device: str = "cpu") -> Ensemble:
    """The ensemble that a configuration trains; "learned" as a scale is a trained number, plain at
    first.

    With `initialisations`, each of so many initial weights is trained on every seed's strings;
    without, each seed has weights of its own.
    """
    length = configuration["length"]
    positions = configuration.get("positions", "FIRST")
    learns_scale = configuration["scale"] == "learned"
    network = Network(
        positions,
        heads=configuration.get("heads", 1),
        learns_scale=learns_scale,
        longest=length + 1 if positions == "learned" else 0,
    )
    scale = "plain" if learns_scale else configuration["scale"]
    several = configuration.get("initialisations")
    initial = [None] if several is None else range(several)
    members = [
        Member(seed, length, scale, configuration.get("shortest"), weights)
        for weights in initial
        for seed in range(seeds)
    ]
    return Ensemble(network, members, device=device)


def trained(
    ensemble: Ensemble, configuration: dict, tested_at: list[int], test_length: int
) -> Curves:
    """The training of an ensemble as a configuration asks for it."""
    return train(
        ensemble,
        configuration["language"],
        tested_at,
        test_length,
        strings=configuration["strings"],
        rate=configuration["rate"],
        source=MergedSource if configuration.get("merged") else StringSource,
    )


def learn(device: str, **configuration) -> dict:
    """Trains one configuration's seeds, tests them as they learn, and at several lengths in the
    end.
    """
    ensemble = learners(configuration, configuration["seeds"], device)
    tested_at = [epoch for epoch in TESTED_AT if epoch <= configuration["epochs"]]
    curves = trained(ensemble, configuration, tested_at, configuration["test_length"])
    language, lengths = configuration["language"], configuration["final_lengths"]
    scales = [p for name, p in ensemble.parameters.items() if name.endswith("scale")]
    return {
        "epochs": curves.epochs,
        "bits": significant(curves.bits),
        "accuracy": significant(curves.accuracy),
        "attention": significant(curves.attention.sum(-1)),
        "final": [_final(ensemble, language, length) for length in lengths],
        "scales": [significant(p.cpu().numpy()[:, 0, 0]) for p in scales],
        "first_bits": curves.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def _final(ensemble: Ensemble, language: str, length: int) -> dict:
    """How an ensemble does at one length after its training."""
    last = score(ensemble, language, length)
    return {
        "length": length,
        "bits": significant(last.bits),
        "accuracy": significant(last.accuracy),
        "attention": significant(last.attention.T),
    }


def replay_learning(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the first steps are those stored; `in_full`, whether the last accuracies are too, in
    their means.
    """
    few = learners(configuration, min(REPLAYED_SEEDS, configuration["seeds"]))
    # a whole epoch, because the strings of an epoch are drawn together
    curves = trained(few, configuration, tested_at=[1], test_length=1)
    first = curves.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS]
    is_same = is_same_start(first, result["first_bits"])
    if not is_same or not in_full:
        return is_same
    now = learn("cpu", **configuration)
    pairs = [(now["accuracy"][-1], result["accuracy"][-1])]
    for here, was in zip(now["final"], result["final"], strict=True):
        pairs.append((here["accuracy"], was["accuracy"]))
    return all(is_same_mean(here, was) for here, was in pairs)


of_learners = partial(Experiment, measure=learn, replay=replay_learning)
