"""Many small transformer encoders side by side: a leading axis of members through every tensor.

Each member is a post-norm `torch.nn.TransformerEncoder` of one shape with a word embedding, a
position encoding, a mask or none, and a linear output at CLS or the last token. Members
differ in their seeds, in the length they train on and in how their attention logits are scaled;
they share the arithmetic and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, pad, softplus

from chapters.common.learners import network as networks
from chapters.common.learners.network import Member, Network, Parameters
from chapters.common.learners.strings import Batch, last_first


@dataclass(frozen=True)
class PreparedBatch:
    """A batch as an ensemble reads it: symbols (members, B, T), position encodings (members or 1,
    B, T, width) or None, log counts (members or 1, B, T), positions i of the tokens (the same
    shape) and logit scales (members, B, T or 1, 1).

    The token that is read comes first. For positions with learned scales the encodings are
    `ramps_and_waves`, (members or 1, B, T, 3, width).
    """

    symbols: Tensor
    positions: Tensor | None
    log_count: Tensor
    place: Tensor
    scale: Tensor

    def __getitem__(self, strings: slice) -> PreparedBatch:
        """These strings of every member."""
        there = {name: part for name, part in vars(self).items() if part is not None}
        return replace(self, **{name: part[:, strings] for name, part in there.items()})


class Ensemble:
    """Transformers of one shape, one for each member, with all parameters in one tensor `flat`:
    parameter by parameter, members within.

    `parameters` are views of it by name, each with a leading axis of members, matrices as (in, out)
    and vectors as (1, out).

    Calling it on a batch gives the logits and the attention that CLS pays to position 1 in each
    layer (the mean over heads).
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
            raise ValueError(
                f"a scale for each query, {', '.join(networks.BY_QUERY)}, needs the mask "
                f"'future': all queries of {network} see the whole string"
            )

    def views(self, flat: Tensor) -> Parameters:
        """The pieces of a tensor like `flat`, by the names of the parameters."""
        pieces = flat.split([len(self.members) * shape.numel() for shape in self._shapes.values()])
        return {
            name: piece.view(-1, *shape)
            for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True)
        }

    def state(self, member: int) -> Parameters:
        """One member's parameters, detached, by PyTorch's names and in PyTorch's shapes."""
        own = {name: p[member].detach() for name, p in self.parameters.items()}
        return networks.to_pytorch(own)

    def chosen(self, rows: Sequence[int]) -> Ensemble:
        """The members of these numbers, as they are now, as an ensemble of their own."""
        members = [self.members[row] for row in rows]
        few = Ensemble(self.network, members, self.dtype)
        for name, value in few.parameters.items():
            value.copy_(self.parameters[name][list(rows)])
        return few

    def _logit_scale(self, n: Tensor, place: Tensor) -> Tensor:
        """What each member multiplies its attention logits by at positions `place` (members or 1,
        B, T) of strings of `n` = |w| + 1 tokens (members or 1, B): (members, B, T), or (members, B,
        1) where it is the same at all.
        """
        i = place[..., :1] if self._scales.isdisjoint(networks.BY_QUERY) else place
        n, seen, trained = torch.broadcast_tensors(n[..., None], i + 1, self._trained)
        scale = torch.empty_like(seen)
        for name in self._scales:
            own = [number for number, member in enumerate(self.members) if member.scale == name]
            scale[own] = networks.LOGIT_SCALES[name](n[own], seen[own], trained[own])
        return scale

    def __call__(self, batch: Batch | PreparedBatch) -> tuple[Tensor, Tensor]:
        """Logits (members, B), and attention on position 1 of shape (members, B, layers)."""
        prepared = self.prepare(batch)
        logits, _, weights = self.run(prepared, self.parameters)
        E, B, T = prepared.symbols.shape
        apart = [of_layer.unflatten(0, (E, B, -1)) for of_layer in weights]
        return logits, torch.stack([w[..., 0, 1].mean(2) for w in apart], dim=-1)

    def run(
        self, batch: PreparedBatch, parameters: Parameters, training: bool = False
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Logits (members, B) under these parameters; and of each layer the stream that leaves it,
        (members, rows, width), and its attention weights, (members · B · heads, queries, T). There
        is dropout in `training` only.
        """
        x = self._embed(batch, parameters)
        bias, turns = self._bias(batch), self._turns(batch)
        streams, weights = [], []
        for number in range(self.network.layers):
            is_last = number == self.network.layers - 1  # of which only CLS is read
            p = networks.of_layer(number, parameters)
            x, of_layer = self._layer(p, x, batch.scale, bias, turns, is_last, training)
            streams.append(x)
            weights.append(of_layer)
        return _linear(x, parameters, "output")[..., 0], streams, weights

    def prepare(self, batch: Batch | PreparedBatch) -> PreparedBatch:
        """A batch as this ensemble reads it, with position encodings and logit scales computed
        once.
        """
        if isinstance(batch, PreparedBatch):
            return batch
        if batch.is_quotient and not self.network.has_quotient:
            raise ValueError(
                f"the position encoding {self.network.positions!r} needs a token for each symbol: "
                "use tokens(strings)"
            )
        if self.network.read_at == "last":
            batch = last_first(batch)
        batch = batch.to(self.dtype)
        place = batch.position.to(self.dtype).expand(-1, *batch.log_count.shape[1:])
        return PreparedBatch(
            batch.symbols.expand(len(self.members), -1, -1),
            self._positions(batch),
            batch.log_count,
            place,
            self._logit_scale(batch.n, place)[..., None],
        )

    def _positions(self, batch: Batch) -> Tensor | None:
        """Position encodings (members or 1, B, T, width), 0 in coordinates that they do not fill;
        None where there are none.
        """
        encoding, width = self.network.positions, self.network.width
        if encoding in ("none", *networks.RELATIVE):
            return None
        values = networks.features(encoding, batch.position, batch.n[..., None], width)
        padded = pad(values.to(self.dtype), (0, width - values.shape[-1]))
        return padded.expand(-1, batch.n.shape[1], *padded.shape[2:])

    def _embed(self, batch: PreparedBatch, parameters: Parameters) -> Tensor:
        """The first residual stream, (members, B · T, width)."""
        E, B, T = batch.symbols.shape
        rows = batch.symbols.reshape(E, B * T, 1).expand(-1, -1, self.network.width)
        x = parameters["word"].gather(1, rows)
        if batch.positions is None:
            return x
        if "scales" in parameters:
            positions = networks.scaled_positions(batch.positions, parameters["scales"])
            return x + positions.flatten(1, 2)
        return x + batch.positions.flatten(1, 2)

    def _bias(self, batch: PreparedBatch) -> Tensor:
        """What is added to the attention logits: log counts, -inf behind a mask, and ALiBi's terms;
        (members · B · heads, T or 1, T), a row for each query.
        """
        E, B, T = batch.symbols.shape
        network, bias = self.network, batch.log_count[:, :, None, None]
        if network.positions == "ALiBi" or network.mask == "future":
            ahead = batch.place[:, :, None, None] - batch.place[:, :, None, :, None]
            if network.positions == "ALiBi":
                slope = networks.slopes(network.heads).to(self.dtype)
                bias = bias - slope[:, None, None] * ahead.abs()
            if network.mask == "future":
                bias = bias.masked_fill(ahead > 0, -torch.inf)
        rows = bias.shape[-2]
        return bias.expand(E, B, network.heads, rows, T).reshape(-1, rows, T)

    def _turns(self, batch: PreparedBatch) -> Tensor | None:
        """RoPE's turn of each pair of coordinates at each position, as complex numbers of size 1;
        None for another encoding.
        """
        if self.network.positions != "RoPE":
            return None
        turned = networks.frequencies(self.network.width, self.network.heads)
        angle = batch.place[..., None] * turned.to(self.dtype)
        return torch.polar(torch.ones_like(angle), angle)

    def _layer(
        self,
        p: Parameters,
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        turns: Tensor | None,
        is_last: bool,
        training: bool,
    ) -> tuple[Tensor, Tensor]:
        """One layer: what leaves it, the token that is read alone if it is the last, and its
        attention weights.
        """
        d, heads, eps = self.network.width, self.network.heads, self.network.eps
        E, B = scale.shape[:2]
        T = x.shape[1] // B
        Q = 1 if is_last else T
        queried = x.view(E, B, T, d)[:, :, :Q]
        scale = scale[:, :, :Q] * p["scale"][:, None] if "scale" in p else scale[:, :, :Q]
        scaled = (queried * scale).flatten(1, 2)  # as the authors do: the bias is not scaled
        q = _linear(scaled, p, "q").view(E, B, -1, d)
        k, v = _linear(x, p, "kv").view(E, B, T, 2 * d).split(d, dim=-1)
        if turns is not None:
            q, k = _turned(q, turns[:, :, :Q]), _turned(k, turns)
        q, k, v = (_heads_apart(part, heads) for part in (q, k, v))
        logits = torch.baddbmm(bias[:, :Q], q, k.mT, alpha=sqrt(heads / d))
        weights = torch.softmax(logits, dim=-1)
        drop = self._dropped if training and self.network.dropout else lambda y: y
        attended = _heads_joined(torch.bmm(drop(weights), v), (E, B, heads))
        output = drop(_linear(attended, p, "self_attn.out_proj"))
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


def _heads_apart(x: Tensor, heads: int) -> Tensor:
    """(members, B, rows, width) as (members · B · heads, rows, width of a head)."""
    return x.unflatten(-1, (heads, -1)).transpose(2, 3).flatten(0, 2)


def _heads_joined(x: Tensor, sizes: tuple[int, int, int]) -> Tensor:
    """(members · B · heads, rows, width of a head) as (members, B · rows, width), where `sizes` is
    (members, B, heads).
    """
    return x.unflatten(0, sizes).transpose(2, 3).flatten(3).flatten(1, 2)


def _turned(x: Tensor, turns: Tensor) -> Tensor:
    """Each pair of coordinates of x (members, B, rows, width) as a complex number, times `turns`
    (members or 1, B, rows, width / 2).
    """
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2)


def _linear(x: Tensor, p: Parameters, name: str) -> Tensor:
    """x W + b for each member: x (members, rows, in), W (members, in, out), b (members, 1, out)."""
    return torch.baddbmm(p[f"{name}.bias"], x, p[f"{name}.weight"])


def gradient(ensemble: Ensemble, batch: Batch | PreparedBatch, labels: Tensor) -> Tensor:
    """The cross-entropy of each member in nats, the mean over its strings: (members,). Its gradient
    is left in `ensemble.flat.grad`. `labels` are booleans (members or 1, B).
    """
    prepared = ensemble.prepare(batch)
    flat = ensemble.flat.detach().requires_grad_()
    logits, *_ = ensemble.run(prepared, ensemble.views(flat), training=True)
    nats = softplus(torch.where(labels, -logits, logits)).mean(-1)
    [ensemble.flat.grad] = torch.autograd.grad(nats.sum(), flat)
    return nats.detach()
