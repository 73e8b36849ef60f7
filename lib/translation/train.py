"""Trains an encoder-decoder on pairs of sentences, lets it translate, and measures BLEU with the
paired bootstrap.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from lib.checks import positive, whole
from lib.translation.corpora import Corpus, Pairs
from lib.translation.decoding import beam, greedy
from lib.translation.model import BOS, EOS, LONGEST, PAD, Seq2Seq, Shape
from lib.translation.vocabulary import Vocabulary

BOOTSTRAP = 1000  # samples, as in Chiang & Cholak 2022, section 5.4
TOGETHER = 8000  # symbols of source sentences that are translated together


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
        for number, (source, target) in enumerate(zip(sources, targets)):
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
        draw, lengths = (
            np.random.default_rng(seed),
            np.array([len(target) for target in self.targets]),
        )
        order = np.lexsort(
            (draw.random(len(lengths)), [len(source) for source in self.sources], lengths)
        )
        groups, start = [], 0
        for end in range(1, len(order) + 1):
            if end == len(order) or (end + 1 - start) * lengths[order[end]] > tokens:
                groups.append(order[start:end])
                start = end
        for number in draw.permutation(len(groups)):
            some = groups[number]
            yield tuple(
                pad_sequence([side[i] for i in some], batch_first=True, padding_value=PAD)
                for side in (self.sources, self.targets)
            )


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
        device, outputs, by_length = next(self.model.parameters()).device, {}, {}
        self.model.eval()
        sources = [
            numbers + [EOS] * self.ends_source for numbers in self.vocabulary.encode(sentences)
        ]
        for i, source in enumerate(sources):
            by_length.setdefault(len(source), []).append(i)
        for (
            n,
            alike,
        ) in by_length.items():  # of one length, so that no output depends on who else is there
            together, room = max(1, TOGETHER // (n * width)), longest or min(2 * n + 10, LONGEST)
            for some in (
                alike[start : start + together] for start in range(0, len(alike), together)
            ):
                batch = torch.tensor([sources[i] for i in some], device=device)
                found = (
                    greedy(self.model, batch, room)
                    if width == 1
                    else beam(self.model, batch, room, width)
                )
                outputs |= zip(some, map(self.vocabulary.decode, found))
        return [outputs[i] for i in range(len(sources))]


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
    shape = Shape(len(vocabulary), **shape)
    examples = Examples.of(corpus.train, vocabulary, corpus.ends_source)
    model = Seq2Seq(shape, training.seed).to(device).train()
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    losses, begun, on_gpu = [], 0, torch.device(device).type == "cuda"
    identity = _identity(shape, training, examples)
    if checkpoint is not None and checkpoint.exists():
        state = _read(checkpoint, identity)
        model.load_state_dict(state["model"])
        adam.load_state_dict(state["adam"])
        losses, begun = list(state["losses"].to(device)), state["epochs"]
    for epoch in tqdm(range(begun, training.epochs), disable=not progress, unit="epoch"):
        with torch.random.fork_rng(devices=[torch.device(device)] if on_gpu else []):
            torch.manual_seed(
                np.random.SeedSequence([training.seed, epoch]).generate_state(1)[0].item()
            )  # dropout's
            for source, target in examples.batches(training.tokens, [training.seed, epoch]):
                for group in adam.param_groups:
                    group["lr"] = training.rate_at(len(losses) + 1)
                source, target = source.to(device), target.to(device)
                with torch.autocast("cuda", torch.bfloat16, enabled=on_gpu):
                    loss = loss_of(model, source, target, training.smoothing)
                adam.zero_grad()
                loss.backward()
                adam.step()
                losses.append(loss.detach())
                if len(losses) == stop_after:
                    return Learned(
                        model, vocabulary, corpus.ends_source, torch.stack(losses).tolist()
                    )
        if checkpoint is not None:
            _write(
                checkpoint,
                {
                    "identity": identity,
                    "epochs": epoch + 1,
                    "model": model.state_dict(),
                    "adam": adam.state_dict(),
                    "losses": torch.stack(losses).cpu(),
                },
            )
    return Learned(model, vocabulary, corpus.ends_source, torch.stack(losses).tolist())


def loss_of(model: Seq2Seq, source: Tensor, target: Tensor, smoothing: float = 0.0) -> Tensor:
    """The mean cross-entropy in nats of the target's symbols after its first, with label smoothing."""
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
        found = state["identity"]
    except Exception as error:  # torch raises errors of many kinds for a broken file
        raise ValueError(
            f"{path} is no checkpoint that can be read: remove it to start anew"
        ) from error
    if found != identity:
        raise ValueError(f"{path} is the checkpoint of another run: remove it to start anew")
    return state


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of outputs in percent: sacrebleu's, with its 13a tokens and no smoothing."""
    return _metric({"": outputs}, references).corpus_score(list(outputs), None).score


@dataclass(frozen=True)
class Score:
    """BLEU, half the width of its 95% confidence interval, and the p-value of its difference from
    the first system (None for that).
    """

    bleu: float
    confidence: float
    p: float | None


def scores(systems: Mapping[str, Sequence[str]], references: Sequence[str]) -> dict[str, Score]:
    """The `bleu` of each system's outputs, bootstrapped, each paired with the first system."""
    named = [(name, list(outputs)) for name, outputs in systems.items()]
    _, found = PairedTest(named, {"BLEU": _metric(systems, references)}, None, "bs", BOOTSTRAP)()
    first = found["BLEU"][
        0
    ].score  # of two equal systems sacrebleu says that they differ for certain
    return {
        name: Score(
            result.score,
            result.ci,
            1.0 if result.p_value and result.score == first else result.p_value,
        )
        for name, result in zip(found["System"], found["BLEU"])
    }


def signature() -> str:
    """What sacrebleu says of how BLEU is measured, its version included."""
    metric = BLEU(smooth_method="none", references=[[""]])
    return str(metric.get_signature())


def _metric(systems: Mapping[str, Sequence[str]], references: Sequence[str]) -> BLEU:
    if (
        not systems
        or any(len(outputs) != len(references) for outputs in systems.values())
        or not references
    ):
        raise ValueError(
            f"at least one system with an output for each of {len(references)} references is expected"
        )
    return BLEU(smooth_method="none", references=[list(references)])
