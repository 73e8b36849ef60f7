"""Greedy decoding and beam search, with the keys and values of earlier positions kept."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.checks import between, flag, positive, real, takes
from lib.transformer.devices import symbols_of
from lib.translation.model import BOS, EOS, PAD, Seq2Seq


@torch.no_grad()
@takes(model=Seq2Seq, source=symbols_of, longest=between(1, 10**6), is_cached=flag)
def greedy(model: Seq2Seq, source: Tensor, longest: int, is_cached: bool = True) -> list[list[int]]:
    """The likeliest symbol at each step, until EOS or `longest` symbols, for each sentence of
    `source` (B, n).

    Without `is_cached` every step runs the decoder on all that was decoded so far.
    """
    positive(longest, "the longest output")
    symbols = torch.full((len(source), longest + 1), BOS, device=source.device)
    ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    memory = model.begin(source, longest) if is_cached else None
    steps = 0
    while steps < longest and not ended.all():
        if memory is None:
            logits = model(source, symbols[:, : steps + 1])[:, -1]
        else:
            logits = model.step(symbols[:, steps], memory)
        steps += 1
        symbols[:, steps] = _speakable(logits).argmax(-1).masked_fill(ended, PAD)
        ended |= symbols[:, steps] == EOS
    return [_until_end(row) for row in symbols[:, 1 : steps + 1].tolist()]


@torch.no_grad()
@takes(
    model=Seq2Seq,
    source=symbols_of,
    longest=between(1, 10**6),
    width=between(1, 10**4),
    length_power=real,
)
def beam(
    model: Seq2Seq, source: Tensor, longest: int, width: int = 4, length_power: float = 1.0
) -> list[list[int]]:
    """The best of `width` hypotheses for each sentence by their log-probability over their length
    to `length_power`.
    """
    positive(longest, "the longest output")
    positive(width, "the width of the beam")
    B, device = len(source), source.device
    memory = model.begin(source, longest, width)
    first = torch.arange(B, device=device)[:, None] * width  # the first row of each sentence
    symbols = torch.full((B, width, longest + 1), BOS, device=device)
    total = torch.full((B, width), -torch.inf, device=device)
    total[:, 0] = 0  # all begin alike: one of them is enough
    length = torch.zeros(B, width, device=device)
    ended = torch.zeros(B, width, dtype=torch.bool, device=device)
    steps = 0
    while True:
        logits = _speakable(model.step(symbols[:, :, steps].flatten(), memory))
        steps += 1
        length = torch.where(ended, length, steps)
        totals = total[..., None] + _continued(logits.float().log_softmax(-1), ended)
        score = totals / length[..., None] ** length_power
        _, best = score.flatten(1).topk(width)
        parent, symbol = best // totals.shape[-1], best % totals.shape[-1]
        total = totals.flatten(1).gather(1, best)
        symbols = symbols.gather(1, parent[..., None].expand_as(symbols))
        symbols[:, :, steps] = symbol
        ended = ended.gather(1, parent) | (symbol == EOS)
        length = length.gather(1, parent)
        if steps == longest or ended.all():
            break
        memory.select((first + parent).flatten())
    best = (total / length**length_power).argmax(1)
    chosen = symbols[torch.arange(B, device=device), best, 1 : steps + 1]
    return [_until_end(row) for row in chosen.tolist()]


def _continued(logs: Tensor, ended: Tensor) -> Tensor:
    """Log-probabilities (B, width, symbols) of what follows each hypothesis; what has `ended` (B,
    width) goes on with padding, at no cost.
    """
    logs = logs.unflatten(0, ended.shape).masked_fill(ended[..., None], -torch.inf)
    logs[..., PAD] = torch.where(ended, 0, -torch.inf)
    return logs


def _speakable(logits: Tensor) -> Tensor:
    """Logits without the two symbols that no output holds."""
    logits[..., [PAD, BOS]] = -torch.inf
    return logits


def _until_end(symbols: list[int]) -> list[int]:
    return symbols[: symbols.index(EOS)] if EOS in symbols else symbols
