"""An independent learner with order in its attention: a plain module, one string at a time, written
token by token from the papers on ALiBi and RoPE.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, linear, softplus

from chapters.common.learners.ensemble import Ensemble

FACTORS = {
    "plain": lambda n, seen, longest: 1.0,
    "log n": lambda n, seen, longest: math.log(n),
    "log of the training n": lambda n, seen, longest: math.log(longest),
    "log i": lambda n, seen, longest: math.log(seen),
    "log i / log L": lambda n, seen, longest: math.log(seen, longest),
    "floor-log": lambda n, seen, longest: 1 + 0.1 * math.log(1 + seen // longest),
}


def rotated(x: Tensor, position: int) -> Tensor:
    """One head's query or key, turned pair by pair by matrices of sines and cosines."""
    d, parts = len(x), []
    for pair in range(d // 2):
        angle = position * 10_000 ** (-2 * pair / d)
        cos, sin = math.cos(angle), math.sin(angle)
        turn = torch.tensor([[cos, -sin], [sin, cos]], dtype=x.dtype)
        parts.append(turn @ x[2 * pair : 2 * pair + 2])
    return torch.cat(parts)


class Decoder(nn.Module):
    """The parameters of one member of an ensemble, by PyTorch's names, and its logit on one list of
    codes; `see` says which tokens a query may look at.
    """

    def __init__(self, ensemble: Ensemble, member: int):
        super().__init__()
        self.network, self.run = ensemble.network, ensemble.members[member]
        state = ensemble.state(member)
        self.names = {name: name.replace(".", "/") for name in state}
        for name, value in state.items():
            self.register_parameter(self.names[name], nn.Parameter(value.clone()))

    def p(self, name: str) -> Tensor:
        return self.get_parameter(self.names[name])

    def forward(self, codes: list[int]) -> Tensor:
        network, d = self.network, self.network.width
        x = [self.p("word")[code] for code in [2, *codes]]
        n = len(x)
        for i in range(n):
            if network.positions == "FIRST" and i == 1:
                x[i] = x[i] + torch.eye(d, dtype=x[i].dtype)[0]
            if network.positions == "sinusoidal":
                angles = [i / 10_000 ** (j // 2 * 2 / d) for j in range(d)]
                waves = [(math.sin, math.cos)[j % 2](angle) for j, angle in enumerate(angles)]
                x[i] = x[i] + torch.tensor(waves, dtype=x[i].dtype)
        for number in range(network.layers):
            x = self.layer(f"layers.{number}.", x)
        read = x[0] if network.read_at == "CLS" else x[-1]
        return linear(read, self.p("output.weight"), self.p("output.bias"))[0]

    def layer(self, prefix: str, x: list[Tensor]) -> list[Tensor]:
        network, d, n = self.network, self.network.width, len(x)
        wide = d // network.heads
        w, b = (self.p(f"{prefix}self_attn.in_proj_{part}") for part in ("weight", "bias"))
        own = self.p(f"{prefix}scale")[0] if network.learns_scale else 1.0
        out = []
        for i in range(n):
            seen = range(i + 1) if network.mask == "future" else range(n)
            factor = own * FACTORS[self.run.scale](n, i + 1, self.run.length + 1)
            q = w[:d] @ (x[i] * factor) + b[:d]
            heads = []
            for h in range(network.heads):
                part, logits, values = slice(h * wide, (h + 1) * wide), [], []
                for j in seen:
                    k, v = w[d : 2 * d] @ x[j] + b[d : 2 * d], w[2 * d :] @ x[j] + b[2 * d :]
                    query, key = q[part], k[part]
                    if network.positions == "RoPE":
                        query, key = rotated(query, i), rotated(key, j)
                    logit = query @ key / math.sqrt(wide)
                    if network.positions == "ALiBi":
                        logit = logit - abs(i - j) * 2 ** (-8 * (h + 1) / network.heads)
                    logits.append(logit)
                    values.append(v[part])
                heads.append(torch.softmax(torch.stack(logits), 0) @ torch.stack(values))
            attended = self.linear(torch.cat(heads), f"{prefix}self_attn.out_proj")
            c = self.normalized(x[i] + attended, f"{prefix}norm1")
            hidden = torch.relu(self.linear(c, f"{prefix}linear1"))
            out.append(
                self.normalized(c + self.linear(hidden, f"{prefix}linear2"), f"{prefix}norm2")
            )
        return out

    def linear(self, x: Tensor, name: str) -> Tensor:
        return linear(x, self.p(f"{name}.weight"), self.p(f"{name}.bias"))

    def normalized(self, x: Tensor, name: str) -> Tensor:
        own = self.p(f"{name}.weight"), self.p(f"{name}.bias")
        return layer_norm(x, (len(x),), *own, eps=self.network.eps)


def loss(module: Decoder, strings: list[list[int]], labels: list[bool]) -> Tensor:
    """The mean cross-entropy in nats."""
    logits = torch.stack([module(codes) for codes in strings])
    return softplus(torch.where(torch.tensor(labels), -logits, logits)).mean()
