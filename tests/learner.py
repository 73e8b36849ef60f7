"""An independent learner: one member as PyTorch's own `nn.TransformerEncoder`, one string at a
time, as the papers' code has it; with RoPE its attention is written out, from the paper on that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, logsigmoid

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from lib.transformer.construction import position

FEATURES = {
    "none": (),
    "ALiBi": (),
    "RoPE": (),
    "FIRST": ("[i=1]",),
    "ONE": ("i/n",),
    "PARITY": ("i/n", "cos iπ"),
    "mirrored PARITY": ("i/n", "-i/n", "cos iπ", "-cos iπ"),
    "PALINDROME": ("i", "n-1-i", "[i≤(n-1)/2]", "[i≥(n-1)/2]"),
}
FACTORS = {
    "plain": lambda n, seen, longest: 1.0,
    "log n": lambda n, seen, longest: math.log(n),
    "log of the training n": lambda n, seen, longest: math.log(longest),
    "log i": lambda n, seen, longest: math.log(seen),
    "log i / log L": lambda n, seen, longest: math.log(seen, longest),
    "floor-log": lambda n, seen, longest: 1 + 0.1 * math.log(1 + seen // longest),
}


def rotated(x: Tensor, at: int) -> Tensor:
    """One head's query or key, turned pair by pair by matrices of sines and cosines."""
    d, parts = len(x), []
    for pair in range(d // 2):
        angle = at * 10_000 ** (-2 * pair / d)
        cos, sin = math.cos(angle), math.sin(angle)
        turn = torch.tensor([[cos, -sin], [sin, cos]], dtype=x.dtype)
        parts.append(turn @ x[2 * pair : 2 * pair + 2])
    return torch.cat(parts)


class Attention(nn.MultiheadAttention):
    """PyTorch's attention with its queries' input times `factor`, (n, 1), and `bias`, (heads, n,
    n), added to its logits, keeping the weights.
    """

    factor: Tensor
    bias: Tensor
    turns = False

    def forward(self, query, key, value, **options):
        query = query * self.factor
        if self.turns:
            heard, self.last = self.turning(query[0], key[0])
        else:
            heard, self.last = super().forward(query, key, value, attn_mask=self.bias)
        return heard, self.last

    def turning(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        parts = zip(self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3), strict=True)
        q, k, v = (linear(z, *part) for z, part in zip((x, y, y), parts, strict=True))
        heads, weights = [], []
        for h, bias in enumerate(self.bias):
            own = slice(h * self.head_dim, (h + 1) * self.head_dim)
            asked, known = (
                torch.stack([rotated(row[own], at) for at, row in enumerate(rows)])
                for rows in (q, k)
            )
            logits = asked @ known.T / math.sqrt(self.head_dim) + bias
            weights.append(torch.softmax(logits, -1))
            heads.append(weights[-1] @ v[:, own])
        return self.out_proj(torch.cat(heads, -1))[None], torch.stack(weights).mean(0)[None]


class Plain(nn.Module):
    """Word embedding, position encoding, `nn.TransformerEncoder`, output at CLS or the last token,
    with the scale of a member's logits.
    """

    def __init__(self, network: Network, run: Member, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.network, self.run, d = network, run, network.width
        words = 1 + network.symbols + network.has_end_tag
        self.word = nn.Embedding(words, d, dtype=dtype)
        shape = {"batch_first": True, "dtype": dtype}
        layer = nn.TransformerEncoderLayer(
            d, network.heads, network.hidden, 0.0, layer_norm_eps=network.eps, **shape
        )
        layer.self_attn = Attention(d, network.heads, **shape)
        layer.self_attn.turns = network.positions == "RoPE"
        if network.learns_scale:
            layer.scale = nn.Parameter(torch.ones(1, dtype=dtype))
        self.encoder = nn.TransformerEncoder(layer, network.layers, enable_nested_tensor=False)
        self.output = nn.Linear(d, 1, dtype=dtype)
        if network.positions == "scaled PARITY":
            self.scales = nn.Parameter(torch.zeros(1, d, dtype=dtype))

    def forward(self, w: str | Sequence[int]) -> Tensor:
        n, d, network = len(w) + 1, self.network.width, self.network
        x = self.word(torch.tensor([2, *map(int, w)]))
        i = torch.arange(n, dtype=x.dtype)
        if network.positions == "scaled PARITY":
            factor = self.scales[0].exp()
            ramps = torch.outer(i / n, factor)[:, : n // 2]
            waves = torch.cos(torch.pi * torch.outer(i, factor))[:, n // 2 :]
            x = x + torch.cat([ramps, waves], dim=1)
        elif network.positions == "doubled sinusoidal":
            turns = [math.sin, math.cos]
            values = [
                [turns[j % 2](at / 10_000 ** (2 * j / d)) for j in range(d)] for at in range(n)
            ]
            x = x + torch.tensor(values, dtype=x.dtype)
        elif network.positions == "sinusoidal":
            angles = i[:, None] / 10_000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
            x = x + torch.stack([angles.sin(), angles.cos()], -1).reshape(n, d)
        else:
            for column, f in enumerate(FEATURES[network.positions]):
                x = x + torch.outer(
                    torch.as_tensor(position(f)(i, n)).to(x.dtype),
                    torch.eye(d, dtype=x.dtype)[column],
                )
        scale = FACTORS[self.run.scale]
        factors = [scale(n, seen, self.run.length + 1) for seen in range(1, n + 1)]
        bias = torch.zeros(network.heads, n, n, dtype=x.dtype)
        if network.positions == "ALiBi":
            slopes = [2 ** (-8 * (h + 1) / network.heads) for h in range(network.heads)]
            bias -= torch.tensor(slopes, dtype=x.dtype)[:, None, None] * (i[:, None] - i).abs()
        if network.mask == "future":
            bias = bias.masked_fill(torch.ones(n, n).triu(1) > 0, -torch.inf)
        for layer in self.encoder.layers:
            own = layer.scale if network.learns_scale else 1.0
            layer.self_attn.factor = torch.tensor(factors, dtype=x.dtype)[:, None] * own
            layer.self_attn.bias = bias
        return self.output(self.encoder(x[None])[0, 0 if network.read_at == "CLS" else -1])[0]

    def attention(self) -> list[float]:
        """What CLS paid to position 1 in each layer, in the last string."""
        return [layer.self_attn.last[0, 0, 1].item() for layer in self.encoder.layers]

    def named(self) -> dict[str, nn.Parameter]:
        """The parameters by the names that an ensemble has for them."""
        known = {name.removeprefix("encoder."): p for name, p in self.named_parameters()}
        return {"word": known.pop("word.weight"), **known}


def plain(ensemble: Ensemble, member: int) -> Plain:
    """The module with the parameters of one member."""
    module = Plain(ensemble.network, ensemble.members[member], ensemble.dtype)
    named, state = module.named(), ensemble.state(member)
    assert named.keys() == state.keys()
    with torch.no_grad():
        for name, parameter in named.items():
            parameter.copy_(state[name])
    return module.train()


def nats(module: Plain, w: str | Sequence[int], label: bool) -> Tensor:
    """The cross-entropy of one string."""
    logit = module(w)
    return -logsigmoid(logit if label else -logit)
