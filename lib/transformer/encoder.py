"""The torch reader: a construction run in floating point, on batches, fast.

The residual stream is kept as one tensor per coordinate, of a shape that broadcasts to (batch, n):
i/n is the same for every string, k/n the same at every position. Only what a form names is ever
touched, so memory is linear in n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import log

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention, softplus

from lib.checks import Number, check_string, checked_eps
from lib.transformer.construction import Construction, Layer
from lib.transformer.positions import position
from lib.transformer.space import Form
from lib.transformer.trace import Trace

Stream = dict[str, Tensor]

DTYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float64)
CHUNK = 1 << 16  # tokens evaluated together: a chunk's coordinates stay in the processor's cache


def divided(values: Tensor) -> Tensor:
    """The mean over the last axis as one sum and one division, the most exact of the three ways."""
    return values.sum(-1, keepdim=True) / values.shape[-1]


def weighted(values: Tensor) -> Tensor:
    """The mean as softmax attention computes it: every weight is 1/n, rounded, before values are
    added.
    """
    n = values.shape[-1]
    return values @ torch.softmax(values.new_zeros(n, 1), dim=0)


def sequential(values: Tensor) -> Tensor:
    """The mean as a running sum of v_j/n from left to right, rounded after every addition."""
    terms, total = values / values.shape[-1], values.new_zeros(*values.shape[:-1], 1)
    if values.dtype != torch.bfloat16:
        return torch.from_numpy(np.add.accumulate(terms.cpu().numpy(), axis=-1)[..., -1:]).to(
            values.device
        )
    for j in range(values.shape[-1]):  # numpy has no bfloat16
        total = total + terms[..., j : j + 1]
    return total


class Encoder:
    """Runs `construction` with torch in the float type `dtype`.

    `attention` is "softmax" or "hardmax" (the averaging kind); `mean` is how a head with W^Q = 0
    takes its mean: `divided` (the default), `weighted` or `sequential`. `eps` is the constant of
    layer normalization after every residual connection (gamma = 1, beta = 0), None for no layer
    normalization. `log_n` multiplies every attention logit by log n (Chiang & Cholak 2022, equation
    2). Strings of one call have one length; a single string is a batch of one. Raises ValueError
    for an unknown option, an unsupported float type or unequal lengths.
    """

    def __init__(
        self,
        construction: Construction,
        dtype: torch.dtype = torch.float64,
        attention: str = "softmax",
        mean: Callable[[Tensor], Tensor] = divided,
        eps: Number | None = None,
        log_n: bool = False,
        device: str = "cpu",
    ):
        if dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(map(str, DTYPES))}, not {dtype!r}")
        if attention not in ("softmax", "hardmax"):
            raise ValueError(f"attention must be 'softmax' or 'hardmax', not {attention!r}")
        if not callable(mean):
            raise ValueError(f"mean must be divided, weighted or sequential, not {mean!r}")
        for c in construction.coefficients():
            if abs(c) > torch.finfo(dtype).max:
                raise ValueError(
                    f"the coefficient {float(c) if abs(c) < 1e300 else c} of {construction.name} is not finite in {dtype}"
                )
        self.construction, self.dtype, self.attention = construction, dtype, attention
        self.eps = None if eps is None else float(checked_eps(eps))
        self.mean, self.log_n, self.device = mean, log_n, torch.device(device)
        self._symbols = tuple(dict(construction.word))
        codes = {ord(symbol): self._symbols.index(symbol) for symbol in construction.alphabet}
        self._index = np.full(
            max(codes, default=0) + 2, -1, dtype=np.int32
        )  # code point -> row of the word embedding
        self._index[list(codes)] = list(codes.values())

    @torch.no_grad()
    def __call__(self, strings: str | Sequence[str]) -> Tensor:
        """The logits s, of shape (batch,), in the encoder's float type."""
        ids = self._ids(strings)
        step = max(1, CHUNK // ids.shape[1])
        return torch.cat([self._run(chunk) for chunk in ids.split(step)])

    def accepts(self, strings: str | Sequence[str]) -> Tensor:
        """Whether each string is accepted (for a sigmoid: probability above 1/2, that is s > 0);
        bool of shape (batch,).

        ArithmeticError if a logit is not finite, as after an overflow or for 0/0 in layer
        normalization.
        """
        if (bad := ~(logits := self(strings)).isfinite()).any():
            raise ArithmeticError(
                f"the logit of string {int(bad.int().argmax())} of the batch is not finite in {self.dtype}"
            )
        return logits.sign() == self.construction.accepting_sign

    @torch.no_grad()
    def trace(self, strings: str | Sequence[str], weights: bool = False) -> Trace:
        """Every coordinate as (batch, n) tensors and, if asked, all attention weights as (batch, n,
        n).
        """
        ids = self._ids(strings)
        trace = Trace(
            [[self._symbols[token] for token in row] for row in ids.tolist()],
            attention={} if weights else None,
        )
        self._run(ids, trace)
        full = ids.shape
        for stream in filter(None, (*trace.a, *trace.c)):
            stream.update({name: values.expand(full) for name, values in stream.items()})
        for key, matrix in (trace.attention or {}).items():
            trace.attention[key] = matrix.expand(full[0], full[1], full[1])
        return trace

    def _ids(self, strings: str | Sequence[str]) -> Tensor:
        """Rows of the word embedding, CLS first and any end tag last: shape (batch, n). The checks
        run once on the whole batch.
        """
        strings = [strings] if isinstance(strings, str) else list(strings)
        if not strings:
            raise ValueError("at least one string is expected, not an empty batch")
        for w in strings:
            if not isinstance(w, str):
                check_string(w, self.construction.alphabet)
        lengths = {len(w) for w in strings}
        if len(lengths) > 1:
            raise ValueError(
                f"strings of one length are expected, not of lengths {sorted(lengths)}"
            )
        codes = np.frombuffer(
            "".join(strings).encode("utf-32-le", "surrogatepass"), dtype=np.uint32
        ).reshape(len(strings), -1)
        ids = self._index[np.minimum(codes, len(self._index) - 1)]  # the last entry is no symbol
        if (bad := (ids < 0).any(axis=1)).any():
            check_string(strings[int(bad.argmax())], self.construction.alphabet)
        tags = [
            np.full((len(strings), 1), self._symbols.index(tag), dtype=ids.dtype)
            for tag in ("CLS", *self.construction.end)
        ]
        return torch.from_numpy(np.hstack([tags[0], ids, *tags[1:]])).to(self.device)

    def _run(self, ids: Tensor, trace: Trace | None = None) -> Tensor:
        stream, layers = self._embed(ids), self.construction.layers
        if trace:
            trace.a.append(stream)
        for number, layer in enumerate(layers, start=1):
            heard_later = any(
                later.heads for later in layers[number:]
            )  # otherwise only CLS is read from here on
            everywhere = trace is not None or heard_later
            c = self._normalize(self._attend(number, layer, stream, everywhere, trace))
            stream = self._normalize(self._feed_forward(layer, c))
            if trace:
                trace.c.append(c)
                trace.a.append(stream)
        return self._form(self.construction.output, stream)[:, 0].expand(len(ids))

    def _embed(self, ids: Tensor) -> Stream:
        n, word, stream = ids.shape[1], dict(self.construction.word), {}
        for name in {name: None for form in word.values() for name in form.names}:
            table = self._tensor([dict(word[token].terms).get(name, 0) for token in self._symbols])
            same = (
                len(
                    {dict(word[symbol].terms).get(name, 0) for symbol in self.construction.alphabet}
                )
                == 1
            )
            stream[name] = table[
                ids[:1] if same else ids
            ]  # the tags stand at the same place in every string
        i = torch.arange(n, dtype=torch.float64, device=self.device)
        for f, form in self.construction.position:
            values = torch.as_tensor(position(f)(i, n)).to(self.dtype).expand(n)[None]
            for name, coefficient in form.terms:
                _add(stream, name, _scaled(values, coefficient))
        return stream

    def _attend(
        self, number: int, layer: Layer, stream: Stream, everywhere: bool, trace: Trace | None
    ) -> Stream:
        n = max(values.shape[1] for values in stream.values())
        asking = stream if everywhere else {name: values[:, :1] for name, values in stream.items()}
        result = dict(asking)
        for index, head in enumerate(layer.heads, start=1):
            values = {name: self._form(form, stream) for name, form in head.v}
            if head.is_uniform:
                heard = [self.mean(v.expand(len(v), n)) for v in values.values()]
                weights = torch.full((1, 1, 1), 1 / n, dtype=self.dtype, device=self.device)
            else:
                factor = (1 if head.base is None else log(head.base)) * (
                    log(n) if self.log_n else 1
                )
                q = _scaled(self._rows(head.q, asking, n if everywhere else 1), head.gain) * factor
                k = self._rows(head.k, stream, n)
                heard = self._listen(q, k, _stack(values.values(), n)).unbind(-1) if values else ()
                weights = self._weights(q, k) if trace and trace.attention is not None else None
            for name, output in zip(values, heard):
                _add(result, name, output)
            if trace and trace.attention is not None:
                trace.attention[number, index] = weights
        return result

    def _listen(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Attention in memory linear in n: queries (., m, r), keys (., n, r), values (., n, e) to
        (batch, m, e).
        """
        if self.attention == "softmax":
            batch, width = (
                max(len(q), len(k), len(v)),
                max(q.shape[-1], v.shape[-1]),
            )  # it needs equal widths to be linear
            wide = (
                pad(x, (0, width - x.shape[-1])).expand(batch, -1, -1)[:, None] for x in (q, k, v)
            )
            return scaled_dot_product_attention(*wide, scale=1.0)[:, 0, :, : v.shape[-1]]
        blocks = q.split(max(1, CHUNK // k.shape[1]), dim=1)
        return torch.cat([self._weights(block, k) @ v for block in blocks], dim=1)

    def _weights(self, q: Tensor, k: Tensor) -> Tensor:
        """The attention weights themselves, (batch, m, n)."""
        logits = q @ k.mT
        if self.attention == "softmax":
            return torch.softmax(logits, dim=-1)
        largest = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
        return largest / largest.sum(-1, keepdim=True)

    def _rows(self, forms: Sequence[Form], stream: Stream, n: int) -> Tensor:
        return _stack([self._form(form, stream) for form in forms], n)

    def _feed_forward(self, layer: Layer, stream: Stream) -> Stream:
        if layer.ffn is None:
            return stream
        result = dict(stream)
        hidden = [torch.relu(self._form(form, stream)) for form in layer.ffn.hidden]
        added: Stream = {}
        for name, row in layer.ffn.out:
            for unit, coefficient in zip(hidden, row):
                _add(added, name, _scaled(unit, coefficient))
        for name, bias in layer.ffn.bias:
            _add(added, name, self._tensor([[bias]]))
        for name, values in added.items():
            _add(result, name, values)
        return result

    def _normalize(self, stream: Stream) -> Stream:
        """Layer normalization of every position over all d coordinates, those not yet written
        counting as 0.
        """
        if self.eps is None:
            return stream
        names = self.construction.space.names
        mean = sum(stream.values()) / len(names)
        centred = {name: stream[name] - mean if name in stream else -mean for name in names}
        scale = torch.rsqrt(sum(x * x for x in centred.values()) / len(names) + self.eps)
        return {name: x * scale for name, x in centred.items()}

    def _form(self, form: Form, stream: Stream) -> Tensor:
        """The values of a form, left to right in the order written; a coordinate not yet written
        counts as 0.
        """
        terms = [_scaled(stream[name], c) for name, c in form.terms if name in stream]
        if form.constant or not terms:
            terms.append(self._tensor([[form.constant]]))
        return sum(terms[1:], start=terms[0])

    def _tensor(self, numbers: list) -> Tensor:
        return torch.from_numpy(np.array(numbers, dtype=np.float64)).to(self.device, self.dtype)


def _scaled(values: Tensor, coefficient: Fraction) -> Tensor:
    return (
        values
        if coefficient == 1
        else -values
        if coefficient == -1
        else values * float(coefficient)
    )


def _stack(columns: Iterable[Tensor], n: int) -> Tensor:
    """Columns that broadcast to (batch, n) as one tensor (batch, n, number of columns)."""
    return torch.stack(
        torch.broadcast_tensors(*(column.expand(len(column), n) for column in columns)), dim=-1
    )


def _add(stream: Stream, name: str, values: Tensor) -> None:
    """The residual connection: adds `values` to a coordinate, which starts as them if it is not yet
    written.
    """
    stream[name] = stream[name] + values if name in stream else values


def cross_entropy_bits(logits: Tensor, labels: Sequence[bool] | Tensor) -> Tensor:
    """-log2 of the probability given to the right answer, in bits, for each string: shape (batch,),
    float64.

    The output probability is sigmoid(logit); a logit of 0 costs 1 bit. Chiang & Cholak 2022, figure
    2.
    """
    labels = torch.as_tensor(labels, dtype=torch.bool, device=logits.device)
    if labels.shape != logits.shape:
        raise ValueError(
            f"labels of shape {tuple(logits.shape)} are expected, not {tuple(labels.shape)}"
        )
    return softplus(torch.where(labels, -logits, logits).double()) / np.log(2)
