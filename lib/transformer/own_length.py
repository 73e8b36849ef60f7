"""Exact reading where each query takes the logarithm of what it sees, not of the whole string."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import fmpq

from lib.transformer.arithmetic import Value
from lib.transformer.construction import Construction
from lib.transformer.exact import Exact, Stream, Units
from lib.transformer.memory import Memory


class OwnLength(Exact):
    """The softmax transformer in balls, every logit of a masked head times log i for the query at
    position i, CLS being position 1; heads without a mask take log n.
    """

    def __init__(self, construction: Construction):
        super().__init__(construction, log_n=True)

    def _read(
        self, memory: Memory, stream: Stream, rows: range, values: Units | None = None
    ) -> Iterator[tuple[int, Sequence[Value]]]:
        """What a head gives to each of `rows`, the query at index i seeing i + 1 tokens."""
        if memory.head.mask is None:
            yield from super()._read(memory, stream, rows, values)
            return
        memory.clear()
        for i in range(rows.stop):
            own = values[i] if values else None
            written = memory.step(stream[i], [fmpq(i + 1)], own, attends=i in rows)
            if i in rows:
                yield i, written
