"""A transformer as data: affine forms over named coordinates, read by as many readers as there are
arithmetics.

`space` names coordinates, `sublayers` are rows over them, `construction` holds a whole transformer,
its position encodings spelled out and how it must be read, makes JSON of it and says what all
readers offer. `encoder` runs one in torch's float types, `exact` in rationals and balls, and
batches in floats with proved bounds first, those of `bounded`. `classifier` makes PyTorch's own
modules of one; `tensors` holds what torch code shares.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lib.transformer.construction import Construction, Reading, from_json, to_json
from lib.transformer.exact import Exact
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head, Layer, norm

if TYPE_CHECKING:
    from lib.transformer.classifier import Classifier, to_torch
    from lib.transformer.encoder import Encoder, cross_entropy_bits

__all__ = ["FFN", "Classifier", "Construction", "Encoder", "Exact", "Form", "Head", "Layer"]
__all__ += ["Reading", "Space", "cross_entropy_bits", "from_json", "norm", "to_json", "to_torch"]


def __getattr__(name: str) -> object:
    """What needs torch, by name: it is loaded where it is asked for, not with exact code."""
    for file in ("encoder", "classifier") if name in __all__ else ():
        module = import_module(f"lib.transformer.{file}")
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
