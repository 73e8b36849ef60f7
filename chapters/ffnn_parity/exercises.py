"""The exercises of chapter 1: networks of step units for PARITY."""

from numbers import Integral

import numpy as np

from chapters.common.judge import compared, counts, misjudged, numbered_exercise
from chapters.ffnn_parity.feedforward import StepNetwork, parity_network
from lib.languages import PARITY, Language

SHORTEST, LONGEST = 4, 200  # strings on which a feed-forward network is run
THIRDS = Language("thirds", lambda w: w.count("1") % 3 == 0)


@numbered_exercise("1.1", Integral)
def without_unit_7(answer: int) -> str | None:
    """How many strings of length 10 the network without unit 7 decides wrongly."""
    broken = parity_network(10)
    broken.W2[6] = 0
    strings = list(PARITY.all_strings(10))
    return compared(answer, len(PARITY.errors(strings, broken.accepts(strings))), "few", "many")


@numbered_exercise("1.2", StepNetwork)
def divisible_by_3(answer: StepNetwork) -> str | None:
    """PARITY's hidden layer, with a second layer for the strings whose 1s are divisible by 3."""
    if ill_formed := unfit(answer):
        return ill_formed
    n = np.shape(answer.W1)[1]
    if n < SHORTEST:
        return f"strings of length {n} hardly tell: take a length of {SHORTEST} or more"
    published = parity_network(n)
    if not (np.array_equal(answer.W1, published.W1) and np.array_equal(answer.b1, published.b1)):
        return f"its hidden layer is not that of parity_network({n})"
    return wrong_count(THIRDS, answer)


@numbered_exercise("1.3", StepNetwork)
def fewer_units(answer: StepNetwork) -> str | None:
    """Whether fewer than n step units, with first-layer weights 1, decide PARITY at length n."""
    if ill_formed := unfit(answer):
        return ill_formed
    units, n = np.shape(answer.W1)
    if units >= n:
        return f"it has {units} hidden units for strings of length {n}"
    if (np.asarray(answer.W1) != 1).any():
        return "not all of its first-layer weights are 1"
    return wrong_count(PARITY, answer)


def unfit(network: StepNetwork) -> str | None:
    """What is amiss with the shapes of a network's weights, as a sentence: those that numpy would
    stretch stand for more units than they hold.
    """
    weights = (network.W1, network.b1, network.W2, network.b2)
    shapes = tuple(map(np.shape, weights))
    if len(shapes[0]) != 2:
        return f"its W1 has the shape {shapes[0]}, not (units, length)"
    units, n = shapes[0]
    if n > LONGEST:
        return f"strings of length {n} take long: take a length of at most {LONGEST}"
    for name, shape, right in zip(("b1", "W2", "b2"), shapes[1:], ((units,), (units,), ())):
        if shape != right:
            return f"its {name} has the shape {shape}, not {right}, for {units} hidden units"
    return None


def wrong_count(language: Language, network: StepNetwork) -> str | None:
    """A string that a network which weighs all bits alike decides wrongly, as a sentence: such a
    network sees the number of 1s alone, so one string stands for each.
    """
    W1, b1, W2 = (np.asarray(x, dtype=float) for x in (network.W1, network.b1, network.W2))
    network = StepNetwork(W1, b1, W2, float(network.b2))
    return misjudged(language, network.accepts, counts([network.W1.shape[1]]))
