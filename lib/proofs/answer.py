"""What a prover says."""

from dataclasses import dataclass, field

from lib.proofs.machine import Machine
from lib.proofs.search import Room


@dataclass(frozen=True)
class Answer:
    """`kind` is PROVED, UNCHECKED, WRONG or UNKNOWN, of `lib.verdicts`. A counterexample is the
    shortest string on which the two descriptions part. `rooms` are a proof: what can be reached,
    and `machine` reads them. It is PROVED if cvc5 took it, and else UNCHECKED.
    """

    kind: str
    how: str
    counterexample: str | None = None
    rooms: tuple[Room, ...] | None = None
    machine: Machine | None = field(default=None, repr=False, compare=False)
    implies: bool = False

    def __str__(self) -> str:
        if self.counterexample is None:
            return f"{self.kind}: {self.how}"
        shown = repr(self.counterexample) if self.counterexample else "the empty string"
        return f"{self.kind}: {shown} is the shortest string on which they part; {self.how}"
