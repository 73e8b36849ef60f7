"""Where floating point first makes PARITY err.

Only the number k of 1s matters to the construction, and neither a running sum nor one sum and one
division notices where the 0s stand among the 1s: for these means the strings 1^k 0^(n-1-k) speak
for all. A weighted mean in float32 depends on the order in which a library adds, and so on the
machine and the batch; in the half types torch adds in float32 and rounds once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torch import Tensor

from lib.checks import positive
from lib.constructions import parity
from lib.transformer.encoder import DTYPES, Encoder, divided, sequential, weighted

FLOATS = {str(dtype).removeprefix("torch."): dtype for dtype in DTYPES}
MEANS: dict[str, Callable[[Tensor], Tensor]] = {
    mean.__name__: mean for mean in (sequential, weighted, divided)
}


def wrong_counts(reader: Encoder, n: int, counts: Iterable[int] | None = None) -> list[int]:
    """The numbers k of 1s, among `counts` (all of 0..n-1 by default), that a reader of PARITY
    decides wrongly at n = |w| + 1.
    """
    counts = [
        k for k in (range(positive(n, "a length n")) if counts is None else counts) if 0 <= k < n
    ]
    if not counts:
        return []
    accepted = reader.accepts(["1" * k + "0" * (n - 1 - k) for k in counts])
    return [
        k for k, answer in zip(counts, accepted.tolist(), strict=True) if answer != (k % 2 == 1)
    ]


def first_failure(
    dtype: str, mean: str, start: int, stop: int, step: int = 1, last: int | None = None
) -> dict:
    """The first n of range(start, stop, step) with an error, and its wrong k; {"n": None, "wrong":
    []} if there is none.

    `last` limits the search to the `last` largest k of each n, where an error in k/n weighs most;
    None tries every k.
    """
    if dtype not in FLOATS or mean not in MEANS:
        raise ValueError(
            f"a type of {', '.join(FLOATS)} and a mean of {', '.join(MEANS)} are expected, not "
            f"{dtype!r} and {mean!r}"
        )
    reader = Encoder(parity(), FLOATS[dtype], mean=MEANS[mean])
    for n in range(start, stop, step):
        counts = None if last is None else range(n - last, n)
        if wrong := wrong_counts(reader, n, counts):
            return {"n": n, "wrong": wrong}
    return {"n": None, "wrong": []}
