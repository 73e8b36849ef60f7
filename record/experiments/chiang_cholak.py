"""The stored runs on Chiang & Cholak 2022: PARITY and FIRST learned, and PARITY's construction in
floating point, searched for where it first errs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from lib.constructions.precision import (
    MEANS,
    first_failure,
    first_failure_in,
    first_normalized_failure,
)
from lib.learning.feedforward import train_parity
from record.experiment import Experiment, is_same_start
from record.experiments.learning import REPLAYED_SEEDS, REPLAYED_STEPS, of_learners

# Feed-forward networks for PARITY (their section 3.1), trained.


def _train(device: str, n: int, activation: str, width: int, seeds: int, steps: int) -> dict:
    run = train_parity(n, range(seeds), activation, steps, hidden=width * n, device=device)
    return {
        "errors": run.errors.tolist(),
        "first_bits": run.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def _replay_training(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the first steps are those stored, in float64; `in_full` asks for no more."""
    first: dict[str, Any] = configuration | {"steps": REPLAYED_STEPS, "seeds": REPLAYED_SEEDS}
    again = _train("cpu", **first)["first_bits"]
    return is_same_start(again, result["first_bits"], rtol=1e-9, atol=0)


# Transformers that learn FIRST and PARITY (their section 5), and what decides whether they do.


# Their figure 4: FIRST at one training length, one string a step, tested at 1000.
FIRST = dict(language="FIRST", strings=1, rate=3e-4, test_length=1000)
FINAL_LENGTHS = [10, 30, 100, 300, *(10**j for j in range(3, 10))]


def _first(length: int, scale: str, seeds: int, epochs: int) -> dict:
    asked = dict(length=length, scale=scale, seeds=seeds, epochs=epochs)
    return FIRST | asked | dict(final_lengths=FINAL_LENGTHS)


def _several_weights(scale: str, seeds: int, epochs: int, weights: int) -> dict:
    """FIRST at length 10 from each of so many initial weights, on every seed's strings."""
    more = dict(positions="FIRST", final_lengths=[10], initialisations=weights)
    return _first(10, scale, seeds, epochs) | more


def _parity(length: int, seeds: int = 10, epochs: int = 100, **setting) -> dict:
    """PARITY with the two heads of its construction, tested at the length that it is trained at and
    a little further.
    """
    is_learned = setting["positions"] == "learned"
    tested = dict(
        test_length=length,
        final_lengths=[length] if is_learned else [length, length + 1, length + 2],
    )
    trained = dict(language="PARITY", length=length, heads=2, seeds=seeds, epochs=epochs)
    return trained | tested | setting


def _counted(length: int, strings: int, **more: int) -> dict:
    """PARITY without positions: a function of how many 1s there are."""
    return _parity(length, positions="none", scale="plain", strings=strings, rate=1e-3, **more)


PARITY_SETTINGS: tuple[dict[str, Any], ...] = (
    dict(positions="PARITY", scale="plain", strings=1, rate=3e-4),
    dict(positions="PARITY", scale="plain", strings=8, rate=1e-3),
    dict(positions="PARITY", scale="log n", strings=8, rate=1e-3),
    dict(positions="learned", scale="plain", strings=8, rate=1e-3),
)
COUNTING_LENGTHS, COUNTED_STRINGS = (4, 6, 8, 10, 12), (8, 64)


# The construction in floating point.

REPLAYED_LENGTHS = 5  # a search is made again from so many lengths before the one that it found
HALF_TYPES = ("bfloat16", "float16")


def searches(
    find: Callable[..., dict], configurations: list[dict], quick: list[dict]
) -> Experiment:
    """The experiment that looks for the first n at which PARITY errs, as `find` does."""

    def measure(device: str, **configuration) -> dict:
        return find(**configuration)

    def replay(configuration: dict, result: dict, in_full: bool = False) -> bool:
        """Whether the search, begun a few lengths before its end, or `in_full` at its beginning,
        ends where it is stored to end.
        """
        end = configuration["stop"] if result["n"] is None else result["n"] + 1
        near = max(configuration["start"], end - 1 - REPLAYED_LENGTHS)
        start = configuration["start"] if in_full else near
        return measure("cpu", **configuration | {"start": start, "stop": end}) == result

    return Experiment(configurations, quick, measure, replay, on_gpu=False)


def _in_arithmetic(p: int, window: int | None = None) -> dict:
    """p-bit arithmetic to n = 2^(p-1) + 1, where it is known to fail: every n from 2, or, with a
    window, n from 2^p 32/75.
    """
    stop = 2 ** (p - 1) + 2
    if window is None:
        return dict(p=p, start=2, stop=stop)
    return dict(p=p, start=2**p * 32 // 75, stop=stop, window=window)


NORMALIZED = [
    dict(tie_free=tie_free, adjacent=adjacent)
    for tie_free, adjacent in ((True, False), (False, False), (False, True))
]

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
    "first_generalisation": of_learners(
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
    ),
    "parity_learning": of_learners(
        [
            _parity(length, **setting)
            for length, setting in product((4, 8, 12, 16, 24), PARITY_SETTINGS)
        ],
        [_parity(4, **setting, seeds=3, epochs=2) for setting in PARITY_SETTINGS],
    ),
    "parity_steps": of_learners(
        [
            _counted(length, strings, epochs=100)
            for length, strings in product(COUNTING_LENGTHS, COUNTED_STRINGS)
        ],
        [_counted(4, strings, seeds=3, epochs=2) for strings in COUNTED_STRINGS],
    ),
    "parity_million": of_learners(  # steps: hours
        [
            _counted(length, strings, epochs=10_000) | {"merged": True}
            for length, strings in product((*COUNTING_LENGTHS, 16, 24), COUNTED_STRINGS)
        ],
        [_counted(4, 8, seeds=3, epochs=2) | {"merged": True}],
    ),
    "initial_weights": of_learners(
        [_several_weights("log n", seeds=5, epochs=100, weights=20)],
        [_several_weights("plain", seeds=2, epochs=1, weights=2)],
    ),
    "parity_precision": searches(
        first_failure,
        [
            dict(dtype=dtype, mean=mean, start=2, stop=2000)
            for dtype, mean in product(HALF_TYPES, MEANS)
        ]
        + [dict(dtype="float32", mean="sequential", start=2, stop=6000, least_drift=0.4)],
        [dict(dtype=dtype, mean="sequential", start=2, stop=100) for dtype in HALF_TYPES],
    ),
    "parity_significand": searches(
        first_failure_in,
        [_in_arithmetic(p) for p in range(5, 14)]
        + [_in_arithmetic(p, window=4096) for p in range(14, 25)],
        [_in_arithmetic(p) for p in range(5, 10)],
    ),
    "normalized_precision": searches(
        first_normalized_failure,
        [
            dict(dtype=dtype, **network, start=2, stop=400)
            for dtype, network in product(HALF_TYPES, NORMALIZED)
        ]
        + [
            dict(dtype="float32", **network, start=100, stop=10_000, least_error=0.5)
            for network in NORMALIZED
        ],
        [
            dict(dtype=dtype, **network, start=2, stop=60)
            for dtype, network in product(HALF_TYPES, NORMALIZED)
        ],
    ),
}
