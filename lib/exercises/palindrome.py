"""The exercises of chapter 7: PALINDROME, and what a few bits can tell apart."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import fmpq

from lib.constructions import palindrome
from lib.constructions.palindrome_precision import Evaluation, some_halves
from lib.exercises.judge import counterexample, exercise
from lib.languages import PALINDROME
from lib.transformer import Construction, Exact, Layer


@exercise("7.1", "a Fraction", Fraction, fmpq)
def on_100(answer: Fraction | fmpq) -> str | None:
    """What the published network's s is on 100."""
    s, given = Exact(palindrome()).logit("100"), fmpq(answer.numerator, answer.denominator)
    if given == s:
        return None
    return f"{answer} is too {'small' if given < s else 'large'}"


@exercise("7.2", "a pair: a Construction, and a length", tuple)
def without_the_middle(answer: tuple[Construction, int]) -> str | None:
    """Two heads that leave the middle symbol out, and how far bfloat16 then is right."""
    construction, longest = answer
    if wrong := counterexample(PALINDROME, Exact(construction).accepts, range(8)):
        return wrong
    *marks, compare = construction.layers
    for number, head in enumerate(compare.heads, start=1):
        alone = replace(construction, layers=[*marks, Layer([head])])
        if (s := Exact(alone).logit("010")) != 0:
            return f"on 010 head {number} adds {s}, so it counts the middle symbol"
    for length in range(1, longest + 1):
        if w := confused(length):
            verdict = "rejects" if w in PALINDROME else "accepts"
            return f"{longest} is too many: bfloat16 {verdict} {w}, of {length} symbols"
    if confused(longest + 1) is None:
        return f"{longest} is too few: in bfloat16 all strings of {longest + 1} symbols are right"
    return None


def confused(length: int) -> str | None:
    """A string of that length that bfloat16 decides wrongly where no head counts the middle symbol;
    None where there is none.
    """
    halves = some_halves(length // 2)
    left, right = Evaluation("bfloat16").heads(halves, n=length + 2)
    equal = {output: v for v, output in enumerate(right.tolist())}
    for u, output in enumerate(left.tolist()):
        v = equal.get(output)
        if v != u:
            begin, end = halves[u].tolist(), halves[u if v is None else v].tolist()
            return "".join(map(str, begin + [0] * (length % 2) + end[::-1]))
    return None


@exercise("7.3", '"refuted" by a Construction with one layer, or "proved"', str, Construction)
def one_layer(answer: str | Construction) -> str | None:
    """Whether no transformer with one layer and a sigmoid recognises PALINDROME."""
    if isinstance(answer, str):
        begins = "then show it: give" if answer == "refuted" else "there is one: look for"
        return f"{begins} a Construction that does"
    if len(answer.layers) != 1:
        return f"it has {len(answer.layers)} layers"
    if answer.activation != "sigmoid":
        return f"its output is no sigmoid but {answer.activation}"
    exactly = Exact(answer)
    wrong = counterexample(PALINDROME, exactly.accepts, range(8))
    return wrong or long_counterexample(exactly)


def long_counterexample(reader: Exact) -> str | None:
    """A string of 30 or 31 symbols, a palindrome but for one symbol at most, that is decided
    wrongly, as a sentence; None where there is none.
    """
    for middle in ("", "1"):
        half = "011010011001011"
        w = half + middle + half[::-1]
        strings = [w, *(w[:i] + "10"[int(w[i])] + w[i + 1 :] for i in range(15))]
        for near in PALINDROME.errors(strings, reader.accepts(strings)):
            return f"it {'rejects' if near in PALINDROME else 'accepts'} {near}"
    return None
