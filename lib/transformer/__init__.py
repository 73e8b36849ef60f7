"""A transformer as data: affine forms over named coordinates, read by as many readers as there are
arithmetics.

`space` names coordinates, `positions` spells position encodings, `construction` holds a whole
transformer; `encoder` runs one in torch's float types and `exact` in rationals and balls, both
behind the one interface of `reader`, and `own_length` in balls where a query's logits grow with
what it sees; `classifier` makes PyTorch's own modules of one, and `saved`
keeps those in a file.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lib.transformer.construction import Construction
from lib.transformer.exact import Exact
from lib.transformer.own_length import OwnLength
from lib.transformer.rows import from_rows, to_rows
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

if TYPE_CHECKING:
    from lib.transformer.classifier import Classifier, to_torch
    from lib.transformer.encoder import Encoder, cross_entropy_bits
    from lib.transformer.saved import LOADER, load, save

__all__ = [
    "FFN",
    "LOADER",
    "Classifier",
    "Construction",
    "Encoder",
    "Exact",
    "Form",
    "Head",
    "Layer",
    "OwnLength",
    "Space",
    "cross_entropy_bits",
    "from_rows",
    "load",
    "save",
    "to_rows",
    "to_torch",
]

WITH_TORCH = {  # loaded where they are asked for, not with exact code
    "Classifier": "classifier",
    "Encoder": "encoder",
    "LOADER": "saved",
    "cross_entropy_bits": "encoder",
    "load": "saved",
    "save": "saved",
    "to_torch": "classifier",
}


def __getattr__(name: str) -> object:
    """What needs torch, by name."""
    if name in WITH_TORCH:
        return getattr(import_module(f"lib.transformer.{WITH_TORCH[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
