"""Many small transformer encoders side by side: a leading axis of members through every tensor.

Each member is a post-norm `torch.nn.TransformerEncoder` of one shape with a word embedding, a fixed
or learned position encoding, a mask or none, and a linear output at CLS or the last token. Members
differ in their seeds, in the length they train on and in how their attention logits are scaled;
they share the arithmetic and nothing else.

`gradient` is the backward pass by hand: each layer's forward pass read from its last line to its
first. PyTorch's automatic gradient is the same (tested); here every parameter's gradient is written
where the optimizer reads it, and no graph is built: at these sizes that is a third of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad, softplus

from chapters.common.learners import network as networks
from chapters.common.learners.network import Member, Network, Parameters
from chapters.common.learners.strings import Batch, last_first
from lib.checks import many, one_of, positive, takes
from lib.transformer.tensors import device


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


class LayerTrace(NamedTuple):
    """What one layer computed, for R = B · Q rows with queries, of B · T in all: streams (members,
    rows, width), heads (members · B · heads, rows, ...).
    """

    x: Tensor  # what entered, of all rows
    queried: Tensor  # the rows with queries: all of them, or CLS alone; (members, B, Q, width)
    scaled: Tensor  # the same, times the logits' scale, (members, R, width)
    turns: Tensor | None  # e^(iφ) for the angles of RoPE, (members or 1, B, T, width / 2)
    q: Tensor
    k: Tensor
    v: Tensor
    weights: Tensor  # (members · B · heads, Q, T)
    attended: Tensor  # the average of the values by these weights
    first: tuple[Tensor, Tensor]  # standardized after attention, and 1 / (standard deviation)
    c: Tensor
    hidden: Tensor
    second: tuple[Tensor, Tensor]  # the same after the feed-forward network
    out: Tensor


class Ensemble:
    """Transformers of one shape, one for each member, with all parameters in one tensor `flat`:
    parameter by parameter, members within.

    `parameters` are views of it by name, each with a leading axis of members, matrices as (in, out)
    and vectors as (1, out); `gradients` are such views of `flat.grad`, and `layers` and
    `layer_gradients` hold those of each layer by their names in it.

    Calling it on a batch gives the logits and the attention that CLS pays to position 1 in each
    layer (the mean over heads).
    """

    @takes(
        network=Network,
        members=many(Member),
        dtype=one_of((torch.float32, torch.float64)),
        device=device,
    )
    def __init__(
        self,
        network: Network,
        members: Sequence[Member],
        dtype: torch.dtype = torch.float32,
        device: str = "cpu",
    ):
        positive(len(members), "a number of members")
        self.network = network
        self.members = tuple(members)
        self.dtype = dtype
        self.device = torch.device(device)
        seeds = [m.seed if m.weights is None else m.weights for m in members]
        initial = [networks.from_pytorch(network.initial(seed)) for seed in seeds]
        shapes = {name: value.shape for name, value in initial[0].items()}
        flat = [torch.stack([state[name] for state in initial]).flatten() for name in shapes]
        self.flat = torch.cat(flat).to(self.device, dtype)
        self.flat.grad = torch.zeros_like(self.flat)
        self.parameters = networks.views(self.flat, len(members), shapes)
        self.gradients = networks.views(self.flat.grad, len(members), shapes)
        self.layers = [networks.of_layer(i, self.parameters) for i in range(network.layers)]
        self.layer_gradients = [networks.of_layer(i, self.gradients) for i in range(network.layers)]
        trained = [member.length + 1.0 for member in members]
        self._trained = torch.tensor(trained, dtype=dtype, device=self.device)[:, None, None]
        self._scales = {member.scale for member in members}
        if network.mask == "none" and self._scales & set(networks.BY_QUERY):
            raise ValueError(
                f"a scale for each query, {', '.join(networks.BY_QUERY)}, needs the mask "
                f"'future': all queries of {network} see the whole string"
            )

    def state(self, member: int) -> Parameters:
        """One member's parameters, detached, by PyTorch's names and in PyTorch's shapes."""
        own = {name: p[member].detach() for name, p in self.parameters.items()}
        return networks.to_pytorch(own)

    def chosen(self, rows: Sequence[int]) -> Ensemble:
        """The members of these numbers, as they are now, as an ensemble of their own."""
        members = [self.members[row] for row in rows]
        few = Ensemble(self.network, members, self.dtype, str(self.device))
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
        logits, traces = self.run(prepared)
        E, B, T = prepared.symbols.shape
        weights = [trace.weights.unflatten(0, (E, B, -1)) for trace in traces]
        return logits, torch.stack([w[..., 0, 1].mean(2) for w in weights], dim=-1)

    def run(self, batch: PreparedBatch) -> tuple[Tensor, list[LayerTrace]]:
        """Logits (members, B), and what each layer computed."""
        x = self._embed(batch)
        bias, turns = self._bias(batch), self._turns(batch)
        traces = []
        for number, parameters in enumerate(self.layers, start=1):
            is_last = number == len(self.layers)  # of which only CLS is read
            trace = self._layer(parameters, x, batch.scale, bias, turns, is_last)
            traces.append(trace)
            x = trace.out
        return _linear(x, self.parameters, "output")[..., 0], traces

    def prepare(self, batch: Batch | PreparedBatch) -> PreparedBatch:
        """A batch as this ensemble reads it: on its device, with position encodings and logit
        scales computed once.
        """
        if isinstance(batch, PreparedBatch):
            return batch
        self._check(batch)
        if self.network.read_at == "last":
            batch = last_first(batch)
        batch = batch.to(self.device, self.dtype)
        place = batch.position.to(self.dtype).expand(-1, *batch.log_count.shape[1:])
        return PreparedBatch(
            batch.symbols.expand(len(self.members), -1, -1),
            self._positions(batch),
            batch.log_count,
            place,
            self._logit_scale(batch.n, place)[..., None],
        )

    def _check(self, batch: Batch) -> None:
        """The network can read the batch."""
        network, T = self.network, batch.symbols.shape[-1]
        if batch.is_quotient and not network.has_quotient:
            raise ValueError(
                f"the position encoding {network.positions!r} needs a token for each symbol: "
                "use tokens(strings)"
            )
        if network.positions == "learned" and T > network.longest:
            raise ValueError(f"{T} positions are more than the {network.longest} that are learned")

    def _positions(self, batch: Batch) -> Tensor | None:
        """Position encodings (members or 1, B, T, width), 0 in coordinates that they do not fill;
        None where there are none, or learned ones.
        """
        encoding, width = self.network.positions, self.network.width
        if encoding in ("none", "learned", *networks.RELATIVE):
            return None
        values = networks.features(encoding, batch.position, batch.n[..., None], width)
        padded = pad(values.to(self.device, self.dtype), (0, width - values.shape[-1]))
        return padded.expand(-1, batch.n.shape[1], *padded.shape[2:])

    def _embed(self, batch: PreparedBatch) -> Tensor:
        """The first residual stream, (members, B · T, width)."""
        E, B, T = batch.symbols.shape
        rows = batch.symbols.reshape(E, B * T, 1).expand(-1, -1, self.network.width)
        x = self.parameters["word"].gather(1, rows)
        if self.network.positions == "learned":
            return x + self.parameters["position"][:, :T].repeat(1, B, 1)
        if batch.positions is None:
            return x
        if "scales" in self.parameters:
            positions, _ = networks.scaled_positions(batch.positions, self.parameters["scales"])
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
                slope = networks.slopes(network.heads).to(self.device, self.dtype)
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
        angle = batch.place[..., None] * turned.to(self.device, self.dtype)
        return torch.polar(torch.ones_like(angle), angle)

    def _layer(
        self,
        p: Parameters,
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        turns: Tensor | None,
        is_last: bool,
    ) -> LayerTrace:
        """One layer; what leaves it is the token that is read alone if it is the last."""
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
        attended = _heads_joined(torch.bmm(weights, v), (E, B, heads))
        output = _linear(attended, p, "self_attn.out_proj")
        first = _standardized(queried.flatten(1, 2) + output, eps)
        c = torch.addcmul(p["norm1.bias"], first[0], p["norm1.weight"])
        hidden = torch.relu(_linear(c, p, "linear1"))
        second = _standardized(c + _linear(hidden, p, "linear2"), eps)
        out = torch.addcmul(p["norm2.bias"], second[0], p["norm2.weight"])
        return LayerTrace(
            x, queried, scaled, turns, q, k, v, weights, attended, first, c, hidden, second, out
        )


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


