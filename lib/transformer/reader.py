"""What the readers of a construction share, whatever their arithmetic.

A reader has the `construction` that it was made of. `logit(w)` is a number of its arithmetic,
`accepts(strings)` says whether a string is accepted, or each of a batch, with None where that is
undecided, and `trace(strings)` gives a `Trace`. It raises ValueError for a symbol outside the
alphabet, TypeError for what is no string. What it cannot do it refuses when it is made, with the
reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lib.transformer.construction import Construction

Batch = list[str] | tuple[str, ...]


@dataclass(frozen=True)
class Trace:
    """What a reader passed on its way: the residual stream of one run, in the paper's notation.

    `a[l]` maps coordinate names to their values in a^{l,i} over positions i (a[0] is the input),
    `c[l]` likewise after the attention of layer l (c[0] is None); `attention[l, h]` holds the
    weights of head h of layer l, one row per attending position (None where none were requested).
    The exact reader fills lists of rationals or balls; the torch reader fills tensors of shape
    (batch, n) and (batch, n, n). Coordinates not yet written are absent.
    """

    tokens: list[list[str]]
    a: list[dict[str, Any]] = field(default_factory=list)
    c: list[dict[str, Any] | None] = field(default_factory=lambda: [None])
    attention: dict[tuple[int, int], Any] | None = None


def checked_construction(construction: Construction) -> Construction:
    """`construction` itself; TypeError for anything else."""
    if not isinstance(construction, Construction):
        raise TypeError(f"a construction is expected, not {construction!r}")
    return construction


def add(vector: dict[str, Any], name: str, value: Any) -> None:
    """The residual connection: adds `value` to a coordinate, which starts as it if it is not yet
    written.
    """
    vector[name] = vector[name] + value if name in vector else value
