"""The exercises of chapter 1: networks of step units for PARITY."""

from numbers import Integral

import numpy as np

from chapters.common.judge import compared, counts, exercise, misjudged
from chapters.ffnn_parity.feedforward import StepNetwork, parity_network
from lib.languages import PARITY, Language

SHORTEST, LONGEST = 4, 200  # strings on which a feed-forward network is run
THIRDS = Language("thirds", lambda w: w.count("1") % 3 == 0)


@exercise("1.1", Integral)
def without_unit_7(answer: int) -> str | None:
    """How many strings of length 10 the network without unit 7 decides incorrectly."""
    broken = parity_network(10)
    broken.W2[6] = 0
    strings = list(PARITY.all_strings(10))
    return compared(answer, len(PARITY.errors(strings, broken.accepts(strings))))


@exercise("1.2", StepNetwork)
def divisible_by_3(answer: StepNetwork) -> str | None:
    """PARITY's hidden layer, with a second layer for the strings whose 1s are divisible by 3."""
    n = answer.W1.shape[1]
    if not SHORTEST <= n <= LONGEST:
        return f"a network for strings of {SHORTEST} to {LONGEST} symbols is asked for, not of {n}"
    published = parity_network(n)
    if not (np.array_equal(answer.W1, published.W1) and np.array_equal(answer.b1, published.b1)):
        return f"its hidden layer is not that of parity_network({n})"
    return wrong_count(THIRDS, answer)


@exercise("1.3", StepNetwork)
def fewer_units(answer: StepNetwork) -> str | None:
    """Whether fewer than n step units, with first-layer weights 1, decide PARITY at length n."""
    units, n = answer.W1.shape
    if units >= n:
        return f"it has {units} hidden units for strings of length {n}"
    if (np.asarray(answer.W1) != 1).any():
        return "not all of its first-layer weights are 1"
    return wrong_count(PARITY, answer)


def wrong_count(language: Language, network: StepNetwork) -> str | None:
    """A string that a network which weighs all bits alike decides incorrectly, as a sentence: such
    a network sees the number of 1s alone, so one string stands for each.
    """
    return misjudged(language, network.accepts, counts([network.W1.shape[1]]))
