"""*Why is PARITY not learned?* and its lines in the record of chapter 9: how sharp a network's
minimum is, and how many runs solve which lengths.
"""

from collections.abc import Callable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from torch import Tensor

from chapters.common.learners import Ensemble, Member, Network, quotient
from chapters.common.learners.train import score, train
from lib import constructions
from lib.languages import PARITY
from lib.transformer import to_torch
from record.notebook import COLOURS, REFERENCE

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
    parameters: Sequence[Tensor],
    logits: Callable[[], Tensor],
    draws: int = 50,
) -> Tensor:
    """The mean square by which logits change in a random direction, over their own mean square:
    (members,).

    Each tensor of `parameters` has a leading axis of members; it is moved where it lies, and put
    back. The step of each member has a thousandth of the length of all its parameters, and
    `logits()` gives (members, strings) at the parameters as they are. After the average direction
    sharpness of Hahn & Rofin 2024, section 4, which is absolute in the step and the logits.
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
        found[n] = sharpness(parts, lambda net=network, w=strings: net.logits(w)[None], draws=20)
    return {n: one.item() for n, one in found.items()}


def learned_sharpness(seeds: int = 3) -> dict[int, np.ndarray]:
    """The sharpness of networks without positions that have just learned PARITY, by the length that
    they were trained at: of those seeds that solve it.
    """
    members = [Member(seed, n) for n in TRAINED_AT for seed in range(seeds)]
    learners = Ensemble(Network("none", heads=2), members)
    train(learners, "PARITY", [40], test_length=8, strings=8, rate=1e-3)
    found = {}
    for number, n in enumerate(TRAINED_AT):
        some = learners.chosen(range(seeds * number, seeds * (number + 1)))
        batch = quotient(np.repeat([[0, 1]], n, axis=1), np.tile(np.arange(n), 2)[None], n)
        right = score(some, "PARITY", n).accuracy > 0.99
        sharp = sharpness(list(some.parameters.values()), lambda net=some, b=batch: net(b)[0])
        found[n] = sharp.numpy()[right]
    return found


def waves_figure() -> Figure:
    """What PARITY asks of a function of the share k/n of 1s: a sign at each of n + 1 points, and
    the wave that has these signs.
    """
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.2), sharey=True)
    share = np.linspace(0, 1, 400)
    for axis, n in zip(axes, (2, 3, 8), strict=True):
        k = np.arange(n + 1)
        axis.plot(share, -np.cos(np.pi * n * share), color=COLOURS["PARITY"], alpha=0.4)
        axis.plot(k / n, -((-1.0) ** k), "o", color=COLOURS["PARITY"], markersize=4)
        axis.axhline(0, **REFERENCE)
        axis.set(title=f"{n} symbols", xlabel="share of 1s", xticks=[0, 0.5, 1], yticks=[-1, 1])
        axis.set_yticklabels(["no", "yes"])
    return figure


def learned_figure(learners: Ensemble, member: int, lengths: Sequence[int]) -> Figure:
    """The logit of one network against the share of 1s, at some even lengths; the title says
    what the answer must be at the share ½.
    """
    figure, axes = plt.subplots(1, len(lengths), figsize=(7.2, 2.6), sharey=True)
    for axis, n in zip(axes, lengths, strict=True):
        k = np.arange(n + 1)
        strings = quotient(np.array([[*[0] * n, 1]]), np.array([[*range(n), n - 1]]), n)
        logit = learners.chosen([member])(strings)[0][0].detach().numpy()
        right = (logit > 0) == (k % 2 == 1)
        axis.plot(k / n, logit, color="#777777", linewidth=0.8, alpha=0.5)
        axis.plot(k[right] / n, logit[right], "o", color=COLOURS["PARITY"], markersize=4)
        axis.plot(k[~right] / n, logit[~right], "x", color=COLOURS["FIRST"], markersize=6)
        axis.axhline(0, **REFERENCE)
        axis.axvline(0.5, **REFERENCE | {"linestyle": ":"})
        due = "above 0" if n // 2 % 2 else "below 0"
        due = f"at ½ ({n // 2} of {n}) {due} is right"
        axis.set(title=f"{n} symbols; {due}", xlabel="share of 1s")
    axes[0].set_ylabel("score s")
    return figure


def sharpness_figure(
    built: Mapping[int, float], learned: Mapping[int, np.ndarray], from_: int = 10
) -> Figure:
    """The sharpness of what is built and of each network that learned its length, by length; from
    `from_` symbols on, where it is grey, training begins to fail.
    """
    figure, axis = plt.subplots(figsize=(6.4, 2.9))
    axis.axvspan(from_, 2 * max(built), color="#777777", alpha=0.15, linewidth=0)
    axis.plot([*built], [*built.values()], "o-", color=COLOURS["PARITY"], label="written down")
    places = np.repeat([*learned], [len(sharp) for sharp in learned.values()])
    sharp = np.concatenate([*learned.values()])
    axis.plot(places, sharp, "x", color=COLOURS["FIRST"], label="learned")
    axis.set(xscale="log", yscale="log", xlabel="symbols", ylabel="sharpness")
    axis.set_xlim(3.5, 1.25 * max(built))
    axis.set_xticks([*built], [f"{n}" for n in built])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.legend()
    return figure
