"""Trains ensembles as the papers train one network: fresh random strings at every step of Adam,
tests after every epoch.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from chapters.common.learners.ensemble import Ensemble, gradient
from chapters.common.learners.strings import (
    TASKS,
    Batch,
    OrderTask,
    Task,
    arranged,
    quotient,
    side_by_side,
    spelled,
)
from lib.checks import one_of, takes

# Strings of each member, and pairs of their tokens, that are tested together: more would leave the
# cache.
STRINGS_AT_ONCE = 64
PAIRS_AT_ONCE = 1 << 22
Step = tuple[Batch, Tensor]  # strings and their labels


@dataclass(frozen=True)
class Score:
    """How members do on strings of one length: cross-entropy in bits and accuracy, (members,),
    attention on position 1, (members, layers).
    """

    bits: np.ndarray
    accuracy: np.ndarray
    attention: np.ndarray


@dataclass(frozen=True)
class Curves(Score):
    """A training run: scores after some epochs, with a leading axis (epochs,), and the loss before
    each step, (steps, members), in bits.
    """

    epochs: tuple[int, ...]
    losses_bits: np.ndarray


class StringSource:
    """Random training strings: each member draws from its own generators, whoever else trains."""

    def __init__(self, ensemble: Ensemble, language: str):
        self.task = TASKS[language]
        self.ensemble = ensemble
        self.draws = [np.random.default_rng([member.seed, 0]) for member in ensemble.members]
        self.places = [np.random.default_rng([member.seed, 1]) for member in ensemble.members]

    def steps(self, steps: int, strings: int) -> Iterator[Step]:
        """So many `strings` for each member, fresh ones for each of the steps."""
        batch, labels = self(steps * strings)
        for start in range(0, steps * strings, strings):
            of_step = slice(start, start + strings)
            yield batch[of_step], labels[:, of_step]

    def __call__(self, size: int) -> tuple[Batch, Tensor]:
        """`size` strings for each member and whether they are in the language, (members, size)."""
        members = self.ensemble.members
        lengths = [  # numpy takes nothing from a generator where one length is possible
            draw.integers(m.shortest or m.length, m.length, size=size, endpoint=True)
            for m, draw in zip(members, self.draws, strict=True)
        ]

        def uniform() -> np.ndarray:  # as many as a member's own longest string needs
            places = zip(members, self.places, strict=True)
            return side_by_side([draw.random((size, m.length - 1)) for m, draw in places], 0)

        has_quotient = self.ensemble.network.has_quotient
        return drawn(self.task, lengths, self.draws, None if has_quotient else uniform)


def drawn(
    task: Task | OrderTask,
    lengths: Sequence[np.ndarray],
    draws: Sequence[np.random.Generator],
    uniform: Callable[[], np.ndarray] | None,
) -> tuple[Batch, Tensor]:
    """Random strings of these lengths and whether they are in the language, each member's from its
    own draw; with numbers that say where 1s stand, or else, if the task can, as four tokens.
    """
    pairs = [*zip(lengths, draws, strict=True)]
    if isinstance(task, OrderTask):
        codes = side_by_side([task.draw(*pair) for pair in pairs])
        return spelled(codes), torch.from_numpy(task.label(codes))
    first, rest = np.stack([task.draw(*pair) for pair in pairs], axis=1)
    length = np.stack(lengths)
    labels = torch.from_numpy(task.label(first, rest, length))
    if uniform is None:
        return quotient(first, rest, length), labels
    return arranged(first, rest, length, uniform()), labels


def optimizer(ensemble: Ensemble, rate: float = 3e-4) -> torch.optim.Adam:
    """Adam on all members at once: number by number, so that they do not meet."""
    return torch.optim.Adam([ensemble.flat], lr=rate, fused=True)  # which needs one flat tensor


def descent(ensemble: Ensemble, steps: Iterator[Step], adam: torch.optim.Adam) -> Iterator[Tensor]:
    """Takes one step after the other, and gives the loss of each member before it, (members,)."""
    for strings in steps:
        loss = gradient(ensemble, *strings)
        adam.step()
        yield loss


@torch.no_grad()
def score(
    ensemble: Ensemble, language: str, length: int, seed: int = 0, sampled: int = 1000
) -> Score:
    """How each member does on strings of `length`: through the quotient the expectation over all
    2^length strings (for ONE: over the distribution that it is trained on), with no sampling error;
    without one the mean over `sampled` strings drawn from `seed`.
    """
    task, draw = TASKS[language], np.random.default_rng(seed)
    if isinstance(task, Task) and ensemble.network.has_quotient:
        first, rest, weight = task.distribution(length)
        batch = quotient(first[None], rest[None], length)
        labels = torch.from_numpy(task.label(first, rest, length))
    else:
        weight = np.full(sampled, 1 / sampled)
        lengths = [np.full(sampled, length)]
        batch, labels = drawn(task, lengths, [draw], lambda: draw.random((1, sampled, length - 1)))
    weights = torch.from_numpy(weight)
    at_once = max(1, min(STRINGS_AT_ONCE, PAIRS_AT_ONCE // batch.symbols.shape[-1] ** 2))
    starts = range(0, len(weight), at_once)
    parts = zip(*(ensemble(batch[start : start + at_once]) for start in starts), strict=True)
    logits, attention = (torch.cat(part, dim=1).double() for part in parts)
    nats = softplus(-torch.where(labels, logits, -logits))
    is_right = ((logits > 0) == labels).double()
    return Score(
        bits=(nats @ weights / log(2)).numpy(),
        accuracy=(is_right @ weights).numpy(),
        attention=(weights @ attention).numpy(),
    )


@takes(language=one_of(TASKS))
def train(
    ensemble: Ensemble,
    language: str,
    tested_at: Sequence[int],
    test_length: int,
    steps: int = 100,
    strings: int = 1,
    rate: float = 3e-4,
) -> Curves:
    """Trains every member, to the last of the epochs `tested_at`, each of `steps` steps of Adam at
    learning rate `rate` on `strings` fresh random strings; and scores them after each of those on
    strings of `test_length`.
    """
    epochs = sorted({*tested_at})
    source, adam, scores = StringSource(ensemble, language), optimizer(ensemble, rate), []
    losses = ensemble.flat.new_empty((epochs[-1], steps, len(ensemble.members)))
    for epoch in range(1, epochs[-1] + 1):
        for number, loss in enumerate(descent(ensemble, source.steps(steps, strings), adam)):
            losses[epoch - 1, number] = loss
        if epoch in epochs:
            scores.append(score(ensemble, language, test_length, seed=epoch))
    losses_bits = (losses.flatten(0, 1) / log(2)).numpy()
    by_epoch = {name: np.stack([vars(s)[name] for s in scores]) for name in vars(scores[0])}
    return Curves(**by_epoch, epochs=tuple(epochs), losses_bits=losses_bits)
