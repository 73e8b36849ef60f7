"""How long a proof may take, and how large what it looks at may become."""

from collections.abc import Callable
from math import inf
from multiprocessing import current_process, get_context
from time import perf_counter

SOON = 1e-3  # seconds that are left where none are: too few for a proof


class OutOfTime(Exception):
    """A proof has used up its seconds."""


class TooLarge(Exception):
    """A machine is too large to be looked at; the text says in what."""


class OutOfSteps(Exception):
    """A proof has used up its steps."""


def ended(asked: Callable[[], str], seconds: float | None, computing: int) -> str | None:
    """What is answered in a process of its own, None where it takes more than so many seconds,
    computes for more than so many, however busy the machine is, or dies.
    """
    if current_process().daemon:  # one of a pool, which may start none: no limit holds there
        return asked()
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)

    def answer() -> None:
        import resource  # of Unix alone, as "fork" is

        resource.setrlimit(resource.RLIMIT_CPU, (computing, computing))
        there.send(asked())

    process = context.Process(target=answer, daemon=True)
    process.start()
    there.close()  # so that its death is heard here
    try:
        return here.recv() if here.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


class Steps:
    """The steps that are `left` for a proof: z3's, and in their measure what else takes time."""

    def __init__(self, left: int):
        self.left = left

    def take(self, number: int) -> None:
        """Uses some; OutOfSteps where none are left."""
        self.left -= number
        if self.left <= 0:
            raise OutOfSteps


class Deadline:
    """So many seconds from now on, or never."""

    def __init__(self, seconds: float | None = None):
        self.end = inf if seconds is None else perf_counter() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, infinity where it never comes."""
        return self.end - perf_counter()

    @property
    def remaining(self) -> float | None:
        """The same as an argument: None where it never comes, and never quite 0."""
        return None if self.end == inf else max(self.left, SOON)

    def look(self) -> None:
        """OutOfTime if no time is left."""
        if self.left <= 0:
            raise OutOfTime
