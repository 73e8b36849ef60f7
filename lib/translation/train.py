"""Trains an encoder-decoder on pairs of sentences, and lets it translate."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from lib.checks import positive, whole
from lib.translation.corpora import Corpus, Pairs
from lib.translation.decoding import beam, greedy
from lib.translation.model import BOS, EOS, LONGEST, PAD, Seq2Seq, Shape
from lib.translation.vocabulary import Vocabulary

SYMBOLS_AT_ONCE = 8000  # of source sentences that are translated together


@dataclass(frozen=True)
class Training:
    """How a model is trained: Adam on batches of about `tokens` target symbols, with label
    smoothing.

    The learning rate climbs to `rate` in `warmup` steps and then falls with the square root of
    their number (Vaswani et al. 2017's schedule, by its peak). The seed is that of the weights, of
    the order of the batches and of dropout.
    """

    epochs: int
    tokens: int = 2000
    rate: float = 2e-3
    warmup: int = 200
    smoothing: float = 0.1
    seed: int = 0

    def __post_init__(self):
        for name in ("epochs", "tokens", "warmup"):
            positive(getattr(self, name), name)
        whole(self.seed, "a seed")
        if not self.rate > 0:
            raise ValueError(f"a learning rate above 0 is expected, not {self.rate!r}")
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"smoothing must be at least 0 and below 1, not {self.smoothing!r}")

    def rate_at(self, step: int) -> float:
        """The learning rate of a step; the first is 1."""
        return self.rate * min(step / self.warmup, (self.warmup / step) ** 0.5)


@dataclass(frozen=True)
class Examples:
    """Pairs as symbols: each source (n,), each target (m,) with BOS before it and EOS behind."""

    sources: list[Tensor]
    targets: list[Tensor]

    @classmethod
    def of(cls, pairs: Pairs, vocabulary: Vocabulary, ends_source: bool) -> Examples:
        """ValueError where there is no pair, or one that is empty or longer than positions are
        encoded.
        """
        if not len(pairs):
            raise ValueError("at least one pair of sentences is expected")
        sources = [numbers + [EOS] * ends_source for numbers in vocabulary.encode(pairs.sources)]
        targets = [[BOS, *numbers, EOS] for numbers in vocabulary.encode(pairs.targets)]
        for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
            if not (source and max(len(source), len(target)) <= LONGEST):
                raise ValueError(
                    f"pair {number + 1} has {len(source)} source and {len(target)} target symbols: "
                    f"1 to {LONGEST} are expected"
                )
        return cls(
            [torch.tensor(part) for part in sources], [torch.tensor(part) for part in targets]
        )

    def batches(self, tokens: int, seed: Sequence[int]) -> Iterator[tuple[Tensor, Tensor]]:
        """All pairs in random order, those of like lengths together: padded source (B, n), target
        (B, m), B m about `tokens`.
        """
        draw = np.random.default_rng(seed)
        source_lengths = np.array([len(source) for source in self.sources])
        lengths = np.array([len(target) for target in self.targets])
        order = np.lexsort(np.stack([draw.random(len(lengths)), source_lengths, lengths]))
        groups, start = [], 0
        for end in range(1, len(order) + 1):
            if end == len(order) or (end + 1 - start) * lengths[order[end]] > tokens:
                groups.append(order[start:end])
                start = end
        for number in draw.permutation(len(groups)):
            group = groups[number]
            yield (
                _padded([self.sources[i] for i in group]),
                _padded([self.targets[i] for i in group]),
            )


def _padded(sequences: list[Tensor]) -> Tensor:
    """Symbols (B, the longest), with `PAD` on the right."""
    return pad_sequence(sequences, batch_first=True, padding_value=PAD)


@dataclass(frozen=True)
class Learned:
    """A trained model with its vocabulary; calling it on sentences gives its outputs. `losses`:
    nats a symbol before each step.
    """

    model: Seq2Seq
    vocabulary: Vocabulary
    ends_source: bool
    losses: list[float] = field(repr=False)

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


def learn(
    corpus: Corpus,
    vocabulary: Vocabulary,
    training: Training,
    device: str = "cpu",
    checkpoint: Path | None = None,
    stop_after: int | None = None,
    progress: bool = False,
    **shape,
) -> Learned:
    """Trains a model of `Shape(len(vocabulary), **shape)` on the corpus.

    With `checkpoint` it keeps its state in that file after every epoch, and goes on from there
    where the file exists: the result is that of an undisturbed run. ValueError for a checkpoint
    that is broken or of another run. `stop_after` ends it after so many steps.
    """
    examples = Examples.of(corpus.train, vocabulary, corpus.ends_source)
    run = _Run(Shape(len(vocabulary), **shape), training, examples, device)
    identity = _identity(run.model.shape, training, examples)
    begun = 0
    if checkpoint is not None and checkpoint.exists():
        begun = run.resume(_read(checkpoint, identity))
    for epoch in tqdm(range(begun, training.epochs), disable=not progress, unit="epoch"):
        run.epoch(epoch, stop_after)
        if len(run.losses) == stop_after:
            break
        if checkpoint is not None:
            _write(checkpoint, {"identity": identity, "epochs": epoch + 1, **run.state()})
    losses = torch.stack(run.losses).tolist()
    return Learned(run.model, vocabulary, corpus.ends_source, losses)


class _Run:
    """A training run as far as it has come: the model, its optimizer, and the losses before each
    step.
    """

    def __init__(self, shape: Shape, training: Training, examples: Examples, device: str):
        self.training = training
        self.examples = examples
        self.device = torch.device(device)
        self.model = Seq2Seq(shape, training.seed).to(self.device).train()
        self.losses: list[Tensor] = []
        parameters = self.model.parameters()
        self.adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def resume(self, state: dict) -> int:
        """Goes on from the state of a checkpoint; gives the number of epochs that are done."""
        self.model.load_state_dict(state["model"])
        self.adam.load_state_dict(state["adam"])
        self.losses = list(state["losses"].to(self.device))
        return state["epochs"]

    def state(self) -> dict:
        """What a checkpoint keeps, apart from whose it is."""
        return {
            "model": self.model.state_dict(),
            "adam": self.adam.state_dict(),
            "losses": torch.stack(self.losses).cpu(),
        }

    def epoch(self, number: int, stop_after: int | None) -> None:
        """All examples once, or until `stop_after` steps are done in all."""
        seed = [self.training.seed, number]
        is_on_gpu = self.device.type == "cuda"
        with torch.random.fork_rng(devices=[self.device] if is_on_gpu else []):
            dropout_seed = np.random.SeedSequence(seed).generate_state(1)[0].item()
            torch.manual_seed(dropout_seed)
            for source, target in self.examples.batches(self.training.tokens, seed):
                self.step(source.to(self.device), target.to(self.device))
                if len(self.losses) == stop_after:
                    return

    def step(self, source: Tensor, target: Tensor) -> None:
        """One step of Adam."""
        for group in self.adam.param_groups:
            group["lr"] = self.training.rate_at(len(self.losses) + 1)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.device.type == "cuda"):
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
        logits.flatten(0, 1).float(),
        target[:, 1:].flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
    )


def _identity(shape: Shape, training: Training, examples: Examples) -> str:
    """A hash of all that a checkpoint must have in common with the run that goes on from it."""
    words = hashlib.sha256(repr((asdict(shape), asdict(training))).encode())
    for side in (examples.sources, examples.targets):
        words.update(torch.cat(side).numpy().tobytes())
    return words.hexdigest()


def _write(path: Path, state: dict) -> None:
    """Writes a checkpoint as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    torch.save(state, partial)
    partial.replace(path)


def _read(path: Path, identity: str) -> dict:
    try:
        state = torch.load(path, weights_only=True)
        identity_of_state = state["identity"]
    except Exception as error:  # torch raises errors of many kinds for a broken file
        raise ValueError(
            f"{path} is no checkpoint that can be read: remove it to start anew"
        ) from error
    if identity_of_state != identity:
        raise ValueError(f"{path} is the checkpoint of another run: remove it to start anew")
    return state
