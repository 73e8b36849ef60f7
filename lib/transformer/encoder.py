"""The torch reader: a construction run in floating point, on batches, fast.

The residual stream is kept as one tensor per coordinate, of a shape that broadcasts to (batch, n):
i/n is the same for every string, k/n the same at every position. Only what a form names is ever
touched, so memory is linear in n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import log
from typing import overload

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from lib.checks import Number, check_string, checked_eps
from lib.transformer.construction import Construction, Head, Layer
from lib.transformer.cross_entropy import cross_entropy_bits
from lib.transformer.means import divided, sequential, weighted
from lib.transformer.positions import position
from lib.transformer.reader import Batch, checked_construction
from lib.transformer.space import Form
from lib.transformer.trace import Trace

__all__ = ["DTYPES", "Encoder", "cross_entropy_bits", "divided", "sequential", "weighted"]

Stream = dict[str, Tensor]

DTYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float64)
CHUNK = 1 << 16  # tokens evaluated in one go: their coordinates stay in the processor's cache


class Encoder:
    """Reads `construction` with torch in the float type `dtype`: a `lib.transformer.reader.Reader`.

    `attention` is "softmax" or "hardmax" (the averaging kind); `mean` is how a head with W^Q = 0
    takes its mean: `divided` (the default), `weighted` or `sequential`. `eps` is the constant of
    layer normalization after every residual connection (gamma = 1, beta = 0), None for no layer
    normalization. `log_n` multiplies every attention logit by log n (Chiang & Cholak 2022, equation
    2). The strings of one batch have one length. Raises ValueError for an unknown option, an
    unsupported float type or unequal lengths, TypeError for no construction.
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
        self.construction = checked_construction(construction)
        self.dtype, self.attention, self.mean = dtype, attention, mean
        self.eps = None if eps is None else float(checked_eps(eps))
        self.log_n, self.device = log_n, torch.device(device)
        self._check_coefficients()
        self._symbols = tuple(dict(construction.word))
        self._rows_of_symbols = self._symbol_table()

    @torch.no_grad()
    def __call__(self, strings: str | Batch) -> Tensor:
        """The logits s of a batch (a string is a batch of one): (batch,), in the float type."""
        ids = self._ids(strings)
        step = max(1, CHUNK // ids.shape[1])
        return torch.cat([self._run(chunk) for chunk in ids.split(step)])

    def logit(self, w: str) -> float:
        """The logit s of the string `w`."""
        return self(check_string(w, self.construction.alphabet)).item()

    @overload
    def accepts(self, strings: str) -> bool: ...

    @overload
    def accepts(self, strings: Batch) -> Tensor: ...

    def accepts(self, strings: str | Batch) -> bool | Tensor:
        """Whether a string is accepted (for a sigmoid: probability above 1/2, that is s > 0), or
        each of a batch, bool of shape (batch,).

        ArithmeticError if a logit is not finite, as after an overflow or for 0/0 in layer
        normalization.
        """
        logits = self(strings)
        bad = ~logits.isfinite()
        if bad.any():
            place = int(bad.int().argmax())
            raise ArithmeticError(
                f"the logit of string {place} of the batch is not finite in {self.dtype}"
            )
        accepted = logits.sign() == self.construction.accepting_sign
        return bool(accepted.item()) if isinstance(strings, str) else accepted

    @torch.no_grad()
    def trace(self, strings: str | Batch, weights: bool = False) -> Trace:
        """Every coordinate as (batch, n) tensors and, with `weights`, all attention weights as
        (batch, n, n).
        """
        ids = self._ids(strings)
        batch, n = ids.shape
        trace = Trace([[self._symbols[token] for token in row] for row in ids.tolist()])
        attention: dict[tuple[int, int], Tensor] = {}
        self._run(ids, trace, attention if weights else None)

        def whole(stream: Stream) -> Stream:
            return {name: values.expand(batch, n) for name, values in stream.items()}

        return Trace(
            trace.tokens,
            a=[whole(stream) for stream in trace.a],
            c=[stream and whole(stream) for stream in trace.c],
            attention={head: w.expand(batch, n, n) for head, w in attention.items()}
            if weights
            else None,
        )

    def _check_coefficients(self) -> None:
        largest = torch.finfo(self.dtype).max
        for c in self.construction.coefficients():
            if abs(c) > largest:
                shown = float(c) if abs(c) < 1e300 else c
                raise ValueError(
                    f"the coefficient {shown} of {self.construction.name} is not finite in "
                    f"{self.dtype}"
                )

    def _symbol_table(self) -> np.ndarray:
        """The row of the word embedding for each code point; -1, the last entry among them, for
        what is no symbol.
        """
        rows = {ord(symbol): self._symbols.index(symbol) for symbol in self.construction.alphabet}
        table = np.full(max(rows, default=0) + 2, -1, dtype=np.int32)
        table[list(rows)] = list(rows.values())
        return table

    def _ids(self, strings: str | Batch) -> Tensor:
        """Rows of the word embedding, CLS first and any end tag last: shape (batch, n). The checks
        run once on the whole batch.
        """
        batch = [strings] if isinstance(strings, str) else list(strings)
        if not batch:
            raise ValueError("at least one string is expected, not an empty batch")
        for w in batch:
            if not isinstance(w, str):
                check_string(w, self.construction.alphabet)
        lengths = {len(w) for w in batch}
        if len(lengths) > 1:
            raise ValueError(
                f"strings of one length are expected, not of lengths {sorted(lengths)}"
            )
        text = "".join(batch).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(text, dtype=np.uint32).reshape(len(batch), -1)
        ids = self._rows_of_symbols[np.minimum(codes, len(self._rows_of_symbols) - 1)]
        bad = (ids < 0).any(axis=1)
        if bad.any():
            check_string(batch[int(bad.argmax())], self.construction.alphabet)
        cls, *end = (
            np.full((len(batch), 1), self._symbols.index(tag), dtype=ids.dtype)
            for tag in ("CLS", *self.construction.end)
        )
        return torch.from_numpy(np.hstack([cls, ids, *end])).to(self.device)

    def _run(
        self, ids: Tensor, trace: Trace | None = None, attention: dict | None = None
    ) -> Tensor:
        """The logits, (batch,); `trace` and `attention` are filled on the way."""
        stream, layers = self._embed(ids), self.construction.layers
        if trace:
            trace.a.append(stream)
        for number, layer in enumerate(layers, start=1):
            only_cls = trace is None and not any(later.heads for later in layers[number:])
            weights = None if attention is None else {}
            c = self._normalize(self._attend(layer, stream, only_cls, weights))
            stream = self._normalize(self._feed_forward(layer, c))
            if trace:
                trace.c.append(c)
                trace.a.append(stream)
            if attention is not None and weights is not None:
                attention |= {(number, head): matrix for head, matrix in weights.items()}
        return self._form(self.construction.output, stream)[:, 0].expand(len(ids))

    def _embed(self, ids: Tensor) -> Stream:
        """a^{0,i} = WE(w_i) + PE(i)."""
        n, stream = ids.shape[1], {}
        word = {token: dict(form.terms) for token, form in self.construction.word}
        names = dict.fromkeys(name for terms in word.values() for name in terms)
        for name in names:
            table = self._tensor([word[token].get(name, 0) for token in self._symbols])
            of_symbols = {word[symbol].get(name, 0) for symbol in self.construction.alphabet}
            # A coordinate that all symbols share is one row for the whole batch: the tags stand at
            # the same place in every string.
            stream[name] = table[ids[:1] if len(of_symbols) == 1 else ids]
        i = torch.arange(n, dtype=torch.float64, device=self.device)
        for formula, form in self.construction.position:
            values = torch.as_tensor(position(formula)(i, n)).to(self.dtype).expand(n)[None]
            for name, coefficient in form.terms:
                _add(stream, name, _scaled(values, coefficient))
        return stream

    def _attend(
        self, layer: Layer, stream: Stream, only_cls: bool, attention: dict[int, Tensor] | None
    ) -> Stream:
        """c^{l,i}: the residual stream plus what every head writes, at CLS alone or everywhere."""
        n = max(values.shape[1] for values in stream.values())
        queries = {name: values[:, :1] for name, values in stream.items()} if only_cls else stream
        result = dict(queries)
        for number, head in enumerate(layer.heads, start=1):
            values = {name: self._form(form, stream) for name, form in head.v}
            if head.is_uniform:
                outputs = [self.mean(v.expand(len(v), n)) for v in values.values()]
                weights = torch.full((1, 1, 1), 1 / n, dtype=self.dtype, device=self.device)
            else:
                q = self._queries(head, queries, 1 if only_cls else n, length=n)
                k = self._stacked(head.k, stream, n)
                outputs = self._attention(q, k, _stack(values.values(), n)) if values else ()
                weights = None if attention is None else self._weights(q, k)
            for name, output in zip(values, outputs, strict=True):
                _add(result, name, output)
            if attention is not None and weights is not None:
                attention[number] = weights
        return result

    def _queries(self, head: Head, stream: Stream, n: int, length: int) -> Tensor:
        """The queries of a head at n positions times its gain c, (batch, n, r); strings of `length`
        tokens, CLS among them, say how much log n is.
        """
        factor = 1 if head.base is None else log(head.base)
        if self.log_n:
            factor *= log(length)
        return _scaled(self._stacked(head.q, stream, n), head.gain) * factor

    def _attention(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        """Attention in memory linear in n: queries (., m, r), keys (., n, r), values (., n, e) to e
        tensors (batch, m).
        """
        batch = max(len(q), len(k), len(v))
        if self.attention == "hardmax":
            return self._hardmax(q, k, v.expand(batch, -1, -1)).unbind(-1)
        width = max(q.shape[-1], v.shape[-1])  # equal widths, or PyTorch's kernel is not linear
        q, k, wide_v = (
            pad(x, (0, width - x.shape[-1])).expand(batch, -1, -1)[:, None] for x in (q, k, v)
        )
        outputs = scaled_dot_product_attention(q, k, wide_v, scale=1.0)
        return outputs[:, 0, :, : v.shape[-1]].unbind(-1)

    def _hardmax(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """(batch, m, e), a block of queries at a time. Every block is written where it stays: small
        tensors kept between large ones would split the heap.
        """
        outputs = v.new_empty(len(v), q.shape[1], v.shape[-1])
        step = max(1, CHUNK // k.shape[1])
        for start in range(0, q.shape[1], step):
            block = slice(start, start + step)
            outputs[:, block] = self._weights(q[:, block], k) @ v
        return outputs

    def _weights(self, q: Tensor, k: Tensor) -> Tensor:
        """The attention weights themselves, (batch, m, n)."""
        logits = q @ k.mT
        if self.attention == "softmax":
            return torch.softmax(logits, dim=-1)
        largest = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
        return largest / largest.sum(-1, keepdim=True)

    def _feed_forward(self, layer: Layer, stream: Stream) -> Stream:
        """a^{l,i}: the residual stream plus W2 max(0, W1 c + b1) + b2."""
        if layer.ffn is None:
            return stream
        hidden = [torch.relu(self._form(form, stream)) for form in layer.ffn.hidden]
        output: Stream = {}
        for name, row in layer.ffn.out:
            for unit, coefficient in zip(hidden, row, strict=True):
                _add(output, name, _scaled(unit, coefficient))
        for name, bias in layer.ffn.bias:
            _add(output, name, self._tensor([[bias]]))
        result = dict(stream)
        for name, values in output.items():
            _add(result, name, values)
        return result

    def _normalize(self, stream: Stream) -> Stream:
        """Layer normalization of every position over all d coordinates, those not yet written
        counting as 0.
        """
        if self.eps is None:
            return stream
        names = self.construction.space.names
        zero = self._tensor([[0]])
        mean = sum(stream.values(), start=zero) / len(names)
        centred = {name: stream[name] - mean if name in stream else -mean for name in names}
        variance = sum((x * x for x in centred.values()), start=zero) / len(names)
        scale = torch.rsqrt(variance + self.eps)
        return {name: x * scale for name, x in centred.items()}

    def _stacked(self, forms: Sequence[Form], stream: Stream, n: int) -> Tensor:
        return _stack([self._form(form, stream) for form in forms], n)

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
    """`values` times `coefficient`; a factor of 1 or -1 costs no product."""
    if coefficient == 1:
        return values
    if coefficient == -1:
        return -values
    return values * float(coefficient)


def _stack(columns: Iterable[Tensor], n: int) -> Tensor:
    """Columns that broadcast to (batch, n) as one tensor (batch, n, number of columns)."""
    wide = torch.broadcast_tensors(*(column.expand(len(column), n) for column in columns))
    return torch.stack(wide, dim=-1)


def _add(stream: Stream, name: str, values: Tensor) -> None:
    """The residual connection: adds `values` to a coordinate, which starts as them if it is not yet
    written.
    """
    stream[name] = stream[name] + values if name in stream else values
