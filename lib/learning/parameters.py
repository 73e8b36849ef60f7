"""The parameters of many members in one tensor, and each member's as PyTorch names and shapes them.

Side by side, matrices are (in, out) and vectors one row, and the input projection of attention is
in two: queries "q", and keys with values "kv".
"""

from __future__ import annotations

import torch
from torch import Tensor

EMBEDDINGS = ("word", "position", "scales")

Parameters = dict[str, Tensor]


def from_pytorch(state: Parameters) -> Parameters:
    """A member's parameters as an ensemble holds them."""
    parameters = {}
    for name, value in state.items():
        value = value[None] if _is_vector(name) else _transposed(name, value)
        if "self_attn.in_proj_" in name:
            d = value.shape[-1] // 3
            q, kv = value.split([d, 2 * d], dim=-1)
            parameters[name.replace("self_attn.in_proj_", "q.")] = q
            parameters[name.replace("self_attn.in_proj_", "kv.")] = kv
        else:
            parameters[name] = value
    return parameters


def to_pytorch(parameters: Parameters) -> Parameters:
    """The inverse of `from_pytorch`."""
    state = dict(parameters)
    for name in parameters:
        if name.endswith((".q.weight", ".q.bias")):
            q, kv = state.pop(name), state.pop(name.replace(".q.", ".kv."))
            state[name.replace(".q.", ".self_attn.in_proj_")] = torch.cat([q, kv], dim=-1)
    return {
        name: value[0] if _is_vector(name) else _transposed(name, value)
        for name, value in state.items()
    }


def _is_vector(name: str) -> bool:
    """Whether the parameter of that name is no matrix: a bias, a scale, or of a normalization."""
    is_weight = name.endswith(("_weight", ".weight"))
    return name not in EMBEDDINGS and (not is_weight or ".norm" in name)


def _transposed(name: str, matrix: Tensor) -> Tensor:
    """The matrix of a linear map transposed; an embedding as it is."""
    return matrix if name in EMBEDDINGS else matrix.T


def views(flat: Tensor, members: int, shapes: dict[str, torch.Size]) -> Parameters:
    """The pieces of `flat` by name, each of its shape behind a leading axis of members."""
    pieces = flat.split([members * shape.numel() for shape in shapes.values()])
    return {
        name: piece.view(members, *shape)
        for (name, shape), piece in zip(shapes.items(), pieces, strict=True)
    }


def of_layer(number: int, parameters: Parameters) -> Parameters:
    """The parameters of one layer, by their names in it."""
    prefix = f"layers.{number}."
    return {
        name.removeprefix(prefix): value
        for name, value in parameters.items()
        if name.startswith(prefix)
    }
