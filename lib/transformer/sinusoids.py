"""The sinusoidal position encoding, which learned models use and no construction needs."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.checks import between, takes


@takes(i=Tensor, width=between(1))
def sinusoids(i: Tensor, width: int) -> Tensor:
    """The encoding of Vaswani et al. 2017 at positions `i`: sines and cosines alternating over
    `width` coordinates.
    """
    angles = i[..., None] / 10_000 ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., :width]
