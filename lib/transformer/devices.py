"""Checks of what torch is given."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.checks import shown


def device(value: str | torch.device, what: str) -> torch.device:
    """The device of that name; ValueError where torch knows none."""
    if not isinstance(value, (str, torch.device)):
        raise TypeError(f"{what} must be the name of a device, such as 'cpu', not {shown(value)}")
    try:
        return torch.device(value)
    except RuntimeError as error:
        raise ValueError(f"{what} must be the name of a device, not {shown(value)}") from error


def tensor(value: Tensor | list | tuple, what: str) -> Tensor:
    """`value` as a tensor, float64; otherwise ValueError or TypeError with its name."""
    if not isinstance(value, (Tensor, list, tuple)):
        raise TypeError(f"{what} must be a tensor, not {shown(value)}")
    try:
        return torch.as_tensor(value, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{what} must be a tensor of numbers, not {shown(value)}") from error


def tokens_of(value: Tensor, what: str) -> Tensor:
    """`value` if it is a tensor of numbers along an axis; otherwise TypeError with its name."""
    if not isinstance(value, Tensor) or value.ndim == 0:
        raise TypeError(
            f"{what} must be a tensor with an axis to take means over, not {shown(value)}"
        )
    return value


def symbols_of(value: Tensor, what: str) -> Tensor:
    """`value` if it is a tensor of symbols (B, n); otherwise TypeError with its name."""
    if not isinstance(value, Tensor) or value.ndim != 2 or value.dtype != torch.int64:
        raise TypeError(f"{what} must be a tensor of symbols (B, n), int64, not {shown(value)}")
    return value
