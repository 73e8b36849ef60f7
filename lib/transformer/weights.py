"""The dense weights of a construction, written into the tensors of PyTorch's own modules.

A head has the rows `start` to `start + head_dim` of the stacked W^Q, W^K and W^V. PyTorch divides
attention logits by the root of head_dim, so that W^Q holds the gain times that root.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import e, log, sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from lib.transformer.construction import Construction
from lib.transformer.positions import position
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, Head

NOTHING = -1e30  # the logit of the key that stands for none


def dense(forms: Iterable[Form], space: Space, width: int) -> Tensor:
    """The coefficients of forms, padded with zeros: (number of forms, width)."""
    rows = [space.dense(form) for form in forms]
    table = _column(c for row in rows for c in row).reshape(len(rows), len(space))
    return pad(table, (0, width - len(space)))


def fill_head(attention: nn.MultiheadAttention, head: Head, start: int, space: Space) -> None:
    """Writes one head into the rows from `start` on; everything there was 0."""
    width = attention.embed_dim
    query, key, value = attention.in_proj_weight.split(width)
    factor = float(head.gain) * log(head.base or e) * sqrt(attention.head_dim)
    query[start : start + len(head.q)] = dense(head.q, space, width) * factor
    key[start : start + len(head.k)] = dense(head.k, space, width)
    value[start : start + len(head.v)] = dense((form for _, form in head.v), space, width)
    for row, (name, _) in enumerate(head.v, start=start):
        attention.out_proj.weight[space.names.index(name), row] = 1


def fill_bias_key(attention: nn.MultiheadAttention) -> None:
    """Gives the last query row of every head the bias 1, and the bias key, there, its logit."""
    last = slice(attention.head_dim - 1, attention.embed_dim, attention.head_dim)
    assert attention.bias_k is not None
    attention.in_proj_bias[: attention.embed_dim][last] = sqrt(attention.head_dim)
    attention.bias_k[..., last] = NOTHING


def fill_ffn(module: nn.TransformerEncoderLayer, ffn: FFN, space: Space) -> None:
    """Writes a feed-forward sublayer into the first hidden units; everything there was 0."""
    units, width = len(ffn.hidden), module.linear1.in_features
    module.linear1.weight[:units] = dense(ffn.hidden, space, width)
    module.linear1.bias[:units] = _column(form.constant for form in ffn.hidden)
    for name, row in ffn.out:
        module.linear2.weight[space.names.index(name), :units] = _column(row)
    for name, bias in ffn.bias:
        module.linear2.bias[space.names.index(name)] = float(bias)


def formula_values(construction: Construction, lengths: Iterable[int]) -> Tensor:
    """The value of each position formula (columns) at each position of strings of n tokens, one n
    after the other: (sum of lengths, number of formulas). ValueError for one that is not finite.
    """
    tables = []
    for n in lengths:
        i, count = torch.arange(n, dtype=torch.float64), torch.tensor(n, dtype=torch.float64)
        table = torch.zeros(n, len(construction.position), dtype=torch.float64)
        for column, (formula, _) in enumerate(construction.position):
            table[:, column] = torch.as_tensor(position(formula)(i, count), dtype=torch.float64)
            if not table[:, column].isfinite().all():
                raise ValueError(f"the position encoding {formula!r} is not finite at n = {n}")
        tables.append(table)
    return torch.cat(tables)


def _column(numbers: Iterable[Fraction]) -> Tensor:
    return torch.tensor([float(x) for x in numbers], dtype=torch.float64)
