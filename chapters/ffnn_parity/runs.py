"""Chapter 1's stored run: networks for PARITY (Chiang & Cholak 2022, section 3.1), trained."""

from functools import partial
from typing import Any

from chapters.common.learning import REPLAYED_SEEDS, REPLAYED_STEPS
from chapters.ffnn_parity.feedforward import train_parity
from record.experiment import Experiment, experiments, is_same_start


def _train(device: str, n: int, activation: str, width: int, seeds: int, steps: int) -> dict:
    run = train_parity(n, range(seeds), activation, steps, hidden=width * n)
    return {
        "errors": run.errors.tolist(),
        "first_bits": run.losses_bits[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
    }


def _replay_training(configuration: dict, result: dict) -> bool:
    """Whether the first steps are the stored ones, and no seed errs on more strings than exist."""
    errors = result["errors"]
    if len(errors) != configuration["seeds"] or max(errors) > 2 ** configuration["n"]:
        return False
    first: dict[str, Any] = configuration | {"steps": REPLAYED_STEPS, "seeds": REPLAYED_SEEDS}
    again = _train("cpu", **first)["first_bits"]
    return is_same_start(again, result["first_bits"], rtol=1e-9, atol=0)


EXPERIMENTS = experiments(
    __file__, networks=partial(Experiment, measure=_train, replay=_replay_training)
)
