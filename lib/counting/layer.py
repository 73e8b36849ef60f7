"""Encoders of one layer that learn to count, each an ablation of the standard one, many members
side by side.

Ouellette et al. 2023: a token is the one-hot vector of a cell's colour, without position; its
output should hold the count of that colour. Every published variant, and every step between two of
them, is one `Ablation`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, cos, pi, prod, sqrt

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import layer_norm, mse_loss
from tqdm import tqdm

from lib.checks import positive, whole
from lib.counting.grids import COLOURS, Batch, by_cell, by_colour, random_counts, random_grids

SIDES = range(1, 7)  # of training grids: one side for all grids of a batch
BATCH = 50
SPREAD = 0.08  # every parameter, LN's too, starts uniform between -0.08 and 0.08
LARGEST_GRADIENT = 1.0  # a member's gradient is scaled down to this norm
REMEMBERED = 25  # the weights kept are those with the least mean loss over so many steps
TOGETHER = 100  # grids that are tested together
SUBLAYERS = ("attention", "feed-forward")


@dataclass(frozen=True)
class Ablation:
    """An encoder layer by what is switched on; the defaults are No-LayerNorm-Count, which counts.

    `attention` is "linear" (no softmax), "softmax" or "none"; `norms` says after which of
    "attention" and "feed-forward" layer normalization stands; `feed_forward` is "none", "linear" or
    "ReLU" (two layers, `hidden` units between them); `biases` are the attention's. Dropout works on
    attention weights, on hidden units and on what a sublayer adds, as in PyTorch's layer.
    """

    attention: str = "linear"
    norms: tuple[str, ...] = ()
    feed_forward: str = "linear"
    residuals: bool = False
    biases: bool = False
    dropout: float = 0.0
    eps: float = 1e-5
    hidden: int = 2048
    width: int = COLOURS

    def __post_init__(self):
        for name, allowed in (
            ("attention", ("linear", "softmax", "none")),
            ("feed_forward", ("none", "linear", "ReLU")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}"
                )
        object.__setattr__(self, "norms", tuple(self.norms))
        if strange := [
            name
            for name in self.norms
            if name not in SUBLAYERS or getattr(self, name.replace("-", "_")) == "none"
        ]:
            raise ValueError(
                f"norms may stand after the sublayers that there are, of {', '.join(SUBLAYERS)}, not after {strange[0]!r}"
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, not {self.dropout!r}")
        if not 0 <= self.eps < float("inf"):
            raise ValueError(f"eps must be at least 0, not {self.eps!r}")
        positive(self.hidden, "hidden"), positive(self.width, "width")

    @property
    def has_quotient(self) -> bool:
        """Whether ten weighted tokens are a grid for this encoder: dropout tells cells of one
        colour apart.
        """
        return self.dropout == 0

    @property
    def has_one_product(self) -> bool:
        """Whether nothing stands between W_O and a linear feed-forward part, so that their product
        can be applied to the values.
        """
        between = self.residuals or self.biases or self.dropout or "attention" in self.norms
        return self.attention != "none" and self.feed_forward == "linear" and not between

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter: matrices as (out, in)."""
        d, found = self.width, {}
        if self.attention != "none":
            found |= {letter: (d, d) for letter in "QKVO"} | (
                {f"{letter} bias": (d,) for letter in "QKVO"} if self.biases else {}
            )
        if self.feed_forward == "linear":
            found |= {"F": (d, d), "F bias": (d,)}
        if self.feed_forward == "ReLU":
            found |= {
                "F1": (self.hidden, d),
                "F1 bias": (self.hidden,),
                "F2": (d, self.hidden),
                "F2 bias": (d,),
            }
        return found | {
            f"{kind} after {name}": (d,) for name in self.norms for kind in ("gamma", "beta")
        }


# The six experiments of section III, by the paper's names.
PUBLISHED: dict[str, Ablation] = {
    "Std-Transformer-Count": Ablation(
        "softmax", SUBLAYERS, "ReLU", residuals=True, biases=True, dropout=0.1
    ),
    "No-LayerNorm-Count": Ablation(),
    "LayerNorm-SA-Count": Ablation(norms=("attention",)),
    "LayerNorm-FF-Count": Ablation(norms=("feed-forward",)),
    "LayerNorm-Identity": Ablation("none", ("feed-forward",), "ReLU", width=5),
    "No-LayerNorm-Identity": Ablation("none", (), "ReLU", width=5),
}

