"""The stored runs of learners: every language at every length, and how each is run and checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from lib.learning.ensemble import Ensemble
from lib.learning.feedforward import train_parity
from lib.learning.network import Member, Network
from lib.learning.train import score, train
from record.experiment import Experiment, is_same_mean, significant, todays

REPLAYED_STEPS = 5
REPLAYED_SEEDS = 3
TESTED_AT = (
    *(1, 2, 3, 5, 7, *range(10, 100, 10), 100, 150),
    *(*range(200, 1001, 100), *range(2000, 10_001, 1000)),
)
PARITY_SETTINGS = (  # positions, scale, strings a step, rate
    ("PARITY", "plain", 1, 3e-4),
    ("PARITY", "plain", 8, 1e-3),
    ("PARITY", "log n", 8, 1e-3),
    ("learned", "plain", 8, 1e-3),
)


def _train(device: str, n: int, activation: str, width: int, seeds: int, steps: int) -> dict:
    run = train_parity(n, range(seeds), activation, steps, hidden=width * n, device=device)
    return {
        "errors": run.errors.tolist(),
        "first_bits": run.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def _replay_training(configuration: dict, result: dict) -> bool:
    first: dict[str, Any] = configuration | {"steps": REPLAYED_STEPS, "seeds": REPLAYED_SEEDS}
    again = np.array(_train("cpu", **first)["first_bits"])
    stored = np.array(result["first_bits"])
    return stored.shape == again.shape and np.allclose(again, stored, rtol=1e-9, atol=0)


def _learners(configuration: dict, seeds: int, device: str = "cpu") -> Ensemble:
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
    shortest = configuration.get("shortest")
    initialisations = (
        range(configuration["initialisations"]) if "initialisations" in configuration else [None]
    )
    members = [
        Member(seed, length, scale, shortest, weights)
        for weights in initialisations
        for seed in range(seeds)
    ]
    return Ensemble(network, members, device=device)


def _learn(device: str, **configuration) -> dict:
    """Trains one configuration's seeds, tests them as they learn, and at several lengths in the
    end.
    """
    ensemble = _learners(configuration, configuration["seeds"], device)
    language = configuration["language"]
    tested_at = [epoch for epoch in TESTED_AT if epoch <= configuration["epochs"]]
    curves = train(
        ensemble,
        language,
        tested_at,
        configuration["test_length"],
        strings=configuration["strings"],
        rate=configuration["rate"],
        merged=configuration.get("merged", False),
    )
    scales = [p for name, p in ensemble.parameters.items() if name.endswith("scale")]
    return {
        "epochs": curves.epochs,
        "bits": significant(curves.bits),
        "accuracy": significant(curves.accuracy),
        "attention": significant(curves.attention.sum(-1)),
        "final": [_final(ensemble, language, n) for n in configuration["final_lengths"]],
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


def _replay_learning(configuration: dict, result: dict) -> bool:
    """Whether the first steps are those stored; they are float32, which another machine rounds
    otherwise.

    A whole epoch is run, because the strings of an epoch are drawn together. Of PARITY's runs, with
    positions and without, and ONE's one, another each time (`todays`), is run in full, to its last
    accuracies; the others take longer, and only their first steps are checked.
    """
    curves = train(
        _learners(configuration, min(REPLAYED_SEEDS, configuration["seeds"])),
        configuration["language"],
        tested_at=[1],
        test_length=1,
        strings=configuration["strings"],
        rate=configuration["rate"],
        merged=configuration.get("merged", False),
    )
    again = curves.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS]
    stored = np.array(result["first_bits"])
    is_same = stored.shape == again.shape and np.allclose(again, stored, rtol=1e-4, atol=1e-6)
    if not is_same or configuration != todays("learning", IN_FULL):
        return is_same
    now = _learn("cpu", **configuration)
    pairs = [(now["accuracy"][-1], result["accuracy"][-1])]
    for here, was in zip(now["final"], result["final"], strict=True):
        pairs.append((here["accuracy"], was["accuracy"]))
    return all(is_same_mean(here, was) for here, was in pairs)


def _first(length: int, scale: str, seeds: int, epochs: int) -> dict:
    """Chiang & Cholak's figure 4: FIRST at one training length, one string a step, tested at
    1000.
    """
    return dict(
        language="FIRST",
        length=length,
        scale=scale,
        seeds=seeds,
        epochs=epochs,
        strings=1,
        rate=3e-4,
        test_length=1000,
        final_lengths=[10, 30, 100, 300, *(10**j for j in range(3, 10))],
    )


def _parity(
    length: int,
    positions: str,
    scale: str,
    strings: int,
    rate: float,
    seeds: int = 10,
    epochs: int = 100,
) -> dict:
    """PARITY with the two heads of its construction, tested at the length that it is trained at and
    a little further.
    """
    return dict(
        language="PARITY",
        length=length,
        positions=positions,
        heads=2,
        scale=scale,
        seeds=seeds,
        epochs=epochs,
        strings=strings,
        rate=rate,
        test_length=length,
        final_lengths=[length] if positions == "learned" else [length, length + 1, length + 2],
    )


def _nowak(
    language: str,
    length: int,
    positions: str = "FIRST",
    seeds: int = 20,
    epochs: int = 100,
    test_length: int | None = None,
    final_lengths: list[int] | None = None,
    **more,
) -> dict:
    """A network as Nowak et al. train it (their sections 4.2 and B), tested at the length that it
    is trained at unless told otherwise.
    """
    configuration = dict(
        language=language,
        length=length,
        positions=positions,
        seeds=seeds,
        epochs=epochs,
        test_length=test_length or length,
        final_lengths=final_lengths or [length],
        scale="plain",
        strings=1,
        rate=3e-4,
    )
    return configuration | more


LONGER = [5, 10, 20, 30, 50, *range(100, 1001, 100), 10**4, 10**5, 10**6]
SHORTEST: dict[str, dict[str, Any]] = {"fixed": {}, "variable": {"shortest": 2}}


PARITY_RUNS = [
    _parity(length, *setting) for length, setting in product((4, 8, 12, 16, 24), PARITY_SETTINGS)
]
COUNTING_LENGTHS, COUNTED_STRINGS = (4, 6, 8, 10, 12), (8, 64)


def _counted(length: int, strings: int, **more: int) -> dict:
    """PARITY without positions: a function of how many 1s there are."""
    return _parity(length, "none", "plain", strings, 1e-3, **more)


COUNTED_RUNS = [
    _counted(length, strings, epochs=100)
    for length, strings in product(COUNTING_LENGTHS, COUNTED_STRINGS)
]

ONE_RUNS = [
    _nowak("ONE", n, test_length=1000, final_lengths=LONGER, scale=scale, **SHORTEST[kind])
    for n, kind, scale in product((10, 30, 100, 300), SHORTEST, ("plain", "log n"))
] + [
    _nowak(
        "ONE",
        n,
        "ONE",
        seeds=5,
        final_lengths=[5, 10, 20, 30, 50, 100, 200, 300],
        **SHORTEST[kind],
    )
    for n, kind in product((10, 30), SHORTEST)
]

IN_FULL = [*PARITY_RUNS, *COUNTED_RUNS, *ONE_RUNS]  # that are run in full when they are checked

EXPERIMENTS: Mapping[str, Experiment] = {
    "ffnn_parity": Experiment(
        [
            dict(n=n, activation=activation, width=width, seeds=50, steps=10_000)
            for n, activation, width in product(range(2, 9), ("sigmoid", "tanh", "relu"), (1, 2, 4))
        ],
        [dict(n=n, activation="tanh", width=1, seeds=5, steps=500) for n in (2, 3, 4)],
        _train,
        _replay_training,
    ),
    "first_generalisation": Experiment(
        [
            _first(length, scale, seeds=20, epochs=1000)
            for length, scale in (
                *product((10, 30), ("plain", "log n", "log of the training n", "learned")),
                *product((100, 300), ("plain", "log n")),
            )
        ],
        [
            _first(length, scale, seeds=4, epochs=5)
            for length, scale in product((10, 100), ("plain", "log n", "learned"))
        ],
        _learn,
        _replay_learning,
    ),
    "parity_learning": Experiment(
        PARITY_RUNS,
        [_parity(4, *setting, seeds=3, epochs=2) for setting in PARITY_SETTINGS],
        _learn,
        _replay_learning,
    ),
    "parity_steps": Experiment(
        COUNTED_RUNS,
        [_counted(4, strings, seeds=3, epochs=2) for strings in COUNTED_STRINGS],
        _learn,
        _replay_learning,
    ),
    "parity_million": Experiment(  # steps: hours
        [
            _counted(length, strings, epochs=10_000) | {"merged": True}
            for length, strings in product((*COUNTING_LENGTHS, 16, 24), COUNTED_STRINGS)
        ],
        [_counted(4, 8, seeds=3, epochs=2) | {"merged": True}],
        _learn,
        _replay_learning,
    ),
    "one_generalisation": Experiment(
        ONE_RUNS,
        [
            _nowak(
                "ONE", 10, positions, seeds=2, epochs=1, final_lengths=[5, 10, 20], **SHORTEST[kind]
            )
            for positions, kind in product(("FIRST", "ONE"), SHORTEST)
        ],
        _learn,
        _replay_learning,
    ),
    "initial_weights": Experiment(
        [_nowak("FIRST", 10, seeds=5, scale="log n", test_length=1000, initialisations=20)],
        [_nowak("FIRST", 10, seeds=2, epochs=1, test_length=1000, initialisations=2)],
        _learn,
        _replay_learning,
    ),
}
