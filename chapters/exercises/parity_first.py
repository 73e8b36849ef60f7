"""The exercises of chapters 1 and 2: networks and transformers for PARITY and FIRST."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from numbers import Integral

import numpy as np

from chapters.common.feedforward import StepNetwork, parity_network
from chapters.exercises.judge import compared, misjudged, numbered_exercise, verdict
from lib.constructions import parity
from lib.languages import PARITY, Language
from lib.transformer import Construction, Encoder, Exact

SHORTEST, LONGEST = 4, 200  # strings on which a feed-forward network is run
THIRDS = Language("thirds", lambda w: w.count("1") % 3 == 0)
TO_THREE_DECIMALS = 5.001e-4
ROUNDED = 1e-6  # what floating point may make of a logit that is 0
SECOND = Language("SECOND", lambda w: w[1:2] == "1")


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


def misjudged_long(language: Language, answer: Construction, strings: Iterable[str]) -> str | None:
    """The first of the strings that is decided wrongly, as a sentence: in float64 or, where that
    may have lost the sign, exactly.
    """
    quick = Encoder(answer)
    for w in strings:
        s = quick.logit(w)
        accepted = np.sign(s) == answer.accepting_sign
        if accepted == (w in language):
            continue
        if ROUNDED < abs(s):
            return verdict(w, accepted)
        if wrong := misjudged(language, Exact(answer).accepts, [w]):
            return wrong
    return None


def every(longest: int) -> Iterable[str]:
    """All strings to a length."""
    return (w for length in range(longest + 1) for w in PARITY.all_strings(length))


def second_symbols(lengths: Iterable[int]) -> Iterable[str]:
    """The strings of which the first two symbols, and all others alike, are every choice of bits,
    so 010...0 and 101...1 among them.
    """
    bits = "01"
    return (a + b + c * (n - 2) for n in lengths for a in bits for b in bits for c in bits)


def counts(lengths: Iterable[int], few: bool = False) -> Iterator[str]:
    """1^k 0^(n-k) for every k or, if `few`, for k next to none, to half and to all."""
    for n in lengths:
        for k in (0, 1, 2, n // 2, n // 2 + 1, n - 1, n) if few else range(n + 1):
            yield "1" * k + "0" * (n - k)


@numbered_exercise("2.1", tuple)
def by_hand(answer: tuple) -> str | None:
    """Where the mark stands on 10, how high it is, and s at c = 1 to three decimals."""
    if len(answer) != 3:
        return f"that is {len(answer)} instead of 3: (position, height, s)"
    trace = Exact(parity(1)).trace("10")
    marks = [float(mark) for mark in trace.a[1]["[i=k]/n"]]
    position, height, said_s = map(float, answer)
    if position not in range(3) or not marks[int(position)]:
        return f"there is no mark on position {answer[0]}"
    s = float(trace.a[2]["s"][0])
    for name, value, true in (("height", height, marks[int(position)]), ("s", said_s, s)):
        if not abs(value - true) <= TO_THREE_DECIMALS:
            return f"{value:g} for {name} is too {'low' if value < true else 'high'}"
    return None


@numbered_exercise("2.2", Construction)
def second(answer: Construction) -> str | None:
    """A transformer for the strings whose second symbol is 1."""
    some = ("0" * 30, "01" * 15, "1" * 30, "10" * 15)
    return misjudged(SECOND, Exact(answer).accepts, chain(every(7), some)) or misjudged_long(
        SECOND, answer, second_symbols((30, 100, 150, 1000, 4000))
    )


def witness() -> Construction:
    """PARITY with one head in its second layer and a negative mark at position 0."""
    published = parity(1)
    i, k, unit = (published.space[name] for name in ("i/n", "k/n", "1/n"))
    mark, compare = published.layers
    assert mark.ffn is not None
    hidden = (*mark.ffn.hidden, unit - i)
    ffn = replace(mark.ffn, hidden=hidden, out={"[i=k]/n": [1, -2, 1, -2]})
    return replace(
        published, layers=[replace(mark, ffn=ffn), replace(compare, heads=compare.heads[:1])]
    )


def witness_is_right() -> str:
    """What is said to "proved": how many strings one head there decides rightly."""
    strings = list(every(6))
    right = len(strings) - len(PARITY.errors(strings, Exact(witness()).accepts(strings)))
    return f"one with one head there is right on {right} of {len(strings)} strings to length 6"


@numbered_exercise("2.3", Construction, proved=witness_is_right)
def one_head(answer: Construction) -> str | None:
    """Whether a second layer with a single head can decide PARITY."""
    if len(answer.layers) != 2:
        return f"the number of its layers is {len(answer.layers)}, not 2"
    if (heads := len(answer.layers[1].heads)) != 1:
        return f"the number of heads in its second layer is {heads}, not 1"
    short = chain(every(8), counts((19, 30, 39)))
    return misjudged(PARITY, Exact(answer).accepts, short) or misjudged_long(
        PARITY, answer, counts((40, 101, 200, 301), few=True)
    )
