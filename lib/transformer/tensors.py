"""What the readers in floating point compute with: attention on tensors, in memory linear in the
number n of tokens, and three ways to take a mean, which round differently.

Queries, keys and values have the shapes (batch, m, r), (batch, n, r) and (batch, n, e), where a
batch of 1 stands for all strings; a masked head has as many queries as keys. Attention is softmax
or averaging hardmax, with a mask that hides the future or without one.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from lib.transformer.sublayers import visible

BLOCK = 1 << 16  # weights that hardmax holds at once for each string


def attend(q: Tensor, k: Tensor, v: Tensor, kind: str, mask: str | None = None) -> Tensor:
    """What each query attends to, (batch, m, e); `kind` is "softmax" or "hardmax"."""
    batch = max(len(q), len(k), len(v))
    if not k.shape[1]:
        return v.new_zeros(batch, q.shape[1], v.shape[-1])
    if mask == "strict future":
        later = attend(q[:, 1:], k[:, :-1], v[:, :-1], kind, "future")
        return pad(later, (0, 0, q.shape[1] - later.shape[1], 0))
    if kind == "hardmax":
        return _hardmax(q, k, v.expand(batch, -1, -1), mask)
    width = max(q.shape[-1], v.shape[-1])  # equal widths, or PyTorch's kernel is not linear
    q, k, wide = (
        pad(x, (0, width - x.shape[-1])).expand(batch, -1, -1)[:, None] for x in (q, k, v)
    )
    outputs = scaled_dot_product_attention(q, k, wide, is_causal=mask == "future", scale=1.0)
    return outputs[:, 0, :, : v.shape[-1]]


def weights(q: Tensor, k: Tensor, kind: str, mask: str | None = None, first: int = 0) -> Tensor:
    """Attention weights, (batch, m, n), of queries from position `first` on; blind rows are 0."""
    logits = q @ k.mT
    rows = range(first, first + q.shape[1])
    hidden = torch.from_numpy(~visible(mask, rows, k.shape[1])).to(logits.device)
    logits = logits.masked_fill(hidden, -torch.inf)
    if kind == "softmax":
        return torch.softmax(logits, dim=-1).masked_fill(hidden, 0)
    largest = logits == logits.amax(-1, keepdim=True)
    shares = largest.masked_fill(hidden, False).to(logits.dtype)
    return shares / shares.sum(-1, keepdim=True).clamp(min=1)


def running_means(values: Tensor, mask: str) -> Tensor:
    """The means of a masked head with W^Q = 0, by prefix sums: (batch, n) to (batch, n)."""
    if mask == "strict future":
        return pad(running_means(values[:, :-1], "future"), (1, 0))
    counts = torch.arange(1, values.shape[1] + 1, device=values.device)
    return values.cumsum(-1) / counts


def _hardmax(q: Tensor, k: Tensor, v: Tensor, mask: str | None) -> Tensor:
    """(batch, m, e), a block of queries at a time. Every block is written where it stays: small
    tensors kept between large ones would split the heap.
    """
    outputs = v.new_empty(len(v), q.shape[1], v.shape[-1])
    step = max(1, BLOCK // k.shape[1])
    for start in range(0, q.shape[1], step):
        block = slice(start, start + step)
        outputs[:, block] = weights(q[:, block], k, "hardmax", mask, start) @ v
    return outputs


def divided(values: Tensor) -> Tensor:
    """The mean over the last axis as one sum and one division, the most exact of the three ways."""
    return values.sum(-1, keepdim=True) / values.shape[-1]


def weighted(values: Tensor) -> Tensor:
    """The mean as softmax attention has it: weights are 1/n, rounded, before values are added."""
    n = values.shape[-1]
    return values @ torch.softmax(values.new_zeros(n, 1), dim=0)


def sequential(values: Tensor) -> Tensor:
    """The mean as a running sum of v_j/n from left to right, rounded after every addition."""
    terms = values / values.shape[-1]
    if values.dtype != torch.bfloat16:
        sums = np.add.accumulate(terms.cpu().numpy(), axis=-1)
        return torch.from_numpy(sums[..., -1:]).to(values.device)
    total = torch.zeros_like(terms[..., :1])
    for j in range(values.shape[-1]):  # numpy has no bfloat16
        total = total + terms[..., j : j + 1]
    return total


def sinusoids(i: Tensor, width: int) -> Tensor:
    """The encoding of Vaswani et al. 2017 at positions `i`: `width` sines and cosines in turn."""
    angles = i[..., None] / 10_000 ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., :width]
