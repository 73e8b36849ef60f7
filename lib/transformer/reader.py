"""What every reader of a construction offers, whatever its arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, overload, runtime_checkable

from lib.transformer.construction import Construction
from lib.transformer.trace import Trace

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
