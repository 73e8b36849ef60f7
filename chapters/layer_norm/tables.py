"""Chapter 3 and its record: transformers sharpened with an output weight of 1, and what their
answers cost under each epsilon.
"""

from collections.abc import Callable
from math import comb, exp, log, log1p, sqrt

import numpy as np
import torch

from chapters.common.sharpening import sharpen
from lib.constructions.normalization import mirror
from lib.languages import FIRST, Language
from lib.transformer import Construction, Encoder, cross_entropy_bits

FAMILIES: dict[str, Callable[[int], str]] = {  # strings of each length, alike in their logit's size
    "PARITY": lambda n: "1" * (n // 2) + "0" * (n - n // 2),
    "FIRST_1": lambda n: "1" + "0" * (n - 1),
    "FIRST_0": lambda n: "0" * n,
}


def with_weight_one(construction: Construction) -> Construction:
    """The construction mirrored and sharpened, with an output weight of 1."""
    return sharpen(mirror(construction), eta=log1p(exp(-sqrt(len(construction.space)))))


def expected_bits(reader: Encoder, language: Language, n: int) -> float:
    """The expected cross-entropy of a uniformly drawn string of length n, in bits.

    FIRST has two kinds of strings, PARITY one for each number of 1s. Of these, those beyond 5
    standard deviations are left out, and of long strings every h-th stands for h of them, with an
    odd h of at most half a standard deviation.
    """
    if language is FIRST:
        cases = {"1" + "0" * (n - 1): 0.5, "0" * n: 0.5}
    else:
        h = max(1, (int(sqrt(n) / 4) - 1) | 1)
        counts = [k for k in range(0, n + 1, h) if abs(2 * k - n) <= 5 * sqrt(n)]
        cases = {"1" * k + "0" * (n - k): comb(n, k) * h / 2**n for k in counts}
    bits = cross_entropy_bits(reader([*cases]), [w in language for w in cases])
    return float(bits @ torch.tensor([*cases.values()], dtype=torch.float64))


def lost_near(construction: Construction, family: Callable[[int], str], eps: float) -> float:
    """The length near which the mirrored construction's logit s, on a family of strings, meets the
    square root of eps d / 2, where the two terms under the root of the last normalization are
    equal.
    """
    reader, d = Encoder(mirror(construction), eps=eps), 2 * len(construction.space)
    lengths = [2**j for j in range(1, 18)]
    s = [reader(family(n)).abs().item() for n in lengths]
    return float(2 ** np.interp(-log(sqrt(eps * d / 2)), -np.log(s), np.log2(lengths)))
