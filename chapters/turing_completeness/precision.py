"""Chapter 6 and its record in floating point: to which tape depth a float type holds a machine's
tape, and how many ones it adds 1 to.
"""

from collections.abc import Iterator, Sequence
from itertools import count

import torch

from chapters.common.floats import FLOATS as DTYPES
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import INCREMENT, Machine, Rule
from chapters.common.turing.recurrent import Arithmetic, Vector, exact
from chapters.turing_completeness.variants import first_difference

FLOATS: dict[str, Arithmetic] = {
    name: lambda x, dtype=dtype: torch.tensor(float(x), dtype=dtype)
    for name, dtype in DTYPES.items()
}


def exact_depth(symbols: Sequence[str], number: Arithmetic) -> int:
    """The tape depth to which a run is exact: a machine writes the first of these symbols once, and
    then the last one for ever.
    """
    rules = Rule("A", "_", symbols[0], "R", "B"), Rule("B", "_", symbols[-1], "R", "B")
    rnn = stack_rnn(Machine(rules, "A", alphabet=symbols))
    first = first_difference(rnn.states("", number), rnn.states(""))
    assert first is not None  # a run without end
    return (first - 3) // 4


def longest_ones(number: Arithmetic, base: int | None = None) -> int:
    """The n up to which the increment machine is in the right state at every step on 1^n; the last
    digits of its stacks may be wrong.
    """
    rnn = stack_rnn(INCREMENT, base=base)
    units = [rnn.hidden.names.index(f"q={state}") for state in INCREMENT.states]

    def control(n: int, number: Arithmetic = exact) -> Iterator[Vector]:
        return ([h[unit] for unit in units] for h in rnn.states("1" * n, number))

    return next(
        n for n in count() if first_difference(control(n + 1, number), control(n + 1)) is not None
    )
