"""A construction as PyTorch's own modules: `nn.TransformerEncoder` between an embedding table and
one linear row.

A head has some rows of the stacked W^Q, W^K and W^V, as many as its dimension. PyTorch divides
attention logits by the root of the dimension, so that W^Q holds the gain times that root. Widths
are padded with zeros, and the dimension is a power of 16: PyTorch divides by its root, or twice by
the root of that, and neither rounds. PyTorch adds biases to queries and keys; all are 0 but those
of a network with strictly masked heads, which see nothing from the first position: there they
attend to PyTorch's bias key, whose value is 0, and whose logit of -10^30 gives it the weight 0
wherever another key is seen. Both are exact.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, e, log, sqrt
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, pad

from lib.checks import Number
from lib.transformer.construction import Batch, Construction, Made, position
from lib.transformer.encoder import Encoder, token_ids
from lib.transformer.space import Form, Space
from lib.transformer.sublayers import FFN, MASKS, Head, Layer, visible

NOTHING = -1e30  # the logit of the key that stands for none


@dataclass(frozen=True)
class Sizes:
    """The shape of a `Classifier`: its heads by what they hide, each head's own mask or None, and
    how many hidden units it has; `eps` is None where it has no layer normalization.
    """

    d_model: int
    masks: tuple[str | None, ...]
    layers: int
    feed_forward: int
    eps: float | None


class LeadingNorm(nn.Module):
    """Layer normalization (gamma = 1, beta = 0) of the first `d` coordinates of vectors, (...,
    width) to (..., width); those behind them, which only pad the width, stay as they are.
    """

    def __init__(self, d: int, eps: float):
        super().__init__()
        self.d, self.eps = d, eps

    def forward(self, x: Tensor) -> Tensor:
        leading = layer_norm(x[..., : self.d], (self.d,), eps=self.eps)
        return torch.cat([leading, x[..., self.d :]], dim=-1)


class Classifier(nn.Module):
    """A construction in PyTorch's modules, float64, with its softmax logits: what `to_torch` makes.

    The input is WE(w_i) + PE(i), of `word`, an embedding table, and of the values of the position
    formulas times `position`, their directions; `encoder` is PyTorch's and `output` reads the logit
    at CLS or at the last token.
    """

    def __init__(self, construction: Construction, sizes: Sizes):
        super().__init__()
        self.construction, self.sizes = construction, sizes
        space, width = construction.space, sizes.d_model
        tokens = _dense((form for _, form in construction.word), space, width)
        self.word = nn.Embedding.from_pretrained(tokens, freeze=False)
        directions = _dense((form for _, form in construction.position), space, width)
        self.position = nn.Parameter(directions)
        with torch.random.fork_rng(devices=[]):  # what PyTorch draws here is overwritten
            self.encoder = _encoder(sizes, len(space))
            self.output = nn.Linear(width, 1, dtype=torch.float64)
        self._fill()

    def forward(self, ids: Tensor) -> Tensor:
        """The logits (batch,) of tokens (batch, n), CLS first and any end tag last: each as its
        place in the construction's `word`. TypeError or ValueError for what is no such matrix.
        """
        batch, n = self._checked(ids).shape
        a = self.word(ids) + self._positions(n) @ self.position
        final = self.encoder(a, self._mask(batch, n))
        return self.output(final[:, 0 if self.construction.readout == "CLS" else -1])[:, 0]

    @torch.no_grad()
    def logits(self, strings: str | Batch) -> Tensor:
        """The logits (batch,) of strings of one length, or of one string. ValueError for another
        symbol, unequal lengths or no string, TypeError for what is no string.
        """
        return self(token_ids(self.construction, strings).to(self.position.device))

    def _checked(self, ids: Tensor) -> Tensor:
        known = [token for token, _ in self.construction.word]
        if not isinstance(ids, Tensor) or ids.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"a tensor of token ids, int32 or int64, is expected, not {ids!r}")
        if ids.dim() != 2 or not ids.shape[1]:
            raise ValueError(f"token ids of shape (batch, n) are expected, not {tuple(ids.shape)}")
        bad = ids[(ids < 0) | (ids >= len(known))]
        if len(bad):
            raise ValueError(f"token ids count 0 to {len(known) - 1}, {known}: not {bad[0]}")
        return ids

    def _positions(self, n: int) -> Tensor:
        """The value of each position formula (columns) at each of n tokens."""
        table = self.position.new_zeros(n, len(self.construction.position))
        for column, (formula, _) in enumerate(self.construction.position):
            i = torch.arange(n, dtype=table.dtype, device=table.device)
            table[:, column] = torch.as_tensor(position(formula)(i, n))
        return table

    def _mask(self, batch: int, n: int) -> Tensor | None:
        """Which keys each head of each string hides, (batch * heads, n, n); None for none."""
        if not any(self.sizes.masks):
            return None
        shown = [torch.from_numpy(visible(mask, range(n), n)) for mask in self.sizes.masks]
        return ~torch.stack(shown).repeat(batch, 1, 1).to(self.position.device)

    @torch.no_grad()
    def _fill(self) -> None:
        for parameter in (*self.encoder.parameters(), *self.output.parameters()):
            parameter.zero_()
        space, output = self.construction.space, self.construction.output
        self.output.weight.copy_(_dense([output], space, self.sizes.d_model))
        self.output.bias.fill_(float(output.constant))
        for module, layer in zip(self.encoder.layers, self.construction.layers, strict=False):
            assert isinstance(module, nn.TransformerEncoderLayer)
            attention = module.self_attn
            for head, slot in zip(layer.heads, _slots(layer, self.sizes), strict=True):
                _fill_head(attention, head, slot * attention.head_dim, space)
            if attention.bias_k is not None:  # every head's last query row gets the bias 1
                last = slice(attention.head_dim - 1, attention.embed_dim, attention.head_dim)
                attention.in_proj_bias[: attention.embed_dim][last] = sqrt(attention.head_dim)
                attention.bias_k[..., last] = NOTHING
            if layer.ffn:
                _fill_ffn(module, layer.ffn, space)
        if not all(parameter.isfinite().all() for parameter in self.parameters()):
            raise ValueError(
                f"a weight of {self.construction.name}, times its gain, is not finite in float64"
            )


def to_torch(construction: Construction | Made, eps: Number | None = None) -> Classifier:
    """A `torch.nn.Module` of PyTorch's own parts, with `Encoder(construction, eps=eps)`'s logits.

    It is read as its `Reading` says, or, where it has none, with softmax and `eps`: without layer
    normalization the norms are `nn.Identity`, else a `LeadingNorm`. Attention is softmax and
    divides by the root of the head's dimension alone: a construction that needs hardmax, logits
    times log n or a `norm` has no such network. TypeError and ValueError for what `Encoder`
    refuses, ValueError for a weight that is not finite.
    """
    reader = Encoder(construction, eps=eps)  # its checks are the reader's
    construction = reader.construction
    if hard := construction.attentions(reader.attention) - {"softmax"}:
        raise ValueError(f"PyTorch's heads are softmax, and {construction.name} has {min(hard)}")
    if reader.log_n:
        raise ValueError(f"PyTorch's heads have no log n, which {construction.name} asks for")
    for number, layer in enumerate(construction.layers, start=1):
        if layer.ffn and layer.ffn.eps is not None:
            raise ValueError(
                "PyTorch's encoder has no norm of some coordinates alone, as layer "
                f"{number} of {construction.name} has"
            )
    return Classifier(construction, _sizes(construction, reader.eps))


def _sizes(construction: Construction, eps: float | None) -> Sizes:
    layers = construction.layers
    heads = [head for layer in layers for head in layer.heads]
    bias_row = any(head.mask == "strict future" for head in heads)
    rows = max([1, *(max(len(head.q) + bias_row, len(head.v)) for head in heads)])
    head_dim = next(16**power for power in range(1, rows + 1) if rows <= 16**power)
    counts = [Counter(head.mask for head in layer.heads) for layer in layers]
    most = {mask: max((count[mask] for count in counts), default=0) for mask in MASKS}
    wide = ceil(len(construction.space) / head_dim) - most["future"] - most["strict future"]
    most[None] = max(most[None], wide)
    masks = tuple(mask for mask in MASKS for _ in range(most[mask]))
    return Sizes(
        d_model=head_dim * len(masks),
        masks=masks,
        layers=max(1, len(layers)),  # PyTorch has no encoder of 0 layers; this one does nothing
        feed_forward=max([1, *(len(layer.ffn.hidden) for layer in layers if layer.ffn)]),
        eps=eps if layers else None,
    )


def _slots(layer: Layer, sizes: Sizes) -> Sequence[int]:
    """Which head of the network each head of a layer is: the first free one with its mask."""
    free: dict[str | None, list[int]] = {}
    for slot, mask in enumerate(sizes.masks):
        free.setdefault(mask, []).append(slot)
    return [free[head.mask].pop(0) for head in layer.heads]


def _encoder(sizes: Sizes, d: int) -> nn.TransformerEncoder:
    """PyTorch's encoder, not yet filled. `torch.relu` is one that PyTorch does not take for its
    own: `eval` then keeps off a fast path that presumes PyTorch's norms.
    """
    width, heads, units = sizes.d_model, len(sizes.masks), sizes.feed_forward
    made: dict[str, Any] = {"batch_first": True, "dtype": torch.float64}
    layer = nn.TransformerEncoderLayer(width, heads, units, 0.0, torch.relu, **made)
    is_strict = "strict future" in sizes.masks
    layer.self_attn = nn.MultiheadAttention(width, heads, add_bias_kv=is_strict, **made)
    for name in ("norm1", "norm2"):
        norm = nn.Identity() if sizes.eps is None else LeadingNorm(d, sizes.eps)
        setattr(layer, name, norm)
    return nn.TransformerEncoder(layer, sizes.layers, enable_nested_tensor=False)


def _dense(forms: Iterable[Form], space: Space, width: int) -> Tensor:
    """The coefficients of forms, padded with zeros: (number of forms, width)."""
    rows = [space.dense(form) for form in forms]
    table = _column(c for row in rows for c in row).reshape(len(rows), len(space))
    return pad(table, (0, width - len(space)))


def _fill_head(attention: nn.MultiheadAttention, head: Head, start: int, space: Space) -> None:
    """Writes one head into the rows from `start` on; everything there was 0."""
    width = attention.embed_dim
    query, key, value = attention.in_proj_weight.split(width)
    factor = float(head.gain) * log(head.base or e) * sqrt(attention.head_dim)
    query[start : start + len(head.q)] = _dense(head.q, space, width) * factor
    key[start : start + len(head.k)] = _dense(head.k, space, width)
    value[start : start + len(head.v)] = _dense((form for _, form in head.v), space, width)
    for row, (name, _) in enumerate(head.v, start=start):
        attention.out_proj.weight[space.names.index(name), row] = 1


def _fill_ffn(module: nn.TransformerEncoderLayer, ffn: FFN, space: Space) -> None:
    """Writes a feed-forward sublayer into the first hidden units; everything there was 0."""
    units, width = len(ffn.hidden), module.linear1.in_features
    module.linear1.weight[:units] = _dense(ffn.hidden, space, width)
    module.linear1.bias[:units] = _column(form.constant for form in ffn.hidden)
    for name, row in ffn.out:
        module.linear2.weight[space.names.index(name), :units] = _column(row)
    for name, bias in ffn.bias:
        module.linear2.bias[space.names.index(name)] = float(bias)


def _column(numbers: Iterable[Fraction]) -> Tensor:
    return torch.tensor([float(x) for x in numbers], dtype=torch.float64)
