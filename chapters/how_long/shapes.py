"""Networks of shapes that a seed draws: trained, and held against all short strings and the numbers
of symbols of longer ones, in plain floats.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from lib.formulas.counts import Counted
from lib.trained import Judged, Largest, Positive, TrainedNetwork
from lib.trained.arithmetic import Floats, Value, _split
from lib.trained.audit import given, margins
from lib.trained.counts import CountReader, readings
from lib.trained.network import Attention, Linear, Norm, TrainedLayer
from lib.trained.passes import outputs, through
from lib.verdicts import PROVED, WRONG

WIDTH, UNITS = 4, 8
STRINGS_TO, COUNTS_TO = 14, 2_000  # symbols of all strings, and of all numbers of symbols


def at_random(seed: int, symbols: int = 2, size: float = 0.5) -> Judged:
    """A network of any shape that can be judged, with random weights of about that size."""
    rng, draw = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    heads, kind = int(rng.choice([1, 2])), rng.choice(["layer", "rms", "none"])
    causal = bool(rng.integers(2))

    def matrix(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    def norm() -> Norm | None:
        gain, bias = 1 + 0.3 * matrix(WIDTH), 0.3 * matrix(WIDTH)
        return None if kind == "none" else Norm(gain, bias, 1e-5, kind)

    def linear(a: int, b: int) -> Linear:
        return Linear(size * matrix(a, b), 0.3 * matrix(b))

    def layer() -> TrainedLayer:
        gate = linear(WIDTH, UNITS) if rng.integers(3) == 0 else None
        q, k, v, o = (linear(WIDTH, WIDTH) for _ in "qkvo")
        first, second = linear(WIDTH, UNITS), linear(UNITS, WIDTH)
        return TrainedLayer(q, k, v, o, first, second, (norm(), norm()), gate)

    activation = str(rng.choice(["relu", "gelu", "gelu_new", "silu", "tanh"]))
    layers = tuple(layer() for _ in range(1 if causal else 2))
    number = int(rng.choice([1, 2]))
    network = TrainedNetwork(
        matrix(symbols + 2, WIDTH), layers, linear(WIDTH, number), heads, activation,
        bool(rng.integers(2)), causal, last=norm(), log_n=bool(rng.integers(2)),
    )  # fmt: skip
    after = (symbols + 1,) if rng.integers(2) else ()
    read_at = "last" if causal else str(rng.choice(["last", "first", "mean"]))
    decides = Positive(0) if number == 1 else Largest(int(rng.integers(2)), None)
    tokens = {a: k for k, a in enumerate("01a"[:symbols])}
    return Judged(network, tokens, decides, (symbols,), after, read_at)


class Kinds(Floats):
    """Plain floats of one token of each kind, which occurs so `often`: (strings, kinds)."""

    def __init__(self, often: Tensor):
        super().__init__()
        self.often = often

    def mean(self, x: Value) -> Value:
        share = self.often / self.often.sum(-1, keepdim=True)
        return ((share[..., None] * x[0]).sum(-2, keepdim=True),)

    def _weights(self, q: Tensor, k: Tensor, how: Attention) -> tuple[Tensor, Tensor]:
        q, k = _split(q, how.heads), _split(k, how.heads)
        x = q @ k.mT * how.factor(q.shape[-1])
        if how.log_n:
            x = x * self.often.sum(-1).log()[:, None, None, None]
        x = x + self.often.log()[:, None, None]
        return x.softmax(-1), x


def scores(reading: CountReader, counts: np.ndarray) -> Tensor:
    """The score at each row of counts, in plain floats."""
    judged, some = reading.judged, torch.tensor(counts, dtype=torch.float64)
    often = torch.cat([some, torch.ones(len(some), reading.fixed)], 1)[:, reading.order]
    floats, number = Kinds(often), len(reading.order)
    x = through(judged.network, reading.rows, 0, number, floats, lambda _, *kv: kv, reading.place)
    return margins(judged, floats.outputs(x, judged.network.output)[0])[:, 0]


def tensors(part: object) -> Iterator[Tensor]:
    """The weights of a network."""
    if isinstance(part, Tensor):
        yield part
    elif is_dataclass(part):
        part = tuple(getattr(part, one.name) for one in fields(part))
    for one in part if isinstance(part, tuple) else ():
        yield from tensors(one)


def training(judged: Judged, meant: Counted, counts: np.ndarray, rate: float) -> Iterator[float]:
    """Trains a network, in place, on strings of these numbers of symbols, (steps, strings, 2), and
    gives the loss before each step, in bits. Adam's rate falls to 0, and weights are rounded to
    float32 in the end.
    """
    several, weights = readings(judged), [*tensors(judged.network)]
    adam = torch.optim.Adam([weight.requires_grad_() for weight in weights], rate)
    falls = torch.optim.lr_scheduler.LinearLR(adam, 1, 0, len(counts))
    for some in counts:
        loss = torch.zeros(())
        for reading in several:
            here = some[(some >= reading.least).all(1)]
            label = torch.tensor(meant.members(here), dtype=torch.float64)
            loss = loss + binary_cross_entropy_with_logits(scores(reading, here), label)
        adam.zero_grad()
        loss.backward()
        adam.step()
        falls.step()
        yield float(loss.detach()) / len(several) / np.log(2)
    for weight in weights:
        weight.requires_grad_(False).copy_(weight.float())


def contradicted(judged: Judged, meant: Counted, found: dict[str, Any]) -> int:
    """At how many lengths plain floats contradict a verdict: by numbers of symbols, or where these
    and all strings of up to STRINGS_TO symbols do not err at the same lengths.
    """
    several = readings(judged)

    def is_wrong(counts: np.ndarray) -> bool:
        """Whether a string with numbers of symbols among these is decided incorrectly."""
        some = [(reading, counts[(counts >= reading.least).all(1)]) for reading in several]
        signs = [(scores(*one).numpy() > 0) != meant.members(one[1]) for one in some]
        return any(part.any() for part in signs)

    wrong = {n for n in range(1, COUNTS_TO + 1) if is_wrong(every_count(n))}
    reach = COUNTS_TO if found["kind"] == PROVED else found["reach"]
    amiss = {n for n in wrong if n <= reach}
    amiss |= {*range(found["always"] or COUNTS_TO + 1, COUNTS_TO + 1)} - wrong
    if found["kind"] == WRONG and not is_wrong(np.array([found["counts"]])):
        amiss.add(sum(found["counts"]))
    for n in range(1, STRINGS_TO + 1):
        words = [f"{number:0{n}b}" for number in range(1 << n)]
        label = meant.members(np.array([(n - w.count("1"), w.count("1")) for w in words]))
        [x] = outputs(judged, given(judged, words), Floats())
        said = margins(judged, x)[:, 0].numpy() > 0
        if (said != label).any() != (n in wrong):
            amiss.add(n)
    return len(amiss)


def every_count(n: int) -> np.ndarray:
    """The numbers of 0s and of 1s of all strings of n symbols."""
    ones = np.arange(n + 1)
    return np.stack([n - ones, ones], -1)
