"""Networks without positions, trained on strings of at most 40 symbols, judged at every length: all
of one kind of shape, and some of shapes that a seed draws, which plain floats are held against too,
on all short strings and on the numbers of symbols of longer ones.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import islice
from time import process_time
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.network import Member, Network
from chapters.common.learners.strings import quotient
from chapters.common.learners.train import Step, descent, optimizer
from chapters.common.learning import REPLAYED_SEEDS, REPLAYED_STEPS
from lib.formulas.counts import Counted
from lib.formulas.text import formula
from lib.trained import Judged, Largest, Positive, TrainedNetwork, from_pytorch
from lib.trained.arithmetic import Floats, Value, _split
from lib.trained.audit import given, margins
from lib.trained.counts import CountReader, every_length, readings
from lib.trained.network import Linear, Norm, TrainedLayer
from lib.trained.passes import outputs, through
from lib.verdicts import PROVED, WRONG
from record.experiment import Experiment, experiments, is_same_start, packed, significant, unpacked
from record.runs import stored

LANGUAGES = {
    "MAJORITY": 'count(Q("1")) > count(Q("0"))',
    "at least two 1s": 'count(Q("1")) >= 2',
    "a third": '3 * count(Q("1")) >= position',
    "ONE": 'count(Q("1")) == 1',
    "contains a 1": 'count(Q("1")) >= 1',
    "both symbols": 'count(Q("0")) >= 1 and count(Q("1")) >= 1',
}
SHARES = {"MAJORITY": 1 / 2, "a third": 1 / 3}  # where membership turns; elsewhere at few 1s
TRAINED_TO, JUDGED_TO = 40, 1 << 12  # symbols
AT_ONCE = 500  # steps whose strings are drawn together
WIDTH, UNITS = 4, 8  # of the shapes that are drawn
STRINGS_TO, COUNTS_TO = 14, 2_000  # symbols of all strings, and of all numbers of symbols


def counted(language: str) -> Counted:
    """A language by numbers of symbols."""
    return Counted(formula(LANGUAGES[language], "01"), ("0", "1"))


def drawn(language: str, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Lengths, uniform to the longest, and numbers of 1s: half of the strings with a share of 1s of
    their own, half within three of where membership turns, or of an end.
    """
    draw = np.random.default_rng([seed, 13])
    n = draw.integers(1, TRAINED_TO, size, endpoint=True)
    share = np.where(draw.random(size) < 0.5, draw.random(size), draw.beta(0.2, 0.2, size))
    anywhere = draw.binomial(n, share)
    turn = np.round(SHARES.get(language, 0) * n) + draw.integers(-3, 3, size, endpoint=True)
    if language == "both symbols":
        turn = np.where(draw.random(size) < 0.5, turn, n - turn)
    return n, np.where(draw.random(size) < 0.5, anywhere, np.clip(turn, 0, n)).astype(np.int64)


def at_every_length(network: Judged, language: str) -> dict[str, Any]:
    """The verdict on a network, but for the string, which its counts say."""
    found = every_length(network, formula(LANGUAGES[language], "01"), JUDGED_TO)
    names = ("kind", "reach", "counts", "always", "cells", "asked")
    return {name: getattr(found, name) for name in names}


def is_judged_so(network: Judged, language: str, result: dict) -> bool:
    """Whether a network gets the verdict that is stored."""
    found = at_every_length(network, language)
    return all(found[name] == result[name] for name in ("kind", "reach", "always"))


# ---- one kind of shape


def networks(layers: int, scale: str, seeds: int) -> Ensemble:
    """Encoders without positions and without a mask, read at CLS, of one head and width 16."""
    members = [Member(seed, TRAINED_TO, scale, shortest=1) for seed in range(seeds)]
    return Ensemble(Network("none", layers=layers), members)


def batches(ensemble: Ensemble, language: str, steps: int, strings: int) -> Iterator[Step]:
    """So many steps, each of so many strings for each member."""
    meant = counted(language)
    for block in range(0, steps, AT_ONCE):
        size = AT_ONCE * strings  # of a shorter run too, whose strings are the same
        both = [drawn(language, size, member.seed * 10**6 + block) for member in ensemble.members]
        n, ones = (np.stack(part) for part in zip(*both, strict=True))
        labels = meant.members(np.stack([n - ones, ones], -1).reshape(-1, 2)).reshape(n.shape)
        first = (ones > 0).astype(np.int64)  # a 1 in front where there is one
        batch = quotient(first, ones - first, n)
        for start in range(0, min(AT_ONCE, steps - block) * strings, strings):
            of_step = slice(start, start + strings)
            yield batch[of_step], torch.from_numpy(labels[:, of_step])


def trained(
    language: str, layers: int, scale: str, seeds: int, steps: int, strings: int, rate: float
) -> tuple[list[dict[str, Tensor]], np.ndarray]:
    """The networks after so many steps, and their losses in bits, (steps, members)."""
    ensemble = networks(layers, scale, seeds)
    source = batches(ensemble, language, steps, strings)
    losses = [*descent(ensemble, source, optimizer(ensemble, rate))]
    states = [ensemble.state(member) for member in range(seeds)]
    return states, torch.stack(losses).numpy() / np.log(2)


