"""Learners that are trained from a configuration: how such a run is made, tested and replayed.

Some begin at the transformer for PARITY that Chiang & Cholak write down (their sections 3.2 and 4),
or near it: as in their script, but that the word embedding is trained, CLS stands in front, and
both layers have 20 hidden units.
"""

from dataclasses import fields
from functools import partial
from itertools import islice
from math import log

import numpy as np
import torch

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from chapters.common.learners.train import StringSource, descent, optimizer, score, train
from record.experiment import Experiment, significant

REPLAYED_STEPS, REPLAYED_SEEDS = 5, 3
OF_NETWORK = {field.name for field in fields(Network)}
ROUNDED = 6e-4  # the share of a number that four digits leave open, and a little more
TESTED_AT = (  # epochs
    *(1, 2, 3, 5, 7, *range(10, 100, 10), 100, 150),
    *(*range(200, 1001, 100), *range(2000, 10_001, 1000)),
)
# Coordinates stand in pairs, x and -x, so that the mean that layer normalization takes away is 0.
PAIRS = ("i/n", "cos iπ", "0", "1", "CLS", "k/n", "1/n", "[i=k]/n", "s", "spare")
AT = {name: 2 * number for number, name in enumerate(PAIRS)}
WIDTH = 2 * len(PAIRS)
SECOND = len(PAIRS)  # where the second head begins


@torch.no_grad()
def begin_at_parity(ensemble: Ensemble, noise: float, moved: str) -> None:
    """Gives each member of a network of positions "mirrored PARITY", two heads and `WIDTH`
    coordinates and hidden units the exact weights, and adds normal `noise`, from its seed, to "all"
    weights or to the "one" of their figure 3.
    """
    p = ensemble.parameters

    def write(name: str, row: int, pair: str, by: float = 1) -> None:
        p[name][:, row, AT[pair]], p[name][:, row, AT[pair] + 1] = by, -by

    for name, value in p.items():
        value.fill_(float(".norm" in name and name.endswith("weight")))
    for code, name in enumerate(("0", "1", "CLS")):
        write("word", code, name)
    for row, (seen, counted) in enumerate((("1", "k/n"), ("CLS", "1/n"))):
        p["layers.0.kv.weight"][:, AT[seen], WIDTH + row] = 1
        write("layers.0.self_attn.out_proj.weight", row, counted)
    for unit, (shift, height) in enumerate(((-1, 1), (0, -2), (1, 1))):  # a tent over i = k
        for name, by in (("k/n", 1), ("i/n", -1), ("1/n", shift)):
            p["layers.0.linear1.weight"][:, AT[name], unit] = by
        write("layers.0.linear2.weight", unit, "[i=k]/n", height)
    for head, odd in ((0, -1), (SECOND, 1)):  # the first attends to odd positions
        p["layers.1.q.weight"][:, AT["CLS"], head] = 1
        p["layers.1.kv.weight"][:, AT["cos iπ"], head] = odd
        p["layers.1.kv.weight"][:, AT["[i=k]/n"], WIDTH + head] = 1
        write("layers.1.self_attn.out_proj.weight", head, "s", -odd)
    p["layers.1.linear1.weight"][:] = torch.eye(WIDTH)
    for name in set(PAIRS) - {"s"}:  # x - max(0, x) + max(0, -x) = 0
        write("layers.1.linear2.weight", AT[name], name, -1)
        write("layers.1.linear2.weight", AT[name] + 1, name, 1)
    p["output.weight"][:, AT["s"]] = 1
    one = p["layers.0.kv.weight"][:, AT["1"], WIDTH : WIDTH + 1]
    for number, member in enumerate(ensemble.members):
        draw = torch.Generator().manual_seed(member.seed)
        for weights in [one] if moved == "one" else p.values():
            weights[number] += noise * torch.randn(weights[number].shape, generator=draw)


