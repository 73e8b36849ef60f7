"""Turing machines inside transformers, exactly.

`machines` are tables of rules, some of them written out; `recurrent` compiles them to recurrent
networks, which the transformers of `architecture`, with hard attention, run.
"""

from chapters.common.turing.architecture import (
    IDENTITY,
    Run,
    SaturatedFFN,
    Sublayer,
    Transformer,
    directional,
    index,
    one,
    reciprocal,
    vanilla,
)
from chapters.common.turing.compilation import configurations, stack_rnn
from chapters.common.turing.machines import Machine, Rule
from chapters.common.turing.recurrent import RNN, coordinate, exact

__all__ = [
    "IDENTITY",
    "RNN",
    "Machine",
    "Rule",
    "Run",
    "SaturatedFFN",
    "Sublayer",
    "Transformer",
    "configurations",
    "coordinate",
    "directional",
    "exact",
    "index",
    "one",
    "reciprocal",
    "stack_rnn",
    "vanilla",
]
