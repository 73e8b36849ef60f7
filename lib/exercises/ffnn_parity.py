"""The exercises of chapter 1: a feed-forward network for PARITY."""

from __future__ import annotations

import numpy as np

from lib.exercises.judge import counterexample, exercise
from lib.languages import PARITY, Language
from lib.learning.feedforward import StepNetwork, parity_network

THIRDS = Language("thirds", lambda w: w.count("1") % 3 == 0)


@exercise("1.1", "a whole number", int)
def without_unit_7(answer: int) -> str | None:
    """How many strings of length 10 the network without unit 7 decides wrongly."""
    broken = parity_network(10)
    broken.W2[6] = 0
    strings = list(PARITY.all_strings(10))
    wrong = len(PARITY.errors(strings, broken.accepts(strings)))
    if answer == wrong:
        return None
    return f"{answer} is too {'few' if answer < wrong else 'many'}"


@exercise("1.2", "a StepNetwork", StepNetwork)
def divisible_by_3(answer: StepNetwork) -> str | None:
    """PARITY's hidden layer, with a second layer for the strings whose 1s are divisible by 3."""
    n = answer.W1.shape[1]
    published = parity_network(n)
    if not (np.array_equal(answer.W1, published.W1) and np.array_equal(answer.b1, published.b1)):
        return f"its hidden layer is not that of parity_network({n})"
    return counterexample(THIRDS, answer.accepts, [n])


@exercise(
    "1.3", '"refuted", or a StepNetwork with fewer units that decides PARITY', str, StepNetwork
)
def fewer_units(answer: str | StepNetwork) -> str | None:
    """Whether fewer than n step units, with first-layer weights 1, decide PARITY at length n."""
    if isinstance(answer, str):
        return None if answer == "refuted" else "then there is such a StepNetwork: give it"
    units, n = answer.W1.shape
    if units >= n:
        return f"it has {units} hidden units for strings of length {n}"
    if (answer.W1 != 1).any():
        return "not all of its first-layer weights are 1"
    return counterexample(PARITY, answer.accepts, [n])
