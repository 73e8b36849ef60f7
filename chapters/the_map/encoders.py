"""Small transformers for hard attention: for ties that are broken to the left or to the right, for
masks, for positions, and for padding. None is from a paper.

CLS stands in front, so a position sees at least one token where its mask is not strict.
"""

import random
from fractions import Fraction
from typing import Any

from lib.transformer import FFN, Construction, Form, Head, Layer, Space
from lib.transformer.sublayers import Named

HALF = Fraction(1, 2)
PAD = "_"


def network(
    S: Space, layers: list[Layer], tokens: str = "0 1 CLS", position: Named[Form] = (), **said: Any
) -> Construction:
    """A construction of these layers, which embeds its tokens as the coordinates of their names."""
    return Construction(S, {token: S[token] for token in tokens.split()}, position, layers, **said)


def end_symbol() -> Construction:
    """With ties to the left FIRST, with ties to the right the strings that end with 1 (n = |w| + 1,
    d = 4).

    CLS attends to the symbols with one logit, so the tie alone decides which of them it reads.
    """
    S = Space("0", "1", "CLS", "s")
    _, one, cls, s = S
    look = Layer(Head({"s": one}, q=[cls], k=[-cls]))
    return network(S, [look], output=s, name="the symbol at an end")


def contains_01() -> Construction:
    """The strings that contain 01, with ties to the right and strict masks (n = |w| + 1, d = 6).

    A head whose logits are all equal reads the token before; the second layer looks for a mark.
    """
    S = Space("0", "1", "CLS", "0 before", "01", "01 before")
    zero, one, _, zero_before, mark, earlier = S
    before = Layer(
        Head({"0 before": zero}, mask="strict future"),
        FFN(hidden=[one + zero_before - 1], out={"01": [1]}),
    )
    search = Layer(Head({"01 before": mark}, q=[zero + one], k=[mark], mask="strict future"))
    return network(S, [before, search], output=mark + earlier, name="contains 01", readout="last")


def induction() -> Construction:
    """The strings in which a 1 followed the last symbol when it stood there last before, with ties
    to the right (n = |w| + 1, d = 9).

    An induction head: the last position attends to the latest one whose symbol before is its own.
    """
    S = Space("0", "1", "CLS", "0 before", "1 before", "read 1", "0 before it", "1 before it", "s")
    zero, one, _, zero_before, one_before, read, zero_read, one_read, s = S
    before = Layer(Head({"0 before": zero, "1 before": one}, mask="strict future"))
    match = Layer(
        Head({"read 1": one, "0 before it": zero_before, "1 before it": one_before},
             q=[zero, one], k=[zero_before, one_before], mask="future"),
        FFN(hidden=[read + zero_read + zero - 2, read + one_read + one - 2], out={"s": [1, 1]}),
    )  # fmt: skip
    return network(S, [before, match], output=s, name="induction head", readout="last")


def odd_positions() -> Construction:
    """The strings whose 1s stand at odd positions, with ties broken either way and strict masks (n
    = |w| + 1, d = 6).

    Not star-free: 0^k 1 belongs to it if and only if k is even.
    """
    S = Space("0", "1", "CLS", "even", "wrong", "wrong before")
    zero, one, _, even, wrong, earlier = S
    mark = Layer(ffn=FFN(hidden=[one + even - 1], out={"wrong": [1]}))
    search = Layer(Head({"wrong before": wrong}, q=[zero + one], k=[wrong], mask="strict future"))
    return network(S, [mark, search], position={"[i mod 2=0]": even},
                   output=HALF - wrong - earlier, name="1s at odd positions",
                   readout="last")  # fmt: skip


def majority(masked: bool = False) -> Construction:
    """MAJORITY in one average, (number of 1s - number of 0s)/n: at CLS or, if it is `masked`, at
    the last token, which sees the past (n = |w| + 1, d = 4).
    """
    S = Space("0", "1", "CLS", "s")
    zero, one, _, s = S
    mask, readout = ("future", "last") if masked else (None, "CLS")
    average = Layer(Head({"s": one - zero}, mask=mask))
    return network(S, [average], output=s, name="MAJORITY in one average", readout=readout)