# One factor at a time from the encoder that counts; the authors' "V2", a two-layer feed-forward
# part, with 64 hidden units for their 2048;
# and, so made and without dropout, everything at once but for one.
counts, standard = (
    Ablation(),
    Ablation("softmax", SUBLAYERS, "ReLU", residuals=True, biases=True, hidden=64),
)
FACTORS: dict[str, Ablation] = {
    "nothing": counts,
    "softmax": replace(counts, attention="softmax"),
    "LN after attention": replace(counts, norms=("attention",)),
    "LN after attention, eps = 1e-10": replace(counts, norms=("attention",), eps=1e-10),
    "LN after feed-forward": replace(counts, norms=("feed-forward",)),
    "LN after feed-forward, eps = 1e-10": replace(counts, norms=("feed-forward",), eps=1e-10),
    "LN after both": replace(counts, norms=SUBLAYERS),
    "residuals": replace(counts, residuals=True),
    "attention biases": replace(counts, biases=True),
    "dropout": replace(counts, dropout=0.1),
    "no feed-forward": replace(counts, feed_forward="none"),
    "V2": replace(counts, feed_forward="ReLU", hidden=64),
    "V2, LN after attention": replace(counts, feed_forward="ReLU", hidden=64, norms=("attention",)),
    "V2, LN after feed-forward": replace(
        counts, feed_forward="ReLU", hidden=64, norms=("feed-forward",)
    ),
    "everything": standard,
    "everything but softmax": replace(standard, attention="linear"),
    "everything but LN": replace(standard, norms=()),
    "everything but softmax and LN": replace(standard, attention="linear", norms=()),
}


class Counters:
    """Encoders of one ablation, one for each seed, with all parameters in one tensor `flat` of
    shape (members, parameters).
    """

    def __init__(
        self,
        ablation: Ablation,
        seeds: Sequence[int],
        dtype: torch.dtype = torch.float64,
        device: str = "cpu",
    ):
        positive(len(seeds), "a number of seeds")
        self.ablation, self.seeds, self.dtype, self.device = (
            ablation,
            tuple(whole(seed, "a seed") for seed in seeds),
            dtype,
            torch.device(device),
        )
        parameters = sum(map(prod, ablation.shapes.values()))
        drawn = [
            torch.rand(
                parameters, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
            )
            for seed in self.seeds
        ]
        self.flat = ((torch.stack(drawn) * 2 - 1) * SPREAD).to(self.device, dtype).requires_grad_()
        self._masks = torch.Generator(self.device).manual_seed(self.seeds[0])

    @staticmethod
    def of(ablation: Ablation, flat: Tensor | Sequence) -> Counters:
        """Encoders with given parameters (members, parameters), float64."""
        flat = torch.as_tensor(flat, dtype=torch.float64)
        made = Counters(ablation, range(len(flat)))
        if flat.shape != made.flat.shape:
            raise ValueError(
                f"parameters of shape {tuple(made.flat.shape)} are expected, not {tuple(flat.shape)}"
            )
        made.flat = flat.clone().requires_grad_()
        return made

    def parameters(self) -> dict[str, Tensor]:
        """Views of `flat` by name, each with the leading axis of members."""
        shapes = self.ablation.shapes
        return {
            name: piece.unflatten(1, shape)
            for (name, shape), piece in zip(
                shapes.items(), self.flat.split([*map(prod, shapes.values())], dim=1)
            )
        }

    def __call__(
        self,
        x: Tensor,
        weight: Tensor,
        training: bool = False,
        trace: dict[str, Tensor] | None = None,
    ) -> Tensor:
        """Outputs (members, B, T, width) for tokens x (members or 1, B or 1, T, width) of `weight`
        (members or 1, B, T).

        Dropout works in `training` only. `trace` receives the attention scores, which without
        softmax are the weights, and what goes into each normalization.
        """
        p, trace = self.parameters(), {} if trace is None else trace
        if self.ablation.has_one_product:
            heard = self._attend(p | {"O": p["F"] @ p["O"]}, x, weight, training, trace)
            return self._added(
                "feed-forward", p, x, heard + p["F bias"][:, None, None], training, trace
            )
        if self.ablation.attention != "none":
            x = self._added(
                "attention", p, x, self._attend(p, x, weight, training, trace), training, trace
            )
        if self.ablation.feed_forward == "linear":
            x = self._added("feed-forward", p, x, _linear(x, p, "F"), training, trace)
        if self.ablation.feed_forward == "ReLU":
            hidden = self._dropped(torch.relu(_linear(x, p, "F1")), training)
            x = self._added("feed-forward", p, x, _linear(hidden, p, "F2"), training, trace)
        return x

    def _attend(
        self,
        p: dict[str, Tensor],
        x: Tensor,
        weight: Tensor,
        training: bool,
        trace: dict[str, Tensor],
    ) -> Tensor:
        """W_O applied to what is heard; as both are linear, it is applied to the values, of which
        there are fewer.
        """
        q, k, v = (_linear(x, p, letter) for letter in "QKV")
        scores, values = q @ k.mT / sqrt(self.ablation.width), _linear(v, {"O": p["O"]}, "O")
        bias, trace["attention scores"] = (
            p["O bias"][:, None, None] if self.ablation.biases else 0.0,
            scores,
        )
        if (
            self.ablation.attention == "linear" and x.shape[1] == 1 < weight.shape[1]
        ):  # the same ten tokens in every grid
            products = (
                scores[:, 0, :, :, None] * values[:, 0, None]
            )  # (members, i, j, width), to be summed over j
            heard = (weight @ products.transpose(1, 2).flatten(2)).unflatten(
                2, products.shape[1::2]
            )
            return heard + bias
        if self.ablation.attention == "softmax":
            weights = torch.softmax(
                scores + weight.log()[:, :, None], dim=-1
            )  # m equal tokens are one whose logit is larger by log m
        else:
            weights = scores * weight[:, :, None]
        weights = self._dropped(weights, training)
        if values.shape[1] == 1:
            return (weights.flatten(1, 2) @ values[:, 0]).unflatten(1, weights.shape[1:3]) + bias
        return weights @ values + bias

    def _added(
        self,
        name: str,
        p: dict[str, Tensor],
        x: Tensor,
        output: Tensor,
        training: bool,
        trace: dict[str, Tensor],
    ) -> Tensor:
        """What leaves a sublayer: residual connection and normalization, where there are any."""
        output = self._dropped(output, training)
        if self.ablation.residuals:
            output = x + output
        if name not in self.ablation.norms:
            return output
        trace[f"before LN after {name}"] = output
        gamma, beta = (p[f"{kind} after {name}"][:, None, None] for kind in ("gamma", "beta"))
        return torch.addcmul(
            beta, layer_norm(output, output.shape[-1:], eps=self.ablation.eps), gamma
        )

    def _dropped(self, x: Tensor, training: bool) -> Tensor:
        if not training or not self.ablation.dropout:
            return x
        kept = 1 - self.ablation.dropout
        return x * torch.empty_like(x).bernoulli_(kept, generator=self._masks) / kept