def judged(state: dict[str, Tensor], scale: str) -> Judged:
    """A trained network as the judge reads it."""
    said = {"activation": "relu", "norm": "layer", "eps": 1e-5, "pre_norm": False, "causal": False}
    network = from_pytorch(state, heads=1, word="word", position=None, last=None, **said)
    network = replace(network, log_n=scale == "log n")
    return Judged(network, {"0": 0, "1": 1}, Positive(0), before=(2,), read_at="first")


def kept(text: str, layers: int, scale: str) -> Judged:
    """The network whose parameters are stored as that text."""
    state = networks(layers, scale, 1).state(0)
    vector_to_parameters(torch.from_numpy(unpacked(text)), state.values())
    return judged(state, scale)


def measure(device: str, language: str, layers: int, scale: str, **training: Any) -> dict:
    """Trains networks of some seeds, judges each at every length, and keeps the first."""
    states, losses = trained(language, layers, scale, **training)
    return {
        "verdicts": [at_every_length(judged(state, scale), language) for state in states],
        "last_bits": significant(losses[-AT_ONCE:].mean(0)),
        "first_bits": losses[:REPLAYED_STEPS, :REPLAYED_SEEDS].tolist(),
        "weights": packed(parameters_to_vector(states[0].values()).numpy()),
    }


def replay(configuration: dict, result: dict) -> bool:
    """Whether the first steps and the verdict on the network that is kept are those stored."""
    seeds = min(REPLAYED_SEEDS, configuration["seeds"])
    few: dict[str, Any] = configuration | {"steps": REPLAYED_STEPS, "seeds": seeds}
    _, first = trained(**few)
    network = kept(result["weights"], configuration["layers"], configuration["scale"])
    is_same = is_same_start(first, result["first_bits"])
    return is_same and is_judged_so(network, configuration["language"], result["verdicts"][0])


# ---- shapes that are drawn


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

    def _weights(self, q: Tensor, k: Tensor, how: TrainedNetwork) -> tuple[Tensor, Tensor]:
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
    several, ones = readings(judged), np.arange(COUNTS_TO + 1)

    def is_wrong(counts: np.ndarray) -> bool:
        """Whether a string with numbers of symbols among these is decided incorrectly."""
        some = [(reading, counts[(counts >= reading.least).all(1)]) for reading in several]
        signs = [(scores(*one).numpy() > 0) != meant.members(one[1]) for one in some]
        return any(part.any() for part in signs)

    counts = {n: np.stack([ones[n::-1], ones[: n + 1]], -1) for n in ones[1:].tolist()}
    wrong = {n for n, some in counts.items() if is_wrong(some)}
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


def shaped(
    language: str, number: int, steps: int, strings: int, rate: float
) -> tuple[Judged, Iterator[float]]:
    """The network of a shape and weights that its number draws, and what trains it, in so many
    steps on as many strings each, and gives the losses.
    """
    network = at_random(number)
    n, ones = drawn(language, steps * strings, number)
    counts = np.stack([n - ones, ones], -1).reshape(steps, strings, 2)
    return network, training(network, counted(language), counts, rate)


def timed(network: Judged, language: str) -> dict[str, Any]:
    """The verdict on a network, its seconds, and at how many lengths floats contradict it."""
    begun = process_time()
    found = at_every_length(network, language)
    found["seconds"] = round(process_time() - begun, 1)
    return found | {"contradicted": contradicted(network, counted(language), found)}


def measure_shapes(device: str, language: str, first: int, shapes: int, **training: Any) -> dict:
    """Judges the networks of a language that are kept, and trains and judges others, of the shapes
    of so many numbers from the first on.
    """
    before = stored("how_long").by("language", "layers", "scale").items()
    of_it = [kept(one["weights"], *kind) for (name, *kind), one in before if name == language]
    others = []
    for number in range(first, first + shapes):
        network, steps_taken = shaped(language, number, **training)
        losses, found = [*steps_taken], timed(network, language)
        found["number"], found["first_bits"] = number, losses[:REPLAYED_STEPS]
        found["last_bits"] = float(f"{np.mean(losses[-REPLAYED_STEPS:]):.4g}")
        found["weights"] = packed(parameters_to_vector(tensors(network.network)).numpy())
        others.append(found)
    return {"kept": [timed(network, language) for network in of_it], "shapes": others}


def replay_shapes(configuration: dict, result: dict) -> bool:
    """Whether the first network's first steps and the verdict on its weights are those stored."""
    language, (one, *_) = configuration["language"], result["shapes"]
    plan = {name: configuration[name] for name in ("steps", "strings", "rate")}
    _, steps_taken = shaped(language, one["number"], **plan)
    is_same = is_same_start([*islice(steps_taken, REPLAYED_STEPS)], one["first_bits"])
    network, weights = at_random(one["number"]), torch.from_numpy(unpacked(one["weights"]))
    vector_to_parameters(weights.double(), tensors(network.network))
    return is_same and is_judged_so(network, language, one)


EXPERIMENTS = experiments(
    __file__,
    how_long=partial(Experiment, measure=measure, replay=replay),
    every_shape=partial(Experiment, measure=measure_shapes, replay=replay_shapes),
)