def learners(configuration: dict, seeds: int) -> Ensemble:
    """The ensemble that a configuration trains. A scale "learned f" is f times a number that each
    layer learns, "learned" that number alone.

    With `initialisations`, each of so many initial weights is trained on every seed's strings;
    without, each seed has weights of its own; with `noise` they are near the exact PARITY's.
    """
    said = configuration["scale"]
    scale = said.removeprefix("learned").strip()
    shape = {name: configuration[name] for name in OF_NETWORK & {*configuration}}
    several = configuration.get("initialisations")
    members = [
        Member(seed, configuration["length"], scale or "plain", configuration.get("shortest"), own)
        for own in ([None] if several is None else range(several))
        for seed in range(seeds)
    ]
    ensemble = Ensemble(Network(**shape, learns_scale=scale != said), members)
    if "noise" in configuration:
        begin_at_parity(ensemble, configuration["noise"], configuration["moved"])
    return ensemble


def first_losses(ensemble: Ensemble, configuration: dict, steps: int = 100) -> np.ndarray:
    """The losses before the first steps of an epoch of so many, (REPLAYED_STEPS, members), in bits.
    The strings of all its steps are drawn together.
    """
    drawn = StringSource(ensemble, configuration["language"])
    adam = optimizer(ensemble, configuration["rate"])
    taken = descent(ensemble, drawn.steps(steps, configuration["strings"]), adam)
    return (torch.stack([*islice(taken, REPLAYED_STEPS)]) / log(2)).numpy()


def learn(device: str, **configuration) -> dict:
    """Trains one configuration's seeds, and tests them as they learn and in the end."""
    ensemble = learners(configuration, configuration["seeds"])
    language, lengths = configuration["language"], configuration["final_lengths"]
    begun = {}
    if "noise" in configuration:
        begun["begun"] = significant(score(ensemble, language, configuration["length"]).accuracy)
    tested_at = [at for at in TESTED_AT if at <= configuration["epochs"]]
    tests = configuration.get("tested_at", tested_at), configuration["test_length"]
    how = {"strings": configuration["strings"], "rate": configuration["rate"]}
    curves = train(ensemble, language, *tests, **how)
    final = {length: vars(score(ensemble, language, length)) for length in lengths}
    return begun | {
        "epochs": curves.epochs,
        "bits": significant(curves.bits),
        "accuracy": significant(curves.accuracy),
        "attention": significant(curves.attention.sum(-1)),
        "final": [
            {"length": length} | {name: significant(values.T) for name, values in found.items()}
            for length, found in final.items()
        ],
        "scales": [
            significant(p.detach().numpy()[:, 0, 0])
            for name, p in ensemble.parameters.items()
            if name.endswith("scale")
        ],
        "first_bits": curves.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def replay_learning(configuration: dict, result: dict) -> bool:
    """Whether the first steps are those stored and the figures fit together: a string that is
    decided incorrectly costs a bit or more, and where a test adds up all strings, the test after
    training gives what the last one during training gave.

    Near the exact PARITY, gradients are 0 except for rounding. Adam steps by their sign, and
    another processor rounds differently. So in a run that begins near there, fewer than half of
    the seeds may have other losses than the stored ones, and only from their third step on.
    """
    begun = learners(configuration, min(REPLAYED_SEEDS, configuration["seeds"]))
    first = first_losses(begun, configuration)[:, :REPLAYED_SEEDS]
    tests = [*zip(result["bits"], result["accuracy"], strict=True)]
    again = [test for test in result["final"] if test["length"] == configuration["test_length"]]
    repeats = all((test["bits"], test["accuracy"]) == tests[-1] for test in again)
    stored = np.array(result["first_bits"])
    if first.shape != stored.shape:
        return False
    is_same = np.isclose(first, stored, rtol=1e-4, atol=1e-6)
    held = is_same[:2] if "moved" in configuration else is_same
    return (
        bool(held.all() and is_same.all(0).mean() > 0.5)
        and all((1 - np.array(right) <= np.array(bits) + ROUNDED).all() for bits, right in tests)
        and (repeats or not begun.network.has_quotient)
    )


of_learners = partial(Experiment, measure=learn, replay=replay_learning)
