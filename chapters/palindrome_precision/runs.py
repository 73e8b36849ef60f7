"""The stored runs on Nowak et al. 2022: theirs again, from their initial weights and on their
strings in the order in which they were drawn; and ONE, learned as the other languages here are.

A run of theirs draws from Python's `random` and, for ONE's number of 1s, from NumPy's old
generator, both with the same seed. Training and test strings come from the same generators in turn:
an epoch draws 101 strings to train on and 101 to test on, and uses 100 of each.

Source: github.com/giacomocamposampiero/palindrome-transformer, at commit 681d35d.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from random import Random

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from chapters.common.learners.strings import TASKS, Batch, Task, quotient, side_by_side, spelled
from chapters.common.learners.train import STRINGS_AT_ONCE, descent, optimizer
from chapters.common.learning import REPLAYED_SEEDS, ROUNDED, TESTED_AT, of_learners
from lib.languages import POISSON_RATE
from record.experiment import Experiment, experiments, is_same_start, packed, significant, unpacked

SEEDS = (477, 653, 720, 497, 112, 350, 246, 634, 307, 655)
SEEDS += (51, 737, 876, 611, 139, 291, 558, 47, 396, 210)
USED = 100  # strings of an epoch
DRAWN = 101  # strings that are drawn for it
END_TAG = 3  # the code of the tag that only PALINDROME has
SHARED_SEED = 0  # of the initial weights of all their runs
KEPT = range(REPLAYED_SEEDS)  # the runs whose weights are stored, the first of the first group

# The networks of the authors' code. What their text says otherwise is in chapter 7's table.
NETWORKS = {
    "FIRST": Network("FIRST", output_first=True),
    "ONE": Network("FIRST", output_first=True),
    "PARITY": Network("scaled PARITY", read_at="last", output_first=True),
    "PALINDROME": Network("doubled sinusoidal", has_end_tag=True, output_first=True),
}


class PublishedStrings:
    """The strings of one run, a hundred at a time; with `shortest` of lengths of their own, uniform
    between that and the length asked for.
    """

    def __init__(self, language: str, seed: int, shortest: int | None = None):
        self.language, self.shortest = language, shortest
        self.draw, self.counts = Random(seed), np.random.RandomState(seed)
        self.bits = np.empty(0, np.int64)

    def __call__(self, length: int) -> np.ndarray:
        """Each member's next hundred strings, of `length` or its own, and their labels."""
        if self.language in ("FIRST", "PARITY") and self.shortest is None:
            return self._symbols(DRAWN * length).reshape(DRAWN, length)[:USED]
        return side_by_side([np.array(self.string(length)) for _ in range(DRAWN)][:USED])

    def _symbols(self, size: int) -> np.ndarray:
        """What so many `randrange(2)` would give: two bits each, until they make 0 or 1."""
        while len(self.bits) < size:
            words = self.draw.getrandbits(32 * size).to_bytes(4 * size, "little")
            two_bits = np.frombuffer(words, "<u4").astype(np.int64) >> 30
            self.bits = np.append(self.bits, two_bits[two_bits < 2])
        drawn, self.bits = np.split(self.bits, [size])
        return drawn

    def string(self, length: int) -> Sequence[int] | np.ndarray:
        """The next string, as 0/1."""
        if self.shortest is not None:
            length = self.draw.randrange(self.shortest, length + 1)
        if self.language == "ONE":
            ones = min(length, int(self.counts.poisson(POISSON_RATE)))
            w = np.zeros(length, np.int64)
            w[self.draw.sample(range(length), ones)] = 1
            return w
        if self.language != "PALINDROME":
            return [self.draw.randrange(2) for _ in range(length)]
        # A palindrome, with one flip in every other one. An odd length loses its middle symbol, as
        # it did when the records were made.
        half = [self.draw.randrange(2) for _ in range(length // 2)]
        w = half + half[::-1]
        if self.draw.randrange(2) and w:
            place = self.draw.randrange(len(w))
            w[place] = 1 - w[place]
        return [*w, END_TAG]


class PublishedBatches:
    """Every member's strings, a hundred at a time, shared by those of one seed and length."""

    def __init__(self, ensemble: Ensemble, language: str):
        self.language, self.is_quotient = language, ensemble.network.has_quotient
        runs = [(member.seed, member.length, member.shortest) for member in ensemble.members]
        self.strings = {run: PublishedStrings(language, run[0], run[2]) for run in runs}
        self.rows = [list(self.strings).index(run) for run in runs]

    def __call__(self, length: int | None = None) -> tuple[Batch, Tensor]:
        """The next hundred strings of each member, of `length` or of its own length, and whether
        they are in the language.
        """
        drawn = [strings(length or own) for (_, own, _), strings in self.strings.items()]
        codes = side_by_side(drawn)[self.rows]
        batch = quotient(*counted(codes)) if self.is_quotient else spelled(codes)
        return batch, torch.from_numpy(published_labels(self.language, codes))


def counted(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each string the first symbol, the 1s after it and the length."""
    first = codes[..., 0]
    return first, (codes == 1).sum(-1) - first, (codes >= 0).sum(-1)


def published_labels(language: str, codes: np.ndarray) -> np.ndarray:
    """Which strings are in the language; in the records, PARITY is an even number of 1s."""
    if language == "PARITY":
        return (codes == 1).sum(-1) % 2 == 0
    task = TASKS[language]
    if isinstance(task, Task):
        return task.label(*counted(codes))
    return task.label(np.where(codes == END_TAG, -1, codes))


def repeat(
    ensemble: Ensemble, language: str, test_length: int | None, tested_at: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Trains every member on its run's strings, to the last of the epochs `tested_at`, and tests it
    after those on its run's test strings, of `test_length` or of its own length. An epoch is 100
    steps of Adam, each on one string.

    The mean loss of each epoch's steps, (epochs, members), and what `tested` gives after the tested
    ones, each (tested epochs, members); in nats, as the records are.
    """
    batches, adam = PublishedBatches(ensemble, language), optimizer(ensemble)
    trained, tests = [], []
    for epoch in range(1, max(tested_at) + 1):
        batch, labels = batches()
        steps = ((batch[i : i + 1], labels[:, i : i + 1]) for i in range(USED))
        trained.append(torch.stack([*descent(ensemble, steps, adam)]).mean(0).numpy())
        test_strings = batches(test_length)  # drawn after every epoch, tested or not
        if epoch in tested_at:
            tests.append(tested(ensemble, *test_strings))
    nats, accuracy = zip(*tests, strict=True)
    return np.array(trained), np.array(nats), np.array(accuracy)


@torch.no_grad()
def tested(ensemble: Ensemble, batch: Batch, labels: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """The cross-entropy in nats and the accuracy of each member on its strings."""
    starts = range(0, labels.shape[1], STRINGS_AT_ONCE)
    logits = torch.cat([ensemble(batch[i : i + STRINGS_AT_ONCE])[0] for i in starts], dim=1)
    nats = softplus(torch.where(labels, -logits, logits)).mean(1)
    accuracy = ((logits > 0) == labels).double().mean(1)
    return nats.numpy(), accuracy.numpy()


def learners(configuration: dict) -> Ensemble:
    """The ensemble of a configuration: scales, lengths and runs, the runs changing fastest."""
    members = [
        Member(seed, length, scale, configuration["shortest"], SHARED_SEED)
        for scale, length in product(configuration["scales"], configuration["lengths"])
        for seed in SEEDS[: configuration["runs"]]
    ]
    return Ensemble(NETWORKS[configuration["language"]], members)


def measure(device: str, **configuration) -> dict:
    """Repeats the runs of a configuration: for each scale and length, the mean loss of the first
    epoch (runs), losses and accuracies after some epochs (epochs, runs); losses in nats.
    """
    language, test_length = configuration["language"], configuration["test_length"]
    tested_at = [epoch for epoch in TESTED_AT if epoch <= configuration["epochs"]]
    ensemble, groups = learners(configuration), []
    trained, nats, accuracy = repeat(ensemble, language, test_length, tested_at)
    for start in range(0, len(ensemble.members), configuration["runs"]):
        own = slice(start, start + configuration["runs"])
        groups.append(
            {
                "scale": ensemble.members[start].scale,
                "length": ensemble.members[start].length,
                "first_nats": trained[0, own].tolist(),
                "nats": significant(nats[:, own]),
                "accuracy": significant(accuracy[:, own]),
            }
        )
    weights = packed(ensemble.chosen(KEPT).flat.numpy())
    return {"epochs": tested_at, "groups": groups, "weights": weights}


def replay(configuration: dict, result: dict) -> bool:
    """Whether today's code gives the stored losses and accuracies of the first epoch, and the kept
    weights give those of the last. (Those of the authors' own runs are compared with what the
    authors recorded in tests/record/test_published_strings.py.)
    """
    if "weights" in result and not _kept_does_the_same(configuration, result):
        return False
    again = measure("cpu", **configuration | {"epochs": 1})
    # nats: what float32 and another order of additions leave between equal epochs
    return all(
        is_same_start(now["first_nats"], was["first_nats"], rtol=0, atol=1e-5)
        and is_same_start(now["nats"][0], was["nats"][0], rtol=0, atol=1e-3)
        and now["accuracy"][0] == was["accuracy"][0]
        for now, was in zip(again["groups"], result["groups"], strict=True)
    )


def _kept_does_the_same(configuration: dict, result: dict) -> bool:
    """Whether the weights that are kept give the last figures that are stored of their runs, on the
    strings that these were tested on.
    """
    ensemble = learners(configuration).chosen(KEPT)
    ensemble.flat.copy_(torch.from_numpy(unpacked(result["weights"])))
    batches = PublishedBatches(ensemble, configuration["language"])
    length = configuration["test_length"]
    for _ in range(configuration["epochs"] - 1):  # each run's strings come from one generator
        batches()
        batches(length)
    batches()
    nats, accuracy = tested(ensemble, *batches(length))
    [was, *_] = result["groups"]
    return is_same_start(
        nats, was["nats"][-1][: len(KEPT)], rtol=5e-3, atol=1e-9
    ) and is_same_start(accuracy, was["accuracy"][-1][: len(KEPT)], rtol=0, atol=ROUNDED)


EXPERIMENTS = experiments(
    __file__,
    repetitions=partial(Experiment, measure=measure, replay=replay),
    learners=of_learners,
)
