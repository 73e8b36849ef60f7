"""Encoders of one layer that are to count, many members side by side (Ouellette et al. 2023): a
token is the one-hot vector of a cell's colour, without position, and its output should hold the
count of that colour.

An encoder is an ablation of the standard layer; `PUBLISHED` are the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod, sqrt

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from chapters.counting_ablations.grids import COLOURS
from lib.checks import hold, many, one_of

SUBLAYERS = ("attention", "feed-forward")


@dataclass(frozen=True)
class Ablation:
    """An encoder layer by what is switched on; the defaults are No-LayerNorm-Count, which counts.

    `attention` is "linear" (no softmax), "softmax" or "none"; `norms` says after which of
    "attention" and "feed-forward" layer normalization stands; `feed_forward` is "none", "linear" or
    "ReLU" (two layers, `hidden` units between them); `biases` are the attention's. Dropout works on
    attention weights, on hidden units and on what a sublayer adds, as in PyTorch's layer.
    """

    attention: str = "linear"
    norms: tuple[str, ...] = ()
    feed_forward: str = "linear"
    residuals: bool = False
    biases: bool = False
    dropout: float = 0.0
    eps: float = 1e-5
    hidden: int = 2048
    width: int = COLOURS

    def __post_init__(self):
        hold(self, attention=one_of(("linear", "softmax", "none")))
        hold(self, feed_forward=one_of(("none", "linear", "ReLU")))
        hold(self, norms=many(one_of(SUBLAYERS)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter: matrices as (out, in)."""
        d, hidden = self.width, self.hidden
        shapes: dict[str, tuple[int, ...]] = {}
        if self.attention != "none":
            shapes |= {letter: (d, d) for letter in "QKVO"}
            if self.biases:
                shapes |= {f"{letter} bias": (d,) for letter in "QKVO"}
        if self.feed_forward == "linear":
            shapes |= {"F": (d, d), "F bias": (d,)}
        if self.feed_forward == "ReLU":
            shapes |= {"F1": (hidden, d), "F1 bias": (hidden,)}
            shapes |= {"F2": (d, hidden), "F2 bias": (d,)}
        for name in self.norms:
            shapes |= {f"gamma after {name}": (d,), f"beta after {name}": (d,)}
        return shapes


# The six experiments of section III, by the paper's names.
PUBLISHED: dict[str, Ablation] = {
    "Std-Transformer-Count": Ablation(
        "softmax", SUBLAYERS, "ReLU", residuals=True, biases=True, dropout=0.1
    ),
    "No-LayerNorm-Count": Ablation(),
    "LayerNorm-SA-Count": Ablation(norms=("attention",)),
    "LayerNorm-FF-Count": Ablation(norms=("feed-forward",)),
    "LayerNorm-Identity": Ablation("none", ("feed-forward",), "ReLU", width=5),
    "No-LayerNorm-Identity": Ablation("none", (), "ReLU", width=5),
}

SPREAD = 0.08  # every parameter, LN's too, starts uniform between -0.08 and 0.08

Parameters = dict[str, Tensor]
Trace = dict[str, Tensor]


