"""The gradient of an ensemble's loss, by hand: each layer's forward pass read from its last line to
its first.

PyTorch's automatic gradient is the same (tested); here every parameter's gradient is written where
the optimizer reads it, and no graph is built: at these sizes that is a third of a step.
"""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor
from torch.nn.functional import softplus

from lib.learning.ensemble import Ensemble, Layer, Ready, heads_apart, heads_together
from lib.learning.strings import Batch

Named = dict[str, Tensor]


@torch.no_grad()
def gradient(ensemble: Ensemble, batch: Batch | Ready, labels: Tensor) -> Tensor:
    """The cross-entropy of each member in nats, the mean over its strings: (members,). Its gradient
    is left in `ensemble.flat.grad`.

    `labels` are booleans (members or 1, B).
    """
    ready = ensemble.ready(batch)
    logits, layers = ensemble.run(ready)
    sign = torch.where(labels.to(logits.device), 1.0, -1.0).to(logits.dtype)
    nats = softplus(-sign * logits)
    d_logits = (
        sign * torch.expm1(-nats) / logits.shape[1]
    )  # -sign · (1 - probability of the label), and a mean
    d_x = _linear(
        d_logits[..., None].contiguous(),
        layers[-1].out,
        ensemble.parameters,
        ensemble.gradients,
        "output",
    )
    for layer, p, to in zip(layers[::-1], ensemble.layers[::-1], ensemble.layer_gradients[::-1]):
        d_x = _layer(d_x, layer, p, to, ready, ensemble.network.heads)
    _embedding(d_x, ready, ensemble.gradients)
    return nats.mean(-1)


def _layer(d_out: Tensor, layer: Layer, p: Named, to: Named, ready: Ready, heads: int) -> Tensor:
    """From the gradient of what left a layer to that of what entered it, (members, B · T, width)."""
    E, B, T = ready.symbols.shape
    d = d_out.shape[-1]
    d_second = _normalized(d_out, layer.second, p, to, "norm2")
    d_hidden = _linear(d_second, layer.hidden, p, to, "linear2") * (layer.hidden > 0)
    d_first = _normalized(
        _linear(d_hidden, layer.c, p, to, "linear1", d_second), layer.first, p, to, "norm1"
    )
    d_heard = heads_apart(
        _linear(d_first, layer.heard, p, to, "self_attn.out_proj").view(E, B, -1, d), heads
    )
    weights = layer.weights
    d_weights = torch.bmm(d_heard, layer.v.mT)
    d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdim=True)) * sqrt(heads / d)
    d_q, d_k, d_v = (
        heads_together(x, (E, B, heads))
        for x in (
            torch.bmm(d_scores, layer.k),
            torch.bmm(d_scores.mT, layer.q),
            torch.bmm(weights.mT, d_heard),
        )
    )
    d_scaled = _linear(d_q, layer.scaled, p, to, "q").view(E, B, -1, d)
    if "scale" in p:
        to["scale"][:, 0, 0] = (d_scaled * layer.asking * ready.scale).sum((1, 2, 3))
    scale = ready.scale * p["scale"][:, None] if "scale" in p else ready.scale
    d_asking = torch.addcmul(d_first.view(E, B, -1, d), d_scaled, scale)
    d_kv = torch.cat([d_k, d_v], dim=-1)
    if d_asking.shape[2] == T:
        return _linear(d_kv, layer.x, p, to, "kv", d_asking.flatten(1, 2))
    d_x = _linear(d_kv, layer.x, p, to, "kv")
    d_x.view(E, B, T, d)[:, :, :1] += d_asking
    return d_x


def _embedding(d_x: Tensor, ready: Ready, to: Named) -> None:
    """From the gradient of the first residual stream to those of the embeddings."""
    E, B, T = ready.symbols.shape
    to["word"].zero_().scatter_add_(1, ready.symbols.reshape(E, B * T, 1).expand_as(d_x), d_x)
    if "position" in to:
        to["position"].zero_()[:, :T] = d_x.view(E, B, T, -1).sum(1)


def _linear(
    g: Tensor, x: Tensor, p: Named, to: Named, name: str, besides: Tensor | None = None
) -> Tensor:
    """The gradient of x where x W + b has gradient g, added to `besides`; those of W and b go to
    their places.
    """
    weight, d_weight, d_bias = p[f"{name}.weight"], to[f"{name}.weight"], to[f"{name}.bias"]
    if g.shape[1] == 1:  # an outer product
        torch.mul(x.mT, g, out=d_weight), d_bias.copy_(g)
    else:
        torch.bmm(x.mT, g, out=d_weight), torch.sum(g, 1, keepdim=True, out=d_bias)
    return torch.bmm(g, weight.mT) if besides is None else torch.baddbmm(besides, g, weight.mT)


def _normalized(g: Tensor, passed: tuple[Tensor, Tensor], p: Named, to: Named, name: str) -> Tensor:
    """The same for layer normalization, from the standardized vectors and 1 / (standard deviation)
    that were passed.
    """
    standard, inverse = passed
    (
        torch.sum(g * standard, 1, keepdim=True, out=to[f"{name}.weight"]),
        torch.sum(g, 1, keepdim=True, out=to[f"{name}.bias"]),
    )
    g = g * p[f"{name}.weight"]
    return inverse * (
        g - g.mean(-1, keepdim=True) - standard * (g * standard).mean(-1, keepdim=True)
    )
