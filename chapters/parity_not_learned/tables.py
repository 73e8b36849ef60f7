"""*Why is PARITY not learned?* and its lines in the record of chapter 9: how sharp a minimum is,
and which runs solve which lengths.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from chapters.common.learners import Ensemble, Member, Network, quotient
from chapters.common.learners.train import score, train
from lib import constructions
from lib.languages import PARITY
from lib.transformer import to_torch
from record.runs import Stored

TRAINED_AT = (4, 6, 8)
EXPECTED_HALF = {  # of the seeds, by strings a step and length: written before these were run
    (8, 12): True,
    (64, 16): True,
    (8, 16): False,
    (8, 24): False,
    (64, 24): False,
}


@torch.no_grad()
def sharpness(
    parameters: Sequence[Tensor], logits: Callable[[], Tensor], draws: int = 50
) -> Tensor:
    """The mean square by which logits change in a random direction, over their own mean square,
    (members,), after the average direction sharpness of Hahn & Rofin 2024, section 4, which is
    absolute in the step and the logits. Each tensor of `parameters` has a leading axis of members;
    it is moved where it lies, and put back. The step of each member has a thousandth of the length
    of all its parameters, and `logits()` gives (members, strings) at the parameters as they are.
    """
    draw = torch.Generator().manual_seed(0)
    before = logits()
    kept = [part.clone() for part in parameters]
    total = torch.zeros_like(before[:, 0])
    for _ in range(draws):
        noise = [torch.randn(part.shape, generator=draw, dtype=part.dtype) for part in parameters]
        step = 1e-3 * _lengths(kept) / _lengths(noise)
        for part, old, way in zip(parameters, kept, noise, strict=True):
            part.copy_(old + way * step.reshape(-1, *[1] * (way.dim() - 1)))
        total += (logits() - before).square().mean(1)
    for part, old in zip(parameters, kept, strict=True):
        part.copy_(old)
    return total / draws / before.square().mean(1)


def _lengths(parts: Sequence[Tensor]) -> Tensor:
    """The Euclidean length of each member's numbers."""
    return torch.stack([part.flatten(1).square().sum(1) for part in parts]).sum(0).sqrt()


def built_sharpness(lengths: Sequence[int] = (4, 6, 8, 16, 32)) -> dict[int, float]:
    """The sharpness of the constructed PARITY's matrices, by length, on 64 strings."""
    found = {}
    for n in lengths:
        network = to_torch(constructions.parity())
        parts = [p.data[None] for name, p in network.named_parameters() if name != "position"]
        strings = PARITY.sample(n, size=64, seed=0)
        sharp = sharpness(parts, lambda net=network, w=strings: net.logits(w)[None], draws=20)
        found[n] = sharp.item()
    return found


def learned_sharpness() -> dict[int, np.ndarray]:
    """The sharpness of networks without positions that have just learned PARITY, by the length that
    they were trained at: of three seeds those that solve it.
    """
    members = [Member(seed, n) for n in TRAINED_AT for seed in range(3)]
    learners = Ensemble(Network("none", heads=2), members)
    train(learners, "PARITY", [40], test_length=8, strings=8, rate=1e-3)
    found = {}
    for number, n in enumerate(TRAINED_AT):
        some = learners.chosen(range(3 * number, 3 * number + 3))
        batch = quotient(np.repeat([[0, 1]], n, axis=1), np.tile(np.arange(n), 2)[None], n)
        right = score(some, "PARITY", n).accuracy > 0.99
        sharp = sharpness(list(some.parameters.values()), lambda net=some, b=batch: net(b)[0])
        found[n] = sharp.numpy()[right]
    return found


def solvers(run: Stored) -> tuple[list[int], dict[tuple[int, int], np.ndarray]]:
    """After how many steps the members of a run were tested, and who of them was then right, on
    over 99 % of the strings, (tests, members), by strings a step and length.
    """
    found = run.by("strings", "length")
    [epochs] = {tuple(result["epochs"]) for result in found.values()}
    solved = {key: np.array(result["accuracy"]) > 0.99 for key, result in found.items()}
    return [100 * epoch for epoch in epochs], solved  # an epoch has 100 steps of Adam
