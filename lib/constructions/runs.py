"""The stored runs on floating point: where PARITY first errs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from lib.constructions.papers import parity
from lib.constructions.precision import FLOATS, MEANS, first_failure, wrong_counts
from lib.experiment import Experiment
from lib.transformer.encoder import Encoder

REPLAYED_LENGTHS = 5


def _search(device: str, **configuration) -> dict:
    return first_failure(**configuration)


def _replay_search(configuration: dict, result: dict) -> bool:
    """The failing n fails in just the ways stored, and the last lengths before it (or of the whole
    range) do not fail.
    """
    lengths = range(configuration["start"], configuration["stop"], configuration.get("step", 1))
    fine = lengths if result["n"] is None else range(lengths.start, result["n"], lengths.step)

    reader = Encoder(parity(), FLOATS[configuration["dtype"]], mean=MEANS[configuration["mean"]])

    def wrong(n: int) -> list[int]:
        last = configuration.get("last")
        return wrong_counts(reader, n, last and range(n - last, n))

    if result["n"] is not None and (
        result["n"] not in lengths or not result["wrong"] or wrong(result["n"]) != result["wrong"]
    ):
        return False
    few = 1 if lengths.start > 10**6 else REPLAYED_LENGTHS
    return not any(wrong(n) for n in fine[-few:])


EXPERIMENTS: Mapping[str, Experiment] = {
    "parity_precision": Experiment(
        [
            dict(dtype=dtype, mean=mean, start=2, stop=2000)
            for dtype, mean in product(("bfloat16", "float16"), MEANS)
        ]
        + [
            dict(dtype="float32", mean="sequential", start=2, stop=10_000, last=8),
            dict(dtype="float32", mean="divided", start=2**23, stop=10**7, step=2**15 + 1, last=4),
            dict(dtype="float64", mean="sequential", start=10**6, stop=10**6 + 8, last=2),
        ],
        [
            dict(dtype=dtype, mean="sequential", start=2, stop=100)
            for dtype in ("bfloat16", "float16")
        ],
        _search,
        _replay_search,
        on_gpu=False,
    ),
}
