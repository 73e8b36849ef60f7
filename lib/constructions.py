"""The papers' transformers, each written once as sparse rows over named coordinates."""

from __future__ import annotations

from lib.construction import FFN, Construction, Head, Layer
from lib.space import Number, Space


def parity(c: Number = 1, tie_free: bool = False) -> Construction:
    """PARITY: accepts w iff its number k of 1s is odd, for strings of every length (n = |w| + 1, d = 9).

    Layer 1 averages 1s into k/n and marks position k; layer 2 asks whether the mark lies on an even or an odd
    position. `c` > 0 is the gain of the second layer's heads. Chiang & Cholak 2022, section 3.2.
    The logit of the empty string is 0; `tie_free` subtracts [k=0]/n from every logit, which changes no decision.
    """
    S = Space("0", "1", "CLS", "i/n", "cos iπ", "k/n", "1/n", "[i=k]/n", "s")
    zero, one, cls, i, cos, k, unit, hit, s = S
    count = Layer(heads=[Head(v={"k/n": one, "1/n": cls})],
                  ffn=FFN(hidden=[k - i - unit, k - i, k - i + unit], out={"[i=k]/n": [1, -2, 1]}))
    compare = Layer(heads=[Head(q=[cls], k=[-cos], v={"s": hit}, gain=c),
                           Head(q=[cls], k=[cos], v={"s": -hit}, gain=c)])
    return Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"i/n": i, "cos iπ": cos},
                        layers=[count, compare], output=s - hit if tie_free else s, name="PARITY")


def first(c: Number = 1, tie_free: bool = False) -> Construction:
    """FIRST: accepts w iff its first symbol is 1, for strings of every length (n = |w| + 1, d = 6).

    Layer 1 marks the first position if it holds a 1; in layer 2 CLS attends to the first position with gain `c`.
    Chiang & Cholak 2022, section 3.3 and equation (1).
    The logit of the empty string is 0; `tie_free` gives CLS the value -1/4, which changes no decision.
    """
    S = Space("0", "1", "CLS", "[i=1]", "[w₁=1]", "s")
    zero, one, cls, start, hit, s = S
    mark = Layer(ffn=FFN(hidden=[start - zero - cls], out={"[w₁=1]": [1]}))
    value = hit - start / 2 - cls / 4 if tie_free else hit - start / 2
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": value}, gain=c)])
    return Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=1]": start},
                        layers=[mark, look], output=s, name="FIRST")


def flawed_first(c: Number = 1) -> Construction:
    """FIRST, but only while log(n - 1) < c: one layer, in which the other positions have values too (n = |w| + 1, d = 5).

    CLS attends to the first position with gain `c`; every 1 votes +1/2, every other token -1/2, and the first position's vote counts
    e^c times. Chiang & Cholak 2022, section 5.2.
    """
    S = Space("0", "1", "CLS", "[i=1]", "s")
    zero, one, cls, start, s = S
    look = Layer(heads=[Head(q=[cls], k=[start], v={"s": (one - zero - cls) / 2}, gain=c)])
    return Construction(S, word={"0": zero, "1": one, "CLS": cls}, position={"[i=1]": start},
                        layers=[look], output=s, name="flawed FIRST")
