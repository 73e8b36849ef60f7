"""The stored runs on Chiang & Cholak 2022: PARITY and FIRST learned, and PARITY's construction in
floating point, searched for where it first errs.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from chapters.ffnn_parity.feedforward import train_parity
from record.experiment import Experiment, experiments, is_same_start
from record.experiments.learning import REPLAYED_SEEDS, REPLAYED_STEPS, of_learners
from record.precision import first_failure, first_failure_in, first_normalized_failure

# Feed-forward networks for PARITY (their section 3.1), trained.


def _train(device: str, n: int, activation: str, width: int, seeds: int, steps: int) -> dict:
    run = train_parity(n, range(seeds), activation, steps, hidden=width * n, device=device)
    return {
        "errors": run.errors.tolist(),
        "first_bits": run.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def _replay_training(configuration: dict, result: dict, in_full: bool = False) -> bool:
    """Whether the first steps are those stored, in float64, and each seed errs on no more strings
    than there are; `in_full` asks for no more.
    """
    errors = result["errors"]
    if len(errors) != configuration["seeds"] or max(errors) > 2 ** configuration["n"]:
        return False
    first: dict[str, Any] = configuration | {"steps": REPLAYED_STEPS, "seeds": REPLAYED_SEEDS}
    again = _train("cpu", **first)["first_bits"]
    return is_same_start(again, result["first_bits"], rtol=1e-9, atol=0)


# The construction in floating point.

REPLAYED_LENGTHS = 5  # a search is made again from so many lengths before the one that it found


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


EXPERIMENTS = experiments(
    __file__,
    networks=partial(Experiment, measure=_train, replay=_replay_training),
    learners=of_learners,
    first_failure=partial(searches, first_failure),
    first_failure_in=partial(searches, first_failure_in),
    first_normalized_failure=partial(searches, first_normalized_failure),
)
