"""Trains ensembles as the papers train one network: fresh random strings at every step of Adam,
tests after every epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus
from tqdm import tqdm

from lib.checks import positive
from lib.learning.ensemble import Ensemble
from lib.learning.gradient import gradient
from lib.learning.strings import TASKS, Batch, OrderTask, Task, arranged, quotient, spelled

TOGETHER, PAIRS = (
    64,
    1 << 22,
    # strings of each member, and pairs of their tokens, that are tested together: more would leave the
    # cache
)
SAMPLED = 1000  # test strings, where a network has no quotient


@dataclass(frozen=True)
class Score:
    """How members do on strings of one length: cross-entropy in bits and accuracy, (members,),
    attention on position 1, (members, layers).
    """

    bits: np.ndarray
    accuracy: np.ndarray
    attention: np.ndarray


@dataclass(frozen=True)
class Curves:
    """A training run: scores after some epochs, with a leading axis (epochs,), and the loss before
    each step, (steps, members), in bits.
    """

    epochs: tuple[int, ...]
    bits: np.ndarray
    accuracy: np.ndarray
    attention: np.ndarray
    losses_bits: np.ndarray


def task(language: str) -> Task | OrderTask:
    """The task of that name; ValueError, with those that there are, for another."""
    if language not in TASKS:
        raise ValueError(f"a language of {', '.join(TASKS)} is expected, not {language!r}")
    return TASKS[language]


class Source:
    """Random training strings: each member draws from generators of its own, on the CPU, whoever
    else trains.
    """

    def __init__(self, ensemble: Ensemble, language: str):
        self.task, self.members, self.has_quotient = (
            task(language),
            ensemble.members,
            ensemble.network.has_quotient,
        )
        self.draws = [np.random.default_rng([member.seed, 0]) for member in ensemble.members]
        self.places = [np.random.default_rng([member.seed, 1]) for member in ensemble.members]

    def __call__(self, size: int) -> tuple[Batch, Tensor]:
        """`size` strings for each member and whether they are in the language, (members, size)."""
        lengths, counts = [], []
        for member, draw in zip(self.members, self.draws):
            lengths.append(
                np.full(size, member.length)
                if member.shortest is None
                else draw.integers(member.shortest, member.length, size=size, endpoint=True)
            )
            counts.append(self.task.draw(lengths[-1], draw))
        if isinstance(self.task, OrderTask):
            longest = max(codes.shape[1] for codes in counts)
            codes = np.stack(
                [
                    np.pad(codes, ((0, 0), (0, longest - codes.shape[1])), constant_values=-1)
                    for codes in counts
                ]
            )
            return spelled(codes), torch.from_numpy(self.task.label(codes))
        length, (first, rest) = np.stack(lengths), (np.stack(part) for part in zip(*counts))
        batch = (
            quotient(first, rest, length)
            if self.has_quotient
            else arranged(first, rest, length, self._uniform)
        )
        return batch, torch.from_numpy(self.task.label(first, rest))

    def _uniform(self, shape: tuple[int, ...]) -> np.ndarray:
        """Uniform numbers of that shape, as many from each member's generator as its own longest
        string asks for.
        """
        drawn = [
            draw.random((shape[1], member.length - 1))
            for member, draw in zip(self.members, self.places)
        ]
        return np.stack(
            [np.pad(numbers, ((0, 0), (0, shape[2] - numbers.shape[1]))) for numbers in drawn]
        )


def optimizer(ensemble: Ensemble, rate: float = 3e-4) -> torch.optim.Adam:
    """Adam on all members at once. It works number by number, so members do not meet; `fused` needs
    the contiguous `flat`.
    """
    return torch.optim.Adam([ensemble.flat], lr=rate, fused=True)


def step(ensemble: Ensemble, adam: torch.optim.Adam, batch: Batch, labels: Tensor) -> Tensor:
    """One step of Adam; the loss of each member before it, in nats."""
    nats = gradient(ensemble, batch, labels)
    adam.step()
    return nats


@torch.no_grad()
def score(ensemble: Ensemble, language: str, length: int, seed: int = 0) -> Score:
    """How each member does on strings of `length`.

    Through the quotient this is the expectation over all 2^length strings (for ONE: over the
    distribution that it is trained on), with no sampling error. Without one it is the mean over
    `SAMPLED` strings drawn from `seed`.
    """
    asked, length, draw = task(language), positive(length, "a length"), np.random.default_rng(seed)
    weight = np.full(SAMPLED, 1 / SAMPLED)
    if isinstance(asked, OrderTask):
        codes = asked.draw(np.full(SAMPLED, length), draw)[None]
        batch, labels = spelled(codes), asked.label(codes)
    elif ensemble.network.has_quotient:
        first, rest, weight = asked.distribution(length)
        batch, labels = quotient(first[None], rest[None], length), asked.label(first, rest)
    else:
        first, rest = (part[None] for part in asked.draw(np.full(SAMPLED, length), draw))
        batch, labels = (
            arranged(first, rest, np.full((1, SAMPLED), length), draw.random),
            asked.label(first, rest),
        )
    batch, labels = ensemble.ready(batch), torch.from_numpy(labels).to(ensemble.device)
    together = max(1, min(TOGETHER, PAIRS // batch.symbols.shape[-1] ** 2))
    parts = [ensemble(batch[start : start + together]) for start in range(0, len(weight), together)]
    logits, attention = (torch.cat(part, dim=1).double() for part in zip(*parts))
    weights = torch.from_numpy(weight).to(ensemble.device)
    right = torch.where(labels, logits, -logits)
    accuracy = ((logits > 0) == labels).double() @ weights
    return Score(
        (softplus(-right) @ weights / log(2)).cpu().numpy(),
        accuracy.cpu().numpy(),
        (weights @ attention).cpu().numpy(),
    )


def train(
    ensemble: Ensemble,
    language: str,
    tested_at: Sequence[int],
    test_length: int,
    steps: int = 100,
    strings: int = 1,
    rate: float = 3e-4,
    progress: bool = False,
) -> Curves:
    """Trains every member, to the last of the epochs `tested_at`, and scores them after each of
    those on strings of `test_length`.

    An epoch is `steps` steps of Adam at learning rate `rate` on `strings` fresh random strings
    each. Deterministic on one device.
    """
    epochs = sorted({positive(epoch, "an epoch") for epoch in tested_at})
    positive(steps, "a number of steps"), positive(strings, "a number of strings")
    if not epochs:
        raise ValueError("at least one epoch to test after is expected")
    if not rate > 0:
        raise ValueError(f"a learning rate above 0 is expected, not {rate!r}")
    source, adam, scores = Source(ensemble, language), optimizer(ensemble, rate), []
    losses = ensemble.flat.new_empty((epochs[-1], steps, len(ensemble.members)))
    for epoch in tqdm(range(1, epochs[-1] + 1), disable=not progress, unit="epoch"):
        batch, labels = source(steps * strings)
        batch, labels = ensemble.ready(batch), labels.to(ensemble.device)
        for number in range(steps):
            some = slice(number * strings, (number + 1) * strings)
            losses[epoch - 1, number] = step(ensemble, adam, batch[some], labels[:, some])
        if epoch in epochs:
            scores.append(score(ensemble, language, test_length, seed=epoch))
    stacked = (
        np.stack([getattr(s, name) for s in scores]) for name in ("bits", "accuracy", "attention")
    )
    return Curves(tuple(epochs), *stacked, (losses.flatten(0, 1) / log(2)).cpu().numpy())
