"""Trains an encoder-decoder on pairs of sentences, and lets it translate, greedily or with a beam.

A training may keep its state in a checkpoint, a file that is whole or refused, and go on from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from chapters.translation.data import Corpus, Examples, Pairs, Subwords, Vocabulary, Words
from chapters.translation.model import BOS, EOS, LONGEST, PAD, Seq2Seq, Shape
from lib.checks import (
    an,
    between,
    function,
    hold,
    many,
    number,
    optional,
    share,
    takes,
    text,
    whole,
)
from lib.files import read_checkpoint, write_checkpoint
from lib.transformer.tensors import device

SYMBOLS_AT_ONCE = 8000  # of source sentences that are translated together


def above_one(value: float, what: str) -> float:
    """`value` if it is a number above 1; otherwise ValueError with its name."""
    if not number(value, what) > 1:
        raise ValueError(f"{what} must be above 1, not {value!r}")
    return float(value)


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

    def __post_init__(self):
        hold(self, epochs=between(1), tokens=between(1), warmup=between(1))
        hold(self, rate=number, smoothing=share)
        hold(self, patience=optional(between(1)), bucket=optional(above_one))
        hold(self, pairs=optional(between(1)))
        whole(self.seed, "a seed")
        if not self.rate > 0:
            raise ValueError(f"a learning rate above 0 is expected, not {self.rate!r}")

    def rate_at(self, step: int) -> float:
        """The learning rate of a step; the first is 1."""
        return self.rate * min(step / self.warmup, (self.warmup / step) ** 0.5)

    def has_stopped(self, dev_losses: Sequence[float]) -> bool:
        """Whether the stop criterion holds after epochs with these losses on the validation
        pairs.
        """
        if self.patience is None or not dev_losses:
            return False
        return len(dev_losses) - best_epoch(dev_losses) >= self.patience


def best_epoch(dev_losses: Sequence[float]) -> int:
    """The epoch, 1 and up, with the lowest loss on the validation pairs, the first of several."""
    return int(np.argmin(dev_losses)) + 1


@takes(
    corpus=Corpus,
    vocabulary=an(Words, Subwords),
    training=Training,
    device=device,
    checkpoint=optional(Path),
    stop_after=optional(between(1)),
    score=optional(function),
)
def learn(
    corpus: Corpus,
    vocabulary: Vocabulary,
    training: Training,
    device: str = "cpu",
    checkpoint: Path | None = None,
    stop_after: int | None = None,
    score: Callable[[Learned], list[float]] | None = None,
    **shape,
) -> Learned:
    """Trains a model of `Shape(len(vocabulary), **shape)` on the corpus.

    The mean length that its attention may scale by is that of the corpus's training sources, in
    symbols. With `checkpoint` it keeps its state in that file after every epoch, and goes on from
    there where the file exists: the result is that of an undisturbed run. `CheckpointError` for
    one that is broken or of another run. `stop_after` ends it after so many steps. The `scores` of
    what is learned are what `score` gives of it after each epoch.
    """
    examples = _examples(corpus.train, vocabulary, corpus.ends_source)
    validation = None
    if training.patience is not None:
        validation = _examples(corpus.validation, vocabulary, corpus.ends_source)
    whole_shape = Shape(len(vocabulary), **{"mean_length": examples.mean_length, **shape})
    run = _Run(training, whole_shape, examples, validation, torch.device(device))
    identity = ""
    if checkpoint is not None:
        identity = _identity(whole_shape, training, examples, validation)
        if checkpoint.exists():
            run.resume(read_checkpoint(checkpoint, identity))
    for epoch in range(len(run.ends), training.epochs):
        if training.has_stopped(run.dev_losses):
            break
        run.epoch(epoch, stop_after)
        if len(run.losses) == stop_after:
            break
        if score is not None:
            run.scores.append(score(Learned(run.model, vocabulary, corpus.ends_source, [])))
        if checkpoint is not None:
            write_checkpoint(checkpoint, {"identity": identity, **run.state()})
    if run.best:  # there is a stop criterion: its best epoch's weights are kept
        run.model.load_state_dict(run.best)
    losses = torch.stack(run.losses).tolist()
    ends, dev_losses, scores = run.ends, run.dev_losses, run.scores
    return Learned(run.model, vocabulary, corpus.ends_source, losses, ends, dev_losses, scores)


@lru_cache(maxsize=4)  # variants are trained on the same pairs, one after another
def _examples(pairs: Pairs, vocabulary: Vocabulary, ends_source: bool) -> Examples:
    return Examples.of(pairs, vocabulary, ends_source)


@dataclass
class _Run:
    """A training run as far as it has come: the model, its optimizer, the losses before each step
    and, with a stop criterion, those on the validation pairs and the weights of the best epoch.
    """

    training: Training
    shape: Shape
    examples: Examples
    validation: Examples | None
    device: torch.device
    ends: list[int] = field(default_factory=list)
    losses: list[Tensor] = field(default_factory=list)
    dev_losses: list[float] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)
    scores: list[list[float]] = field(default_factory=list)

    def __post_init__(self):
        self.model = Seq2Seq(self.shape, self.training.seed).to(self.device)
        parameters = self.model.parameters()
        self.adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def resume(self, state: dict) -> None:
        """Goes on from the state of a checkpoint."""
        self.ends = state["ends"]
        self.model.load_state_dict(state["model"])
        self.adam.load_state_dict(state["adam"])
        self.losses = list(state["losses"].to(self.device))
        self.dev_losses = state["dev_losses"]
        self.best = state["best"]
        self.scores = state["scores"]

    def state(self) -> dict:
        """What a checkpoint keeps, apart from whose it is."""
        return {
            "ends": self.ends,
            "model": self.model.state_dict(),
            "adam": self.adam.state_dict(),
            "losses": torch.stack(self.losses).cpu(),
            "dev_losses": self.dev_losses,
            "best": self.best,
            "scores": self.scores,
        }

    def epoch(self, number: int, stop_after: int | None) -> None:
        """All examples once, or until `stop_after` steps are done in all; then the loss on the
        validation pairs, where the weights are kept if it is the lowest.
        """
        seed = [self.training.seed, number]
        is_on_gpu = self.device.type == "cuda"
        with torch.random.fork_rng(devices=[self.device] if is_on_gpu else []):
            dropout_seed = np.random.SeedSequence(seed).generate_state(1)[0].item()
            torch.manual_seed(dropout_seed)
            training = self.training
            batches = self.examples.batches(training.tokens, seed, training.bucket, training.pairs)
            self.model.train()
            for source, target in batches:
                self.step(source.to(self.device), target.to(self.device))
                if len(self.losses) == stop_after:
                    return
        self.ends.append(len(self.losses))
        if self.validation is None:
            return
        self.dev_losses.append(mean_loss(self.model, self.validation, self.training.tokens))
        if best_epoch(self.dev_losses) == len(self.dev_losses):
            self.best = deepcopy(self.model.state_dict())

    def step(self, source: Tensor, target: Tensor) -> None:
        """One step of Adam."""
        for group in self.adam.param_groups:
            group["lr"] = self.training.rate_at(len(self.losses) + 1)
        loss = loss_of(self.model, source, target, self.training.smoothing)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.losses.append(loss.detach())


def loss_of(model: Seq2Seq, source: Tensor, target: Tensor, smoothing: float = 0.0) -> Tensor:
    """The mean cross-entropy in nats of the target's symbols after its first, with label
    smoothing.
    """
    logits = model(source, target[:, :-1])
    return cross_entropy(
        logits.flatten(0, 1),
        target[:, 1:].flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
    )


@torch.no_grad()
def mean_loss(model: Seq2Seq, examples: Examples, tokens: int) -> float:
    """The mean cross-entropy in nats of all target symbols of the examples, without dropout or
    label smoothing, in batches of about `tokens`.
    """
    was_training, place = model.training, next(model.parameters()).device
    model.eval()
    total, symbols = 0.0, 0
    for source, target in examples.batches(tokens, [0]):
        count = int((target[:, 1:] != PAD).sum())
        total += loss_of(model, source.to(place), target.to(place)).item() * count
        symbols += count
    model.train(was_training)
    return total / symbols


@dataclass(frozen=True)
class Learned:
    """A trained model with its vocabulary; calling it on sentences gives its outputs. `losses`:
    nats a symbol before each step; `ends`: after how many of them each epoch ended; `dev_losses`:
    on the validation pairs after each epoch, if there is a stop criterion; `scores`: what else was
    measured then.
    """

    model: Seq2Seq
    vocabulary: Vocabulary
    ends_source: bool
    losses: list[float] = field(repr=False)
    ends: list[int] = field(default_factory=list, repr=False)
    dev_losses: list[float] = field(default_factory=list, repr=False)
    scores: list[list[float]] = field(default_factory=list, repr=False)

    @takes(sentences=many(text), width=between(1, 10**4), longest=optional(between(1, LONGEST)))
    def __call__(
        self, sentences: Sequence[str], width: int = 1, longest: int | None = None
    ) -> list[str]:
        """What the model makes of each sentence, greedily or with a beam of `width`.

        An output ends after `longest` symbols at the latest; without it, after twice the source's
        and 10.
        """
        self.model.eval()
        sources = [
            numbers + [EOS] * self.ends_source for numbers in self.vocabulary.encode(sentences)
        ]
        # A batch is of one length, so that no output depends on the other sentences.
        by_length: dict[int, list[int]] = {}
        for i, source in enumerate(sources):
            by_length.setdefault(len(source), []).append(i)
        outputs = [""] * len(sources)
        for n, alike in by_length.items():
            at_once = max(1, SYMBOLS_AT_ONCE // (n * width))
            room = longest or min(2 * n + 10, LONGEST)
            for start in range(0, len(alike), at_once):
                batch = alike[start : start + at_once]
                decoded = self._decode([sources[i] for i in batch], room, width)
                for i, output in zip(batch, decoded, strict=True):
                    outputs[i] = output
        return outputs

    def _decode(self, sources: list[list[int]], longest: int, width: int) -> list[str]:
        """What the model makes of sources of one length."""
        symbols = torch.tensor(sources, device=next(self.model.parameters()).device)
        if width == 1:
            decoded = greedy(self.model, symbols, longest)
        else:
            decoded = beam(self.model, symbols, longest, width)
        return [self.vocabulary.decode(output) for output in decoded]


@torch.no_grad()
def greedy(model: Seq2Seq, source: Tensor, longest: int) -> list[list[int]]:
    """The likeliest symbol at each step, until EOS or `longest` symbols, for each sentence of
    `source` (B, n).
    """
    symbols = torch.full((len(source), longest + 1), BOS, device=source.device)
    ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    memory = model.begin(source, longest)
    steps = 0
    while steps < longest and not ended.all():
        logits = model.step(symbols[:, steps], memory)
        steps += 1
        symbols[:, steps] = _speakable(logits).argmax(-1).masked_fill(ended, PAD)
        ended |= symbols[:, steps] == EOS
    return [_until_end(row) for row in symbols[:, 1 : steps + 1].tolist()]


@torch.no_grad()
def beam(model: Seq2Seq, source: Tensor, longest: int, width: int) -> list[list[int]]:
    """The best of `width` hypotheses for each sentence of `source` (B, n), by their log-probability
    over their length.
    """
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
        score = totals / length[..., None]
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
    best = (total / length).argmax(1)
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


def _identity(
    shape: Shape, training: Training, examples: Examples, validation: Examples | None
) -> str:
    """A hash of all that a checkpoint must have in common with the run that goes on from it."""
    settings = asdict(shape) | asdict(training)
    plain = {name: _plain(value) for name, value in settings.items()}
    words = hashlib.sha256(repr(plain).encode())
    for part in (examples, validation):
        for side in () if part is None else (part.sources, part.targets):
            words.update(torch.cat(side).numpy().tobytes())
    return words.hexdigest()


def _plain(value: object) -> object:
    """Python's own number for one of numpy's, which is written otherwise."""
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value
