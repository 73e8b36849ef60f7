"""Many small transformer encoders side by side: a leading axis of members through every tensor.

Each member is a post-norm `torch.nn.TransformerEncoder` of one shape with a word embedding, a
position encoding, a mask or none, and a linear output at CLS or the last token. Members
differ in their seeds, in the length they train on and in how their attention logits are scaled;
they share the arithmetic and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, pad, softplus

from chapters.common.learners import network as networks
from chapters.common.learners.network import Member, Network, Parameters
from chapters.common.learners.strings import Batch, last_first


class Ensemble:
    """Transformers of one shape, one for each member, with all parameters in one tensor `flat`:
    parameter by parameter, members within. `parameters` are views of it by name, each with a
    leading axis of members, matrices as (in, out) and vectors as (1, out).
    """

    def __init__(
        self, network: Network, members: Sequence[Member], dtype: torch.dtype = torch.float32
    ):
        self.network = network
        self.members = tuple(members)
        self.dtype = dtype
        seeds = [m.seed if m.weights is None else m.weights for m in members]
        initial = [networks.from_pytorch(network.initial(seed)) for seed in seeds]
        self._shapes = {name: value.shape for name, value in initial[0].items()}
        flat = [torch.stack([state[name] for state in initial]).flatten() for name in self._shapes]
        self.flat = torch.cat(flat).to(dtype)
        self.parameters = self.views(self.flat)
        trained = [member.length + 1.0 for member in members]
        self._trained = torch.tensor(trained, dtype=dtype)[:, None, None]
        self._scales = {member.scale for member in members}
        self._masks = torch.Generator().manual_seed(0)
        if network.mask == "none" and self._scales & set(networks.BY_QUERY):
            needs = (
                f"a scale for each query, {', '.join(networks.BY_QUERY)}, needs the mask 'future'"
            )
            raise ValueError(f"{needs}: all queries of {network} see the whole string")

    def views(self, flat: Tensor) -> Parameters:
        """The pieces of a tensor like `flat`, by the names of the parameters."""
        pieces = flat.split([len(self.members) * shape.numel() for shape in self._shapes.values()])
        return {
            name: piece.view(-1, *shape)
            for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True)
        }

    def state(self, member: int) -> Parameters:
        """One member's parameters, by PyTorch's names and in PyTorch's shapes, the input
        projections of attention last, as in stored weights.
        """
        initial = self.network.initial(0)
        names = sorted(initial, key=lambda name: "in_proj_" in name)
        state = {name: initial[name].to(self.dtype) for name in names}
        for name, part in networks.from_pytorch(state).items():
            part.copy_(self.parameters[name][member])
        return state

    def chosen(self, rows: Sequence[int]) -> Ensemble:
        """The members of these numbers, as they are now, as an ensemble of their own."""
        few = Ensemble(self.network, [self.members[row] for row in rows], self.dtype)
        for name, value in few.parameters.items():
            value.copy_(self.parameters[name][list(rows)])
        return few

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Logits (members, B), and the attention that CLS pays to position 1 in each layer, the
        mean over heads: (members, B, layers).
        """
        logits, _, weights = self.run(batch, self.parameters)
        apart = [of_layer.unflatten(0, (*logits.shape, -1)) for of_layer in weights]
        return logits, torch.stack([w[..., 0, 1].mean(2) for w in apart], dim=-1)

    def run(
        self, batch: Batch, parameters: Parameters, training: bool = False
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Logits (members, B) under these parameters; and of each layer the stream that leaves it,
        (members, B · queries, width), and its attention weights, (members · B · heads, queries, T).
        There is dropout in `training` only.
        """
        network = self.network
        if batch.is_quotient and not network.has_quotient:
            needs = f"the position encoding {network.positions!r} needs a token for each symbol"
            raise ValueError(f"{needs}: use tokens(strings)")
        if network.read_at == "last":
            batch = last_first(batch)
        n, i = batch.n[..., None].to(self.dtype), batch.position.to(self.dtype)
        x = self._embedded(batch, n, parameters)
        scale, bias, turns = self._scale(n, i), self._bias(batch, i), self._turns(i)
        streams, weights = [], []
        for number in range(network.layers):
            if number == network.layers - 1:  # of which only the first token is read
                scale, bias = scale[:, :, :1], bias[:, :1]
            p = networks.of_layer(number, parameters)
            x, of_layer = self._layer(p, x, scale, bias, turns, training)
            streams.append(x)
            weights.append(of_layer)
        return _linear(x, parameters, "output")[..., 0], streams, weights

    def _embedded(self, batch: Batch, n: Tensor, parameters: Parameters) -> Tensor:
        """The first residual stream, (members, B · T, width); n is (members or 1, B, 1)."""
        encoding, width = self.network.positions, self.network.width
        symbols = batch.symbols.expand(len(self.members), -1, -1).flatten(1)
        x = parameters["word"].gather(1, symbols[..., None].expand(-1, -1, width))
        if encoding in ("none", *networks.RELATIVE):
            return x
        if "scales" in parameters:
            positions = networks.ramps_and_waves(batch.position, n, parameters["scales"])
            return x + positions.flatten(1, 2)
        values = networks.features(encoding, batch.position, n, width).to(self.dtype)
        return x + pad(values, (0, width - values.shape[-1])).flatten(1, 2)

    def _scale(self, n: Tensor, i: Tensor) -> Tensor:
        """What each member multiplies its logits by at positions i: (members, B, T, 1)."""
        n, seen, trained = torch.broadcast_tensors(n, i + 1, self._trained)
        scale = torch.empty_like(seen)
        for name in self._scales:
            own = [number for number, member in enumerate(self.members) if member.scale == name]
            scale[own] = networks.LOGIT_SCALES[name](n[own], seen[own], trained[own])
        return scale[..., None]

    def _bias(self, batch: Batch, i: Tensor) -> Tensor:
        """What is added to the attention logits: log counts, -inf behind a mask, and ALiBi's terms
        (Press, Smith & Lewis 2022, section 3); (members · B · heads, T or 1, T), a row for each
        query.
        """
        heads, bias = self.network.heads, batch.log_count[:, :, None, None].to(self.dtype)
        is_biased, is_masked = self.network.positions == "ALiBi", self.network.mask == "future"
        if is_biased or is_masked:
            ahead = i[:, :, None, None] - i[:, :, None, :, None]
            if is_biased:
                slopes = 2.0 ** (-8 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)
                bias = bias - slopes.to(self.dtype)[:, None, None] * ahead.abs()
            if is_masked:
                bias = bias.masked_fill(ahead > 0, -torch.inf)
        return bias.expand(len(self.members), -1, heads, -1, -1).flatten(0, 2)

    def _turns(self, i: Tensor) -> Tensor | None:
        """RoPE's turn of each pair of coordinates at each position, as complex numbers of size 1:
        by 10000^(-2j/d) from a position to the next for j = 0, ..., d/2 - 1, in each head, of width
        d (Su et al. 2024, section 3.2.2). None for another encoding.
        """
        if self.network.positions != "RoPE":
            return None
        d = self.network.width // self.network.heads
        turned = 10_000.0 ** -(torch.arange(0, d, 2, dtype=torch.float64) / d)
        angle = i[..., None] * turned.repeat(self.network.heads).to(self.dtype)
        return torch.polar(torch.ones_like(angle), angle)

    def _layer(
        self,
        p: Parameters,
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        turns: Tensor | None,
        training: bool,
    ) -> tuple[Tensor, Tensor]:
        """What leaves a layer at the first tokens, as many as have a `scale`, and its weights."""
        d, heads, eps = self.network.width, self.network.heads, self.network.eps
        E, B, Q = scale.shape[:3]
        queried = x.view(E, B, -1, d)[:, :, :Q]
        if "scale" in p:
            scale = scale * p["scale"][:, None]
        scaled = (queried * scale).flatten(1, 2)  # as the authors do: the bias is not scaled
        q = _linear(scaled, p, "q").view(E, B, -1, d)
        k, v = _linear(x, p, "kv").view(E, B, -1, 2 * d).split(d, dim=-1)
        if turns is not None:
            q, k = _turned(q, turns[:, :, :Q]), _turned(k, turns)
        # (members · B · heads, rows, width of a head)
        q, k, v = (
            part.unflatten(-1, (heads, -1)).transpose(2, 3).flatten(0, 2) for part in (q, k, v)
        )
        weights = torch.softmax(torch.baddbmm(bias, q, k.mT, alpha=sqrt(heads / d)), dim=-1)
        drop = self._dropped if training and self.network.dropout else lambda y: y
        attended = torch.bmm(drop(weights), v).unflatten(0, (E, B, heads)).transpose(2, 3)
        output = drop(_linear(attended.flatten(3).flatten(1, 2), p, "self_attn.out_proj"))
        first = layer_norm(queried.flatten(1, 2) + output, (d,), eps=eps)
        c = torch.addcmul(p["norm1.bias"], first, p["norm1.weight"])
        hidden = drop(torch.relu(_linear(c, p, "linear1")))
        second = layer_norm(c + drop(_linear(hidden, p, "linear2")), (d,), eps=eps)
        return torch.addcmul(p["norm2.bias"], second, p["norm2.weight"]), weights

    def _dropped(self, x: Tensor) -> Tensor:
        """Dropout of x (members · rows, ...), the same numbers of each member."""
        apart, kept = x.unflatten(0, (len(self.members), -1)), 1 - self.network.dropout
        mask = torch.rand(apart.shape[1:], generator=self._masks) < kept
        return (apart * mask / kept).flatten(0, 1)


def _turned(x: Tensor, turns: Tensor) -> Tensor:
    """Each pair of coordinates of x (members, B, rows, width) as a complex number, times `turns`
    (members or 1, B, rows, width / 2).
    """
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2)


def _linear(x: Tensor, p: Parameters, name: str) -> Tensor:
    """x W + b for each member: x (members, rows, in), W (members, in, out), b (members, 1, out)."""
    return torch.baddbmm(p[f"{name}.bias"], x, p[f"{name}.weight"])


def gradient(ensemble: Ensemble, batch: Batch, labels: Tensor) -> Tensor:
    """The cross-entropy of each member in nats, the mean over its strings: (members,). Its gradient
    is left in `ensemble.flat.grad`. `labels` are booleans (members or 1, B).
    """
    flat = ensemble.flat.detach().requires_grad_()
    logits, *_ = ensemble.run(batch, ensemble.views(flat), training=True)
    nats = softplus(torch.where(labels, -logits, logits)).mean(-1)
    [ensemble.flat.grad] = torch.autograd.grad(nats.sum(), flat)
    return nats.detach()
