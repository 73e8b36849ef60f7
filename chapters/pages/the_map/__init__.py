"""What kinds of transformers express: the map, its cells, and what runs in them.

`encoders` and `decoders` write small transformers beyond the papers'; `runs` holds them and the
papers' against languages; `hard`, `soft` and `bounds` are the cells of the map.
"""

from chapters.pages.the_map.bounds import BOUNDS, QUESTIONS
from chapters.pages.the_map.cells import (
    ATTENTIONS,
    CITED,
    COLUMNS,
    LABELS,
    OPEN,
    PROVED,
    RUN,
    Cell,
    Example,
    Setting,
    executed,
    labelled,
    on,
    tiles,
)
from chapters.pages.the_map.decoders import Decoder, Steps
from chapters.pages.the_map.hard import AVERAGING_HARD, UNIQUE_HARD
from chapters.pages.the_map.soft import PROVED_HERE, SOFTMAX

MAP = (*UNIQUE_HARD, *AVERAGING_HARD, *SOFTMAX, *PROVED_HERE, *BOUNDS, *QUESTIONS)

__all__ = [
    "ATTENTIONS",
    "CITED",
    "COLUMNS",
    "LABELS",
    "MAP",
    "OPEN",
    "PROVED",
    "RUN",
    "Cell",
    "Decoder",
    "Example",
    "Setting",
    "Steps",
    "executed",
    "labelled",
    "on",
    "tiles",
]
