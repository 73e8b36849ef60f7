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
from lib.transformer.exact import Exact, OwnLength
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer

if TYPE_CHECKING:
    from lib.transformer.classifier import LOADER, Classifier, load, save, to_torch
    from lib.transformer.encoder import Encoder, cross_entropy_bits

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
    "load",
    "save",
    "to_torch",
]

WITH_TORCH = {  # loaded where they are asked for, not with exact code
    "Classifier": "classifier",
    "Encoder": "encoder",
    "LOADER": "classifier",
    "cross_entropy_bits": "encoder",
    "load": "classifier",
    "save": "classifier",
    "to_torch": "classifier",
}


def __getattr__(name: str) -> object:
    """What needs torch, by name."""
    if name in WITH_TORCH:
        return getattr(import_module(f"lib.transformer.{WITH_TORCH[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
