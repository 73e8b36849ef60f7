"""The exercises of chapter 7: PALINDROME, and what a few bits can tell apart."""

from dataclasses import replace
from fractions import Fraction

from flint import fmpq

from chapters.common.floats import SIGNIFICAND
from chapters.common.judge import compared, counterexample, flipped, misjudged, numbered_exercise
from chapters.common.palindrome_precision import Evaluation
from chapters.palindrome_precision.lengths import confusions
from lib.checks import an, whole
from lib.constructions import palindrome
from lib.languages import PALINDROME
from lib.transformer import Construction, Exact, Layer

HALF = "011010011001011"
RIGHT = 2 * SIGNIFICAND["bfloat16"] + 1  # symbols: the middle one does not count


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
    for judged in (elsewhere_changed, incorrectly_decided, middle_counted):
        if wrong := judged(construction):
            return wrong
    # Layer 2 is the published one and reads the 1s of both halves, so the length is not in doubt.
    if longest <= RIGHT:
        return compared(longest, RIGHT, "few", "many")
    w = confusions(Evaluation("bfloat16"), RIGHT + 1, ("s = 0",))["s = 0"]
    return f"{longest} is too many: bfloat16 accepts {w}, of {RIGHT + 1} symbols"


def elsewhere_changed(answer: Construction) -> str | None:
    """Whether more than layer 1, and coordinates that it adds, is not the published network's."""
    published = palindrome()
    layers = [*answer.layers[:1], *published.layers[1:]]
    may_differ = {name: getattr(answer, name) for name in ("space", "position", "name")}
    expected = replace(published, layers=layers, **may_differ)
    if answer == expected and set(answer.position) >= set(published.position):
        return None
    return "only layer 1 may change"


def middle_counted(construction: Construction) -> str | None:
    """A head that tells a middle 1 from a middle 0, as a sentence; None where there is none."""
    first, second = construction.layers
    for number, head in enumerate(second.heads, start=1):
        alone = Exact(replace(construction, layers=[first, Layer([head])]))
        for half in (HALF[:size] for size in (1, 2, 5, 15)):
            zero, one = (half + middle + half[::-1] for middle in "01")
            s, t = alone.logit(zero), alone.logit(one)
            if s != t:
                adds = f"head {number} adds {s} on {zero} and {t} on {one}"
                return f"{adds}, so it counts the middle symbol"
    return None


@numbered_exercise("7.3", Construction)
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
        strings += [f"1{'0' * (size - 1)}{middle}{'1' * j:0>{size - 1}}0" for j in range(size)]
    return strings
