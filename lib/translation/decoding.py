"""Greedy decoding and beam search, with the keys and values of earlier positions kept."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.checks import positive
from lib.translation.model import BOS, EOS, PAD, Seq2Seq


@torch.no_grad()
def greedy(model: Seq2Seq, source: Tensor, longest: int, is_cached: bool = True) -> list[list[int]]:
    """The likeliest symbol at each step, until EOS or `longest` symbols, for each sentence of
    `source` (B, n).

    Without `is_cached` every step runs the decoder on all that was decoded so far.
    """
    positive(longest, "the longest output")
    symbols = torch.full((len(source), longest + 1), BOS, device=source.device)
    ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    memory = model.begin(source, longest) if is_cached else None
    for t in range(longest):
        logits = (
            model.step(symbols[:, t], memory)
            if is_cached
            else model(source, symbols[:, : t + 1])[:, -1]
        )
        symbols[:, t + 1] = _speakable(logits).argmax(-1).masked_fill(ended, PAD)
        ended |= symbols[:, t + 1] == EOS
        if ended.all():
            break
    return [_until_end(row) for row in symbols[:, 1 : t + 2].tolist()]


@torch.no_grad()
def beam(
    model: Seq2Seq, source: Tensor, longest: int, width: int = 4, length_power: float = 1.0
) -> list[list[int]]:
    """The best of `width` hypotheses for each sentence by their log-probability over their length
    to `length_power`.
    """
    positive(longest, "the longest output"), positive(width, "the width of the beam")
    B, device = len(source), source.device
    memory, first = (
        model.begin(source, longest, width),
        torch.arange(B, device=device)[:, None] * width,
    )
    symbols = torch.full((B, width, longest + 1), BOS, device=device)
    total = torch.full((B, width), -torch.inf, device=device)
    total[:, 0] = 0  # all begin alike: one of them is enough
    length, ended = (
        torch.zeros(B, width, device=device),
        torch.zeros(B, width, dtype=torch.bool, device=device),
    )
    for t in range(longest):
        logs = (
            _speakable(model.step(symbols[:, :, t].flatten(), memory))
            .float()
            .log_softmax(-1)
            .unflatten(0, (B, width))
        )
        logs = logs.masked_fill(ended[..., None], -torch.inf)
        logs[..., PAD] = torch.where(
            ended, 0, -torch.inf
        )  # what has ended goes on with padding, at no cost
        length = torch.where(ended, length, t + 1)
        totals = total[..., None] + logs
        score = totals / length[..., None] ** length_power
        _, best = score.flatten(1).topk(width)
        parent, symbol = best // logs.shape[-1], best % logs.shape[-1]
        total = totals.flatten(1).gather(1, best)
        symbols = symbols.gather(1, parent[..., None].expand_as(symbols))
        symbols[:, :, t + 1] = symbol
        ended, length = ended.gather(1, parent) | (symbol == EOS), length.gather(1, parent)
        if ended.all():
            break
        memory.select((first + parent).flatten())
    best = (total / length**length_power).argmax(1)
    return [
        _until_end(row) for row in symbols[torch.arange(B, device=device), best, 1 : t + 2].tolist()
    ]


def _speakable(logits: Tensor) -> Tensor:
    """Logits without the two symbols that no output holds."""
    logits[..., [PAD, BOS]] = -torch.inf
    return logits


def _until_end(symbols: list[int]) -> list[int]:
    return symbols[: symbols.index(EOS)] if EOS in symbols else symbols
