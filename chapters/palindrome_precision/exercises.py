"""The exercises of chapter 7: PALINDROME, and what a few bits can tell apart."""

from dataclasses import replace
from fractions import Fraction
from numbers import Integral

from flint import fmpq

from chapters.common.floats import SIGNIFICAND
from chapters.common.judge import compared, counterexample, exercise, misjudged
from chapters.common.palindrome_precision import Evaluation
from chapters.palindrome_precision.lengths import confusions
from lib.constructions import palindrome
from lib.languages import PALINDROME
from lib.transformer import Construction, Exact, Layer

HALF = "011010011001011"
RIGHT = 2 * SIGNIFICAND["bfloat16"] + 1  # symbols: the middle one does not count


@exercise("7.1", Fraction, fmpq)
def on_100(answer: Fraction | fmpq) -> str | None:
    """What the published network's s is on 100."""
    given = fmpq(answer.numerator, answer.denominator)
    return compared(given, Exact(palindrome()).logit("100"), "small", "large")


@exercise("7.2", tuple[Construction, Integral])
def without_the_middle(construction: Construction, longest: int) -> str | None:
    """Two heads that leave the middle symbol out, and how far bfloat16 then is right."""
    published = palindrome()
    own = {name: getattr(construction, name) for name in ("space", "position", "name")}
    layers = [*construction.layers[:1], *published.layers[1:]]
    is_kept = set(construction.position) >= set(published.position)
    if not is_kept or construction != replace(published, layers=layers, **own):
        return "only layer 1 may change"
    if wrong := incorrectly_decided(construction) or middle_counted(construction):
        return wrong
    # Layer 2 is the published one and reads the 1s of both halves, so the length is not in doubt.
    if longest <= RIGHT:
        return compared(longest, RIGHT)
    w = confusions(Evaluation("bfloat16"), RIGHT + 1, ("s = 0",))["s = 0"]
    return f"{longest} is too many: bfloat16 accepts {w}, of {RIGHT + 1} symbols"


def middle_counted(construction: Construction) -> str | None:
    """A head that tells a middle 1 from a middle 0, as a sentence; None where there is none."""
    first, second = construction.layers
    for number, head in enumerate(second.heads, start=1):
        alone = Exact(replace(construction, layers=[first, Layer([head])]))
        for size in (1, 2, 5, 15):
            half = HALF[:size]
            zero, one = (half + middle + half[::-1] for middle in "01")
            if (s := alone.logit(zero)) != (t := alone.logit(one)):
                added = f"head {number} adds {s} on {zero} and {t} on {one}"
                return f"{added}, so it counts the middle symbol"
    return None


@exercise("7.3", Construction)
def one_layer(answer: Construction) -> str | None:
    """Whether no transformer with one layer and a sigmoid recognizes PALINDROME."""
    if len(answer.layers) != 1:
        return f"it has {len(answer.layers)} layers"
    if answer.activation != "sigmoid":
        return f"its output is no sigmoid but {answer.activation}"
    return incorrectly_decided(answer)


def incorrectly_decided(construction: Construction) -> str | None:
    """A string to length 8, or one `close_to_palindromes` to length 31, that is decided
    incorrectly, as a sentence; None where there is none.
    """
    accepts = Exact(construction).accepts
    long = (w for length in range(9, 32) for w in close_to_palindromes(length))
    wrong = counterexample(PALINDROME, accepts, range(9))
    return wrong or misjudged(PALINDROME, accepts, long)


def close_to_palindromes(length: int) -> list[str]:
    """A palindrome, it with one symbol flipped, and strings whose outermost pair differs one way
    and the next j pairs the other way: 1 0^j ... against 0 1^j ....
    """
    size, strings = length // 2, []
    half = HALF[:size]
    for middle in ("0", "1") if length % 2 else ("",):
        w = half + middle + half[::-1]
        strings += [w, *(w[:i] + "10"[int(w[i])] + w[i + 1 :] for i in range(size))]
        for j in range(size):
            rest = "0" * (size - 1 - j)
            strings.append(f"1{'0' * j}{rest}{middle}{rest}{'1' * j}0")
    return strings
