"""Networks without positions, trained on strings of at most 40 symbols, judged at every length."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from time import process_time
from typing import Any

import numpy as np
import torch
from torch.nn.utils import vector_to_parameters

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from chapters.common.learners.strings import Batch, quotient
from chapters.common.learners.train import Step, descent, optimizer
from chapters.common.learning import REPLAYED_SEEDS, REPLAYED_STEPS
from chapters.how_long.shapes import at_random, contradicted, tensors, training
from lib.formulas.counts import Counted
from lib.formulas.text import formula
from lib.trained import Judged, Positive, from_pytorch
from lib.trained.counts import every_length
from record.experiment import (
    Experiment,
    experiments,
    is_same_start,
    packed,
    significant,
    unpacked,
)
from record.runs import stored

LANGUAGES = {
    "MAJORITY": 'count(Q("1")) > count(Q("0"))',
    "at least two 1s": 'count(Q("1")) >= 2',
    "a third": '3 * count(Q("1")) >= position',
    "ONE": 'count(Q("1")) == 1',
    "contains a 1": 'count(Q("1")) >= 1',
    "both symbols": 'count(Q("0")) >= 1 and count(Q("1")) >= 1',
}
SHARES = {"MAJORITY": 1 / 2, "a third": 1 / 3}  # where membership turns; elsewhere at few 1s
TRAINED_TO, JUDGED_TO = 40, 1 << 12  # symbols
AT_ONCE = 500  # steps whose strings are drawn together


def networks(layers: int, scale: str, seeds: int) -> Ensemble:
    """Encoders without positions and without a mask, read at CLS, of one head and width 16."""
    members = [Member(seed, TRAINED_TO, scale, shortest=1) for seed in range(seeds)]
    return Ensemble(Network("none", layers=layers), members)


def drawn(language: str, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Lengths, uniform to the longest, and numbers of 1s: half of the strings with a share of 1s of
    their own, half within three of where membership turns, or of an end.
    """
    draw = np.random.default_rng([seed, 13])
    n = draw.integers(1, TRAINED_TO, size, endpoint=True)
    share = np.where(draw.random(size) < 0.5, draw.random(size), draw.beta(0.2, 0.2, size))
    anywhere = draw.binomial(n, share)
    turn = np.round(SHARES.get(language, 0) * n) + draw.integers(-3, 3, size, endpoint=True)
    if language == "both symbols":
        turn = np.where(draw.random(size) < 0.5, turn, n - turn)
    return n, np.where(draw.random(size) < 0.5, anywhere, np.clip(turn, 0, n)).astype(np.int64)


def steps(ensemble: Ensemble, language: str, number: int, strings: int) -> Iterator[Step]:
    """So many steps, each of so many strings for each member."""
    meant = counted(language)
    for block in range(0, number, AT_ONCE):
        size = AT_ONCE * strings  # of a shorter run too, whose strings are the same
        both = [drawn(language, size, member.seed * 10**6 + block) for member in ensemble.members]
        n, ones = (np.stack(part) for part in zip(*both, strict=True))
        labels = meant.members(np.stack([n - ones, ones], -1).reshape(-1, 2)).reshape(n.shape)
        batch = of_counts(n, ones)
        for start in range(0, min(AT_ONCE, number - block) * strings, strings):
            of_step = slice(start, start + strings)
            yield batch[of_step], torch.from_numpy(labels[:, of_step])


def counted(language: str) -> Counted:
    """A language by numbers of symbols."""
    return Counted(formula(LANGUAGES[language], "01"), ("0", "1"))


def of_counts(n: np.ndarray, ones: np.ndarray) -> Batch:
    """Strings of these lengths with so many 1s, a 1 in front where there is one."""
    first = (ones > 0).astype(np.int64)
    return quotient(first, ones - first, n)


def judged(state: dict[str, torch.Tensor], scale: str) -> Judged:
    """A trained network as the judge reads it."""
    network = from_pytorch(
        state,
        heads=1,
        word="word",
        position=None,
        last=None,
        activation="relu",
        pre_norm=False,
        causal=False,
        norm="layer",
        eps=1e-5,
    )
    network = replace(network, log_n=scale == "log n")
    return Judged(network, {"0": 0, "1": 1}, Positive(0), before=(2,), read_at="first")


def trained(
    language: str, layers: int, scale: str, seeds: int, number: int, strings: int, rate: float
) -> tuple[Ensemble, np.ndarray]:
    """The networks after so many steps, and their losses in bits, (steps, members)."""
    ensemble = networks(layers, scale, seeds)
    adam = optimizer(ensemble, rate)
    losses = descent(ensemble, steps(ensemble, language, number, strings), adam)
    return ensemble, torch.stack([*losses]).numpy() / np.log(2)


def flat(parts: Iterable[torch.Tensor]) -> np.ndarray:
    """A network's parameters in a row."""
    return np.concatenate([part.numpy().ravel() for part in parts])