def parity_at_its_count() -> Construction:
    """PARITY, with averaging hard attention and a mask: among k 1s the last token reads token k
    (n = |w| + 1, d = 9).

    The logit 2ki - i², divided by n, is largest at i = k alone; the value says whether k is odd.
    """
    S = Space("0", "1", "CLS", "i", "i²", "cos iπ", "k/n", "1/n", "s")
    _, one, cls, i, square, cos, k_n, one_n, s = S
    count = Layer(Head({"k/n": one, "1/n": cls}, mask="future"))
    look = Layer(Head({"s": -cos}, q=[k_n, one_n], k=[2 * i, -square], mask="future"))
    return network(S, [count, look], position={"i": i, "i²": square, "cos iπ": cos}, output=s,
                   name="PARITY at its count", readout="last")  # fmt: skip


def progressions(soft: bool = False) -> Construction:
    """The strings with three 1s at equal distances, if enough padding follows: every token, padding
    too, tests one pair of a middle and a distance (d = 15).

    Position p takes as middle the j whose square is nearest to p, which no two are, and as distance
    r = p - j². Its logits 2 p j² - j⁴ are largest there. It then reads the symbols at j - r and at
    j + r, which is at most p. With m symbols, m(m - 3) padding tokens are enough.

    For softmax (`soft`) the logits of the first two layers are ten times as large, so that what is
    read is off by less than 1/1000; a hit is 1/2 in place of 1, and the last layer averages.
    """
    gain, threshold = (10, 2 + HALF) if soft else (1, 2)
    S = Space("0", "1", "CLS", "pad", "i", "i²", "i⁴", "j", "j²", "middle", "[r=0]",
              "left", "right", "hit", "s")  # fmt: skip
    zero, one, cls, pad, i, square, fourth, j, j2, middle, none, left, right, hit, s = S
    r, here = i - j2, zero + one + cls + pad

    def reads(name: str, place: Form) -> Head:
        """The symbol at a place: the logits 2 place x - x² are largest there."""
        return Head({name: one}, q=[2 * place, -here], k=[i, square], gain=gain)

    pair = Layer(
        Head({"j": i, "j²": square, "middle": one}, [2 * i, -here], [square, fourth], gain=gain),
        FFN(hidden=[r + 1, r, r - 1], out={"[r=0]": [1, -2, 1]}),
    )
    test = Layer(
        [reads("left", j - r), reads("right", j + r)],
        FFN(hidden=[left + middle + right - none - threshold], out={"hit": [1]}),
    )
    search = Layer(Head({"s": hit}) if soft else Head({"s": hit}, q=[cls], k=[hit]))
    return Construction(S, word={"0": zero, "1": one, "CLS": cls, PAD: pad},
                        position={"i": i, "i²": square, "i^4": fourth},
                        layers=[pair, test, search], output=s,
                        name="three 1s at equal distances")  # fmt: skip


def drawn(seed: int) -> Construction:
    """Two layers with random whole coefficients, without positions and masks (d = 9)."""
    draw = random.Random(seed)
    S = Space("0", "1", "CLS", "a", "b", "c", "d", "e", "s")

    def form(*names: str) -> Form:
        return sum((draw.randint(-3, 3) * S[name] for name in names), start=Form())

    first = Layer(
        Head({"a": form("0", "1", "CLS"), "b": form("0", "1")}, q=[form("0", "1", "CLS")] * 2,
             k=[form("0", "1", "CLS"), form("1", "CLS")]),
        FFN([form("a", "b", "0"), form("a", "b", "1") + 1], {"c": [draw.randint(-3, 3), 2]}),
    )  # fmt: skip
    second = Layer(
        Head({"d": form("a", "c", "1"), "e": form("b", "0")}, q=[form("a", "CLS", "c")],
             k=[form("b", "1", "c")]),
        FFN([form("d", "e", "c"), form("a", "d", "e")], {"s": [1, draw.randint(-3, 3)]}),
    )  # fmt: skip
    return network(S, [first, second], output=S["s"] + form("d", "e", "a"))


def enough_padding(m: int) -> int:
    """How many padding tokens `progressions` needs behind m symbols: m(m - 3), or none."""
    return max(0, m * (m - 3))


def padded(w: str, fewer: int = 0) -> str:
    """A string with the padding that `progressions` needs, or `fewer` tokens of it."""
    return w + PAD * max(0, enough_padding(len(w)) - fewer)
