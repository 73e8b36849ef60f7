"""What a reader passed on its way: every coordinate of every sublayer, and every attention weight,
by name.

What every reader of a construction offers, whatever its arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, overload, runtime_checkable

from lib.transformer.construction import Construction


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


Batch = list[str] | tuple[str, ...]


@runtime_checkable
class Reader(Protocol):
    """A construction made ready to read strings.

    Raises ValueError for a symbol outside the alphabet, TypeError for what is no string. What a
    reader cannot do it refuses when it is made, with the reason.
    """

    construction: Construction

    def logit(self, w: str) -> Any:
        """The logit s of `w`, a number of the reader's arithmetic."""
        ...

    @overload
    def accepts(self, strings: str) -> bool | None: ...

    @overload
    def accepts(self, strings: Batch) -> Iterable[Any]: ...

    def accepts(self, strings: str | Batch) -> Any:
        """Whether a string is accepted, or each string of a batch; None where that is undecided."""
        ...

    def trace(self, strings: str) -> Trace:
        """Every coordinate at every position, and attention weights, by name."""
        ...


def checked_construction(construction: Construction) -> Construction:
    """`construction` itself; TypeError for anything else."""
    if not isinstance(construction, Construction):
        raise TypeError(f"a construction is expected, not {construction!r}")
    return construction