def kept(text: str, layers: int, scale: str) -> Judged:
    """The network whose parameters are stored as that text."""
    state = networks(layers, scale, 1).state(0)
    vector_to_parameters(torch.from_numpy(unpacked(text)), state.values())
    return judged(state, scale)


def at_every_length(network: Judged, language: str) -> dict[str, Any]:
    """The verdict on a network, but for the string, which its counts say."""
    found = every_length(network, formula(LANGUAGES[language], "01"), JUDGED_TO)
    names = ("kind", "reach", "counts", "always", "cells", "asked")
    return {name: getattr(found, name) for name in names}


def measure(
    device: str,
    language: str,
    layers: int,
    scale: str,
    seeds: int,
    steps: int,
    strings: int,
    rate: float,
) -> dict:
    """Trains networks of so many seeds, judges each at every length, and keeps the first."""
    torch.set_num_threads(1)
    ensemble, losses = trained(language, layers, scale, seeds, steps, strings, rate)
    states = [ensemble.state(member) for member in range(seeds)]
    return {
        "verdicts": [at_every_length(judged(state, scale), language) for state in states],
        "last_bits": significant(losses[-AT_ONCE:].mean(0)),
        "first_bits": losses[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
        "weights": packed(flat(states[0].values())),
    }


def replay(configuration: dict, result: dict) -> bool:
    """Whether the first steps are those stored, and the network that is kept gets the verdict that
    is stored.
    """
    plan: dict[str, Any] = {name: configuration[name] for name in ("language", "layers", "scale")}
    rest: dict[str, Any] = {name: configuration[name] for name in ("strings", "rate")}
    seeds = min(REPLAYED_SEEDS, configuration["seeds"])
    _, first = trained(**plan, seeds=seeds, number=REPLAYED_STEPS, **rest)
    network = kept(result["weights"], plan["layers"], plan["scale"])
    is_same = is_same_start(first, result["first_bits"])
    found, stored = at_every_length(network, plan["language"]), result["verdicts"][0]
    return is_same and all(found[name] == stored[name] for name in ("kind", "reach", "always"))


# ---- other shapes ----


def shaped(
    language: str, number: int, steps: int, strings: int, rate: float
) -> tuple[Judged, Iterator[float]]:
    """The network of a shape and weights that its number draws, and what trains it, in so many
    steps on as many strings each, and gives the losses.
    """
    network = at_random(number)
    n, ones = drawn(language, steps * strings, number)
    counts = np.stack([n - ones, ones], -1).reshape(steps, strings, 2)
    return network, training(network, counted(language), counts, rate)


def timed(network: Judged, language: str) -> dict[str, Any]:
    """The verdict on a network, the seconds of one thread that it took, and at how many lengths
    plain floats contradict it.
    """
    begun = process_time()
    found = at_every_length(network, language)
    found["seconds"] = round(process_time() - begun, 1)
    return found | {"contradicted": contradicted(network, counted(language), found)}


def measure_shapes(
    device: str, language: str, first: int, shapes: int, steps: int, strings: int, rate: float
) -> dict:
    """Judges the networks of a language that are kept, and trains and judges others, of the shapes
    of so many numbers from the first on.
    """
    torch.set_num_threads(1)
    known = stored("how_long").by("language", "layers", "scale").items()
    of_it = {key[1:]: result["weights"] for key, result in known if key[0] == language}
    others = []
    for number in range(first, first + shapes):
        network, steps_taken = shaped(language, number, steps, strings, rate)
        losses = [*steps_taken]
        others.append(
            timed(network, language)
            | {
                "number": number,
                "first_bits": losses[:REPLAYED_STEPS],
                "last_bits": float(f"{np.mean(losses[-REPLAYED_STEPS:]):.4g}"),
                "weights": packed(flat(tensors(network.network))),
            }
        )
    return {
        "kept": [timed(kept(weights, *key), language) for key, weights in of_it.items()],
        "shapes": others,
    }


def replay_shapes(configuration: dict, result: dict) -> bool:
    """Whether the first network's first steps are those stored, and its weights get the verdict
    that is stored.
    """
    language, (one, *_) = configuration["language"], result["shapes"]
    plan = {name: configuration[name] for name in ("steps", "strings", "rate")}
    network, steps_taken = shaped(language, one["number"], **plan)
    is_same = is_same_start([*islice(steps_taken, REPLAYED_STEPS)], one["first_bits"])
    network = at_random(one["number"])
    weights = torch.from_numpy(unpacked(one["weights"])).double()
    vector_to_parameters(weights, tensors(network.network))
    found = at_every_length(network, language)
    return is_same and all(found[name] == one[name] for name in ("kind", "reach", "always"))


EXPERIMENTS = experiments(
    __file__,
    how_long=partial(Experiment, measure=measure, replay=replay),
    every_shape=partial(Experiment, measure=measure_shapes, replay=replay_shapes),
)
