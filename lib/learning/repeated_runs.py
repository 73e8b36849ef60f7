"""The stored runs that repeat those of Nowak et al. 2022, and change one condition at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import product

import numpy as np

from lib.experiment import Experiment, significant
from lib.learning.ensemble import Ensemble
from lib.learning.network import Member, Network
from lib.learning.published import SEEDS
from lib.learning.repeat import repeat
from lib.learning.sample import is_same_mean, todays

TESTED_AT = (1, 2, 3, 5, 7, *range(10, 100, 10), 100, 150, *range(200, 1001, 100))
SHARED_SEED = 0  # of the initial weights of all their runs

# The networks of the authors' code. What their text says otherwise is in chapter 7's table.
NETWORKS = {
    "FIRST": Network("FIRST", output_first=True),
    "ONE": Network("FIRST", output_first=True),
    "PARITY": Network("scaled PARITY", read_at="last", output_first=True),
    "PALINDROME": Network("doubled sinusoidal", has_end_tag=True, output_first=True),
}
SAME_LOSS = 1e-5  # nats: what float32 and another order of additions leave between equal epochs


def repetition(
    language: str,
    *lengths: int,
    runs: int = 10,
    epochs: int = 100,
    test_length: int | None = None,
    scales: tuple[str, ...] = ("plain",),
    shortest: int | None = None,
    **changed,
) -> dict:
    """A configuration: their first `runs` runs at each length and scale, with what is `changed`.

    `test_length` None is the training length.
    """
    return dict(
        language=language,
        lengths=list(lengths),
        scales=list(scales),
        runs=runs,
        epochs=epochs,
        test_length=test_length,
        shortest=shortest,
        changed=changed,
    )


def learners(configuration: dict, device: str = "cpu") -> Ensemble:
    """The ensemble of a configuration: scales, lengths and runs, the runs changing fastest."""
    changed = dict(configuration["changed"])
    changed.pop("strings", None)
    weights = None if changed.pop("own_weights", False) else SHARED_SEED
    members = [
        Member(seed, length, scale, configuration["shortest"], weights)
        for scale, length in product(configuration["scales"], configuration["lengths"])
        for seed in SEEDS[: configuration["runs"]]
    ]
    network = Network(**asdict(NETWORKS[configuration["language"]]) | changed)
    return Ensemble(network, members, device=device)


def measure(device: str, **configuration) -> dict:
    """Repeats the runs of a configuration: for each scale and length, the mean loss of the first
    epoch (runs), losses and accuracies after some epochs (epochs, runs); losses in nats.
    """
    tested_at = [epoch for epoch in TESTED_AT if epoch <= configuration["epochs"]]
    done = repeat(
        learners(configuration, device),
        configuration["language"],
        configuration["test_length"],
        tested_at,
        strings=configuration["changed"].get("strings", 1),
    )
    groups = list(product(configuration["scales"], configuration["lengths"]))
    first, nats, accuracy = (
        np.split(values, len(groups), axis=-1)
        for values in (done.trained_nats[0], done.nats, done.accuracy)
    )
    return {
        "epochs": tested_at,
        "groups": [
            {
                "scale": scale,
                "length": length,
                "first_nats": first[j].tolist(),
                "nats": significant(nats[j]),
                "accuracy": significant(accuracy[j]),
            }
            for j, (scale, length) in enumerate(groups)
        ],
    }


def replay(configuration: dict, result: dict) -> bool:
    """Whether today's code gives the losses and accuracies that are stored of the first epoch.

    One of the `CHANGED`, another each time (`todays`), is run in full, to the mean accuracy that
    the page shows. Those of the authors' own runs are compared with what they recorded
    (tests/book/test_nowak_records.py).
    """
    again = measure("cpu", **configuration | {"epochs": 1})
    pairs = list(zip(again["groups"], result["groups"], strict=True))
    is_same = all(
        np.allclose(now["first_nats"], was["first_nats"], rtol=0, atol=SAME_LOSS)
        and np.allclose(now["nats"][0], was["nats"][0], rtol=0, atol=1e-3)
        and now["accuracy"][0] == was["accuracy"][0]
        for now, was in pairs
    )
    if not is_same or configuration != todays("repeated", CHANGED):
        return is_same
    [now], [was] = measure("cpu", **configuration)["groups"], result["groups"]
    return is_same_mean(now["accuracy"][-1], was["accuracy"][-1])


FIGURES = [
    repetition("FIRST", 10, 30, 100, 300, runs=20, test_length=1000, scales=("plain", "log n")),
    repetition("ONE", 10, 30, 100, 300, runs=20, test_length=1000),
    repetition("ONE", 10, 30, 100, 300, runs=20, test_length=1000, shortest=2),
    repetition("FIRST", 10, 100, 1000, scales=("log n",)),
    repetition("ONE", 10, 100, 1000, shortest=2),
    *(repetition(language, n) for n, language in product((10, 30), ("PARITY", "PALINDROME"))),
    *(repetition(language, 100, runs=5) for language in ("PARITY", "PALINDROME")),
]
CHANGES = {
    "PARITY": (
        {"heads": 2},
        {"read_at": "CLS"},
        {"positions": "PARITY"},
        {"own_weights": True},
        {"heads": 2, "read_at": "CLS", "positions": "PARITY"},
        {"heads": 2, "read_at": "CLS", "positions": "PARITY", "own_weights": True},
    ),
    "PALINDROME": (
        {"heads": 2},
        {"positions": "PALINDROME"},
        {"positions": "sinusoidal"},
        {"own_weights": True},
        {"heads": 2, "positions": "PALINDROME"},
    ),
}
CHANGED = [
    repetition(language, 10, **change)
    for language, changes in CHANGES.items()
    for change in changes
]
MORE_STRINGS = [repetition(language, 10, runs=5, strings=16) for language in CHANGES]
LONGER = [
    repetition(
        "FIRST", 10, 30, 100, 300, runs=3, epochs=1000, test_length=1000, scales=("plain", "log n")
    ),
    repetition("ONE", 10, 30, 100, 300, runs=3, epochs=1000, test_length=1000),
]

EXPERIMENTS: Mapping[str, Experiment] = {
    "nowak_repeated": Experiment(
        FIGURES,
        [repetition(language, 10, runs=2, epochs=2) for language in NETWORKS],
        measure,
        replay,
    ),
    "nowak_changed": Experiment(
        [*CHANGED, *MORE_STRINGS],
        [repetition(language, 10, runs=2, epochs=2, heads=2) for language in CHANGES],
        measure,
        replay,
    ),
    "nowak_longer": Experiment(
        LONGER, [repetition("FIRST", 10, runs=2, epochs=5, test_length=1000)], measure, replay
    ),
}