def _standardized(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Vectors less their mean, over their standard deviation, as layer normalization takes it; and
    1 over that deviation.
    """
    standard, _, inverse = torch.native_layer_norm(x, x.shape[-1:], None, None, eps)
    return standard, inverse


@torch.no_grad()
def gradient(ensemble: Ensemble, batch: Batch | PreparedBatch, labels: Tensor) -> Tensor:
    """The cross-entropy of each member in nats, the mean over its strings: (members,). Its gradient
    is left in `ensemble.flat.grad`. `labels` are booleans (members or 1, B).
    """
    prepared = ensemble.prepare(batch)
    logits, traces = ensemble.run(prepared)
    sign = torch.where(labels.to(logits.device), 1.0, -1.0).to(logits.dtype)
    nats = softplus(-sign * logits)
    # -sign · (1 - probability of the label), and a mean
    d_logits = sign * torch.expm1(-nats) / nats.shape[1]
    d_outputs = d_logits[..., None].contiguous()
    d_x = _linear_backward(
        d_outputs, traces[-1].out, ensemble.parameters, ensemble.gradients, "output"
    )
    layers = zip(traces, ensemble.layers, ensemble.layer_gradients, strict=True)
    for trace, p, to in reversed(list(layers)):
        d_x = _layer_backward(d_x, trace, p, to, prepared, ensemble.network.heads)
    _embedding_backward(d_x, prepared, ensemble.parameters, ensemble.gradients)
    return nats.mean(-1)


def _layer_backward(
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
    d_second = _normalized_backward(d_out, trace.second, p, to, "norm2")
    d_hidden = _linear_backward(d_second, trace.hidden, p, to, "linear2") * (trace.hidden > 0)
    d_c = _linear_backward(d_hidden, trace.c, p, to, "linear1", d_second)
    d_first = _normalized_backward(d_c, trace.first, p, to, "norm1")
    d_attended = _linear_backward(d_first, trace.attended, p, to, "self_attn.out_proj")
    d_heads = _heads_apart(d_attended.view(E, B, -1, d), heads)
    d_q, d_k, d_v = (
        _heads_joined(part, (E, B, heads))
        for part in _attention_backward(d_heads, trace, sqrt(heads / d))
    )
    if trace.turns is not None:  # a turn is undone by its conjugate
        back = trace.turns.conj()
        d_q = _turned(d_q.view(E, B, -1, d), back[:, :, : trace.queried.shape[2]]).flatten(1, 2)
        d_k = _turned(d_k.view(E, B, T, d), back).flatten(1, 2)
    d_kv = torch.cat([d_k, d_v], dim=-1)
    d_scaled = _linear_backward(d_q, trace.scaled, p, to, "q").view(E, B, -1, d)
    scale = batch.scale[:, :, : trace.queried.shape[2]]
    if "scale" in p:
        to["scale"][:, 0, 0] = (d_scaled * trace.queried * scale).sum((1, 2, 3))
        scale = scale * p["scale"][:, None]
    d_queried = torch.addcmul(d_first.view(E, B, -1, d), d_scaled, scale)
    if d_queried.shape[2] == T:
        return _linear_backward(d_kv, trace.x, p, to, "kv", d_queried.flatten(1, 2))
    d_x = _linear_backward(d_kv, trace.x, p, to, "kv")
    d_x.view(E, B, T, d)[:, :, :1] += d_queried
    return d_x


def _attention_backward(
    d_heads: Tensor, trace: LayerTrace, factor: float
) -> tuple[Tensor, Tensor, Tensor]:
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


def _embedding_backward(d_x: Tensor, batch: PreparedBatch, p: Parameters, to: Parameters) -> None:
    """From the gradient of the first residual stream to those of the embeddings."""
    E, B, T = batch.symbols.shape
    rows = batch.symbols.reshape(E, B * T, 1).expand_as(d_x)
    to["word"].zero_().scatter_add_(1, rows, d_x)
    if "position" in to:
        to["position"].zero_()[:, :T] = d_x.view(E, B, T, -1).sum(1)
    if "scales" in to and batch.positions is not None:
        _, by_scale = networks.scaled_positions(batch.positions, p["scales"])
        to["scales"][:, 0] = (d_x.view(E, B, T, -1) * by_scale).sum((1, 2))


def _linear_backward(
    g: Tensor, x: Tensor, p: Parameters, to: Parameters, name: str, besides: Tensor | None = None
) -> Tensor:
    """The gradient of x where x W + b has gradient g, added to `besides`; those of W and b go to
    their places in `to`.
    """
    weight, d_weight, d_bias = p[f"{name}.weight"], to[f"{name}.weight"], to[f"{name}.bias"]
    if g.shape[1] == 1:  # an outer product: cheaper than a matrix product with one row
        torch.mul(x.mT, g, out=d_weight)
        d_bias.copy_(g)
    else:
        torch.bmm(x.mT, g, out=d_weight)
        torch.sum(g, 1, keepdim=True, out=d_bias)
    if besides is None:
        return torch.bmm(g, weight.mT)
    return torch.baddbmm(besides, g, weight.mT)


def _normalized_backward(
    g: Tensor, passed: tuple[Tensor, Tensor], p: Parameters, to: Parameters, name: str
) -> Tensor:
    """The same for layer normalization, from the standardized vectors and 1 / (standard deviation)
    of the forward pass.
    """
    standard, inverse = passed
    torch.sum(g * standard, 1, keepdim=True, out=to[f"{name}.weight"])
    torch.sum(g, 1, keepdim=True, out=to[f"{name}.bias"])
    g = g * p[f"{name}.weight"]
    mean = g.mean(-1, keepdim=True)
    along = (g * standard).mean(-1, keepdim=True)
    return inverse * (g - mean - standard * along)
