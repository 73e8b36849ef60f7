"""What a reader passed on its way: every coordinate of every sublayer, and every attention weight,
by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Trace:
    """The residual stream of one run, in the paper's notation.

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
