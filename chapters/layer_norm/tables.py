"""Chapter 3 and its record: transformers sharpened with an output weight of 1, and near which
lengths they lose their certainty.
"""

from collections.abc import Callable
from math import exp, log, log1p, sqrt

import numpy as np

from chapters.common.sharpening import sharpen
from lib.constructions.normalization import mirror
from lib.transformer import Construction, Encoder

FAMILIES: dict[str, Callable[[int], str]] = {  # strings of each length, alike in their logit's size
    "PARITY": lambda n: "1" * (n // 2) + "0" * (n - n // 2),
    "FIRST_1": lambda n: "1" + "0" * (n - 1),
    "FIRST_0": lambda n: "0" * n,
}


def with_weight_one(construction: Construction) -> Construction:
    """The construction mirrored and sharpened, with an output weight of 1."""
    return sharpen(mirror(construction), eta=log1p(exp(-sqrt(len(construction.space)))))


def lost_near(construction: Construction, family: Callable[[int], str], eps: float) -> float:
    """The length near which the mirrored construction's logit s, on a family of strings, meets the
    square root of eps d / 2, where the two terms under the root of the last normalization are
    equal.
    """
    reader, d = Encoder(mirror(construction), eps=eps), 2 * len(construction.space)
    lengths = [2**j for j in range(1, 18)]
    s = [reader(family(n)).abs().item() for n in lengths]
    return float(2 ** np.interp(-log(sqrt(eps * d / 2)), -np.log(s), np.log2(lengths)))
