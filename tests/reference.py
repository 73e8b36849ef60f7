"""An independent reader: the dense matrices of a construction inside PyTorch's own
`nn.TransformerEncoder`.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from lib.transformer.construction import Construction, position
from lib.transformer.sublayers import Layer


class FirstCoordinates(nn.Module):
    """PyTorch's LayerNorm on the first d coordinates; those that only pad the width stay 0."""

    def __init__(self, d: int, eps: float):
        super().__init__()
        self.d, self.norm = d, nn.LayerNorm(d, eps=eps, elementwise_affine=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self.norm(x[..., : self.d]), x[..., self.d :]], dim=-1)


class TorchReference:
    """Evaluates one string at a time, as one would with PyTorch's parts and no thought of speed;
    float64.

    A masked head's weights are hidden by PyTorch's own mask, a matrix for each head; where a row
    of it hides everything, PyTorch's attention gives 0. `eps` is that of PyTorch's own LayerNorm
    over the construction's d coordinates; None for no layer normalization. Hidden units that a
    sublayer normalizes are normalized by PyTorch's, in place of ReLU.
    """

    def __init__(self, construction: Construction, eps: float | None = None):
        self.construction = construction
        d = len(construction.space)
        layers = construction.layers
        self.heads = max([1] + [len(layer.heads) for layer in layers])
        slots = max(
            [math.ceil(d / self.heads)]
            + [max(len(h.v), len(h.q)) for layer in layers for h in layer.heads]
        )
        self.width, self.slots = self.heads * slots, slots
        hidden = max([1] + [len(layer.ffn.hidden) for layer in layers if layer.ffn])
        shape = nn.TransformerEncoderLayer(
            self.width, self.heads, hidden, dropout=0.0, batch_first=True, dtype=torch.float64
        )
        self.encoder = nn.TransformerEncoder(shape, len(layers), enable_nested_tensor=False)
        for number, module in enumerate(self.encoder.layers, start=1):
            module.norm1, module.norm2 = (
                nn.Identity() if eps is None else FirstCoordinates(d, eps) for _ in range(2)
            )
            self._fill(number, module)
        self.output = self._dense("out")[0]
        self.bias = float(construction.output.constant)

    def _dense(self, kind: str, layer: int = 1, index: int = 1) -> Tensor:
        return torch.from_numpy(self.construction.matrix(kind, layer, index).numpy())

    @torch.no_grad()
    def _fill(self, number: int, module: nn.TransformerEncoderLayer) -> None:
        for parameter in module.parameters():
            parameter.zero_()
        layer, d = self.construction.layers[number - 1], len(self.construction.space)
        names = self.construction.space.names
        query, key, value = module.self_attn.in_proj_weight.split(self.width)
        for h, head in enumerate(layer.heads, start=1):
            rows = slice((h - 1) * self.slots, (h - 1) * self.slots + len(head.q))
            if head.q:
                query[rows, :d] = (
                    self._dense("Q", number, h)
                    * float(head.gain)
                    * math.log(head.base or math.e)
                    * math.sqrt(self.slots)
                )
                key[rows, :d] = self._dense("K", number, h)
            dense = self._dense("V", number, h)
            for slot, (name, _) in enumerate(head.v, start=(h - 1) * self.slots):
                value[slot, :d] = dense[names.index(name)]
                module.self_attn.out_proj.weight[names.index(name), slot] = 1
        if layer.ffn:
            units = len(layer.ffn.hidden)
            module.linear1.weight[:units, :d] = self._dense("F", number, 1)
            module.linear1.bias[:units] = self._dense("b", number, 1)[:, 0]
            module.linear2.weight[:d, :units] = self._dense("F", number, 2)
            module.linear2.bias[:d] = self._dense("b", number, 2)[:, 0]
            if layer.ffn.eps is not None:
                module.activation = FirstCoordinates(units, float(layer.ffn.eps))

    def hidden(self, layer: Layer, n: int) -> Tensor | None:
        """True where a position must not be seen, (heads, n, n); None if no head is masked."""
        masks = [head.mask for head in layer.heads]
        if not any(masks):
            return None
        masks += [None] * (self.heads - len(masks))
        everything = torch.ones(n, n, dtype=torch.bool)
        first = {None: n, "future": 1, "strict future": 0}  # diagonal that is hidden
        return torch.stack([everything.triu(first[mask]) for mask in masks])

    def embed(self, w: str) -> Tensor:
        """a^{0,i} as a matrix of shape (n, width)."""
        space, tokens = self.construction.space, self.construction.tokens(w)
        rows = [
            [float(x) for x in space.dense(dict(self.construction.word)[token])] for token in tokens
        ]
        stream = torch.zeros(len(tokens), self.width, dtype=torch.float64)
        stream[:, : len(space)] = torch.tensor(rows, dtype=torch.float64)
        for f, form in self.construction.position:
            row = torch.tensor([float(x) for x in space.dense(form)], dtype=torch.float64)
            values = [float(position(f)(i, len(tokens))) for i in range(len(tokens))]
            stream[:, : len(space)] += torch.outer(torch.tensor(values, dtype=torch.float64), row)
        return stream

    @torch.no_grad()
    def __call__(self, w: str) -> float:
        """The logit of one string."""
        stream = self.embed(w)[None]
        for layer, module in zip(self.construction.layers, self.encoder.layers, strict=True):
            stream = module(stream, src_mask=self.hidden(layer, stream.shape[1]))
        place = {"CLS": 0, "last": -1}[self.construction.readout]
        final = stream[0, place, : len(self.construction.space)]
        return (final @ self.output).item() + self.bias
