"""An independent learner: one member as PyTorch's own `nn.TransformerEncoder`, one string at a
time, as the papers' code has it.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Network
from lib.transformer.construction import position

FEATURES = {
    "none": (),
    "FIRST": ("[i=1]",),
    "ONE": ("i/n",),
    "PARITY": ("i/n", "cos iπ"),
    "mirrored PARITY": ("i/n", "-i/n", "cos iπ", "-cos iπ"),
    "PALINDROME": ("i", "n-1-i", "[i≤(n-1)/2]", "[i≥(n-1)/2]"),
}


class Attention(nn.MultiheadAttention):
    """PyTorch's attention with its queries' input multiplied by `factor`, keeping the weights."""

    factor: float = 1.0

    def forward(self, query, key, value, **options):
        heard, self.last = super().forward(query * self.factor, key, value, need_weights=True)
        return heard, self.last


class Plain(nn.Module):
    """Word embedding, position encoding, `nn.TransformerEncoder`, output at CLS; `log_n` multiplies
    attention logits by log n.
    """

    def __init__(self, network: Network, log_n: bool = False, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.network, self.log_n = network, log_n
        self.word = nn.Embedding(4 if network.has_end_tag else 3, network.width, dtype=dtype)
        layer = nn.TransformerEncoderLayer(
            network.width,
            network.heads,
            network.hidden,
            dropout=0.0,
            layer_norm_eps=network.eps,
            batch_first=True,
            dtype=dtype,
        )
        layer.self_attn = Attention(network.width, network.heads, batch_first=True, dtype=dtype)
        self.encoder = nn.TransformerEncoder(layer, network.layers, enable_nested_tensor=False)
        self.output = nn.Linear(network.width, 1, dtype=dtype)
        self.scales = (
            nn.Parameter(torch.zeros(1, network.width, dtype=dtype))
            if network.positions == "scaled PARITY"
            else None
        )

    def forward(self, w: str) -> Tensor:
        n, d = len(w) + 1, self.network.width
        x = self.word(torch.tensor([2, *map(int, w)]))
        i = torch.arange(n, dtype=x.dtype)
        if self.scales is not None:
            factor = self.scales[0].exp()
            ramps = torch.outer(i / n, factor)[:, : n // 2]
            waves = torch.cos(torch.pi * torch.outer(i, factor))[:, n // 2 :]
            x = x + torch.cat([ramps, waves], dim=1)
        elif self.network.positions == "doubled sinusoidal":
            turns = [math.sin, math.cos]
            values = [
                [turns[j % 2](at / 10_000 ** (2 * j / d)) for j in range(d)] for at in range(n)
            ]
            x = x + torch.tensor(values, dtype=x.dtype)
        elif self.network.positions == "sinusoidal":
            angles = i[:, None] / 10_000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
            x = x + torch.stack([angles.sin(), angles.cos()], -1).reshape(n, d)
        else:
            for column, f in enumerate(FEATURES[self.network.positions]):
                x = x + torch.outer(
                    torch.as_tensor(position(f)(i, n)).to(x.dtype),
                    torch.eye(d, dtype=x.dtype)[column],
                )
        for layer in self.encoder.layers:
            layer.self_attn.factor = math.log(n) if self.log_n else 1.0
        place = 0 if self.network.read_at == "CLS" else -1
        return self.output(self.encoder(x[None])[0, place])[0]

    def attention(self) -> list[float]:
        """What CLS paid to position 1 in each layer, in the last string."""
        return [layer.self_attn.last[0, 0, 1].item() for layer in self.encoder.layers]


def plain(ensemble: Ensemble, member: int) -> Plain:
    """The module with the parameters of one member."""
    module = Plain(ensemble.network, ensemble.members[member].scale == "log n", ensemble.dtype)
    renamed = {"word": "word.weight", "scales": "scales"}
    module.load_state_dict(
        {
            renamed.get(name, name if name.startswith("output") else f"encoder.{name}"): value
            for name, value in ensemble.state(member).items()
        }
    )
    return module.train()


def nats(module: Plain, w: str, label: bool) -> Tensor:
    """The cross-entropy of one string."""
    logit = module(w)
    return -logsigmoid(logit if label else -logit)
