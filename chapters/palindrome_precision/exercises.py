"""The exercises of chapter 7: PALINDROME, and what a few bits can tell apart."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import torch
from flint import fmpq
from torch import Tensor

from chapters.common.judge import compared, counterexample, flipped, misjudged, numbered_exercise
from chapters.palindrome_precision.lengths import some_halves
from lib.checks import an, whole
from lib.constructions import palindrome
from lib.languages import PALINDROME
from lib.transformer import Construction, Encoder, Exact, Layer

HALF = "011010011001011"
MARKS = "1 on the left", "1 on the right"
MOST = 33  # bfloat16 has 2^16 numbers, and one symbol more makes halves of 17


@numbered_exercise("7.1", Fraction, fmpq)
def on_100(answer: Fraction | fmpq) -> str | None:
    """What the published network's s is on 100."""
    given = fmpq(answer.numerator, answer.denominator)
    return compared(given, Exact(palindrome()).logit("100"), "small", "large")


@numbered_exercise("7.2", tuple)
def without_the_middle(answer: tuple[Construction, int]) -> str | None:
    """Two heads that leave the middle symbol out, and how far bfloat16 then is right."""
    network, longest = answer
    construction, longest = an(Construction)(network, "the first"), whole(longest, "the length")
    return (
        elsewhere_changed(construction)
        or wrongly_decided(construction)
        or middle_counted(construction)
        or wrong_length(construction, longest)
    )


def elsewhere_changed(answer: Construction) -> str | None:
    """What is not that of the published network, layer 1 and coordinates that it adds aside."""
    published = palindrome()
    same = {
        "layer 2": answer.layers[1:] == published.layers[1:],
        "the word embedding": dict(answer.word) == dict(published.word),
        "the position encoding": set(answer.position) >= set(published.position),
        "the output": answer.output == published.output,
        "its activation": answer.activation == published.activation,
        "its readout": answer.readout == published.readout,
    }
    changed = [part for part, is_same in same.items() if not is_same]
    return f"only layer 1 may change, and {changed[0]} has changed" if changed else None


def middle_counted(construction: Construction) -> str | None:
    """A head that tells a middle 1 from a middle 0, as a sentence; None where there is none."""
    first, second = construction.layers
    for number, head in enumerate(second.heads, start=1):
        alone = Exact(replace(construction, layers=[first, Layer([head])]))
        for size in (1, 2, 5, 15):
            half = HALF[:size]
            zero, one = (half + middle + half[::-1] for middle in "01")
            if (s := alone.logit(zero)) != (t := alone.logit(one)):
                return (
                    f"head {number} adds {s} on {zero} and {t} on {one}, "
                    "so it counts the middle symbol"
                )
    return None


def wrong_length(construction: Construction, longest: int) -> str | None:
    """Why `longest` is not the length to which bfloat16 is right; None where it is."""
    if longest > MOST:
        return f"{longest} is too many: bfloat16 has 2^16 numbers, for 2^17 halves of 17 symbols"
    for length in range(1, longest + 1):
        if w := confused(construction, length):
            verdict = "rejects" if w in PALINDROME else "accepts"
            return f"{longest} is too many: bfloat16 {verdict} {w}, of {length} symbols"
    if confused(construction, longest + 1) is None:
        return f"{longest} is too few: in bfloat16 all strings of {longest + 1} symbols are right"
    return None


def confused(construction: Construction, length: int) -> str | None:
    """A string of that length that bfloat16 decides wrongly where no head counts the middle symbol;
    None where there is none.
    """
    halves = ["".join(map(str, half)) for half in some_halves(length // 2).tolist()]
    middle = "0" * (length % 2)
    left, right = in_bfloat16(construction, [u + middle + u[::-1] for u in halves])
    equal = {output: v for v, output in enumerate(right.tolist())}
    for u, output in enumerate(left.tolist()):
        v = equal.get(output)
        if v != u:
            return halves[u] + middle + halves[u if v is None else v][::-1]
    return None


def in_bfloat16(construction: Construction, strings: list[str]) -> Iterator[Tensor]:
    """What each head of layer 2 outputs, up to its sign: exact numerators over the largest and
    marks are rounded, summed from left to right, rounded after each operation, and divided last.
    """
    trace = Encoder(construction).trace(strings, weights=True)
    for number, mark in enumerate(MARKS, start=1):
        weights = (trace.attention or {})[2, number][:, 0]
        numerators = (weights / weights.amax(1, keepdim=True)).to(torch.bfloat16)
        marks = trace.a[1][mark].to(torch.bfloat16)
        total = norm = numerators.new_zeros(len(strings))
        for i in range(numerators.shape[1]):
            total = total + numerators[:, i] * marks[:, i]
            norm = norm + numerators[:, i]
        yield total / norm


@numbered_exercise("7.3", Construction)
def one_layer(answer: Construction) -> str | None:
    """Whether no transformer with one layer and a sigmoid recognises PALINDROME."""
    if len(answer.layers) != 1:
        return f"it has {len(answer.layers)} layers"
    if answer.activation != "sigmoid":
        return f"its output is no sigmoid but {answer.activation}"
    return wrongly_decided(answer)


def wrongly_decided(construction: Construction) -> str | None:
    """A string to length 8, or one `close_to_palindromes` to length 31, that is decided wrongly, as
    a sentence; None where there is none.
    """
    reader = Exact(construction)
    long = (w for length in range(9, 32) for w in close_to_palindromes(length))
    return counterexample(PALINDROME, reader.accepts, range(9)) or misjudged(
        PALINDROME, reader.accepts, long
    )


def close_to_palindromes(length: int) -> list[str]:
    """A palindrome, it with one symbol flipped, and strings whose outermost pair differs one way
    and the next j pairs the other way: 1 0^j ... against 0 1^j ....
    """
    size, strings = length // 2, []
    for middle in ("0", "1") if length % 2 else ("",):
        half = HALF[:size]
        w = half + middle + half[::-1]
        strings += [w, *flipped(w)[:size]]
        for j in range(size):
            rest = "0" * (size - 1 - j)
            strings.append(f"1{'0' * j}{rest}{middle}{rest}{'1' * j}0")
    return strings
