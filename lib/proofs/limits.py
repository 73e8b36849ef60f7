"""How long a proof may take, and how large what it looks at may become."""

from math import inf
from time import perf_counter


class OutOfTime(Exception):
    """A proof has used up its seconds."""


class TooLarge(Exception):
    """A machine is too large to be looked at; the text says in what."""


class Deadline:
    """So many seconds from now on, or never."""

    def __init__(self, seconds: float | None = None):
        self.end = inf if seconds is None else perf_counter() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, infinity where it never comes."""
        return self.end - perf_counter()

    def look(self) -> None:
        """OutOfTime if no time is left."""
        if self.left <= 0:
            raise OutOfTime
