"""What a logit costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from lib.checks import flag, takes


@takes(logits=Tensor)
def cross_entropy_bits(logits: Tensor, labels: Sequence[bool] | Tensor) -> Tensor:
    """-log2 of the probability given to the right answer, in bits, for each string: shape (batch,),
    float64.

    The output probability is sigmoid(logit); a logit of 0 costs 1 bit. Chiang & Cholak 2022, figure
    2.
    """
    if not isinstance(labels, (list, tuple, Tensor)):
        raise TypeError(f"labels must be a list or a tensor of bools, not {labels!r}")
    if not isinstance(labels, Tensor):
        labels = torch.tensor([flag(label, "a label") for label in labels], dtype=torch.bool)
    labels = labels.to(logits.device, torch.bool)
    if labels.shape != logits.shape:
        raise ValueError(
            f"labels of shape {tuple(logits.shape)} are expected, not {tuple(labels.shape)}"
        )
    return softplus(torch.where(labels, -logits, logits).double()) / np.log(2)