def _linear(x: Tensor, p: dict[str, Tensor], name: str) -> Tensor:
    """x W^T + b for each member: x (members or 1, B, T, in), W (members, out, in); without a bias
    where there is none.
    """
    weight = p[name]
    flat = x.flatten(1, 2).expand(len(weight), -1, -1)
    product = (
        torch.baddbmm(p[f"{name} bias"][:, None], flat, weight.mT)
        if f"{name} bias" in p
        else torch.bmm(flat, weight.mT)
    )
    return product.unflatten(1, x.shape[1:3])


def algorithm_1(counts_black: bool = False) -> Counters:
    """Ouellette et al., algorithm 1, as weights of No-LayerNorm-Count: attention weight 1 on equal
    colours, 0 on others.

    Black gets no attention, as its target is 0, unless `counts_black`. Every number is whole but
    W_Q = sqrt(10) I, which the attention's division takes back, so that counts are exact in
    float64.
    """
    made, eye = Counters(Ablation(), [0]), torch.eye(COLOURS, dtype=torch.float64)
    with torch.no_grad():
        made.flat.zero_()
        for name, matrix in made.parameters().items():
            if name in "QKVOF":
                matrix[0] = eye * sqrt(COLOURS) if name == "Q" else eye
            if name == "Q" and not counts_black:
                matrix[0, 0, 0] = 0
    return made


def count_batches(counters: Counters, size: int = BATCH, block: int = 500) -> Iterator[Batch]:
    """Training grids without end, fresh at every step: by colour where that is exact, else by cell.

    Each member draws its grids from a generator of its own on the CPU; the sequence of sides is the
    same for all.
    """
    sides = np.random.default_rng(0)
    draws = [np.random.default_rng([seed, 1]) for seed in counters.seeds]
    while True:
        some = sides.integers(SIDES.start, SIDES.stop, size=block)
        if counters.ablation.has_quotient:
            counts = np.stack(
                [random_counts(some[:, None], (block, size), draw) for draw in draws], axis=1
            )
            yield from (by_colour(step).to(counters.device, counters.dtype) for step in counts)
        else:
            for side in some:
                yield by_cell(np.stack([random_grids(int(side), size, draw) for draw in draws])).to(
                    counters.device, counters.dtype
                )


