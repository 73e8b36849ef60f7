"""The stored runs on floating point: where PARITY first errs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from lib.constructions.precision import (
    MEANS,
    first_failure,
    first_failure_in,
    first_normalized_failure,
)
from record.experiment import Experiment

REPLAYED_LENGTHS = 5  # a search is made again from so many lengths before the one that it found
HALF_TYPES = ("bfloat16", "float16")
LEAST_FRACTION = (32, 75)  # n/2^p, upwards of which the windowed searches look


def _again(measure):
    """A replay: the search, begun a few lengths before its end, ends where it is stored to end."""

    def replay(configuration: dict, result: dict) -> bool:
        end = configuration["stop"] if result["n"] is None else result["n"] + 1
        start = max(configuration["start"], end - 1 - REPLAYED_LENGTHS)
        return measure("cpu", **configuration | {"start": start, "stop": end}) == result

    return replay


def _search(device: str, **configuration) -> dict:
    return first_failure(**configuration)


def _search_arithmetic(device: str, **configuration) -> dict:
    return first_failure_in(**configuration)


def _search_normalized(device: str, **configuration) -> dict:
    return first_normalized_failure(**configuration)


def _in_arithmetic(p: int, window: int | None = None) -> dict:
    """p-bit arithmetic to n = 2^(p-1) + 1, where it is known to fail: every n from 2, or, with a
    window, n from 2^p 32/75.
    """
    stop = 2 ** (p - 1) + 2
    if window is None:
        return dict(p=p, start=2, stop=stop)
    numerator, denominator = LEAST_FRACTION
    return dict(p=p, start=2**p * numerator // denominator, stop=stop, window=window)


NORMALIZED = [
    dict(tie_free=tie_free, adjacent=adjacent)
    for tie_free, adjacent in ((True, False), (False, False), (False, True))
]

EXPERIMENTS: Mapping[str, Experiment] = {
    "parity_precision": Experiment(
        [
            dict(dtype=dtype, mean=mean, start=2, stop=2000)
            for dtype, mean in product(HALF_TYPES, MEANS)
        ]
        + [dict(dtype="float32", mean="sequential", start=2, stop=6000, least_drift=0.4)],
        [dict(dtype=dtype, mean="sequential", start=2, stop=100) for dtype in HALF_TYPES],
        _search,
        _again(_search),
        on_gpu=False,
    ),
    "parity_significand": Experiment(
        [_in_arithmetic(p) for p in range(5, 14)]
        + [_in_arithmetic(p, window=4096) for p in range(14, 25)],
        [_in_arithmetic(p) for p in range(5, 10)],
        _search_arithmetic,
        _again(_search_arithmetic),
        on_gpu=False,
    ),
    "normalized_precision": Experiment(
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
        _search_normalized,
        _again(_search_normalized),
        on_gpu=False,
    ),
}
