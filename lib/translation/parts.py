"""What every stored run of sentences has in common: how a configuration is parted, and which of its
tests are shown.
"""

from __future__ import annotations

from typing import Any

from lib.translation.configurations import Settings
from lib.translation.corpora import Pairs
from lib.translation.train import Training

FIRST_STEPS = 3  # whose losses are stored, and which are run again when a stored run is checked
QUOTED, NUMBERED = 3, 10  # tests of which the outputs are stored, with their sentences or without
OF_TRAINING = ("epochs", "tokens", "rate", "warmup", "smoothing", "patience", "bucket")


def parted(seed: int, configuration: Settings) -> tuple[Training, Settings]:
    """What a configuration says of the training, and what it says of the shape."""
    of_training = {name: configuration[name] for name in OF_TRAINING if name in configuration}
    shape = {name: value for name, value in configuration.items() if name not in OF_TRAINING}
    return Training(seed=seed, **of_training), shape


def samples_of(
    pairs: Pairs, outputs: dict[str, list[str]], are_quoted: bool = True
) -> list[dict[str, Any]]:
    """A few of the tests, the same whoever was trained, with what was made of them; the number of
    the test in place of its sentences unless they `are_quoted`.
    """
    most = (QUOTED if are_quoted else NUMBERED) - 1
    chosen = [i * (len(pairs) - 1) // most for i in range(most + 1)]
    return [
        _named(pairs, i, are_quoted) | {name: lines[i] for name, lines in outputs.items()}
        for i in chosen
    ]


def _named(pairs: Pairs, i: int, are_quoted: bool) -> dict[str, Any]:
    if are_quoted:
        return {"source": pairs.sources[i], "reference": pairs.targets[i]}
    return {"sentence": i}
