"""Speed of training FIRST, as ratios measured in one run, on one thread: `make benchmark`.

The ensemble takes a step of Adam for 80 runs at once, or scores them on every string of length
1,000; the plain loop is PyTorch's `nn.TransformerEncoder` on one string at a time, as in the
papers' code. `per run` and `per string` are what to compare.
"""

import random

import pytest
import torch

from lib.languages import FIRST
from lib.learning.ensemble import Ensemble, gradient
from lib.learning.network import Member, Network
from lib.learning.train import StringSource, optimizer, score, train
from record.experiments.learning import TESTED_AT
from tests.learner import nats, plain

MEMBERS = [
    Member(seed, length, scale)
    for length in (10, 30, 100, 300)
    for scale in ("plain", "log n")
    for seed in range(10)
]
TRAINING, TESTING = (
    "a step of training (mean over n = 10, 30, 100, 300)",
    "a test on strings of length 1,000",
)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def ensemble() -> Ensemble:
    return Ensemble(Network(), MEMBERS)


def per(benchmark, what: str, many: int) -> None:
    print(
        f"\n{benchmark.name}: {benchmark.stats.stats.median / many * 1e6:,.1f} microseconds {what}"
    )


@pytest.mark.benchmark(group=TRAINING)
def bench_step_of_the_ensemble(benchmark, ensemble):
    source, adam = StringSource(ensemble, "FIRST"), optimizer(ensemble)

    def epoch():
        batch, labels = source(100)
        batch = ensemble.prepare(batch)
        for start in range(100):
            some = slice(start, start + 1)
            gradient(ensemble, batch[some], labels[:, some])
            adam.step()

    benchmark.pedantic(epoch, rounds=5, warmup_rounds=1)
    per(benchmark, "a run and step", 100 * len(MEMBERS))


@pytest.mark.benchmark(group=TRAINING)
def bench_step_of_a_plain_loop(benchmark, ensemble):
    chosen = [0, 10, 20, 30, 40, 50, 60, 70]  # each length, plain and scaled
    modules = [plain(ensemble, member) for member in chosen]
    optimizers = [torch.optim.Adam(module.parameters(), lr=3e-4) for module in modules]
    draw = random.Random(0)

    def steps():
        for member, module, adam in zip(chosen, modules, optimizers, strict=True):
            total = 0.0
            for _ in range(20):
                w = "".join(draw.choice("01") for _ in range(MEMBERS[member].length))
                value = nats(module, w, w in FIRST)
                adam.zero_grad()
                value.backward()
                adam.step()
                total += value.item()

    benchmark.pedantic(steps, rounds=3, warmup_rounds=1)
    per(benchmark, "a run and step", 20 * len(chosen))


@pytest.mark.benchmark(group=TESTING)
def bench_score_of_the_ensemble(benchmark, ensemble):
    benchmark.pedantic(score, (ensemble, "FIRST", 1000), rounds=5, warmup_rounds=1)
    weight = StringSource(ensemble, "FIRST").task.distribution(1000)[2]
    per(benchmark, "a run, all 2^1000 strings", len(MEMBERS))
    per(benchmark, "a string evaluated", len(MEMBERS) * len(weight))


@pytest.mark.benchmark(group=TESTING)
def bench_test_of_a_plain_loop(benchmark, ensemble):
    module, strings = plain(ensemble, 0), FIRST.sample(1000, size=100, seed=0)

    @torch.no_grad()
    def test():
        return [nats(module, w, w in FIRST).item() for w in strings]

    benchmark.pedantic(test, rounds=3, warmup_rounds=1)
    per(benchmark, "a run, 100 strings", 1)
    per(benchmark, "a string evaluated", 100)


@pytest.mark.benchmark(group="all of figure 4 at 100 epochs: 160 runs")
def bench_figure_4(benchmark):
    """On one thread; two processes take half of it."""

    def figure():
        for half in (0, 1):
            some = [Member(m.seed + 10 * half, m.length, m.scale) for m in MEMBERS]
            train(
                Ensemble(Network(), some),
                "FIRST",
                [epoch for epoch in TESTED_AT if epoch <= 100],
                1000,
            )

    benchmark.pedantic(figure, rounds=1)
