"""Speed, as ratios of what a group holds, in one run on one thread: `make benchmark`."""

import random

import pytest
import torch

from chapters.common.turing.architecture import directional, vanilla
from chapters.common.turing.compilation import stack_rnn
from chapters.common.turing.machines import INCREMENT
from lib import constructions
from lib.formulas import compiled, held_against
from lib.formulas.stated import DYCK_1
from lib.languages import FIRST, PARITY
from lib.learning.ensemble import Ensemble, gradient
from lib.learning.network import Member, Network
from lib.learning.train import StringSource, optimizer
from lib.transformer.encoder import Encoder
from lib.transformer.exact import Exact
from tests.learner import nats, plain
from tests.reference import TorchReference

LONG_STRINGS = "PARITY on 300 strings of length 1,000, in float64"
MEMBERS = [Member(seed, n, s) for n in (10, 100) for s in ("plain", "log n") for seed in range(20)]
STEPS = 50


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def per(benchmark, runs_and_steps: int) -> None:
    median = benchmark.stats.stats.median / runs_and_steps * 1e6
    print(f"\n{benchmark.name}: {median:,.1f} microseconds a run and step")


# ---- many strings at once, and PyTorch's own encoder on one after another


@pytest.mark.benchmark(group=LONG_STRINGS)
def bench_encoder(benchmark):
    strings = PARITY.sample(1000, size=300, seed=0)
    logits = benchmark(Encoder(constructions.parity()), strings)
    assert PARITY.errors(strings, logits > 0) == []


@pytest.mark.benchmark(group=LONG_STRINGS)
def bench_torch_one_string_at_a_time(benchmark):
    strings = PARITY.sample(1000, size=300, seed=0)
    reference = TorchReference(constructions.parity())
    logits = benchmark.pedantic(lambda: [reference(w) for w in strings], rounds=1)
    assert PARITY.errors(strings, [s > 0 for s in logits]) == []


# ---- every string to a length: bounds in float64 first, shared beginnings, and exactly alone

READERS = ("bounds first", "exact alone", "string by string")


def swept(kind: str, attention: str) -> list[str]:
    """The strings to length 10 that Dyck-1's transformer decides wrongly: none."""
    made = compiled(DYCK_1.text, DYCK_1.alphabet, attention)
    reader, language = Exact(made), DYCK_1.language
    strings = [w for length in range(11) for w in language.all_strings(length)]
    if kind == "bounds first":
        found = held_against(language, reader.accepts, 10).counterexample
        return [] if found is None else [found]
    if kind == "exact alone":
        answers = [decision.accepts for decision in reader.decide_all(strings)]
    else:
        answers = [reader.accepts(w) for w in strings]
    return language.errors(strings, answers)


@pytest.mark.parametrize("attention", ["softmax", "layer norm"])
@pytest.mark.parametrize("kind", READERS)
def bench_sweep_of_2_047_strings(benchmark, kind, attention):
    benchmark.group = f"Dyck-1 on 2,047 strings, {attention}"
    assert benchmark.pedantic(swept, (kind, attention), rounds=1) == []


# ---- a step of Adam for 80 runs at once, and PyTorch's modules on one string at a time


@pytest.mark.benchmark(group="a step of training FIRST")
def bench_step_of_the_ensemble(benchmark):
    ensemble = Ensemble(Network(), MEMBERS)
    source, adam = StringSource(ensemble, "FIRST"), optimizer(ensemble)

    def epoch():
        batch, labels = source(STEPS)
        batch = ensemble.prepare(batch)
        for start in range(STEPS):
            some = slice(start, start + 1)
            gradient(ensemble, batch[some], labels[:, some])
            adam.step()

    benchmark.pedantic(epoch, rounds=3, warmup_rounds=1)
    per(benchmark, STEPS * len(MEMBERS))


@pytest.mark.benchmark(group="a step of training FIRST")
def bench_step_of_a_plain_loop(benchmark):
    ensemble, chosen = Ensemble(Network(), MEMBERS), [0, 20, 40, 60]  # each length and scale
    modules = [plain(ensemble, member) for member in chosen]
    optimizers = [torch.optim.Adam(module.parameters(), lr=3e-4) for module in modules]
    draw = random.Random(0)

    def steps():
        for member, module, adam in zip(chosen, modules, optimizers, strict=True):
            for _ in range(STEPS):
                w = "".join(draw.choice("01") for _ in range(MEMBERS[member].length))
                adam.zero_grad()
                nats(module, w, w in FIRST).backward()
                adam.step()

    benchmark.pedantic(steps, rounds=3, warmup_rounds=1)
    per(benchmark, STEPS * len(chosen))


# ---- a machine's RNN, and the transformers that run it

NETWORKS = {
    "rnn": lambda rnn, w: rnn.states(w),
    "vanilla": lambda rnn, w: vanilla(rnn).outputs(w),
    "directional": lambda rnn, w: directional(rnn).outputs(w),
}


@pytest.mark.benchmark(group="adding 1 to 50 ones: 102 steps of the machine")
@pytest.mark.parametrize("network", NETWORKS)
def bench_increment(benchmark, network):
    run = NETWORKS[network]
    steps = benchmark.pedantic(
        lambda: sum(1 for _ in run(stack_rnn(INCREMENT), "1" * 50)) - 1, rounds=3
    )
    assert steps == 50 + 3 + 4 * 102