def identity_batches(
    counters: Counters, reach: float = 0.5, size: int = 200, stream: int = 2
) -> Iterator[Batch]:
    """Vectors uniform in [-reach, reach]^width, each its own target, without end (section III-C)."""
    draws = [np.random.default_rng([seed, stream]) for seed in counters.seeds]
    while True:
        x = torch.from_numpy(
            np.stack(
                [draw.uniform(-reach, reach, (size, 1, counters.ablation.width)) for draw in draws]
            )
        )
        yield Batch(x, torch.ones(x.shape[:-1], dtype=x.dtype), x).to(
            counters.device, counters.dtype
        )


def loss(counters: Counters, batch: Batch, training: bool = False) -> Tensor:
    """The mean squared error of each member, over cells and all outputs: (members,)."""
    squares = mse_loss(
        counters(batch.x, batch.weight, training), batch.target, reduction="none"
    ).sum(-1)
    return (squares * batch.weight).sum((1, 2)) / (
        batch.weight.sum((1, 2)) * counters.ablation.width
    )


def fit(
    counters: Counters,
    batches: Iterator[Batch],
    steps: int,
    rate: float = 2e-4,
    cosine: int | None = None,
    keeps_best: bool = True,
    progress: bool = False,
) -> Tensor:
    """Trains every member for `steps` steps of Adam; the losses before each step, (steps, members).

    Each member's gradient is clipped to norm 1. `cosine` lowers the rate to 0 along half a cosine
    of so many steps. `keeps_best` leaves each member with the weights after the step at which its
    mean loss over 25 steps was least, as the authors' code does.
    """
    if not rate > 0:
        raise ValueError(f"a learning rate above 0 is expected, not {rate!r}")
    if cosine is not None:
        positive(cosine, "the steps of a cosine")
    flat, adam, least = (
        counters.flat,
        torch.optim.Adam([counters.flat], lr=rate, fused=True),
        counters.flat.new_full((len(counters.seeds),), float("inf")),
    )
    losses = flat.new_empty(
        (positive(steps, "a number of steps"), len(flat))
    )  # at once: small tensors that stay would split the heap
    best, recent = flat.detach().clone(), flat.new_full((REMEMBERED, len(flat)), float("inf"))
    for number in tqdm(range(steps), disable=not progress, unit="step"):
        if cosine is not None:
            adam.param_groups[0]["lr"] = rate * (1 + cos(pi * min(1.0, number / cosine))) / 2
        adam.zero_grad()
        before = loss(counters, next(batches), training=True)
        before.sum().backward()
        with torch.no_grad():
            flat.grad.mul_(
                (LARGEST_GRADIENT / (flat.grad.norm(dim=1, keepdim=True) + 1e-6)).clamp(max=1.0)
            )  # as torch's clip_grad_norm_
        adam.step()
        losses[number] = before.detach()
        if keeps_best:
            recent[number % REMEMBERED] = losses[number]
            mean = recent.mean(0)  # infinite until so many steps are done
            best = torch.where((mean < least)[:, None], flat.detach(), best)
            least = torch.minimum(mean, least)
    if keeps_best and steps >= REMEMBERED:
        with torch.no_grad():
            flat.copy_(best)
    return losses


@dataclass(frozen=True)
class Score:
    """How members do on grids of one size: accuracy per cell, as the paper has it, and per grid;
    each (members,).
    """

    cells: np.ndarray
    grids: np.ndarray


@torch.no_grad()
def right(counters: Counters, batch: Batch) -> Tensor:
    """Whether all ten outputs of a token, rounded to the nearest whole number, are as asked:
    (members, B, T).
    """
    batch = batch.to(counters.device, counters.dtype)
    return (counters(batch.x, batch.weight).round() == batch.target).all(-1)


def drawn_for_tests(side: int, grids: int = 1000, capped: bool = True, seed: int = 0) -> np.ndarray:
    """The colour counts of the grids that encoders are tested on, (grids, 10)."""
    return random_counts(
        positive(side, "a side"),
        positive(grids, "a number of grids"),
        np.random.default_rng([seed, side]),
        capped,
    )


def score(
    counters: Counters, side: int, grids: int = 1000, capped: bool = True, seed: int = 0
) -> Score:
    """Accuracy on `grids` random grids of that side, the same for all members."""
    counts = drawn_for_tests(side, grids, capped, seed)[None]
    found = torch.cat(
        [
            right(counters, by_colour(some))
            for some in np.array_split(counts, ceil(grids / TOGETHER), axis=1)
        ],
        dim=1,
    ).cpu()
    weight = torch.from_numpy(counts).double()
    cells = (found * weight).sum((1, 2)) / weight.sum()
    return Score(cells.numpy(), (found | (weight == 0)).all(-1).double().mean(-1).numpy())