class Counters:
    """Encoders of one ablation, one for each seed, with all parameters in one tensor `flat` of
    shape (members, parameters); dropout draws from `masks`.
    """

    def __init__(
        self,
        ablation: Ablation,
        seeds: Sequence[int],
        dtype: torch.dtype = torch.float64,
        device: str = "cpu",
    ):
        self.ablation, self.seeds = ablation, tuple(seeds)
        size = sum(map(prod, ablation.shapes.values()))
        generators = [torch.Generator().manual_seed(seed) for seed in self.seeds]
        # drawn on the CPU, so that a seed starts alike on every device
        uniform = [torch.rand(size, generator=g, dtype=torch.float64) for g in generators]
        initial = (2 * torch.stack(uniform) - 1) * SPREAD
        self.flat = initial.to(device, dtype).requires_grad_()
        self.masks = torch.Generator(device).manual_seed(self.seeds[0])

    @staticmethod
    def of(ablation: Ablation, flat: Tensor) -> Counters:
        """Encoders with given parameters (members, parameters), float64."""
        counters = Counters(ablation, range(len(flat)))
        counters.flat = flat.clone().requires_grad_()
        return counters

    def parameters(self) -> Parameters:
        """Views of `flat` by name, each with the leading axis of members."""
        shapes = self.ablation.shapes
        pieces = self.flat.split([prod(shape) for shape in shapes.values()], dim=1)
        return {
            name: piece.unflatten(1, shape)
            for (name, shape), piece in zip(shapes.items(), pieces, strict=True)
        }

    def __call__(
        self, x: Tensor, weight: Tensor, training: bool = False, trace: Trace | None = None
    ) -> Tensor:
        """Outputs (members, B, T, width) for tokens x (members or 1, B or 1, T, width) of `weight`
        (members or 1, B, T). Dropout works in `training` only. `trace` receives the attention
        scores, which without softmax are the weights, and what goes into each normalization.
        """
        a, p = self.ablation, self.parameters()
        trace = {} if trace is None else trace
        drop = self._dropped if training and a.dropout else lambda y: y

        def leaving(name: str, output: Tensor) -> Tensor:
            """What leaves a sublayer: residual connection and normalization, where there are."""
            output = x + drop(output) if a.residuals else drop(output)
            if name not in a.norms:
                return output
            trace[f"before LN after {name}"] = output
            standardized = layer_norm(output, output.shape[-1:], eps=a.eps)
            gamma, beta = (p[f"{own} after {name}"][:, None, None] for own in ("gamma", "beta"))
            return torch.addcmul(beta, standardized, gamma)

        if a.attention != "none":
            q, k, v = (_linear(x, p, letter) for letter in "QKV")
            trace["attention scores"] = scores = q @ k.mT / sqrt(a.width)
            if a.attention == "softmax":
                # m equal tokens are one whose logit is larger by log m
                weights = torch.softmax(scores + weight.log()[:, :, None], dim=-1)
            else:  # a token counts as often as it has cells
                weights = scores * weight[:, :, None]
            # W_O is applied to the values, of which there are fewer: B of theirs may be 1
            weights, values = drop(weights), _linear(v, {"O": p["O"]}, "O")
            output = torch.einsum("mbts,mbsw->mbtw", weights, values)
            if a.biases:
                output = output + p["O bias"][:, None, None]
            x = leaving("attention", output)
        if a.feed_forward == "linear":
            x = leaving("feed-forward", _linear(x, p, "F"))
        if a.feed_forward == "ReLU":
            hidden = drop(torch.relu(_linear(x, p, "F1")))
            x = leaving("feed-forward", _linear(hidden, p, "F2"))
        return x

    def _dropped(self, x: Tensor) -> Tensor:
        """Dropout by whole numbers, laid out as x: they are cheaper than floats."""
        levels = round((1 - self.ablation.dropout) * 2**16)
        drawn = torch.empty(ceil(x.numel() / 4), dtype=torch.int64, device=x.device)
        drawn.random_(-(2**63), None, generator=self.masks)
        numbers = drawn.view(torch.int16)[: x.numel()].as_strided(x.shape, x.stride())
        return x * ((numbers < levels - 2**15) * (2**16 / levels)).to(x.dtype)


def _linear(x: Tensor, p: Parameters, name: str) -> Tensor:
    """x W^T + b, if there is a b: x (members or 1, B, T, in), W (members, out, in)."""
    weight, bias = p[name], p.get(f"{name} bias")
    columns = x.flatten(1, 2).mT.expand(len(weight), -1, -1)  # so gradients are contiguous
    if bias is None:
        return torch.bmm(weight, columns).mT.unflatten(1, x.shape[1:3])
    return torch.baddbmm(bias[..., None], weight, columns).mT.unflatten(1, x.shape[1:3])
