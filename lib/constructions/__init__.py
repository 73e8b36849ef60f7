"""The papers' transformers, each written once as sparse rows over named coordinates;
`normalization` makes doubled ones of them.
"""

from lib.checks import Number, flag, optional, rational, takes
from lib.transformer.construction import Construction
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

__all__ = ["first", "flawed_first", "one", "pairwise_palindrome", "palindrome", "parity"]


@takes(tie_free=flag)
def parity(c: Number = 1, tie_free: bool = False) -> Construction:
    """PARITY: accepts w iff its number k of 1s is odd, at every length (n = |w| + 1, d = 9).

    Layer 1 averages 1s into k/n and marks position k; layer 2 asks whether the mark lies on an even
    or an odd position. `c` > 0 is the gain of the second layer's heads. Chiang & Cholak 2022,
    section 3.2. The logit of the empty string is 0; `tie_free` subtracts [k=0]/n from every logit,
    which changes no decision.
    """
    S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
    zero, one, cls, i, cos, k, unit, hit, s = S
    count = Layer(
        heads=[Head(v={"k/n": one, "1/n": cls})],
        ffn=FFN(hidden=[k - i - unit, k - i, k - i + unit], out={"[i=k]/n": [1, -2, 1]}),
    )
    compare = Layer(
        heads=[
            Head(q=[cls], k=[-cos], v={"s": hit}, gain=c),
            Head(q=[cls], k=[cos], v={"s": -hit}, gain=c),
        ]
    )
    position = {"i/n": i, "cos iπ": cos}
    return _one_hot(S, position, [count, compare], s - hit if tie_free else s, "PARITY")


@takes(tie_free=flag)
def first(c: Number = 1, tie_free: bool = False) -> Construction:
    """FIRST: accepts w iff its first symbol is 1, for strings of every length (n = |w| + 1, d = 6).

    Layer 1 marks the first position if it holds a 1; in layer 2 CLS attends to the first position
    with gain `c`. Chiang & Cholak 2022, section 3.3 and equation (1). The logit of the empty string
    is 0; `tie_free` gives CLS the value -1/4, which changes no decision.
    """
    S = Space("0", "1", "CLS", "[i=1]", "[w₁=1]", "s")
    zero, one, cls, start, hit, s = S
    mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₁=1]": [1]}))
    value = hit - start / 2 - cls / 4 if tie_free else hit - start / 2
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": value}, gain=c)])
    return _one_hot(S, {"[i=1]": start}, [mark, look], s, "FIRST")


def flawed_first(c: Number = 1, base: Number | None = None) -> Construction:
    """FIRST on every string of n - 1 symbols if and only if log(n - 1) < c: one layer, in which the
    other positions have values too (n = |w| + 1 >= 2, d = 5).

    CLS attends to the first position with gain `c`, or c ln b with a `base` b; every 1 votes +1/2,
    every other token -1/2, and the first position's vote counts e^c times, or b^c. Chiang & Cholak
    2022, section 5.2.
    """
    S = Space("0", "1", "CLS", "[i=1]", "s")
    zero, one, cls, start, s = S
    vote = {"s": (one - zero - cls) / 2}
    look = Layer(heads=[Head(q=[cls], k=[start], v=vote, gain=c, base=base)])
    return _one_hot(S, {"[i=1]": start}, [look], s, "flawed FIRST")


def one() -> Construction:
    """ONE: accepts w iff it holds exactly one 1, for strings of every length (n = |w| + 1, d = 7).

    One layer: uniform attention averages 1s into k/n, and a hat function of k/n at 1/n gives s =
    ([k=1] - 1/2)/n, never 0. The position i/n is not used. Nowak et al. 2022, section 3.1.
    """
    S = Space("0", "1", "CLS", "i/n", "k/n", "1/n", "s")
    zero, one, cls, i, k, unit, s = S
    count = Layer(
        heads=[Head(v={"k/n": one, "1/n": cls})],
        ffn=FFN(hidden=[k - 2 * unit, k - unit, k, unit], out={"s": [1, -2, 1, -0.5]}),
    )
    return _one_hot(S, {"i/n": i}, [count], s, "ONE")


@takes(base=optional(rational))
def palindrome(gain: Number = 1, base: Number | None = 2) -> Construction:
    """PALINDROME: accepts w iff it is its own reversal, at every length (n = |w| + 2, d = 11).

    Layer 1 marks the 1s of the left and of the right half; in layer 2 CLS reads both halves as
    numbers in base 2, the symbols next to the middle first, and s is their difference over 2^n - 1:
    accepted iff s = 0 (the indicator function as output). `base` None makes weights e^(gain i).
    Nowak et al. 2022, section 3.2; head 1 reads dimension 9, where 10 is printed.
    """
    halves = ("left", "right", "1 on the left", "1 on the right")
    S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", *halves, "s")
    zero, one, cls, eos, i, back, left, right, left_one, right_one, s = S
    mark = Layer(
        ffn=FFN(
            hidden=[left - zero - cls - eos, right - zero - cls - eos],
            out={"1 on the left": [1, 0], "1 on the right": [0, 1]},
        )
    )
    compare = Layer(
        heads=[
            Head(q=[cls], k=[i], v={"s": left_one}, gain=gain, base=base),
            Head(q=[cls], k=[back], v={"s": -right_one}, gain=gain, base=base),
        ]
    )
    position = {"i": i, "n-1-i": back, "[i≤(n-1)/2]": left, "[i≥(n-1)/2]": right}
    return _one_hot(S, position, [mark, compare], s, "PALINDROME", activation="indicator")


def pairwise_palindrome(gain: Number = 4, base: Number | None = None) -> Construction:
    """PALINDROME, decided symbol by symbol, at every length (n = |w| + 2, d = 10).

    In layer 1 position i attends to j with logit c (2(n-1-i)j - j²), most to its mirror image, and
    is marked where the two differ by more than a half; layer 2 takes the mean of the marks from
    1/(4n), a quarter of EOS's share. So the logit is 1/(4n) on palindromes and negative elsewhere
    if c, which is `gain`, times ln `base` where there is one, is at least 5/4. Its sign is the same
    in the mirrored network under layer normalization, for every eps. Not in a paper: Nowak et al.
    2022, section 5, hold a binary code of the halves for necessary.
    """
    S = Space("0", "1", "CLS", "EOS", "i", "n-1-i", "i²", "mirror", "mismatch", "s")
    zero, one, cls, eos, i, back, square, mirror, mismatch, s = S
    here = zero + one + cls + eos
    look = Layer(
        heads=[Head(q=[2 * back, -here], k=[i, square], v={"mirror": one}, gain=gain, base=base)],
        ffn=FFN(
            hidden=[one - mirror - here / 2, mirror - one - here / 2], out={"mismatch": [1, 1]}
        ),
    )
    count = Layer(heads=[Head(v={"s": eos / 4 - mismatch})])
    position = {"i": i, "n-1-i": back, "i²": square}
    return _one_hot(S, position, [look, count], s, "pairwise PALINDROME")


def _one_hot(
    space: Space,
    position: dict[str, Form],
    layers: list[Layer],
    output: Form,
    name: str,
    activation: str = "sigmoid",
) -> Construction:
    """The construction in which each symbol and tag is embedded as the coordinate of its name."""
    word = {token: space[token] for token in ("0", "1", "CLS", "EOS") if token in space}
    return Construction(space, word, position, layers, output, name, activation)
