"""Trains an encoder-decoder on pairs of sentences, and lets it translate with a beam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR

from chapters.translation.data import Batches, Corpus, Examples, Vocabulary
from chapters.translation.model import BOS, EOS, LONGEST, PAD, Seq2Seq, Shape

SYMBOLS_AT_ONCE = 8000  # of source sentences that are translated together


@dataclass(frozen=True)
class Training:
    """How a model is trained: Adam on batches of about `tokens` target symbols, with label
    smoothing.

    The learning rate climbs to `rate` in `warmup` steps and then falls with the square root of
    their number (Vaswani et al. 2017's schedule, by its peak). The seed is that of the weights, of
    the order of the batches and of dropout. `bucket` and `pairs` are those of `Examples.batches`.

    With `patience` the stop criterion is the loss on the validation pairs after each epoch: so many
    epochs in a row without a lower one end the training, of `epochs` at most, and the weights of
    the epoch with the lowest are kept. Without, all `epochs` are run and the last weights kept.
    """

    epochs: int
    tokens: int = 2000
    rate: float = 2e-3
    warmup: int = 200
    smoothing: float = 0.1
    seed: int = 0
    patience: int | None = None
    bucket: float | None = None
    pairs: int | None = None

    def rate_at(self, step: int) -> float:
        """The learning rate of a step; the first is 1."""
        return self.rate * min(step / self.warmup, (self.warmup / step) ** 0.5)


def learn(
    corpus: Corpus,
    vocabulary: Vocabulary,
    training: Training,
    device: str = "cpu",
    stop_after: int | None = None,
    score: Callable[[Learned], list[Any]] | None = None,
    **shape,
) -> Learned:
    """Trains a model of `Shape(len(vocabulary), **shape)` on the corpus, whose training sources
    have the mean length, in symbols, that its attention may scale by. `stop_after` ends it after
    so many steps. The `scores` of what is learned are what `score` gives of it after each epoch.
    """
    examples = Examples(corpus.train, vocabulary, corpus.ends_source)
    validation = Examples(corpus.validation, vocabulary, corpus.ends_source)
    settings = Shape(len(vocabulary), mean_length=examples.mean_length, **shape)
    model = Seq2Seq(settings, training.seed).to(device)
    # the rate is the schedule's alone: it multiplies Adam's
    adam = torch.optim.Adam(model.parameters(), 1.0, betas=(0.9, 0.98), eps=1e-9, fused=True)
    schedule = LambdaLR(adam, lambda steps: training.rate_at(steps + 1))
    learned, best = Learned(model, vocabulary, corpus.ends_source), None
    for epoch in range(training.epochs):
        seed = [training.seed, epoch]
        batches = examples.batches(training.tokens, seed, training.bucket, training.pairs)
        if stop_after is not None:
            batches = islice(batches, stop_after - len(learned.losses))
        losses = train_epoch(model, schedule, batches, training.smoothing, seed)
        learned.losses += losses
        if len(learned.losses) == stop_after:
            break
        learned.mean_losses.append(float(np.mean(losses)))
        if score is not None:
            learned.scores.append(score(learned))
        if training.patience is None:
            continue
        learned.dev_losses.append(mean_loss(model, validation, training.tokens))
        waited = epoch - np.argmin(learned.dev_losses)
        if waited == 0:
            best = deepcopy(model.state_dict())
        elif waited == training.patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return learned


def train_epoch(
    model: Seq2Seq, schedule: LambdaLR, batches: Batches, smoothing: float, seed: list[int]
) -> list[float]:
    """A step for each batch: the losses before them."""
    device = model.word.weight.device
    losses = []  # on the device, so that no step waits for the one before
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(np.random.SeedSequence(seed).generate_state(1)[0].item())
        model.train()
        for source, target in batches:
            loss = loss_of(model, source.to(device), target.to(device), smoothing)
            schedule.optimizer.zero_grad()
            loss.backward()
            schedule.optimizer.step()
            schedule.step()
            losses.append(loss.detach())
    return torch.stack(losses).tolist()


def loss_of(model: Seq2Seq, source: Tensor, target: Tensor, smoothing: float = 0.0) -> Tensor:
    """The mean cross-entropy in nats of the target's symbols after its first."""
    logits = model(source, target[:, :-1]).flatten(0, 1)
    right = target[:, 1:].flatten()
    return cross_entropy(logits, right, ignore_index=PAD, label_smoothing=smoothing)


@torch.no_grad()
def mean_loss(model: Seq2Seq, examples: Examples, tokens: int) -> float:
    """The mean cross-entropy in nats of all target symbols of the examples, without dropout or
    label smoothing, in batches of about `tokens`.
    """
    device = model.word.weight.device
    model.eval()
    total, symbols = 0.0, 0
    for source, target in examples.batches(tokens, [0]):
        count = int((target[:, 1:] != PAD).sum())
        total += loss_of(model, source.to(device), target.to(device)).item() * count
        symbols += count
    return total / symbols


@dataclass
class Learned:
    """A trained model with its vocabulary; calling it on sentences gives its outputs.

    Of its training it holds the loss in nats a symbol before each step; and after each epoch the
    mean of its losses, the loss on the validation pairs, if there is a stop criterion, and the
    scores asked for.
    """

    model: Seq2Seq
    vocabulary: Vocabulary
    ends_source: bool
    losses: list[float] = field(default_factory=list, repr=False)
    mean_losses: list[float] = field(default_factory=list, repr=False)
    dev_losses: list[float] = field(default_factory=list, repr=False)
    scores: list[list[Any]] = field(default_factory=list, repr=False)

    def __call__(
        self, sentences: Sequence[str], width: int = 1, longest: int | None = None
    ) -> list[str]:
        """What the model makes of each sentence, with a beam of `width`; that of 1 is greedy. An
        output ends after `longest` symbols at the latest; without it, after twice the source's
        and 10.
        """
        self.model.eval()
        end, device = [EOS] * self.ends_source, self.model.word.weight.device
        sources = [numbers + end for numbers in self.vocabulary.encode([*sentences])]
        outputs = [""] * len(sources)
        # A batch is of one length, so that no output depends on the other sentences.
        by_length = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        for n, alike in groupby(by_length, lambda i: len(sources[i])):
            room = longest or min(2 * n + 10, LONGEST)
            while batch := [*islice(alike, max(1, SYMBOLS_AT_ONCE // (n * width)))]:
                symbols = torch.tensor([sources[i] for i in batch], device=device)
                decoded = beam(self.model, symbols, room, width)
                for i, output in zip(batch, decoded, strict=True):
                    outputs[i] = self.vocabulary.decode(output)
        return outputs


@torch.no_grad()
def beam(model: Seq2Seq, source: Tensor, longest: int, width: int) -> list[list[int]]:
    """The best of `width` hypotheses for each sentence of `source` (B, n), by their log-probability
    over their length, until each has ended or has `longest` symbols.
    """
    B, device = len(source), source.device
    encoded = [part.repeat_interleave(width, 0) for part in model.encode(source)]
    symbols = torch.full((B, width, 1), BOS, device=device)
    total = torch.full((B, width), -torch.inf, device=device)
    total[:, 0] = 0  # all begin alike: one of them is enough
    length = torch.zeros(B, width, device=device)
    ended = torch.zeros(B, width, dtype=torch.bool, device=device)
    for step in range(1, longest + 1):
        logits = model.logits(model.decode(symbols.flatten(0, 1), *encoded)[:, -1])
        logits[:, [PAD, BOS]] = -torch.inf  # which no output holds
        logs = logits.float().log_softmax(-1).unflatten(0, (B, width))
        logs = logs.masked_fill(ended[..., None], -torch.inf)
        logs[..., PAD] = torch.where(ended, 0, -torch.inf)  # what has ended goes on at no cost
        length = torch.where(ended, length, step)
        totals = total[..., None] + logs
        _, best = (totals / length[..., None]).flatten(1).topk(width)
        parent, symbol = best // totals.shape[-1], best % totals.shape[-1]
        total = totals.flatten(1).gather(1, best)
        symbols = symbols.gather(1, parent[..., None].expand_as(symbols))
        symbols = torch.cat([symbols, symbol[..., None]], -1)
        ended = ended.gather(1, parent) | (symbol == EOS)
        length = length.gather(1, parent)
        if ended.all():
            break
    best = (total / length).argmax(1)
    chosen = symbols[torch.arange(B, device=device), best, 1:]
    return [row[: row.index(EOS)] if EOS in row else row for row in chosen.tolist()]
