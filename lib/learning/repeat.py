"""Repeats the runs of Nowak et al. 2022: their initial weights, their strings in their order, their
tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus
from tqdm import tqdm

from lib.checks import positive
from lib.learning.ensemble import Ensemble
from lib.learning.gradient import gradient
from lib.learning.published import END_TAG, USED, PublishedStrings
from lib.learning.strings import TASKS, Batch, Task, quotient, spelled
from lib.learning.train import STRINGS_AT_ONCE, optimizer


@dataclass(frozen=True)
class Repetition:
    """Repeated runs, in nats, as the records are.

    `trained_nats` (epochs, members) is the mean loss of an epoch's steps; `nats` and `accuracy`,
    (tested epochs, members), are over a hundred strings.
    """

    trained_nats: np.ndarray
    nats: np.ndarray
    accuracy: np.ndarray


class PublishedBatches:
    """The strings of every member of an ensemble, a hundred at a time; members of one seed and one
    length share theirs.
    """

    def __init__(self, ensemble: Ensemble, language: str):
        runs = [(member.seed, member.length, member.shortest) for member in ensemble.members]
        self.language = language
        self.is_quotient = ensemble.network.has_quotient
        self.strings = {run: PublishedStrings(language, run[0], run[2]) for run in runs}
        self.rows = [list(self.strings).index(run) for run in runs]

    def __call__(self, length: int | None = None, hundreds: int = 1) -> tuple[Batch, Tensor]:
        """The next strings of each member and whether they are in the language.

        They have `length`, or its own length for each member.
        """
        drawn = [
            _stacked([strings(length or own) for _ in range(hundreds)])
            for (_, own, _), strings in self.strings.items()
        ]
        codes = _side_by_side(drawn)[self.rows]
        labels = torch.from_numpy(published_labels(self.language, codes))
        if not self.is_quotient:
            return spelled(codes), labels
        first, ones = codes[..., 0], (codes == 1).sum(-1)
        return quotient(first, ones - first, (codes >= 0).sum(-1)), labels


def _widened(codes: np.ndarray, longest: int) -> np.ndarray:
    """The strings with more room behind their ends."""
    return np.pad(codes, ((0, 0), (0, longest - codes.shape[1])), constant_values=-1)


def _stacked(parts: list[np.ndarray]) -> np.ndarray:
    """The strings of all parts, (strings, longest)."""
    longest = max(part.shape[1] for part in parts)
    return np.concatenate([_widened(part, longest) for part in parts])


def _side_by_side(parts: list[np.ndarray]) -> np.ndarray:
    """As many strings for each run, (runs, strings, longest), int64."""
    longest = max(part.shape[1] for part in parts)
    return np.stack([_widened(part, longest) for part in parts]).astype(np.int64)


def published_labels(language: str, codes: np.ndarray) -> np.ndarray:
    """Which strings (members, B, longest) are in the language; in the records, PARITY means an even
    number of 1s.
    """
    first, ones = codes[..., 0], (codes == 1).sum(-1)
    task = TASKS[language]
    if language == "PARITY":
        return ones % 2 == 0
    if isinstance(task, Task):
        return task.label(first, ones - first, (codes >= 0).sum(-1))
    return task.label(np.where(codes == END_TAG, -1, codes))


def repeat(
    ensemble: Ensemble,
    language: str,
    test_length: int | None,
    tested_at: Sequence[int],
    rate: float = 3e-4,
    strings: int = 1,
    progress: bool = False,
) -> Repetition:
    """Trains every member on its run's strings, to the last of the epochs `tested_at`, and tests it
    after those on its run's test strings, of `test_length` or of its own length.

    An epoch is 100 steps of Adam, each on `strings` strings: one in the records.
    """
    epochs = {positive(epoch, "an epoch") for epoch in tested_at}
    batches = PublishedBatches(ensemble, language)
    adam = optimizer(ensemble, rate)
    trained, nats, accuracy = [], [], []
    for epoch in tqdm(range(1, max(epochs) + 1), disable=not progress, unit="epoch"):
        trained.append(_epoch(ensemble, adam, *batches(hundreds=strings)))
        test_batch, test_labels = batches(test_length)
        if epoch in epochs:
            loss, share = tested(ensemble, test_batch, test_labels)
            nats.append(loss)
            accuracy.append(share)
    return Repetition(np.array(trained), np.array(nats), np.array(accuracy))


def _epoch(ensemble: Ensemble, adam: torch.optim.Adam, batch: Batch, labels: Tensor) -> np.ndarray:
    """A hundred steps of Adam, each on every hundredth string; the mean of the losses before them,
    in nats.
    """
    prepared = ensemble.prepare(batch)
    labels = labels.to(ensemble.device)
    nats = torch.zeros(len(ensemble.members), dtype=ensemble.dtype, device=ensemble.device)
    for number in range(USED):
        step = slice(number, None, USED)
        nats += gradient(ensemble, prepared[step], labels[:, step])
        adam.step()
    return (nats / USED).cpu().numpy()


@torch.no_grad()
def tested(ensemble: Ensemble, batch: Batch, labels: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """The cross-entropy in nats and the accuracy of each member on its strings."""
    prepared = ensemble.prepare(batch)
    labels = labels.to(ensemble.device)
    starts = range(0, labels.shape[1], STRINGS_AT_ONCE)
    logits = torch.cat([ensemble(prepared[i : i + STRINGS_AT_ONCE])[0] for i in starts], dim=1)
    nats = softplus(torch.where(labels, -logits, logits)).mean(1)
    accuracy = ((logits > 0) == labels).double().mean(1)
    return nats.cpu().numpy(), accuracy.cpu().numpy()
