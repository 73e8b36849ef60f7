"""The exercises of chapter 4: where attention is diluted too far, and what log n repairs."""

from dataclasses import replace
from fractions import Fraction

from chapters.common.judge import Number, compared, exercise, verdict
from lib.constructions import flawed_first
from lib.languages import FIRST
from lib.transformer import Construction, Encoder, Exact

FIRST_ERROR = 50  # positions at which exercise 4.2's transformer is to err first


@exercise("4.1", Number)
def lead(answer: Fraction) -> str | None:
    """The output of the flawed transformer with gain 2 under log n on 1 and eight 0s."""
    s = Fraction(str(Exact(flawed_first(2), log_n=True).logit("1" + "0" * 8)))
    return compared(float(answer), s, "small", "large", within=1e-12)  # 91/218 is a float in Python


@exercise("4.2", Construction)
def errs_first_at_50(answer: Construction) -> str | None:
    """The flawed transformer with a gain that fails under log n from n = 50 on, run in exact
    arithmetic on the two hardest strings of each length.
    """
    heads = [head for layer in answer.layers for head in layer.heads]
    plain = [flawed_first(head.gain, head.base) for head in heads]
    if not any(replace(answer, name=flawed.name) == flawed for flawed in plain):
        return "it differs from flawed_first in more than its gain"
    reader = Exact(answer, log_n=True)
    for n in range(2, FIRST_ERROR + 1):
        for w in ("1" + "0" * (n - 2), "0" + "1" * (n - 2)):
            accepted = reader.accepts(w)
            if accepted is None:
                return (
                    f"on {w}, at n = {n}, its s is so near to 0 that the sign is undecided, which "
                    "is no error: take a gain a little further away"
                )
            if accepted != (w in FIRST):
                return None if n == FIRST_ERROR else f"{verdict(w, accepted)} already, at n = {n}"
    return f"at n = {FIRST_ERROR} it still decides 1{'0' * (FIRST_ERROR - 2)} correctly"


def shares(c: Fraction) -> str:
    """What position 1 gets of CLS's attention, read off runs, as the beginning of a sentence."""
    reader, read = Encoder(flawed_first(c), log_n=True), []
    for n in (10, 100, 1000):
        trace = reader.trace("1" + "0" * (n - 2), weights=True)
        share = (trace.attention or {})[1, 1][0, 0, 1]
        read.append(f"{float(share):.3f}")
    return f"with c = {float(c):g} the weight is {', '.join(read)} at n = 10, 100, 1000"


@exercise("4.3", Number, proved=lambda: f"{shares(Fraction(1, 2))}, and vanishes")
def share_vanishes(c: Fraction) -> str | None:
    """Whether the share n^c / (n^c + n - 1) of position 1 vanishes for some c > 0: it does for c <
    1, where (1 - share) / share = (n - 1) / n^c grows without bound, and for no other.
    """
    if c <= 0:
        return f"{c} is not above 0"
    return None if c < 1 else f"{shares(c)}, and does not vanish"
