"""Turing machines inside transformers, exactly.

`machines` are tables of rules; `compilation` makes `recurrent` networks of them, which the
transformers of `simulate` run, of the `architecture` with hard attention; `programs` are machines
to try and `variants` what is taken away or misprinted. `circuits` and `doubling` are two more
transformers that run machines, with less: the second writes the rows of a `transducer`.
"""

from lib.turing.architecture import (
    IDENTITY,
    Run,
    SaturatedFFN,
    Sublayer,
    Transformer,
    index,
    one,
    reciprocal,
)
from lib.turing.compilation import configurations, stack_rnn
from lib.turing.machines import Machine, Rule
from lib.turing.recurrent import RNN, coordinate, exact
from lib.turing.simulate import directional, vanilla
from lib.turing.variants import (
    above,
    compare,
    components,
    denominator_bits,
    first_difference,
    lowest,
)

__all__ = [
    "IDENTITY",
    "Machine",
    "RNN",
    "Rule",
    "Run",
    "SaturatedFFN",
    "Sublayer",
    "Transformer",
    "above",
    "compare",
    "components",
    "configurations",
    "coordinate",
    "denominator_bits",
    "directional",
    "exact",
    "first_difference",
    "index",
    "lowest",
    "one",
    "reciprocal",
    "stack_rnn",
    "vanilla",
]
