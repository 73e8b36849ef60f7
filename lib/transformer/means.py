"""Three ways to take a mean in floating point, which round differently."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from lib.checks import takes
from lib.transformer.devices import tokens_of


@takes(values=tokens_of)
def divided(values: Tensor) -> Tensor:
    """The mean over the last axis as one sum and one division, the most exact of the three ways."""
    return values.sum(-1, keepdim=True) / values.shape[-1]


@takes(values=tokens_of)
def weighted(values: Tensor) -> Tensor:
    """The mean as softmax attention computes it: every weight is 1/n, rounded, before values are
    added.
    """
    n = values.shape[-1]
    return values @ torch.softmax(values.new_zeros(n, 1), dim=0)


@takes(values=tokens_of)
def sequential(values: Tensor) -> Tensor:
    """The mean as a running sum of v_j/n from left to right, rounded after every addition."""
    terms, total = values / values.shape[-1], values.new_zeros(*values.shape[:-1], 1)
    if values.dtype != torch.bfloat16:
        return torch.from_numpy(np.add.accumulate(terms.cpu().numpy(), axis=-1)[..., -1:]).to(
            values.device
        )
    for j in range(values.shape[-1]):  # numpy has no bfloat16
        total = total + terms[..., j : j + 1]
    return total
