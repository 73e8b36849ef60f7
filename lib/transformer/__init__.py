"""A transformer as data: affine forms over named coordinates, read by as many readers as there are
arithmetics.

`space` names coordinates, `positions` spells position encodings, `construction` holds a whole
transformer; `encoder` runs one in torch's float types and `exact` in rationals and balls, both
behind the one interface of `reader`.
"""

from typing import TYPE_CHECKING

from lib.transformer.construction import Construction
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

if TYPE_CHECKING:
    from lib.transformer.encoder import Encoder, cross_entropy_bits

__all__ = [
    "FFN",
    "Construction",
    "Encoder",
    "Exact",
    "Form",
    "Head",
    "Layer",
    "Space",
    "cross_entropy_bits",
]


def __getattr__(name: str) -> object:
    """Torch is loaded where its reader is asked for, not with exact code."""
    if name in ("Encoder", "cross_entropy_bits"):
        from lib.transformer import encoder

        return getattr(encoder, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
