"""The exercises of chapter 1: a feed-forward network for PARITY."""

from __future__ import annotations

import numpy as np

from lib.exercises.judge import exercise
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
    if n < 4:
        return f"strings of length {n} hardly tell: take a length of 4 or more"
    return wrong_count(THIRDS, answer)


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
    return wrong_count(PARITY, answer)


def wrong_count(language: Language, network: StepNetwork) -> str | None:
    """A string that a network which weighs all bits alike decides wrongly, as a sentence: such a
    network sees the number of 1s alone, so one string stands for each.
    """
    n = network.W1.shape[1]
    for w in ("1" * k + "0" * (n - k) for k in range(n + 1)):
        if bool(network.accepts(w)) != (w in language):
            return f"it {'rejects' if w in language else 'accepts'} {w}"
    return None
