"""The exercises of chapter 4: where attention is diluted too far, and what log n repairs."""

from __future__ import annotations

from fractions import Fraction

from lib.constructions import first, flawed_first
from lib.constructions.normalization import mirror
from lib.exercises.judge import exercise
from lib.languages import FIRST
from lib.transformer import Construction, Encoder, Exact

FIRST_ERROR = 50  # positions at which exercise 2's transformer is to err first
LENGTHS = (10, 100, 1000)  # at which exercise 3's share is read


@exercise("4.1", "an epsilon, to three decimals", int, float)
def least_eps(answer: float) -> str | None:
    """The eps above which g0 g1 < 1, read off the normalized transformer, if w1 = 1 (for a 0 it is
    a larger one).
    """

    def product(eps: float) -> float:
        trace = Encoder(mirror(first()), eps=eps).trace("10")
        cls, start = trace.a[1]["CLS"], trace.a[1]["[i=1]"]
        return float(cls[0, 0] * start[0, 1])

    found = product(answer)
    if product(max(answer - 0.0005, 0)) > 1 > product(answer + 0.0005):
        return None
    return f"at eps = {answer:g} g0 g1 is {found:.4f}, {'above' if found > 1 else 'below'} 1"


@exercise("4.2", "a Construction", Construction)
def errs_first_at_50(answer: Construction) -> str | None:
    """The flawed transformer with a gain that fails under log n from n = 50 on, run in exact
    arithmetic on the two hardest strings of each length.
    """
    heads = [head for layer in answer.layers for head in layer.heads]
    if not any(answer == flawed_first(head.gain, head.base) for head in heads):
        return "it differs from flawed_first in more than its gain"
    reader = Exact(answer, log_n=True)
    for n in range(2, FIRST_ERROR + 1):
        hardest = ["1" + "0" * (n - 2), "0" + "1" * (n - 2)]
        if wrong := FIRST.errors(hardest, reader.accepts(hardest)):
            verdict = "rejects" if wrong[0] in FIRST else "accepts"
            return None if n == FIRST_ERROR else f"it {verdict} {wrong[0]} already, at n = {n}"
    return f"at n = {FIRST_ERROR} it still decides 1{'0' * (FIRST_ERROR - 2)} rightly"


@exercise("4.3", '"proved", or a c > 0 whose share vanishes', str, int, float, Fraction)
def share_vanishes(answer: str | float | Fraction) -> str | None:
    """Whether the share n^c / (n^c + n - 1) of position 1 vanishes for some c > 0."""
    if answer == "refuted":
        return "then show it: give a c > 0 whose share vanishes"
    c = 0.5 if isinstance(answer, str) else answer
    if not c > 0:
        return f"{c} is not above 0"
    shares = [share(c, n) for n in LENGTHS]
    # (1 - s) / s, but for a factor that tends to 1, is n^(1 - c)
    against = [(1 - s) / s * n / (n - 1) for s, n in zip(shares, LENGTHS, strict=True)]
    vanishes = against[-1] > against[0] * (1 + 1e-9)
    if vanishes and not isinstance(answer, str):
        return None
    run = f"with c = {c} the share is {', '.join(f'{s:.3f}' for s in shares)} at n = 10, 100, 1000"
    return f"{run}, and {'vanishes' if vanishes else 'does not vanish'}"


def share(c: float | Fraction, n: int) -> float:
    """What position 1 gets of CLS's attention among n positions, read off the run."""
    trace = Encoder(flawed_first(c), log_n=True).trace("1" + "0" * (n - 2), weights=True)
    assert trace.attention is not None
    return float(trace.attention[1, 1][0, 0, 1])
