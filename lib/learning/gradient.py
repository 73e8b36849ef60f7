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

from lib.learning.encodings import scaled_positions
from lib.learning.ensemble import (
    Ensemble,
    LayerTrace,
    PreparedBatch,
    heads_apart,
    heads_joined,
    turned,
)
from lib.learning.parameters import Parameters
from lib.learning.strings import Batch


@torch.no_grad()
def gradient(
    ensemble: Ensemble,
    batch: Batch | PreparedBatch,
    labels: Tensor,
    weights: Tensor | None = None,
) -> Tensor:
    """The cross-entropy of each member in nats, the mean over its strings: (members,). Its gradient
    is left in `ensemble.flat.grad`.

    `labels` are booleans (members or 1, B); the mean has `weights` (members, B), whose rows add up
    to 1, or equal ones.
    """
    prepared = ensemble.prepare(batch)
    logits, traces = ensemble.run(prepared)
    sign = torch.where(labels.to(logits.device), 1.0, -1.0).to(logits.dtype)
    nats = softplus(-sign * logits)
    # -sign · (1 - probability of the label), and a mean
    shares = torch.full_like(nats, 1 / nats.shape[1]) if weights is None else weights
    d_logits = sign * torch.expm1(-nats) * shares
    d_outputs = d_logits[..., None].contiguous()
    d_x = _linear(d_outputs, traces[-1].out, ensemble.parameters, ensemble.gradients, "output")
    layers = zip(traces, ensemble.layers, ensemble.layer_gradients, strict=True)
    for trace, p, to in reversed(list(layers)):
        d_x = _layer(d_x, trace, p, to, prepared, ensemble.network.heads)
    _embedding(d_x, prepared, ensemble.parameters, ensemble.gradients)
    return (nats * shares).sum(-1)


def _layer(
    d_out: Tensor,
    trace: LayerTrace,
    p: Parameters,
    to: Parameters,
    batch: PreparedBatch,
    heads: int,
) -> Tensor:
    """From the gradient of what left a layer to that of what entered it, (members, B · T,
    width).
    """
    E, B, T = batch.symbols.shape
    d = d_out.shape[-1]
    d_second = _normalized(d_out, trace.second, p, to, "norm2")
    d_hidden = _linear(d_second, trace.hidden, p, to, "linear2") * (trace.hidden > 0)
    d_c = _linear(d_hidden, trace.c, p, to, "linear1", d_second)
    d_first = _normalized(d_c, trace.first, p, to, "norm1")
    d_attended = _linear(d_first, trace.attended, p, to, "self_attn.out_proj")
    d_heads = heads_apart(d_attended.view(E, B, -1, d), heads)
    d_q, d_k, d_v = (
        heads_joined(part, (E, B, heads)) for part in _attention(d_heads, trace, sqrt(heads / d))
    )
    if trace.turns is not None:  # a turn is undone by its conjugate
        back = trace.turns.conj()
        d_q = turned(d_q.view(E, B, -1, d), back[:, :, : trace.queried.shape[2]]).flatten(1, 2)
        d_k = turned(d_k.view(E, B, T, d), back).flatten(1, 2)
    d_kv = torch.cat([d_k, d_v], dim=-1)
    d_scaled = _linear(d_q, trace.scaled, p, to, "q").view(E, B, -1, d)
    scale = batch.scale[:, :, : trace.queried.shape[2]]
    if "scale" in p:
        to["scale"][:, 0, 0] = (d_scaled * trace.queried * scale).sum((1, 2, 3))
        scale = scale * p["scale"][:, None]
    d_queried = torch.addcmul(d_first.view(E, B, -1, d), d_scaled, scale)
    if d_queried.shape[2] == T:
        return _linear(d_kv, trace.x, p, to, "kv", d_queried.flatten(1, 2))
    d_x = _linear(d_kv, trace.x, p, to, "kv")
    d_x.view(E, B, T, d)[:, :, :1] += d_queried
    return d_x


def _attention(d_heads: Tensor, trace: LayerTrace, factor: float) -> tuple[Tensor, Tensor, Tensor]:
    """From the gradient of what heads attended to those of queries, keys and values, whose products
    were multiplied by `factor`.
    """
    weights = trace.weights
    d_weights = torch.bmm(d_heads, trace.v.mT)
    centred = d_weights - (weights * d_weights).sum(-1, keepdim=True)
    d_scores = weights * centred * factor
    d_q = torch.bmm(d_scores, trace.k)
    d_k = torch.bmm(d_scores.mT, trace.q)
    d_v = torch.bmm(weights.mT, d_heads)
    return d_q, d_k, d_v


def _embedding(d_x: Tensor, batch: PreparedBatch, p: Parameters, to: Parameters) -> None:
    """From the gradient of the first residual stream to those of the embeddings."""
    E, B, T = batch.symbols.shape
    rows = batch.symbols.reshape(E, B * T, 1).expand_as(d_x)
    to["word"].zero_().scatter_add_(1, rows, d_x)
    if "position" in to:
        to["position"].zero_()[:, :T] = d_x.view(E, B, T, -1).sum(1)
    if "scales" in to and batch.positions is not None:
        _, by_scale = scaled_positions(batch.positions, p["scales"])
        to["scales"][:, 0] = (d_x.view(E, B, T, -1) * by_scale).sum((1, 2))


def _linear(
    g: Tensor, x: Tensor, p: Parameters, to: Parameters, name: str, besides: Tensor | None = None
) -> Tensor:
    """The gradient of x where x W + b has gradient g, added to `besides`; those of W and b go to
    their places.
    """
    weight, d_weight, d_bias = p[f"{name}.weight"], to[f"{name}.weight"], to[f"{name}.bias"]
    if g.shape[1] == 1:  # an outer product
        torch.mul(x.mT, g, out=d_weight)
        d_bias.copy_(g)
    else:
        torch.bmm(x.mT, g, out=d_weight)
        torch.sum(g, 1, keepdim=True, out=d_bias)
    if besides is None:
        return torch.bmm(g, weight.mT)
    return torch.baddbmm(besides, g, weight.mT)


def _normalized(
    g: Tensor, passed: tuple[Tensor, Tensor], p: Parameters, to: Parameters, name: str
) -> Tensor:
    """The same for layer normalization, from the standardized vectors and 1 / (standard deviation)
    that were passed.
    """
    standard, inverse = passed
    torch.sum(g * standard, 1, keepdim=True, out=to[f"{name}.weight"])
    torch.sum(g, 1, keepdim=True, out=to[f"{name}.bias"])
    g = g * p[f"{name}.weight"]
    mean = g.mean(-1, keepdim=True)
    along = (g * standard).mean(-1, keepdim=True)
    return inverse * (g - mean - standard * along)
