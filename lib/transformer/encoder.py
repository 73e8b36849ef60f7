"""The torch reader: a construction run in floating point, on batches, and what its logits cost.

The residual stream is kept as one tensor per coordinate, of a shape that broadcasts to (batch, n):
i/n is the same for every string, k/n the same at every position. Only what a form names is ever
touched, so memory is linear in n.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import log
from typing import overload

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from lib.checks import Number, check_string, check_strings, flag, one_of, takes
from lib.languages import by_length
from lib.transformer.construction import (
    Batch,
    Construction,
    Made,
    Trace,
    add,
    constructed,
    position,
    read_with,
)
from lib.transformer.space import Form
from lib.transformer.sublayers import Head, Layer, seen, visible
from lib.transformer.tensors import attend, divided, running_means, weights

Stream = dict[str, Tensor]

DTYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float64)
CHUNK = 1 << 16  # tokens evaluated in one go: their coordinates stay in the processor's cache
ATTENTIONS = ("softmax", "hardmax")
ALL, READOUT = slice(None), {"CLS": slice(0, 1), "last": slice(-1, None)}  # positions


def token_ids(construction: Construction, strings: str | Batch) -> Tensor:
    """Strings of one length as places in `word`, (batch, n), checked once for the whole batch."""
    if not isinstance(strings, (str, list, tuple)):
        raise TypeError(f"a string or a list of strings is expected, not {strings!r}")
    batch = [strings] if isinstance(strings, str) else strings
    if not batch:
        raise ValueError("at least one string is expected, not an empty batch")
    check_strings(batch, construction.alphabet)
    alike = list(by_length(batch))
    if len(alike) > 1:
        lengths = sorted({*map(len, batch)})
        raise ValueError(f"strings of one length are expected, not of lengths {lengths}")
    return torch.from_numpy(construction.ids(alike[0][1]))


class Encoder:
    """Reads `construction` with torch in the float type `dtype`; what a reader offers is said in
    `lib.transformer.construction`.

    `attention`, "softmax" (the default) or "hardmax" (the averaging kind), `eps` and `log_n` are
    those of a `Reading`, for a construction without one. `mean` is how a head with W^Q = 0 and no
    mask takes its mean: `divided` (the default), `weighted` or `sequential`; masked ones divide
    prefix sums. The strings of one batch have one length. Raises ValueError for an unknown option
    or one that contradicts the construction, an unsupported float type or unequal lengths,
    TypeError for no construction.
    """

    @takes(dtype=one_of(DTYPES), attention=one_of(ATTENTIONS), log_n=flag)
    def __init__(
        self,
        construction: Construction | Made,
        dtype: torch.dtype = torch.float64,
        attention: str | None = None,
        mean: Callable[[Tensor], Tensor] = divided,
        eps: Number | None = None,
        log_n: bool | None = None,
    ):
        if not callable(mean):
            raise ValueError(f"mean must be divided, weighted or sequential, not {mean!r}")
        self.construction = construction = constructed(construction)
        reading = read_with(construction, attention, eps, log_n)
        if strange := construction.attentions(reading.attention) - {*ATTENTIONS}:
            raise ValueError(
                f"heads of {' or '.join(ATTENTIONS)} are expected in floats, not {min(strange)}"
            )
        self.dtype, self.attention, self.mean = dtype, reading.attention, mean
        self.eps = None if reading.eps is None else float(reading.eps)
        self.log_n = reading.log_n
        largest = torch.finfo(dtype).max
        for c in construction.coefficients():
            if abs(c) > largest:
                shown = float(c) if abs(c) < 1e300 else c
                where = f"of {construction.name} is not finite in {dtype}"
                raise ValueError(f"the coefficient {shown} {where}")
        self._symbols = tuple(dict(construction.word))

    @torch.no_grad()
    def __call__(self, strings: str | Batch) -> Tensor:
        """The logits s of a batch (a string is a batch of one): (batch,), in the float type."""
        ids = token_ids(self.construction, strings)
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
        """Whether a string is accepted (for a sigmoid: s > 0), or each of a batch, bool (batch,).

        ArithmeticError if a logit is not finite, as after an overflow or for 0/0 in a norm.
        """
        logits = self(strings)
        bad = ~logits.isfinite()
        if bad.any():
            place = int(bad.int().argmax())
            raise ArithmeticError(f"the logit of string {place} is not finite in {self.dtype}")
        accepted = logits.sign() == self.construction.accepting_sign
        return bool(accepted.item()) if isinstance(strings, str) else accepted

    @torch.no_grad()
    @takes(weights=flag)
    def trace(self, strings: str | Batch, weights: bool = False) -> Trace:
        """Every coordinate, (batch, n), and, with `weights`, attention weights, (batch, n, n)."""
        ids = token_ids(self.construction, strings)
        batch, n = ids.shape
        tokens = [[self._symbols[token] for token in row] for row in ids.tolist()]
        trace = Trace(tokens, attention={} if weights else None)
        self._run(ids, trace)
        for stream in filter(None, (*trace.a, *trace.c)):
            stream |= {name: values.expand(batch, n) for name, values in stream.items()}
        matrices = trace.attention or {}
        matrices |= {head: matrix.expand(batch, n, n) for head, matrix in matrices.items()}
        return trace

    def _run(self, ids: Tensor, trace: Trace | None = None) -> Tensor:
        """The logits, (batch,); `trace` is filled on the way."""
        stream, layers, n = self._embed(ids), self.construction.layers, ids.shape[1]
        readout = READOUT[self.construction.readout]
        if trace:
            trace.a.append(stream)
        for number, layer in enumerate(layers, start=1):
            if trace and trace.attention is not None:
                for h, head in enumerate(layer.heads, start=1):
                    trace.attention[number, h] = self._matrix(head, stream, n)
            is_last = trace is None and not any(later.heads for later in layers[number:])
            c = self._normalize(self._attend(layer, stream, readout if is_last else ALL, n))
            stream = self._normalize(self._feed_forward(layer, c))
            if trace:
                trace.c.append(c)
                trace.a.append(stream)
        logits = self._form(self.construction.output, stream)[:, readout]
        return logits[:, 0].expand(len(ids))

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
        i = torch.arange(n, dtype=torch.float64)
        for formula, form in self.construction.position:
            values = torch.as_tensor(position(formula)(i, n), dtype=torch.float64)
            values = values.to(self.dtype).expand(n)[None]
            for name, coefficient in form.terms:
                add(stream, name, _scaled(values, coefficient))
        return stream

    def _attend(self, layer: Layer, stream: Stream, rows: slice, n: int) -> Stream:
        """c^{l,i}: the residual stream plus what heads write, at `rows`, all positions or one."""
        queries = {name: values[:, rows] for name, values in stream.items()}
        result = dict(queries)
        for head in layer.heads:
            outputs = self._outputs(head, stream, queries, rows, n)
            for (name, _), output in zip(head.v, outputs, strict=True):
                add(result, name, output)
        return result

    def _outputs(
        self, head: Head, stream: Stream, queries: Stream, rows: slice, n: int
    ) -> Iterable[Tensor]:
        """What a head writes at `rows`: a tensor (batch, rows) for each value row."""
        values = [self._form(form, stream).expand(-1, n) for _, form in head.v]
        mask, shown = head.mask, n
        if rows != ALL:  # the one query sees tokens at the front, and hides none of them
            mask, shown = None, seen(head.mask, range(n)[rows][0], n)
            values = [v[:, :shown] for v in values]
        if not head.is_uniform and values:
            q = self._queries(head, queries, len(range(n)[rows]), length=n)
            k = self._stacked(head.k, stream, n)[:, :shown]
            kind = head.attention or self.attention
            return attend(q, k, _stack(values, shown), kind, mask).unbind(-1)
        if not shown:
            return [v.new_zeros(len(v), 1) for v in values]
        if mask:
            return [running_means(v, mask) for v in values]
        return map(divided if head.mask else self.mean, values)

    def _matrix(self, head: Head, stream: Stream, n: int) -> Tensor:
        """The attention weights of a head, (batch, n, n)."""
        if head.is_uniform:
            shown = torch.from_numpy(visible(head.mask, range(n), n)).to(self.dtype)
            return (shown / shown.sum(-1, keepdim=True).clamp(min=1))[None]
        q, k = self._queries(head, stream, n, length=n), self._stacked(head.k, stream, n)
        return weights(q, k, head.attention or self.attention, head.mask)

    def _queries(self, head: Head, stream: Stream, n: int, length: int) -> Tensor:
        """A head's queries times its gain, (batch, n, r), and the log of the strings' `length`."""
        factor = 1 if head.base is None else log(head.base)
        if self.log_n:
            factor *= log(length)
        return _scaled(self._stacked(head.q, stream, n), head.gain) * factor

    def _feed_forward(self, layer: Layer, stream: Stream) -> Stream:
        """a^{l,i}: the residual stream plus W2 max(0, W1 c + b1) + b2, or what is normalized."""
        if layer.ffn is None:
            return stream
        hidden = [self._form(form, stream) for form in layer.ffn.hidden]
        if layer.ffn.eps is None:
            hidden = [torch.relu(unit) for unit in hidden]
        else:
            mean = sum(hidden, start=self._tensor([[0]])) / len(hidden)
            hidden = self._scaled_down([x - mean for x in hidden], float(layer.ffn.eps))
        output: Stream = {}
        for name, row in layer.ffn.out:
            for unit, coefficient in zip(hidden, row, strict=True):
                add(output, name, _scaled(unit, coefficient))
        for name, bias in layer.ffn.bias:
            add(output, name, self._tensor([[bias]]))
        result = dict(stream)
        for name, values in output.items():
            add(result, name, values)
        return result

    def _normalize(self, stream: Stream) -> Stream:
        """Layer normalization over all d coordinates, those not yet written counting as 0."""
        if self.eps is None:
            return stream
        names = self.construction.space.names
        zero = self._tensor([[0]])
        mean = sum(stream.values(), start=zero) / len(names)
        centred = {name: stream[name] - mean if name in stream else -mean for name in names}
        return dict(zip(names, self._scaled_down([*centred.values()], self.eps), strict=True))

    def _scaled_down(self, centred: Sequence[Tensor], eps: float) -> list[Tensor]:
        """Numbers of mean 0, over sqrt(variance + eps)."""
        variance = sum((x * x for x in centred), start=self._tensor([[0]])) / len(centred)
        wide = torch.promote_types(self.dtype, torch.float32)  # rounded once, on every machine
        scale = torch.rsqrt((variance + eps).to(wide)).to(self.dtype)
        scale = scale + 0 * variance  # no number after an overflow
        return [x * scale for x in centred]

    def _stacked(self, forms: Sequence[Form], stream: Stream, n: int) -> Tensor:
        return _stack([self._form(form, stream) for form in forms], n)

    def _form(self, form: Form, stream: Stream) -> Tensor:
        """The values of a form, left to right; a coordinate not yet written counts as 0."""
        terms = [_scaled(stream[name], c) for name, c in form.terms if name in stream]
        if form.constant or not terms:
            terms.append(self._tensor([[form.constant]]))
        return sum(terms[1:], start=terms[0])

    def _tensor(self, numbers: list) -> Tensor:
        return torch.from_numpy(np.array(numbers, dtype=np.float64)).to(self.dtype)


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


@takes(logits=Tensor)
def cross_entropy_bits(logits: Tensor, labels: Sequence[bool] | Tensor) -> Tensor:
    """-log2 of the probability of the right answer, in bits, for each string: (batch,), float64.

    The probability is sigmoid(logit); a logit of 0 costs 1 bit. Chiang & Cholak 2022, figure 2.
    """
    if not isinstance(labels, (list, tuple, Tensor)):
        raise TypeError(f"labels must be a list or a tensor of bools, not {labels!r}")
    if not isinstance(labels, Tensor):
        labels = torch.tensor([flag(label, "a label") for label in labels], dtype=torch.bool)
    labels = labels.to(logits.device, torch.bool)
    if labels.shape != logits.shape:
        raise ValueError(
            f"labels of shape {tuple(logits.shape)} are expected, not {tuple(labels.shape)}"
        )
    return softplus(torch.where(labels, -logits, logits).double()) / np.log(2)
