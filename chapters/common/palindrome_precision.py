"""PALINDROME in floating point: two heads read two halves as numbers, and a type with p bits can
tell few halves apart.

With the published network, n = |w| + 2, head 1 outputs y_1 = sum_i [w_i = 1] b^i / Z over the left
half and head 2 the same for the right half read backwards, y_2; both count the middle symbol of an
odd length. Everything is rounded to the type after every operation, in an order that is said: no
library's order of summation comes in, and every machine finds the same.

`sigmoid_palindrome` is another network for it, in one layer.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt

import torch
from flint import arb, ctx
from torch import Tensor

from chapters.common.floats import FLOATS
from lib.checks import check_string, hold, one_of
from lib.transformer import FFN, Construction, Head, Layer, Space

# The paper's gain c, and that of its authors' code (heads of width 6, W^Q = 1).
GAINS = {"2": log(2), "e^(1/√6)": 1 / sqrt(6)}
NUMERATORS = ("powers of 2", "exponentials", "published")
DIVISIONS, ORDERS = ("first", "last"), ("left to right", "outside in")
TESTS = ("s = 0", "1e-7", "half the least")


@dataclass(frozen=True)
class Evaluation:
    """One way to evaluate the two heads in `dtype`.

    `numerators`: exact "powers of 2", "exponentials" of rounded multiples of the rounded ln 2, or
    the "published" e^(i/√6). `division` "first" rounds every weight before values are added, as
    softmax and a product do, "last" divides the sum. `order`: both heads sum "left to right", or
    both "outside in", the right half from its end. Numerators are relative to the largest, as in
    every softmax.
    """

    dtype: str
    numerators: str = "powers of 2"
    division: str = "last"
    order: str = "left to right"

    def __post_init__(self):
        hold(self, dtype=one_of(FLOATS), numerators=one_of(NUMERATORS))
        hold(self, division=one_of(DIVISIONS), order=one_of(ORDERS))

    def weights(self, n: int) -> Tensor:
        """The numerators of positions 0..n-1 over the largest, rounded to the type: (n,)."""

        def rounded(values: float | list[float]) -> Tensor:
            return torch.tensor(values, dtype=torch.float64).to(FLOATS[self.dtype])

        if self.numerators == "powers of 2":
            return rounded([2.0 ** (i - n + 1) for i in range(n)])
        gain = rounded(GAINS["2" if self.numerators == "exponentials" else "e^(1/√6)"])
        logits = torch.arange(n).to(gain.dtype) * gain
        with ctx.workprec(128):  # an exponential that is rounded correctly, on every machine
            return rounded([float(arb(x).exp()) for x in (logits - logits[-1]).tolist()])

    def heads(self, halves: Tensor, n: int) -> tuple[Tensor, Tensor]:
        """y_1 and y_2 when each half is `halves`, 0/1 of shape (B, h), outermost symbol first: 1,
        .., h or ⌈(n-1)/2⌉, .., n-2 backwards.
        """
        weights, inward, every = self.weights(n), range(1, halves.shape[1] + 1), range(n)
        left = self._sum(weights, halves, inward, every)
        if self.order == "left to right":  # which is from the middle outwards in the right half
            inward, every = inward[::-1], every[::-1]
        return left, self._sum(weights, halves, inward, every)

    def accepts(self, w: str, test: str) -> bool:
        """Whether |y_1 - y_2| on the string w passes that test."""
        check_string(w, ("0", "1"))
        n, half = len(w) + 2, (len(w) + 1) // 2
        halves = torch.tensor([list(map(int, side[:half])) for side in (w, w[::-1])])
        left, right = self.heads(halves, n)
        return abs((left[0] - right[1]).item()) <= threshold(test, n)

    def _sum(self, weights: Tensor, halves: Tensor, order: range, every: range) -> Tensor:
        norm = weights.new_zeros(())
        for i in every:
            norm = norm + weights[i]
        if self.division == "first":
            weights = weights / norm
        total, symbols = weights.new_zeros(len(halves)), halves.T.to(weights.dtype).contiguous()
        for i in order:
            total = total + weights[i] * symbols[i - 1]
        return total / norm if self.division == "last" else total


def threshold(test: str, n: int) -> float:
    """The largest |s| that a test accepts: "s = 0", "1e-7", or "half the least", half of 2/(2^n -
    1), the least |s| of a non-palindrome.
    """
    one_of(TESTS)(test, "test")
    return {"s = 0": 0.0, "1e-7": 1e-7, "half the least": float(Fraction(1, 2**n - 1))}[test]


def sigmoid_palindrome() -> Construction:
    """PALINDROME in one layer with a sigmoid output: accepts w iff it is its own reversal (n = |w|
    + 2, d = 10).

    Both heads read every symbol, in base 2 from the left and from the right, so that s is a sum
    over pairs of mirrored symbols in which the outer pair outweighs all inner ones together; t is
    half the weight of the middle, and lies strictly between 0 and the least |s| of a
    non-palindrome. The logit t - |s| is never 0. Attention comes before any layer normalization.
    Not in a paper: this book's answer to the question that closes Nowak et al. 2022.
    """
    S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", "middle", "s", "t", "t-|s|")
    zero, one, cls, eos, i, back, middle, s, t, logit = S
    compare = Layer(
        heads=[
            Head(q=[cls], k=[i], v={"s": one, "t": middle / 2}, base=2),
            Head(q=[cls], k=[back], v={"s": -one}, base=2),
        ],
        ffn=FFN(hidden=[t, s, -s], out={"t-|s|": [1, -1, -1]}),
    )
    position = {"i": i, "n-1-i": back, "[i=⌊(n-1)/2⌋]": middle}
    word = {"0": zero, "1": one, "CLS": cls, "EOS": eos}
    return Construction(S, word, position, [compare], logit, "one-layer PALINDROME")
