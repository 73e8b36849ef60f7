"""Turing machines inside transformers, exactly.

`machines` are tables of rules; `compilation` makes `recurrent` networks of them, which the
transformers of `simulate` run, of the `architecture` with hard attention; `programs` are machines
to try. `variants` holds what is taken away or misprinted, and `errata` what that shows. `circuits`
and `doubling` are two more transformers that run machines, with less; the second writes the rows of
a `transducer`.
"""

from lib.turing import errata, programs, variants
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
from lib.turing.circuits import SpaceTime, halts, wired
from lib.turing.compilation import configurations, stack_rnn
from lib.turing.doubling import Alphabet, doubling, letters
from lib.turing.machines import Machine, Rule
from lib.turing.recurrent import RNN, coordinate, exact
from lib.turing.simulate import directional, vanilla
from lib.turing.transducer import configuration, shows
from lib.turing.variants import (
    compare,
    components,
    denominator_bits,
    every_subset,
    first_difference,
    idle,
)

__all__ = [
    "IDENTITY",
    "RNN",
    "Alphabet",
    "Machine",
    "Rule",
    "Run",
    "SaturatedFFN",
    "SpaceTime",
    "Sublayer",
    "Transformer",
    "compare",
    "components",
    "configuration",
    "configurations",
    "coordinate",
    "denominator_bits",
    "directional",
    "doubling",
    "errata",
    "every_subset",
    "exact",
    "first_difference",
    "halts",
    "idle",
    "index",
    "letters",
    "one",
    "programs",
    "reciprocal",
    "shows",
    "stack_rnn",
    "vanilla",
    "variants",
    "wired",
]
