"""Chapter 2's stored runs: where PARITY's construction (Chiang & Cholak 2022) first errs in
floating point.
"""

from collections.abc import Callable
from functools import partial

from chapters.transformer_parity_first.precision import first_failure, first_failure_in
from record.experiment import Experiment, experiments

REPLAYED_LENGTHS = 5  # a search is made again from so many lengths before the one that it found


def searches(find: Callable[..., dict], configurations: list[dict]) -> Experiment:
    """The experiment that looks for the first n at which PARITY errs, as `find` does."""

    def measure(device: str, **configuration) -> dict:
        return find(**configuration)

    def replay(configuration: dict, result: dict) -> bool:
        """Whether the search, begun a little before its end, ends where it is stored to end."""
        end = configuration["stop"] if result["n"] is None else result["n"] + 1
        start = max(configuration["start"], end - 1 - REPLAYED_LENGTHS)
        return measure("cpu", **configuration | {"start": start, "stop": end}) == result

    return Experiment(configurations, measure, replay)


EXPERIMENTS = experiments(
    __file__,
    first_failure=partial(searches, first_failure),
    first_failure_in=partial(searches, first_failure_in),
)
