"""How much a network's logits change when all its parameters are moved a little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import torch
from torch import Tensor
from lib.checks import above_zero, between, function, many, positive, takes


@torch.no_grad()
@takes(
    parameters=many(Tensor),
    logits=function,
    radius=above_zero,
    draws=between(1),
    seed=between(0, 2**63),
)
def sharpness(
    parameters: Sequence[Tensor],
    logits: Callable[[], Tensor],
    radius: float = 1e-3,
    draws: int = 50,
    seed: int = 0,
) -> Tensor:
    """The mean square by which logits change in a random direction, over their own mean square:
    (members,).

    Each tensor of `parameters` has a leading axis of members; it is moved where it lies, and put
    back. The step of each member has the length `radius` times that of all its parameters, and
    `logits()` gives (members, strings) at the parameters as they are. After the average direction
    sharpness of Hahn & Rofin 2024, section 4, which is absolute in the step and the logits.
    """
    positive(len(parameters), "a number of tensors")
    draw = torch.Generator().manual_seed(seed)
    before = logits()
    if not isinstance(before, Tensor):
        raise TypeError(f"a function that gives a tensor is expected, not {logits!r}: {before!r}")
    kept = [part.clone() for part in parameters]
    total = torch.zeros_like(before[:, 0])
    for _ in range(draws):
        noise = [torch.randn(part.shape, generator=draw, dtype=part.dtype) for part in parameters]
        step = radius * _lengths(kept) / _lengths(noise)
        for part, old, way in zip(parameters, kept, noise, strict=True):
            part.copy_(old + way * step.reshape(-1, *[1] * (way.dim() - 1)))
        total += (logits() - before).square().mean(1)
    for part, old in zip(parameters, kept, strict=True):
        part.copy_(old)
    return total / draws / before.square().mean(1)


def _lengths(parts: Sequence[Tensor]) -> Tensor:
    """The Euclidean length of each member's numbers."""
    return torch.stack([part.flatten(1).square().sum(1) for part in parts]).sum(0).sqrt()
